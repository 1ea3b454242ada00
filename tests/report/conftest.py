"""Fixtures: the golden pages beside their logs, as `report` writes them, and the programs that read what we write."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from report.views.publish import publish

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
Environment = Callable[[str], Path]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The golden pages beside a copy of their logs."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    pages = [str(GOLDEN / f"{name}.toml") for name in ("toy", "toy_gpu", "llm_example")]
    assert len(list(publish(pages, folder / "logs", (), folder / "pages"))) == len(pages)
    return folder


@pytest.fixture
def copy(site: Path, tmp_path: Path) -> Path:
    """A site of its own."""
    shutil.copytree(site, tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The folder of the programs of an environment that has a consumer, in the versions of its file in ``consumers``.

    What constrains the environment of the tests does not hold there: a consumer may need other versions of the same
    packages.
    """

    def made(consumer: str) -> Path:
        folder, versions = tmp_path_factory.mktemp("environment"), HERE / f"consumers/{consumer}.txt"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        command = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--requirement", str(versions)]
        subprocess.run(command, env={**os.environ, "PIP_CONSTRAINT": str(versions)}, check=True)
        return folder / "bin"

    return made

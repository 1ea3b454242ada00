"""Fixtures: the golden pages beside their logs, as `report` writes them."""

import json
import shutil
from pathlib import Path

import pytest

from report.rendering.publish import publish

GOLDEN = Path(__file__).parent / "golden"


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


@pytest.fixture
def without_page_file(copy: Path) -> Path:
    """A site of its own whose evidence files are as earlier versions wrote them."""
    for path in (copy / "pages").glob("*.evidence.json"):
        told = json.loads(path.read_text(encoding="utf-8"))
        del told["page_file"], told["charts"]
        path.write_text(json.dumps(told), encoding="utf-8")
    return copy

"""The package as it is installed: what is in the wheel, and what it does in an empty folder and without venv."""

import configparser
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from tests.commandline import PROJECT, run

ROOMS = ("launchers", "parsers", "report")


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", *ROOMS], cwd=PROJECT, capture_output=True, text=True, check=True)
    return sorted(listed.stdout.splitlines())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the files that git tracks."""
    folder = tmp_path_factory.mktemp("wheel")
    archive = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True).stdout
    for name in filter(None, archive.decode().split("\0")):
        place = folder / "source" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if not name.startswith(("tests/", "logs/")):
            place.write_bytes((PROJECT / name).read_bytes())
    program = f"from setuptools.build_meta import build_wheel; build_wheel({str(folder)!r})"
    subprocess.run([sys.executable, "-c", program], cwd=folder / "source", capture_output=True, check=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheel; the packages that it needs are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    ZipFile(wheel).extractall(packages)
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return folder / "bin/python"


def started(python: Path, folder: Path, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command: list[str | Path] = [python, "-m", "tachograph", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_rooms(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert sorted(name for name in names if name.startswith(tuple(f"{room}/" for room in ROOMS))) == tracked()


@pytest.mark.slow
def test_the_wheel_renders_a_page_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    done = started(installed, tmp_path, "report", "cpu-demo", "--logs", PROJECT / "logs")
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in (tmp_path / "pages").iterdir()} >= {"cpu-demo.en.md", "cpu-demo.zh.md"}


@pytest.mark.slow
def test_the_wheel_shows_a_log(installed: Path, tmp_path: Path) -> None:
    done = started(installed, tmp_path, "show", PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1")
    assert (done.returncode, "samples/s" in done.stdout) == (0, True)


@pytest.mark.parametrize("options", [(), ("--html",)])
def test_a_report_of_no_page_in_a_folder_without_logs_writes_nothing(options: tuple[str, ...], tmp_path: Path) -> None:
    done = run("report", *options, cwd=tmp_path)
    assert done.returncode == 2
    said = r"Error: No page has a log in logs; pass a page \(.*cpu-demo.*\) or a path ending in \.toml\.\n"
    assert re.fullmatch(said, done.stderr)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fails", "told"),
    [("ensurepip", "apt-get install python3-venv"), ("version_info", "Python 3.11 or newer is needed")],
)
def test_make_says_in_a_sentence_what_python_lacks(fails: str, told: str, tmp_path: Path) -> None:
    for name in ("Makefile", "setup.cfg"):
        (tmp_path / name).write_bytes((PROJECT / name).read_bytes())
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\ncase "$2" in *{fails}*) echo Traceback >&2; exit 1;; esac\n', encoding="utf-8")
    python.chmod(0o755)
    command = ["make", "--silent", "report", f"PYTHON={python}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    (said,) = done.stdout.splitlines()
    assert (done.returncode, told in said) == (2, True)
    assert not (tmp_path / ".venv").exists()


def required() -> list[Requirement]:
    settings = configparser.ConfigParser()
    settings.read(PROJECT / "setup.cfg", encoding="utf-8")
    extras = settings["options.extras_require"]
    lines = [settings["options"]["install_requires"], *(extras[name] for name in ("charts", "watch", "images", "test"))]
    found = [Requirement(line) for line in "\n".join(lines).split("\n") if line.strip()]
    return [one for one in found if one.name not in ("tachograph", "setuptools")]


def test_the_constraints_hold_a_version_of_every_package_that_fits_it() -> None:
    lines = (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)] == []
    pinned = (line.split("==") for line in lines)
    versions = {name.lower().replace("_", "-"): version for name, version in pinned}
    assert [one.name for one in required() if not one.specifier.contains(versions[one.name.lower()])] == []

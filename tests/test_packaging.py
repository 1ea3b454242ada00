"""The package as it is installed: what is in the wheel, and what it does in an empty folder and without venv."""

import configparser
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from tests.commandline import PROJECT, start

ROOMS = ("launchers", "parsers", "report", "tachograph")


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", *ROOMS], cwd=PROJECT, capture_output=True, text=True, check=True)
    return sorted(listed.stdout.splitlines())


EXTENSION = "parsers/scanning/_shapes.abi3.so"
FORMATS = "parsers/formats.json"
NO_COMPILER = {"CC": "false", "LDSHARED": "false"}
COMPILER = shutil.which(str(sysconfig.get_config_var("CC")).split()[0])
has_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler: `apt-get install gcc libc6-dev` has one")


def built(folder: Path, what: str = "wheel", **environment: str) -> Path:
    """What setuptools makes of the files that git tracks: a wheel, an editable one or the sources."""
    archive = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True).stdout
    for name in filter(None, archive.decode().split("\0")):
        place = folder / "source" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if not name.startswith(("tests/", "logs/")):
            place.write_bytes((PROJECT / name).read_bytes())
    program = f"from setuptools import build_meta; print(build_meta.build_{what}({str(folder)!r}))"
    given = {**os.environ, **environment}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder / "source", env=given, capture_output=True, text=True, check=True)
    return folder / done.stdout.splitlines()[-1]


def in_new_environment(wheel: Path, folder: Path) -> Path:
    """The Python of a new environment with the wheel; the packages that it needs are those of this one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    shutil.unpack_archive(wheel, packages, "zip")
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return folder / "bin/python"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the files that git tracks."""
    return built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def plain_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, made where no compiler works."""
    return built(tmp_path_factory.mktemp("plain"), **NO_COMPILER)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheel."""
    return in_new_environment(wheel, tmp_path_factory.mktemp("environment"))


def started(python: Path, folder: Path, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command: list[str | Path] = [python, "-m", "tachograph", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_rooms(wheel: Path) -> None:
    assert files_of_rooms(wheel) - {EXTENSION} == {*tracked(), FORMATS}


def files_of_rooms(wheel: Path) -> set[str]:
    return {name for name in ZipFile(wheel).namelist() if name.startswith(tuple(f"{room}/" for room in ROOMS))}


@pytest.mark.slow
@has_compiler
def test_the_wheel_holds_the_kernel_for_this_and_all_later_versions_of_python(wheel: Path) -> None:
    assert EXTENSION in files_of_rooms(wheel)
    assert wheel.name.split("-")[2:4] == ["cp311", "abi3"]


@pytest.mark.slow
def test_a_wheel_made_without_a_compiler_lacks_nothing_else(plain_wheel: Path) -> None:
    assert files_of_rooms(plain_wheel) == {*tracked(), FORMATS}


@pytest.mark.slow
def test_the_sources_are_installed_for_editing_without_a_compiler(tmp_path: Path) -> None:
    assert built(tmp_path, "editable", **NO_COMPILER).suffix == ".whl"
    assert not (tmp_path / "source" / EXTENSION).exists()
    assert (tmp_path / "source" / FORMATS).exists()


@pytest.mark.slow
def test_the_first_log_that_is_read_waits_for_no_format_to_be_compiled(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = started(installed, tmp_path, "show", PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1")
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", [])


@pytest.mark.slow
def test_the_archive_of_the_sources_holds_what_the_kernel_is_built_from(tmp_path: Path) -> None:
    with tarfile.open(built(tmp_path, "sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {"setup.py", "setup.cfg", "pyproject.toml", "parsers/scanning/shapes.c"}


KERNEL = "from parsers.scanning import kernel; print(kernel.COMPILED, *kernel.Shapes().lines(b'a 1\\nb\\na 2\\n')[0])"


@pytest.mark.slow
@has_compiler
@pytest.mark.parametrize(("environment", "compiled"), [({}, True), ({"TACHOGRAPH_KERNEL": "numpy"}, False)])
def test_the_wheel_has_the_kernel_in_c_unless_numpy_is_asked_for(
    environment: dict[str, str], compiled: bool, installed: Path, tmp_path: Path
) -> None:
    assert kernel_of(installed, tmp_path, environment) == f"{compiled} 0 1 0\n"


@pytest.mark.slow
def test_the_wheel_made_without_a_compiler_has_the_kernel_in_numpy(plain_wheel: Path, tmp_path: Path) -> None:
    python = in_new_environment(plain_wheel, tmp_path / "environment")
    assert kernel_of(python, tmp_path, {}) == "False 0 1 0\n"
    done = started(python, tmp_path, "show", PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1")
    assert (done.returncode, "samples/s" in done.stdout) == (0, True)


def kernel_of(python: Path, folder: Path, environment: dict[str, str]) -> str:
    """Whether the kernel is compiled, and the shapes of three lines."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TACHOGRAPH_KERNEL")}
    command = [str(python), "-c", KERNEL]
    given = {**kept, **environment}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=True).stdout


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
    done = start("report", *options, cwd=tmp_path)
    assert (done.returncode, "cpu-demo" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def required() -> list[Requirement]:
    settings = configparser.ConfigParser()
    settings.read(PROJECT / "setup.cfg", encoding="utf-8")
    extras = settings["options.extras_require"]
    lines = [settings["options"]["install_requires"], *(extras[name] for name in ("charts", "images", "test"))]
    found = [Requirement(line) for line in "\n".join(lines).split("\n") if line.strip()]
    return [one for one in found if one.name not in ("tachograph", "setuptools")]


def test_the_constraints_hold_a_version_of_every_package_that_fits_it() -> None:
    lines = (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)] == []
    pinned = (line.split("==") for line in lines)
    versions = {name.lower().replace("_", "-"): version for name, version in pinned}
    assert [one.name for one in required() if not one.specifier.contains(versions[one.name.lower()])] == []

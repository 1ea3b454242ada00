"""The package as it is installed: what a wheel holds, what it does in an empty folder, and what extras are for."""

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

from tests.commandline import PROJECT

# Each builds the package, or starts it.
pytestmark = pytest.mark.slow

ROOMS = ("launchers", "parsers", "report", "tachograph")
RUN = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1"
EXTENSION = "parsers/scanning/_shapes.abi3.so"
FORMATS = "parsers/formats.pickle"
NO_COMPILER = {"CC": "false", "LDSHARED": "false"}
COMPILER = shutil.which(str(sysconfig.get_config_var("CC")).split()[0])
KERNEL = (
    "from parsers.scanning import kernel; print(kernel.COMPILED, *kernel.Shapes(9, 9, 9).lines(b'a 1\\nb\\na 2\\n')[0])"
)
has_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler: `apt-get install gcc libc6-dev` has one")


def tracked(*folders: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    return sorted(filter(None, listed.stdout.split("\0")))


def built(folder: Path, what: str = "wheel", **environment: str) -> Path:
    """What setuptools makes of the files that git tracks: a wheel, an editable one or the sources."""
    for name in tracked():
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


def started(
    python: Path, folder: Path, *arguments: str | Path, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Start this Python in a folder, where nothing points to the checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TACHOGRAPH_KERNEL")}
    command: list[str | Path] = [python, *arguments]
    given = {**kept, **environment}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)


def files_of_rooms(wheel: Path) -> set[str]:
    return {name for name in ZipFile(wheel).namelist() if name.startswith(tuple(f"{room}/" for room in ROOMS))}


@has_compiler
def test_the_wheel_holds_every_file_of_the_rooms_and_the_kernel_for_all_later_versions_of_python(wheel: Path) -> None:
    assert files_of_rooms(wheel) == {*tracked(*ROOMS), FORMATS, EXTENSION}
    assert wheel.name.split("-")[2:4] == ["cp311", "abi3"]


def test_without_a_compiler_the_package_is_built_and_lacks_nothing_else(plain_wheel: Path, tmp_path: Path) -> None:
    assert files_of_rooms(plain_wheel) == {*tracked(*ROOMS), FORMATS}
    assert built(tmp_path, "editable", **NO_COMPILER).suffix == ".whl"
    assert ((tmp_path / "source" / EXTENSION).exists(), (tmp_path / "source" / FORMATS).exists()) == (False, True)
    python = in_new_environment(plain_wheel, tmp_path / "environment")
    assert started(python, tmp_path, "-c", KERNEL).stdout == "False 0 1 0\n"
    done = started(python, tmp_path, "-m", "tachograph", "show", RUN)
    assert (done.returncode, "samples/s" in done.stdout) == (0, True)


def test_the_archive_of_the_sources_holds_what_the_kernel_is_built_from(tmp_path: Path) -> None:
    with tarfile.open(built(tmp_path, "sdist")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {"setup.py", "setup.cfg", "pyproject.toml", "parsers/scanning/shapes.c"}


@has_compiler
@pytest.mark.parametrize(("environment", "compiled"), [({}, True), ({"TACHOGRAPH_KERNEL": "numpy"}, False)])
def test_the_wheel_has_the_kernel_in_c_unless_numpy_is_asked_for(
    environment: dict[str, str], compiled: bool, installed: Path, tmp_path: Path
) -> None:
    assert started(installed, tmp_path, "-c", KERNEL, **environment).stdout == f"{compiled} 0 1 0\n"


def test_the_wheel_renders_a_page_in_an_empty_folder_and_waits_for_no_format_to_be_compiled(
    installed: Path, tmp_path: Path
) -> None:
    done = started(installed, tmp_path, "-m", "tachograph", "report", "cpu-demo", "--logs", PROJECT / "logs")
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in (tmp_path / "pages").iterdir()} >= {"cpu-demo.en.md", "cpu-demo.zh.md"}
    read = "import sys; from parsers.runs.reading import read; read(sys.argv[1]); print('lark' in sys.modules)"
    done = started(installed, tmp_path, "-c", read, RUN / "train.log")
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_the_constraints_hold_a_version_of_every_package_that_fits_it() -> None:
    settings = configparser.ConfigParser()
    settings.read(PROJECT / "setup.cfg", encoding="utf-8")
    extras = settings["options.extras_require"]
    lines = [settings["options"]["install_requires"], *(extras[name] for name in ("charts", "images", "test"))]
    required = [Requirement(line) for line in "\n".join(lines).split("\n") if line.strip()]
    lines = (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)] == []
    versions = {name.lower().replace("_", "-"): version for name, version in (line.split("==") for line in lines)}
    required = [one for one in required if one.name not in ("tachograph", "setuptools")]
    assert [one.name for one in required if not one.specifier.contains(versions[one.name.lower()])] == []


# What one command alone needs is an extra: without it all else works, and that command names it in a sentence.
EXTRAS = {
    "altair": "charts",
    "vl_convert": "charts",
    "PIL": "images",
    "pyarrow": "parquet",
    "scipy": "compare",
    "ruptures": "history",
    "zstandard": "zstd",
}


def without(modules: "tuple[str, ...]", out: Path, *commands: str) -> "subprocess.CompletedProcess[str]":
    """Run commands of ``tachograph``, up to one that fails, where these modules cannot be imported."""
    program = f"""import sys, tachograph
sys.modules.update(dict.fromkeys({modules!r}))
for command in {commands!r}:
    sys.argv = ["tachograph", *command.format(out={str(out)!r}, log={str(RUN / "train.log")!r}).split()]
    try:
        tachograph.main()
    except SystemExit as end:
        if end.code:
            raise"""
    return started(Path(sys.executable), PROJECT, "-c", program, PYTHONPATH=str(PROJECT), COLUMNS="120")


@pytest.mark.parametrize(
    ("missing", "command"),
    [
        ("PIL", "images {out} --kind imagenet"),
        ("pyarrow", "parse {log} --out {out}/a.parquet"),
        ("scipy", "compare logs/cpu-demo logs/cpu-demo --html {out}/a.html"),
        ("ruptures", "history logs/cpu-demo --html {out}/a.html"),
    ],
)
def test_a_command_names_the_extra_that_it_misses_in_one_sentence(missing: str, command: str, tmp_path: Path) -> None:
    done = without((missing,), tmp_path, command)
    (said,) = done.stderr.splitlines()
    assert f"`pip install -e '{PROJECT}[{EXTRAS[missing]}]'`" in said  # a checkout stays the one that runs
    assert (said.startswith("Error: "), done.returncode, list(tmp_path.iterdir())) == (True, 2, [])


def test_all_else_needs_no_extra(tmp_path: Path) -> None:
    done = without(
        tuple(EXTRAS),
        tmp_path,
        "--help",
        "show {log}",
        "report cpu-demo --out {out}",
        "report cpu-demo --html --out {out}/site",
        "why {log}",
        "parse {log} --out {out}/a.csv",
        "export csv cpu-demo",
        "formats",
        "launchers",
        "launch nanogpt --repo {out} --dry-run",
        "run --dry-run --into {out}/logs -- python --version",
    )
    assert done.returncode == 0, done.stderr

"""The plan of the house, held against the imports and the files that there are."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsers.detect import formats

PROJECT = Path(__file__).parents[1]
MAY_IMPORT: dict[str, set[str]] = {"launchers": set(), "parsers": set(), "report": {"parsers"}}
FACE = "tachograph"
FOLDERS = {*MAY_IMPORT, "logs", "tests"}
FRAMEWORKS = ("paddle", "mxnet", "dllogger", "mmseg", "mmcv", "megatron")
LONGEST_FILE = 250

SOURCES = sorted(path for room in MAY_IMPORT for path in (PROJECT / room).rglob("*.py"))
ALL_SOURCES = [PROJECT / f"{FACE}.py", *SOURCES, *sorted((PROJECT / "tests").rglob("*.py"))]


def shown(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


every_source = pytest.mark.parametrize("path", SOURCES, ids=shown)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every import of a file: how many dots it begins with, and the module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from ((0, str(ast.literal_eval(a))) for a in node.args if isinstance(a, ast.Constant))


def rooms_of(path: Path) -> set[str]:
    """The rooms, the face included, that a file imports by their names."""
    return {module.partition(".")[0] for level, module in imports(path) if level == 0} & {*FOLDERS, FACE}


def room(path: Path) -> str:
    return path.relative_to(PROJECT).parts[0]


@every_source
def test_a_room_imports_only_the_rooms_that_it_may(path: Path) -> None:
    assert rooms_of(path) - {room(path)} <= MAY_IMPORT[room(path)]


@every_source
def test_a_room_imports_its_own_modules_relatively(path: Path) -> None:
    assert room(path) not in rooms_of(path)


@every_source
def test_no_relative_import_leaves_its_room(path: Path) -> None:
    depth = len(path.relative_to(PROJECT).parts) - 1
    assert all(level <= depth for level, _ in imports(path))


def test_every_room_is_walked() -> None:
    assert {room(path) for path in SOURCES} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", sorted((PROJECT / "parsers").rglob("*.py")), ids=shown)
def test_no_python_file_of_the_parsers_names_a_format(path: Path) -> None:
    names = "|".join(map(re.escape, [*FRAMEWORKS, *(fmt.name for fmt in formats())]))
    assert re.findall(names, path.read_text(encoding="utf-8"), re.IGNORECASE) == []


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_the_top_level_has_the_five_folders(folder: str) -> None:
    assert (PROJECT / folder).is_dir()


def test_the_settings_are_in_setup_cfg() -> None:
    assert (PROJECT / "setup.cfg").is_file()


@pytest.mark.parametrize("path", ALL_SOURCES, ids=shown)
def test_a_file_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < LONGEST_FILE

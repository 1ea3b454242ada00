"""The plan of the house, held against the imports and the files that there are."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsers.scanning.detection import formats

PROJECT = Path(__file__).parents[1]
MAY_IMPORT: dict[str, set[str]] = {"launchers": set(), "parsers": set(), "report": {"parsers"}}
# The wings of each room in their order: an import only goes to one further right, or stays.
WINGS = {
    "parsers": (
        "commands",
        "ingesting",
        "scrubbing",
        "general",
        "naming",
        "origins",
        "ranks",
        "runs",
        "scanning",
        "grammar",
        "counts",
        "sharing",
        "io",
    ),
    "report": (
        "commands",
        "terminal",
        "site",
        "why",
        "comparing",
        "audit",
        "published",
        "rendering",
        "charts",
        "wording",
        "evidence",
        "recovery",
        "pagefile",
        "measuring",
    ),
    "launchers": ("commands", "running", "clusters", "runs", "jobs", "machine", "native", "secrets", "io"),
}
FACE = "tachograph"
FOLDERS = {*MAY_IMPORT, "logs", "tests"}
FRAMEWORKS = ("paddle", "mxnet", "dllogger", "mmseg", "mmcv", "megatron")
LONGEST_FILE = 300
LONGEST_GRAMMAR_LINE = 200
LARGEST_FIRST_LEVEL = 15
LARGEST_WING = 16
LARGER_WINGS = {"parsers/scanning": 18, "parsers/runs": 17, "report/site": 18}

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


def module_of(path: Path) -> tuple[str, ...]:
    """The parts of the name of a module; a package is called as its folder."""
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


MODULES = {module_of(path): path for path in SOURCES}


def imported_modules(path: Path) -> Iterator[tuple[str, ...]]:
    """The modules of ours that a file imports, those that it needs for types or only on use among them."""
    package = module_of(path) if path.name == "__init__.py" else module_of(path)[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module or "").split(".")) if node.module else base
            yield from {(*module, alias.name) if (*module, alias.name) in MODULES else module for alias in node.names}
        elif isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)


IMPORTS = {name: {m for m in imported_modules(path) if m in MODULES and m != name} for name, path in MODULES.items()}


def wing_of(module: tuple[str, ...]) -> int:
    """The place of a module's wing in the order of its room; what lies in a room's first level leads the others."""
    return WINGS[module[0]].index(module[1]) if len(module) > 1 and module[1] in WINGS[module[0]] else -1


@pytest.mark.parametrize("name", sorted(MODULES), ids=".".join)
def test_an_import_goes_only_to_a_wing_further_right(name: tuple[str, ...]) -> None:
    for module in IMPORTS[name]:
        if module[0] == name[0] and len(name) > 1:
            assert wing_of(module) >= wing_of(name), f"{'.'.join(name)} imports {'.'.join(module)}"


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {name: set(modules) for name, modules in IMPORTS.items()}
    while free := {name for name, modules in graph.items() if not modules & graph.keys()}:
        graph = {name: modules for name, modules in graph.items() if name not in free}
    assert sorted(".".join(name) for name in graph) == []


@pytest.mark.parametrize("room", sorted(WINGS))
def test_a_room_holds_at_most_fifteen_things_at_its_first_level(room: str) -> None:
    things = {path.relative_to(PROJECT / room).parts[0] for path in SOURCES if path.is_relative_to(PROJECT / room)}
    assert len(things) <= LARGEST_FIRST_LEVEL


@pytest.mark.parametrize("wing", [f"{room}/{wing}" for room, wings in WINGS.items() for wing in wings[1:]])
def test_a_wing_holds_few_modules(wing: str) -> None:
    assert len(list((PROJECT / wing).glob("*.py"))) <= LARGER_WINGS.get(wing, LARGEST_WING)


def test_no_two_modules_have_one_name() -> None:
    names = [path.stem for path in SOURCES if path.stem not in ("__init__", "command", "commands")]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


def test_no_two_public_classes_have_one_name() -> None:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES)
    names = [node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


def test_the_settings_are_in_setup_cfg() -> None:
    assert (PROJECT / "setup.cfg").is_file()


@pytest.mark.parametrize("path", ALL_SOURCES, ids=shown)
def test_a_file_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < LONGEST_FILE


@pytest.mark.parametrize("path", sorted(p for r in MAY_IMPORT for p in (PROJECT / r).rglob("*.lark")), ids=shown)
def test_a_line_of_a_grammar_is_short_unless_it_is_one_regular_expression(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    long = [line for line in lines if len(line) > LONGEST_GRAMMAR_LINE]
    assert [line for line in long if not re.fullmatch(r"\w+(\.\d+)?: /(\\.|[^/\\])+/i?", line)] == []

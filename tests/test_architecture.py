"""Imports go one way, between rooms and between modules; only data names a format."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsers.scanning.detection import formats

PROJECT = Path(__file__).parents[1]
# What each room may import besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "parsers": set(),
    "launchers": {"parsers"},
    "report": {"parsers"},
    "tachograph": {"parsers", "launchers", "report"},
}
FRAMEWORKS = ("paddle", "mxnet", "dllogger", "mmseg", "mmcv", "megatron")


def name_of(path: Path) -> str:
    """The name of a module; a package is called as its folder."""
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for room in MAY_IMPORT for path in (PROJECT / room).rglob("*.py")}


def imported(name: str) -> Iterator[str]:
    """The names that a module imports, those that it needs for types or only on use among them."""
    package = name.split(".") if MODULES[name].name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def module_of(name: str) -> str | None:
    """The module of ours that an imported name is, or lies in."""
    return next((m for m in (name, name.rpartition(".")[0]) if m in MODULES), None)


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """The modules of ours that each module imports."""
    return {name: {m for m in map(module_of, imported(name)) if m and m != name} for name in MODULES}


def test_a_room_imports_only_the_rooms_that_it_may(imports: dict[str, set[str]]) -> None:
    pairs = ((name, module) for name, modules in imports.items() for module in modules)
    rooms = ((name, module, name.partition(".")[0], module.partition(".")[0]) for name, module in pairs)
    assert [f"{name}: {module}" for name, module, a, b in rooms if a != b and b not in MAY_IMPORT[a]] == []


def test_no_module_imports_itself_by_way_of_others(imports: dict[str, set[str]]) -> None:
    graph = imports
    while free := {name for name, modules in graph.items() if not modules & graph.keys()}:
        graph = {name: modules for name, modules in graph.items() if name not in free}
    assert sorted(graph) == []


def test_no_python_of_the_parsers_names_a_format() -> None:
    names = {*FRAMEWORKS, *(fmt.name for fmt in formats())}
    texts = {path: path.read_text(encoding="utf-8").lower() for at, path in MODULES.items() if at.startswith("parsers")}
    assert [f"{path}: {name}" for path, text in texts.items() for name in names if name in text] == []

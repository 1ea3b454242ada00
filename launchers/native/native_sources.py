"""The Python files of a checkout that a native program is made of; they are read, never executed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..io.regular_file import data_of


@dataclass(frozen=True)
class PythonFile:
    """One Python file: `name` is its path as seen from the checkout, `tree` what Python reads in it."""

    name: str
    path: Path
    tree: ast.Module


def parse(path: Path) -> ast.Module:
    """Return the syntax tree of a file; an empty one where it is not written in this version of Python.

    Raises OSError where it is not a readable file.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on escape sequences, which are not ours to mend
        try:
            return ast.parse(data_of(path))
        except (SyntaxError, ValueError):
            return ast.Module([], [])


def last_name(node: ast.expr) -> str:
    """Return the last identifier of a dotted name, an empty text for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def reachable(program: Path, repo: Path) -> list[PythonFile]:
    """List `program` and the modules of the checkout `repo` that it imports, directly or not, in the order of import.

    Modules are looked for as the programs themselves arrange it: beside the program, in the folders above it, at the
    top of the checkout, and in its `src`. Both paths must be resolved.
    """
    roots = [*(folder for folder in program.parents if folder.is_relative_to(repo)), repo / "src"]
    found: dict[Path, PythonFile] = {}
    waiting = [program]
    while waiting:
        path = waiting.pop(0)
        if path not in found and path.is_relative_to(repo):
            found[path] = PythonFile(path.relative_to(repo).as_posix(), path, parse(path))
            waiting += _imported(found[path], roots)
    return list(found.values())


def _imported(source: PythonFile, roots: Sequence[Path]) -> Iterator[Path]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _module(roots, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            places = [source.path.parents[node.level - 1]] if node.level else roots
            for alias in node.names:
                yield from _module(places, [*(node.module or "").split("."), alias.name])
        elif isinstance(node, ast.Call) and last_name(node.func) in {"import_module", "__import__"}:
            yield from _imported_by_name(source.path)


def _module(places: Sequence[Path], parts: Sequence[str]) -> list[Path]:
    """List the files that Python runs to import a module: the packages on the way and the module itself."""
    for place in places:
        folders = [place.joinpath(*parts[: depth + 1]) for depth in range(len(parts))]
        candidates = [path for folder in folders for path in (folder / "__init__.py", Path(f"{folder}.py"))]
        if files := [path.resolve() for path in candidates if path.is_file()]:
            return files
    return []


def _imported_by_name(path: Path) -> list[Path]:
    """List the modules of a package that imports its own modules by names found out at run time."""
    return sorted(path.parent.glob("*.py")) if path.name == "__init__.py" else []

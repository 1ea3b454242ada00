"""The Python files of a checkout that a native program is made of; they are read, never executed."""

from __future__ import annotations

import ast
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from parsers.io.input_file import data_of

_BY_NAME = ("import_module", "__import__")
# What has statements in it, beside other statements.
_HOLDERS = (ast.stmt, ast.excepthandler, ast.match_case)


@dataclass(frozen=True)
class PythonFile:
    """One Python file: `name` is its path as seen from the checkout, `text` its bytes, `tree` what Python reads in it.

    A program may import thousands of files: a look at the text, or at the statements, spares most walks of a tree.
    """

    name: str
    path: Path
    text: bytes
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes, in the order of `ast.walk`."""
        return list(ast.walk(self.tree))

    @cached_property
    def statements(self) -> list[ast.AST]:
        """The statements alone, in the same order."""
        found, waiting = [], deque[ast.AST](self.tree.body)
        while waiting:
            node = waiting.popleft()
            found.append(node)
            waiting.extend(_below(node))
        return found

    def calls(self, *words: str) -> list[ast.Call]:
        """The calls of a file whose text has one of the words; none of another file."""
        if not any(word.encode() in self.text for word in words):
            return []
        return [node for node in self.nodes if isinstance(node, ast.Call)]


def read(path: Path, name: str) -> PythonFile:
    """Read a file; its tree is empty where it is not written in this version of Python.

    Raises OSError where it is not a readable file.
    """
    text = data_of(path)
    return PythonFile(name, path, text, _tree(text))


def parse(path: Path) -> ast.Module:
    """Return the syntax tree of a file, as `read` does."""
    return _tree(data_of(path))


def _tree(text: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on escape sequences, which are not ours to mend
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return ast.Module([], [])


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """The statements, and what else holds statements, right below a node."""
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            yield from (item for item in value if isinstance(item, _HOLDERS))


def last_name(node: ast.expr) -> str:
    """Return the last identifier of a dotted name, an empty text for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def reachable(program: Path, repo: Path) -> list[PythonFile]:
    """List `program` and the modules of the checkout `repo` that it imports, directly or not, in the order of import.

    Modules are looked for as the programs themselves arrange it: beside the program, in the folders above it, at the
    top of the checkout, and in its `src`. Both paths must be resolved.
    """
    modules = _Modules([*(folder for folder in program.parents if folder.is_relative_to(repo)), repo / "src"])
    found: dict[Path, PythonFile] = {}
    waiting = [program]
    while waiting:
        path = waiting.pop(0)
        if path not in found and path.is_relative_to(repo):
            found[path] = read(path, path.relative_to(repo).as_posix())
            waiting += modules.imported(found[path])
    return list(found.values())


class _Modules:
    """The modules below some folders, the roots; each place is looked at once, for thousands of files name the same."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self._seen: dict[tuple[Path, str], tuple[Path, ...]] = {}

    def imported(self, source: PythonFile) -> Iterator[Path]:
        """Yield the files that a file imports."""
        for node in source.statements:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._module(self._roots, alias.name.split("."))
            elif isinstance(node, ast.ImportFrom):
                places = [source.path.parents[node.level - 1]] if node.level else self._roots
                for alias in node.names:
                    yield from self._module(places, [*(node.module or "").split("."), alias.name])
        if any(last_name(call.func) in _BY_NAME for call in source.calls(*_BY_NAME)):
            yield from _imported_by_name(source.path)

    def _module(self, places: Sequence[Path], parts: Sequence[str]) -> list[Path]:
        """List the files that Python runs to import a module: the packages on the way and the module itself."""
        for place in places:
            folders = [place.joinpath(*parts[:depth]) for depth in range(len(parts))]
            if files := [path for at, part in zip(folders, parts, strict=True) for path in self._files(at, part)]:
                return files
        return []

    def _files(self, folder: Path, name: str) -> tuple[Path, ...]:
        if (folder, name) not in self._seen:
            path = folder / name
            candidates = (path / "__init__.py", Path(f"{path}.py"))
            self._seen[folder, name] = tuple(each.resolve() for each in candidates if each.is_file())
        return self._seen[folder, name]


def _imported_by_name(path: Path) -> list[Path]:
    """List the modules of a package that imports its own modules by names found out at run time."""
    return sorted(path.parent.glob("*.py")) if path.name == "__init__.py" else []

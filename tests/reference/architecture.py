"""The page of the architecture, made from the code: rooms, their wings, and which wing imports which."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.reference.templates import DOCS, TEMPLATES

PROJECT = DOCS.parent
ROOMS = ("launchers", "parsers", "report")
# Files, texts and errors of a room: nearly every module imports it, so that its arrows would hide the others.
EVERYWHERE = "io"

Name = tuple[str, ...]


@dataclass(frozen=True)
class Wing:
    """A folder of a room, or what stands at its first level where ``name`` is empty."""

    room: str
    name: str

    @property
    def key(self) -> str:
        """Its name in a picture."""
        return f"{self.room}_{self.name or 'commands'}"

    @property
    def title(self) -> str:
        """Its name for readers."""
        return self.name or "commands"

    @property
    def about(self) -> str:
        """What it says of itself, in a paragraph."""
        text = ast.get_docstring(ast.parse((self._folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        return " ".join(text.partition("\n\n")[0].split())

    @property
    def modules(self) -> int:
        """How many modules it has, without its ``__init__``."""
        return len([path for path in self._folder.glob("*.py") if path.stem != "__init__"])

    @property
    def _folder(self) -> Path:
        return PROJECT / self.room / self.name


def page() -> str:
    """The page in Markdown, with a picture in Mermaid."""
    arrows = essential({(a, b) for a, b in counted() if EVERYWHERE not in (a.name, b.name)})
    return TEMPLATES.get_template("architecture.md.jinja").render(rooms=rooms(), arrows=arrows)


def rooms() -> dict[str, list[Wing]]:
    """The wings of each room, the commands first, by name."""
    return {room: [Wing(room, name) for name in ("", *_folders(room))] for room in ROOMS}


def _folders(room: str) -> list[str]:
    return sorted(path.parent.name for path in (PROJECT / room).glob("*/__init__.py"))


@cache
def counted() -> Counter[tuple[Wing, Wing]]:
    """How many imports lead from one wing to another, those inside functions and for types included."""
    paths = [path for room in ROOMS for path in (PROJECT / room).rglob("*.py")]
    modules = {path.relative_to(PROJECT).with_suffix("").parts: path for path in paths}
    pairs = ((_wing(name), _wing(other)) for name, path in modules.items() for other in _imported(name, path))
    return Counter((a, b) for a, b in pairs if a != b)


def _wing(name: Name) -> Wing:
    return Wing(name[0], name[1] if len(name) > 1 and name[1] in _folders(name[0]) else "")


def _imported(name: Name, path: Path) -> Iterator[Name]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            within = name[: -node.level] if node.level else ()
            found = (*within, *(node.module or "").split(".")) if node.module else within
            if found[0] in ROOMS:
                yield from ((*found, alias.name) for alias in node.names)


def essential(arrows: set[tuple[Wing, Wing]]) -> list[tuple[Wing, Wing]]:
    """The arrows that no chain of others stands for, in order."""
    after: dict[Wing, set[Wing]] = {}
    for a, b in arrows:
        after.setdefault(a, set()).add(b)

    @cache
    def reached(wing: Wing) -> frozenset[Wing]:
        return frozenset(after.get(wing, ())).union(*(reached(other) for other in after.get(wing, ())))

    needed = ((a, b) for a, b in arrows if not any(b in reached(other) for other in after[a] - {b}))
    return sorted(needed, key=lambda pair: (pair[0].key, pair[1].key))

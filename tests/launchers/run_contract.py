"""What logs/README.md says of a run folder, read from its tables, and how a run.json differs from it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from checkouts import TOP

CONTRACT = (TOP / "logs" / "README.md").read_text(encoding="utf-8")
TYPES: Mapping[str, Any] = {
    "text": str,
    "whole number": int,
    "number": (int, float),
    "object": dict,
    "null": type(None),
    "true": bool,
    "false": bool,
}
# The same keys stand in several places; the contract tells them once.
SAME = {"nodes": "environment", "ingested": "source"}


@dataclass(frozen=True)
class Key:
    """A row of the table of run.json."""

    types: str
    where: tuple[str, ...]

    def is_of(self, kind: str) -> bool:
        """Whether every run.json of this kind has the key."""
        return bool({"all", kind} & set(self.where))


def rows(head: str) -> list[list[str]]:
    """The cells of the tables of the contract that have this head."""
    tables = re.findall(rf"^\| {head} \|.*\n\| ---.*\n((?:\|.*\n)+)", CONTRACT, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for table in tables for row in table.splitlines()]


KEYS = {row[0].strip(" `"): Key(row[1], tuple(row[2].split("; "))) for row in rows("key")}
COLUMNS = [row[0].strip(" `") for row in rows("column")]
FILES = {name for head in ("file", "name") for row in rows(head) for name in re.findall("`([^`]+)`", row[0])}


def walked(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a document with its key as the contract spells it."""
    if path:
        yield path, value
    path = SAME.get(path, path)
    for child in (value if isinstance(value, list) else [value]) if path else [value]:
        for name, inner in child.items() if isinstance(child, dict) else ():
            spelt = "<name>" if f"{path}.<name>" in KEYS else name
            yield from walked(inner, f"{path}.{spelt}" if path else spelt)


def fits(value: Any, types: str) -> bool:
    """Whether a value is of the types that the contract states."""
    if types.startswith("list of "):
        return isinstance(value, list) and all(fits(item, types.removeprefix("list of ")) for item in value)
    possible = [TYPES[name] for name in re.split(", | or ", types)]
    if isinstance(value, bool):  # which Python takes for a whole number
        return bool in possible
    return any(isinstance(value, one) for one in possible)


def misfits(document: Any) -> list[tuple[str, Any]]:
    """The values of a run.json that the contract does not tell, or tells otherwise."""
    found = walked(document)
    return [(key, value) for key, value in found if key not in KEYS or not fits(value, KEYS[key].types)]


def lacking(document: Any, *kinds: str) -> set[str]:
    """The keys that every run.json of these kinds has, but this one."""
    return {key for key, row in KEYS.items() if any(map(row.is_of, kinds))} - {key for key, _ in walked(document)}

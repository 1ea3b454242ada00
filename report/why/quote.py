"""Quotes: lines of a log as they stand there, for a reader."""

from pathlib import Path

from parsers.printable import printable
from parsers.source import clean

from .preparation import physical_lines

LONGEST = 300


def quotes(log: Path, numbers: set[int]) -> dict[int, str]:
    """Return the texts of some lines by their numbers, made printable. Raises LogError."""
    return {number: _shown(line) for number, line in physical_lines(log) if number in numbers}


def _shown(line: bytes) -> str:
    text = clean(line).decode("utf-8", "replace").strip()
    return printable(text) if len(text) <= LONGEST else f"{printable(text[:LONGEST])} …"

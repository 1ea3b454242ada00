"""What a job has printed, as its log has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

_LAST_LINES = 20
_LONGEST_LINE = 1 << 16  # bytes; of a longer one each piece is looked at


def lines(log: BinaryIO) -> Iterator[bytes]:
    """The lines of an open log from where it stands, a very long one in pieces."""
    return iter(partial(log.readline, _LONGEST_LINE), b"")


def count(log: Path, pattern: str) -> int:
    """How many lines of a log match a regular expression."""
    matches = re.compile(pattern.encode()).search
    with log.open("rb") as file:
        return sum(1 for line in lines(file) if matches(line))


def last_lines(log: Path) -> list[str]:
    """The last lines of a log, as text."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 16384))
        return [line.decode("utf-8", "replace") for line in file.read().splitlines()[-_LAST_LINES:]]

"""Sightings of secrets, and what those who look for them share."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

Pattern = re.Pattern[bytes]

RUN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
LONGEST_NAME = 100
LOOK_BACK = 100  # bytes of a line before a place that are looked at
DECIDED = 64  # bytes of a value after which it cannot be a plain one any more
LINE_REST = re.compile(rb"[^\r\n]*+")


class Suspect(NamedTuple):
    """A secret begins at `start`, and `rest` matches all of it; without `rest`, more has to be seen from `start` on."""

    start: int
    rest: Pattern | None
    continues: bool = False  # the secret before, on another line


def goes_on(data: bytes, end: int) -> bool:
    """Say whether a value that was matched up to `end` may go on in what follows `data`.

    What a backslash, a quote or a dash at the very end means is known only with the byte after it.
    """
    return end == len(data) or (end == len(data) - 1 and data[end] in b"\\'\"-")


def run_start(data: bytes, floor: int, at: int) -> int:
    """Find where the word that goes on at `at` begins, at most LONGEST_NAME bytes back."""
    low = max(floor, at - LONGEST_NAME)
    return low + len(data[low:at].rstrip(RUN))


def line_before(data: bytes, floor: int, at: int) -> bytes:
    """Return what stands before a place on its line, as much of it as is looked at."""
    return data[max(floor, at - LOOK_BACK) : at].rpartition(b"\n")[2].rpartition(b"\r")[2]


def end_of(pattern: Pattern, data: bytes, start: int, stop: int = sys.maxsize) -> int:
    """Return where a match of `pattern` from `start` to `stop` at most ends; `start` where there is none."""
    found = pattern.match(data, start, stop)
    return found.end() if found else start

"""The layer under all formats: what job launchers put before a line is taken off, its rank is kept."""

import re
from functools import cache

from .grammar import ROOM, load
from .variant import Variant


@cache
def _prefix() -> tuple[str, int]:
    """Regular expression of any prefix, and how many groups (one a spelling, each holds the rank) it has."""
    variants = load(ROOM / "prefix.lark").variants
    return "|".join(v.source for v in variants), sum(len(v.groups) for v in variants)


def rank_groups() -> int:
    """How many groups of a ``line_pattern`` come before the fields of the line; at most one of them holds the rank."""
    return _prefix()[1]


@cache
def line_pattern(variant: Variant) -> re.Pattern[bytes]:
    """The regular expression of a whole line with its prefixes, if any; the first ``rank_groups()`` hold the rank."""
    return re.compile(f"(?:{_prefix()[0]})*+{variant.source}".encode())


@cache
def sweep_pattern(variant: Variant) -> re.Pattern[bytes]:
    """Every whole line without prefix in a text, from the newline before it; group 1, for the rank, is empty."""
    return re.compile(f"\n(){variant.source}(?=\n)".encode())


@cache
def torn_pattern(variant: Variant) -> re.Pattern[bytes]:
    """A line that begins or ends amid the output of another process; what follows must not go on with its last word."""
    return re.compile(f"(?:{_prefix()[0]})*+{variant.source}(?![\\w.+-])".encode())


@cache
def _any_prefix() -> re.Pattern[bytes]:
    return re.compile(f"(?:{_prefix()[0]})*+".encode())


def has_prefix(text: bytes) -> bool:
    """Whether any line of a text, after its newline, begins with a prefix."""
    return bool(_prefix_after_newline().search(text))


@cache
def _prefix_after_newline() -> re.Pattern[bytes]:
    return re.compile(f"\n(?:{_prefix()[0]})".encode())


def without_prefix(line: bytes) -> bytes:
    """The line as the training program printed it, without the prefixes of job launchers."""
    found = _any_prefix().match(line)
    return line[found.end() :] if found else line

"""The layer under all formats: what job launchers put before a line is taken off, its rank is kept."""

import re
from functools import cache

from ..grammar.expression import compiled, looked_for
from ..grammar.field import Field
from ..grammar.format import ROOM, load
from ..grammar.variant import Variant

MOST_PREFIXES = 8  # a launcher starts another one, but no more than a few do

LONGEST_PREFIX = 64  # a time, two numbers and a few words
RANK = Field("rank", "INTEGER")

Span = tuple[int, int]
NOWHERE: Span = (0, 0)


@cache
def _prefix(around: str = "(?:{})") -> re.Pattern[bytes]:
    """The expression of any prefix; at most one of its groups, one a spelling, takes part and holds the rank."""
    sources = "|".join(variant.source for variant in load(ROOM / "prefix.lark").variants)
    return compiled(around.replace("{}", sources).encode())


def without_prefix(line: bytes) -> bytes:
    """The line as the training program printed it, without the prefixes of job launchers."""
    return line[after_prefix(line, 0, len(line))[0] :]


def has_prefix(text: bytes) -> bool:
    """Whether any line of a text, after its newline, begins with a prefix."""
    return bool(_prefix("\n(?:{})").search(text))


def after_prefix(text: bytes, start: int, end: int) -> tuple[int, Span]:
    """Where a line of a text begins after its prefixes, and where the rank stands that they name."""
    rank = NOWHERE
    for _ in range(MOST_PREFIXES):
        if not (found := _prefix().match(text, start, end)):
            break
        start, rank = found.end(), _rank(found) or rank
    return start, rank


def _rank(found: re.Match[bytes]) -> Span | None:
    return next(((start, end) for start, end in found.regs[1:] if end > start), None)


@cache
def line_pattern(variant: Variant) -> re.Pattern[bytes]:
    """The regular expression of a whole line without its prefixes."""
    return compiled(variant.source.encode())


@cache
def head_pattern(variant: Variant) -> re.Pattern[bytes]:
    """What may stand before a line of a variant."""
    return compiled(variant.source[: variant.head].encode())


@cache
def torn_pattern(variant: Variant) -> re.Pattern[bytes]:
    """A line that begins or ends amid the output of another process; what follows must not go on with its last word.

    What may stand before the line need not, and it begins neither with a blank nor amid a number: to look for an end
    from each letter on takes long.
    """
    return looked_for(f"{variant.own_source}(?![\\w.+-])".encode(), rb"(?<![0-9](?=[0-9]))(?=[^ \t])")


def rank_before(line: bytes, start: int, end: int) -> Span:
    """Where the rank stands that a prefix names which ends at a place of a line; nowhere without a prefix."""
    text = line[start:end].rstrip(b" \t")
    if not text:
        return NOWHERE
    # To look for it from each place of a long line on takes long.
    start = max(start, start + len(text) - LONGEST_PREFIX)
    found = _prefix(r"(?:{})[ \t]*+\Z").search(line, start, end)
    return (found and _rank(found)) or NOWHERE

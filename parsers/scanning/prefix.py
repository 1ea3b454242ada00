"""The layer under all formats: what job launchers put before a line is taken off, its rank is kept."""

import re
from functools import cache

from ..grammar.format import ROOM, load
from ..grammar.variant import Variant

MOST_PREFIXES = 8  # a launcher starts another one, but no more than a few do


@cache
def _prefix() -> str:
    """Regular expression of any prefix; at most one of its groups, one a spelling, takes part and holds the rank."""
    return "|".join(variant.source for variant in load(ROOM / "prefix.lark").variants)


@cache
def _one() -> re.Pattern[bytes]:
    return re.compile(f"(?:{_prefix()})".encode())


def without_prefix(line: bytes) -> bytes:
    """The line as the training program printed it, without the prefixes of job launchers."""
    return line[after_prefix(line, 0, len(line))[0] :]


def after_prefix(text: bytes, start: int, end: int) -> tuple[int, bytes]:
    """Where a line of a text begins after its prefixes, and the rank that they name."""
    rank = b""
    for _ in range(MOST_PREFIXES):
        if not (found := _one().match(text, start, end)):
            break
        start, rank = found.end(), next(filter(None, found.groups()), rank)
    return start, rank


@cache
def line_pattern(variant: Variant) -> re.Pattern[bytes]:
    """The regular expression of a whole line without its prefixes."""
    return re.compile(variant.source.encode())


@cache
def sweep_pattern(variant: Variant) -> re.Pattern[bytes]:
    """Every whole line without prefix in a text, from the newline before it; group 1, for the rank, is empty."""
    return re.compile(f"\n(){variant.source}(?=\n)".encode())


@cache
def torn_pattern(variant: Variant) -> re.Pattern[bytes]:
    """A line that begins or ends amid the output of another process; what follows must not go on with its last word.

    What may stand before the line need not, and it begins neither with a blank nor amid a number: to look for an end
    from each letter on takes long. A line that begins with a fixed text is found by that, which is faster still.
    """
    own = variant.own_source
    has_text_first = own.startswith(re.escape(variant.literals[0])) and not re.match(r"[ \t0-9]", own)
    begins = "" if has_text_first else r"(?=[^ \t])(?<![0-9](?=[0-9]))"
    return re.compile(f"{begins}{own}(?![\\w.+-])".encode())


def rank_before(line: bytes, start: int, end: int) -> bytes:
    """The rank that a prefix names which ends at a place of a line; none where there is no prefix."""
    found = _before().search(line, start, end)
    return next(filter(None, found.groups()), b"") if found else b""


@cache
def _before() -> re.Pattern[bytes]:
    return re.compile(rf"(?:{_prefix()})[ \t]*+\Z".encode())


def has_prefix(text: bytes) -> bool:
    """Whether any line of a text, after its newline, begins with a prefix."""
    return bool(_prefix_after_newline().search(text))


@cache
def _prefix_after_newline() -> re.Pattern[bytes]:
    return re.compile(f"\n(?:{_prefix()})".encode())

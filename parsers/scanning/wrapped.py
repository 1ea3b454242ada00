"""Logs that were wrapped: a terminal or `fold` cut their long lines at one width, and numbers with them."""

from collections.abc import Iterator, Sequence
from itertools import islice

from ..grammar.format import METRICS, Format
from ..grammar.variant import Variant
from .prefix import line_pattern, without_prefix
from .source import clean

WIDEST = 4096  # no terminal is wider
LOOKED_AT = 1 << 18
MOST_PIECES = 8
TRIED = 1024

Row = tuple[bytes, ...]


def wrapped_at(data: bytes, known: Sequence[Format]) -> tuple[int, int] | None:
    """The width at which the lines of a text were cut, and the number of the first metric line that was.

    None where none was: a metric line was cut where it is one, or says more, with what follows its cut added.
    """
    data = data[:LOOKED_AT]
    lines = [line.removesuffix(b"\r") for line in data.split(b"\n")]
    width = max(map(len, lines))
    if width > WIDEST:
        return None
    text = clean(b"".join(lines))
    metric = (variant for fmt in known for variant in fmt.variants if variant.record in METRICS and not variant.spans)
    variants = [variant for variant in metric if variant.may_stand_in(text)]
    tried = islice(_joined(lines, width), TRIED) if variants else ()
    return next(((width, number) for number, pieces in tried if _says_more(pieces, variants)), None)


def _joined(lines: Sequence[bytes], width: int) -> Iterator[tuple[int, list[bytes]]]:
    """What may be the pieces of one line, with the number of the first from 1: each but the last is of the width."""
    for first in (number for number, line in enumerate(lines) if len(line) == width):
        for last in range(first + 1, min(first + MOST_PIECES, len(lines))):
            yield first + 1, list(lines[first : last + 1])
            if len(lines[last]) < width:
                break


def _says_more(pieces: Sequence[bytes], variants: Sequence[Variant]) -> bool:
    """Whether pieces are a metric line together that none of them is alone."""
    whole = _cleaned(b"".join(pieces))
    possible = [variant for variant in variants if variant.may_stand_in(whole)]
    alone = [_cleaned(piece) for piece in pieces] if possible else []
    return any(
        (said := _groups(variant, whole)) and said not in [_groups(variant, piece) for piece in alone]
        for variant in possible
    )


def _cleaned(line: bytes) -> bytes:
    return without_prefix(clean(line).rpartition(b"\r")[2])


def _groups(variant: Variant, line: bytes) -> Row:
    found = line_pattern(variant).fullmatch(line)
    return found.groups(b"") if found else ()

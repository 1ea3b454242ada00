"""The line account: every physical line of a log is matched, ignored by rule, or unrecognised."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ..grammar.explain import Break, explain
from ..grammar.format import METRICS, Format
from .prefix import without_prefix
from .source import Source, clean


@dataclass(frozen=True)
class Account:
    """Counts of physical lines; ``matched + ignored + unrecognised = total``, and ``total`` is what ``wc -l`` says.

    A last line without newline counts. ``recognised`` says of each line, by its number from 1, whether a rule knows it.
    """

    total: int
    matched: int
    ignored: int
    recognised: NDArray[np.bool_] = field(repr=False)

    @property
    def unrecognised(self) -> int:
        """Lines that no rule of the format knows."""
        return self.total - self.matched - self.ignored


def account(total: int, matched: Sequence[NDArray[np.int64]], ignored: Sequence[NDArray[np.int64]]) -> Account:
    """Count each physical line once; a line that is matched and ignored counts as matched."""
    seen = np.zeros(total + 1, bool)
    for numbers in matched:
        seen[numbers] = True
    known = int(np.count_nonzero(seen))
    for numbers in ignored:
        seen[numbers] = True
    return Account(total, known, int(np.count_nonzero(seen)) - known, seen)


def unrecognised(source: Source, known: Account) -> Iterator[tuple[int, bytes, int]]:
    """The unrecognised lines, cleaned and without prefix; the log is read once more.

    Of equal lines near each other (a log may hold millions) the physical number of the first, and how many there are.
    """
    before = 0
    for block in source.blocks():
        lines = clean(block).removesuffix(b"\n").split(b"\n")
        unknown = ~known.recognised[before + 1 : before + 1 + len(lines)]
        numbers = (np.flatnonzero(unknown) + before + 1).tolist()
        left = list(compress(lines, unknown.tolist()))
        first = dict(zip(reversed(left), reversed(numbers), strict=True))
        yield from ((first[line], without_prefix(line), count) for line, count in Counter(left).items())
        before += len(lines)


_DIGITS = re.compile(rb"[0-9]+")
SHAPE_LENGTH = 60
TEXT_LENGTH = 200
MOST_SHAPES = 5000
MOST_BREAKS = 3


@dataclass
class Shape:
    """Unrecognised lines that are alike, digits aside: how many, and the first with its physical number."""

    count: int
    line: int
    text: str


@dataclass
class Leftover:
    """The unrecognised lines of a log.

    ``shapes``: the most frequent first. ``more``: lines of still other shapes, when there are thousands. ``broken``:
    how many resemble a metric line; line ``first_broken`` is the first of them, ``breaks`` explains the first few.
    """

    shapes: list[Shape] = field(default_factory=list)
    more: int = 0
    broken: int = 0
    first_broken: int = 0
    breaks: list[Break] = field(default_factory=list)


def leftover(fmt: Format | None, lines: Iterable[tuple[int, bytes, int]]) -> Leftover:
    """Look through unrecognised lines once, as ``account`` numbers and counts them.

    Memory is bounded however many shapes they have.
    """
    found, shapes = Leftover(), dict[bytes, Shape]()
    metric = [variant for variant in fmt.variants if variant.record in METRICS] if fmt else []
    for number, line, count in lines:
        _sort_in(found, shapes, number, line, count)
        if fmt and any(variant.resembles(line) for variant in metric):
            _note_broken(found, fmt, number, line, count)
    found.shapes = sorted(shapes.values(), key=lambda shape: (-shape.count, shape.line))
    return found


def _sort_in(found: Leftover, shapes: dict[bytes, Shape], number: int, line: bytes, count: int) -> None:
    key = _DIGITS.sub(b"0", line[:SHAPE_LENGTH])
    if key in shapes:
        shapes[key].count += count
    elif len(shapes) < MOST_SHAPES:
        shapes[key] = Shape(count, number, line[:TEXT_LENGTH].decode("utf-8", "replace"))
    else:
        found.more += count


def _note_broken(found: Leftover, fmt: Format, number: int, line: bytes, count: int) -> None:
    found.broken += count
    found.first_broken = found.first_broken or number
    if len(found.breaks) < MOST_BREAKS and (explained := explain(fmt, number, line)):
        found.breaks.append(explained)

"""What no rule of a format knows: the unrecognised lines of a log by their shape, and the broken ones among them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .explain import Break, explain
from .format import METRICS, Format

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

"""Number positions: where in the lines of a log the numbers stand that its records hold."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import isclose

from parsers.grammar.format import Format
from parsers.grammar.timestamps import lengths
from parsers.grammar.variant import Variant
from parsers.scanning.prefix import after_prefix, line_pattern, torn_pattern

from .preparation import Numbered

Match = re.Match[bytes]

DURATION = "DURATION"
# So many further lines are looked through for the end of a record of several lines.
LONGEST_RECORD = 2000


@dataclass(frozen=True)
class NumberPosition:
    """A number in a line as awk sees it: the line, where in its text the number begins, and what it is."""

    line: Numbered
    start: int
    value: float
    variant: Variant


@dataclass(frozen=True)
class WantedNumber:
    """A number that is looked for: the physical line of its record, the kind of record, the column and the value."""

    line: int
    record: str
    column: str
    value: float


def places(fmt: Format, lines: Sequence[Numbered], wanted: Iterable[WantedNumber]) -> list[NumberPosition] | None:
    """Where all wanted numbers stand, in their order; None where one of them is not found.

    ``lines``: those of the records, ascending, and as many after each as a record of several lines may have.
    """
    first = {line.physical: row for row, line in reversed(list(enumerate(lines)))}
    holding = cache(lambda record, column: [v for v in fmt.variants if v.record == record and _holds(v, column)])
    found: list[NumberPosition] = []
    taken: set[tuple[int, int]] = set()
    for want in wanted:
        variants = holding(want.record, want.column)
        candidates = _candidates(variants, lines, first.get(want.line, len(lines)), want)
        place = next((p for p in candidates if (p.line.number, p.start) not in taken), None)
        if place is None:
            return None
        taken.add((place.line.number, place.start))
        found.append(place)
    return found


def _holds(variant: Variant, column: str) -> bool:
    return any(field.name == column for field in variant.groups)


def _candidates(
    variants: Sequence[Variant], lines: Sequence[Numbered], row: int, want: WantedNumber
) -> Iterator[NumberPosition]:
    plain = [variant for variant in variants if not variant.spans]
    for line in _of_record(lines, row):
        for start, end in _screens(line.text):
            for variant, match in _matches(plain, line.text, start, end):
                yield from _place(line, variant, match, want)
    for variant in (variant for variant in variants if variant.spans):
        yield from _spanning(lines, row, variant, want)


def _of_record(lines: Sequence[Numbered], row: int) -> Iterator[Numbered]:
    """All lines that awk sees of one physical line."""
    for place in range(row, len(lines)):
        if lines[place].physical != lines[row].physical:
            return
        yield lines[place]


def _screens(text: bytes) -> Iterator[tuple[int, int]]:
    start = 0
    for piece in text.split(b"\r"):
        yield start, start + len(piece)
        start += len(piece) + 1


def _matches(variants: Sequence[Variant], text: bytes, start: int, end: int) -> Iterator[tuple[Variant, Match]]:
    own, _ = after_prefix(text, start, end)
    for variant in variants:
        if match := line_pattern(variant).fullmatch(text, own, end):
            yield variant, match
    for variant in variants:
        if variant.may_stand_in(text):
            yield from ((variant, match) for match in torn_pattern(variant).finditer(text, start, end))


def _place(line: Numbered, variant: Variant, match: Match, want: WantedNumber) -> Iterator[NumberPosition]:
    start = _start(variant, match, want)
    if start is not None:
        yield NumberPosition(line, start, want.value, variant)


def _start(variant: Variant, match: Match, want: WantedNumber) -> int | None:
    """Where the wanted number begins in a match; None where the match holds another one."""
    before = len(variant.groups) - match.re.groups  # Of a torn line not all fields are there.
    for group, field in enumerate(variant.groups[before:], 1):
        if field.name == want.column and match[group]:
            return match.start(group) if isclose(number_of(match[group], field.type), want.value) else None
    return None


def number_of(text: bytes, terminal: str) -> float:
    """The number that a text stands for, by the name of its terminal."""
    if terminal == DURATION:
        return float(lengths([text])[0])
    try:
        return float(text.replace(b",", b""))
    except ValueError:
        return float("nan")


def _spanning(lines: Sequence[Numbered], row: int, variant: Variant, want: WantedNumber) -> Iterator[NumberPosition]:
    """The place in a record of several lines."""
    rest = lines[row : row + LONGEST_RECORD]
    text = b"\n".join(line.text for line in rest)
    if (match := line_pattern(variant).match(text)) and (start := _start(variant, match, want)) is not None:
        before = text[:start]
        yield NumberPosition(rest[before.count(b"\n")], start - before.rfind(b"\n") - 1, want.value, variant)

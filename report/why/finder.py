"""Finders: what selects the used lines of a raw log and finds the numbers in them, for awk."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path

from parsers.grammar.format import Format
from parsers.scanning.source import clean

from .derivation import Derivation
from .extraction import Extraction, LineSelection, extractions, selection
from .number_position import LONGEST_RECORD, NumberPosition, WantedNumber, places
from .preparation import Numbered, Preparation, numbered, physical_lines, preparations
from .sample import Term


@dataclass(frozen=True)
class Finder:
    """How awk finds the numbers of a term: what is done to the log first, which lines it takes, where they stand."""

    preparation: Preparation
    selection: LineSelection
    extractions: tuple[Extraction, ...]


def finder(derivation: Derivation, term: Term) -> Finder | None:
    """Return what finds all numbers of a term in just the lines that are used; None where no plain awk does.

    It is tried on all lines of the log before it is returned. Raises LogError.
    """
    fmt = derivation.part.format
    lines = sorted(set(derivation.sample.records["line"].tolist()))
    if fmt is None:
        return None
    raw = _raw(derivation.log, _wanted_lines(lines, fmt, derivation.protocol.records))
    for preparation in preparations(raw):
        found = _places(derivation, term, fmt, list(_seen(derivation.log, preparation, raw)))
        if found and (finds := _finder(derivation.log, preparation, found)):
            return finds
    return None


def _wanted_lines(lines: Sequence[int], fmt: Format, record: str) -> set[int]:
    """The lines of the records; those after them as well where a record may have several."""
    if not any(variant.spans for variant in fmt.variants if variant.record == record):
        return set(lines)
    ends = (min(line + LONGEST_RECORD, after) for line, after in zip_longest(lines, lines[1:], fillvalue=1 << 62))
    return {number for line, end in zip(lines, ends, strict=True) for number in range(line, end + 1)}


def _raw(log: Path, wanted: set[int]) -> dict[int, bytes]:
    return {number: line for number, line in physical_lines(log) if number in wanted}


def _seen(log: Path, preparation: Preparation, raw: Mapping[int, bytes]) -> Iterator[Numbered]:
    if preparation.screen:  # the numbers of lines depend on all lines before
        yield from (line for line in numbered(log, preparation) if line.physical in raw)
        return
    for number, line in raw.items():
        yield from (Numbered(number, number, text) for text in preparation.lines(line))


def _places(
    derivation: Derivation, term: Term, fmt: Format, lines: Sequence[Numbered]
) -> list[list[NumberPosition]] | None:
    """The places of the numbers, column by column; a line that the reader sees cleaned is looked at as awk sees it."""
    records, kind = derivation.sample.records, derivation.protocol.records
    if any(clean(line.text) != line.text.removeprefix(b"\xef\xbb\xbf") for line in lines):
        return None
    found = []
    for column in term.columns:
        rows = zip(records["line"].tolist(), records[column].tolist(), strict=True)
        of_column = places(fmt, lines, (WantedNumber(line, kind, column, float(value)) for line, value in rows))
        if of_column is None:
            return None
        found.append(of_column)
    return found


def _finder(log: Path, preparation: Preparation, found: list[list[NumberPosition]]) -> Finder | None:
    """What finds the numbers at some places, by the shortest text; by the longest where that needs a shorter list."""
    used = [place.line for place in found[0]]
    if any(a.number >= b.number for a, b in pairwise(used)):
        return None
    if any([place.line for place in column] != used for column in found):
        return None
    ways = [extractions(column) for column in found]
    tried = [_tried(log, preparation, used, [way[end] for way in ways]) for end in (0, -1) if all(ways)]
    finders = [finder for finder in tried if finder is not None]
    return min(finders, key=lambda finder: len(finder.selection.listed), default=None)


def _tried(log: Path, preparation: Preparation, used: Sequence[Numbered], ways: Sequence[Extraction]) -> Finder | None:
    if len({way.separator for way in ways if way.field}) > 1:
        return None
    selected = selection(used, numbered(log, preparation), ways)
    return Finder(preparation, selected, tuple(ways)) if selected else None

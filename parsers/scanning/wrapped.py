"""Logs that were wrapped: a terminal or `fold` cut their long lines at one width, and numbers with them.

A cut line and what follows it say together what neither says alone. That is tried on the lines of each width that few
lines exceed, and once only for lines of the same shapes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..grammar.format import Format
from ..grammar.variant import Variant
from ..io.errors import WrappedError
from ..io.message import Message
from .cut_lines import CutLines, Verdict, cleaned, texts
from .detection import known_shapes
from .kernel import Ids, Integers
from .shapes import ALONE, NEW, Rows
from .source import clean
from .text import LogText

WRAPPED = (
    "its lines were cut at {width} {unit}, first in line {line}, and numbers with them; "
    "read the log as it was before `fold` or a terminal wrapped it."
)
WIDEST = 4096  # no terminal is wider
MOST_PIECES = 64
TRIED = 2048  # joins that hold all the texts of a metric line, of one width
LONGER = 2  # lines that another program printed into a wrapped log; of many lines one in SHARE
SHARE = 4


def refuse_wrapped(text: LogText, known: Sequence[Format]) -> None:
    """Raise WrappedError where lines of a log were cut at one width: half a number looks like a whole one.

    Looked at are metric lines, and those that state facts, as far as the first block that may hold a metric line. One
    was cut where it is one, or says more, with what follows its cut added.
    """
    shapes, block = known_shapes(known), None
    for data in text.data():
        if block and block.metrics:
            return
        lines = text.shaped(data, shapes) if clean(data) is data else shapes.table.lines_as_printed(data)
        block = CutLines(data, lines, shapes.every, shapes.cuts)
        for unit, lengths in block.measures.items():
            for cuts in _cuts(block, lengths):
                if line := cuts.first():
                    raise WrappedError.at(text.source.path, WRAPPED, width=cuts.width, unit=Message(unit), line=line)
        block.remember()


def _cuts(block: "CutLines", lengths: Integers) -> "Iterator[Cuts]":
    """The widths at which lines may have been cut: metric lines at any, a line that states facts at the greatest.

    Left out are those where each line that may be cut is followed by one that stands alone.
    """
    widest = int(lengths.max())
    asked = [(width, False) for width in _widths(lengths)] + [(widest, True)] * (widest <= WIDEST)
    widths = np.array([[width] for width, _ in asked], np.int64).reshape(-1, 1)
    before, after = lengths[:-1], lengths[1:]
    goes_on = ((before == widths) | ((before < widths) & (block.room_needed[:-1] > widths))) & (after <= widths)
    rows = np.flatnonzero(goes_on.any(axis=0))
    is_open = np.zeros(len(before), np.bool_)
    is_open[rows] = ~block.stand_alone(rows + 1)
    for (width, of_facts), has_more in zip(asked, goes_on, strict=True) if is_open.any() else ():
        if (has_more & is_open).any():
            yield Cuts(block, lengths, width, has_more, is_open, of_facts=of_facts)


def _widths(lengths: Integers) -> Iterator[int]:
    """The widths at which lines may have been cut: few are longer."""
    counts = np.bincount(np.minimum(lengths, WIDEST + 1))
    widths = np.flatnonzero(counts)[::-1]
    of_widths = counts[widths]
    longer = np.cumsum(of_widths) - of_widths
    may_be = (longer <= np.maximum(LONGER, of_widths // SHARE)) & (widths > 0) & (widths <= WIDEST)
    yield from widths[may_be].tolist()


@dataclass
class Cuts:
    """The metric lines in a block, or those that state facts, that were cut at one width of a measure if any were.

    ``has_more``: whether the next line may be of each line; ``is_open``: whether that does not stand alone.
    """

    block: CutLines
    lengths: Integers
    width: int
    has_more: NDArray[np.bool_]
    is_open: NDArray[np.bool_]
    of_facts: bool

    def first(self) -> int | None:
        """The number of the first line that was cut, where most that may have been were, or most of all lines.

        One line that is followed by a number was not, for many a program begins its lines with one; but for where all
        that are as long seem to be cut.
        """
        rows, more = self._going_on()
        is_open = self.is_open[rows]
        if not self._may_be_cut(rows[is_open], more[is_open]):
            return None
        may_be, cut, grew, following, tried = 0, list[int](), False, 0, 0
        for row, most in zip(rows.tolist(), more.tolist(), strict=True):
            if tried >= TRIED:
                break
            if row >= following:
                found = self._verdict(row, most)
                cut += [row + 1] * (found.pieces > 0)
                may_be, grew, tried = may_be + (found.tries > 0), grew or found.has_grown, tried + found.tries
                following = row + found.pieces + 1
        if not cut:
            return None
        is_more, are_most = grew or len(cut) > 1, 2 * len(cut) >= may_be
        return cut[0] if (is_more and are_most) or self._share_going_on() > (0.5 if is_more else 0.99) else None

    def _may_be_cut(self, rows: Rows, more: Rows) -> bool:
        """Whether a line says more with those after it; of most logs none, which is known of their shapes."""
        tried = 0
        for alike in alike_windows(self.block.shaped.shapes, rows, more):
            row, most = int(rows[alike[0]]), int(more[alike[0]])
            found = [self._verdict(row, most)] * len(alike)
            if self._tells_digits(row, most):
                found[1:] = [self._verdict(int(rows[one]), most) for one in alike[1:]]
            tried += sum(verdict.tries for verdict in found)
            if tried >= TRIED or any(verdict.pieces for verdict in found):
                return True
        return False

    def _tells_digits(self, row: int, more: int) -> bool:
        """Whether digits tell apart what lines of these shapes say together, of which a verdict was asked."""
        key = self.block.key(row, more + 1)
        return bool(self.block.said_of(key).telling[key])

    def _share_going_on(self) -> float:
        """Of several lines of the width, and none is longer, the share of which the next line begins nothing."""
        following = (np.flatnonzero(self.lengths[:-1] == self.width) + 1).tolist()
        if self.lengths.max() > self.width or len(following) < 2:
            return 0.0
        return sum(not self.block.begins(row) for row in following) / len(following)

    def _going_on(self) -> tuple[Rows, Rows]:
        """The lines that may have been cut, and how many after each may be of it: they are no longer than the width."""
        rows, ends = np.flatnonzero(self.has_more), np.append(np.flatnonzero(~self.has_more), len(self.has_more))
        return rows, np.minimum(ends[np.searchsorted(ends, rows)] - rows, MOST_PIECES - 1)

    def _verdict(self, row: int, more: int) -> Verdict:
        """What is said together is the same for lines that are equal but for digits that nothing tells apart."""
        block, rows = self.block, slice(row, row + more + 1)
        if not self.is_open[row]:
            return Verdict(0, False, int(block.resembles(row, of_facts=self.of_facts)))
        key = block.key(row, more + 1)
        known = block.said_of(key)
        if (places := known.telling.get(key)) is None:
            places = known.telling[key] = block.telling_places(b"".join(block.lines[rows]))
        digits = bytes(map(b"".join(block.lines[rows]).__getitem__, places)) if places else b""
        asked = (self.of_facts, key, digits)
        if (verdict := known.verdicts.get(asked)) is None:
            verdict = known.verdicts[asked] = self._tried(row, more)
        return verdict

    def _tried(self, row: int, most: int) -> Verdict:
        """What lines say together, the first two, three and so on, up to one that goes on with none before it."""
        pieces = _across_ends(self.block.lines[row : row + most + 1])
        whole = cleaned(b"".join(pieces))
        variants = self.block.facts if self.of_facts else self.block.metrics
        possible = [variant for variant in variants if variant.may_stand_in(whole)]
        tries = 0
        for more in range(1, len(pieces)) if possible else ():
            tries += 1
            if self.block.stands_alone(row + more):
                break
            grown = _grown(pieces[: more + 1], possible)
            if grown is not None:
                return Verdict(more, grown, tries)
        return Verdict(0, False, tries)


def alike_windows(shapes: Ids, rows: Rows, more: Rows) -> Iterator[Rows]:
    """Which of some rows, each with ``more`` lines after it, are of the same shapes one after the other, together.

    Lines in a power of two are numbered by the numbers of both halves, and any others by two of these that share lines.
    """
    if len(rows) < 2:  # as in most small logs
        yield from np.arange(len(rows)).reshape(-1, 1)
        return
    alone = np.where(shapes == ALONE, NEW - np.arange(len(shapes)), shapes)
    numbers, sizes, size = _numbered(alone), more + 1, 1
    said = np.zeros(len(rows), np.int64)
    while size <= sizes.max(initial=0):
        own = (sizes >= size) & (sizes < 2 * size)
        first, last = numbers[rows[own]], numbers[rows[own] + sizes[own] - size]
        said[own] = (first * len(shapes) + last) * (MOST_PIECES + 1) + sizes[own]
        numbers = _numbered(numbers[:-size] * len(shapes) + numbers[size:])
        size *= 2
    order = np.argsort(said, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(said[order])) + 1)


def _numbered(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values as numbers from 0, the same for the same."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def _across_ends(lines: Sequence[bytes]) -> list[bytes]:
    """What of some lines may be one line on screen, by lines: it goes on behind the end of the first.

    That is the first behind its last carriage return, and the others up to the next one.
    """
    found = [lines[0].rpartition(b"\r")[2]]
    for line in lines[1:]:
        before, is_more, _ = line.partition(b"\r")
        found.append(before)
        if is_more:
            break
    return found


def _grown(pieces: Sequence[bytes], variants: Sequence[Variant]) -> bool | None:
    """Whether pieces, as one metric line, have more fields than one of them alone; None where they say no more."""
    whole = cleaned(b"".join(pieces))
    for variant in variants:
        if said := texts(variant, whole):
            parts = [texts(variant, cleaned(piece)) for piece in pieces]
            if said not in parts:
                return sum(map(bool, said)) > max(sum(map(bool, part)) for part in parts)
    return None

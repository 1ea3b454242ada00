"""Quotients: numbers that are computed from two throughputs of a page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from parsers.io.message import Message
from parsers.runs.facts import Value

from ..measure.diagnostics import Diagnostic, say
from ..measure.work import thing
from ..pagefile.consistency import needed
from ..pagefile.page import CellPlace, Page
from ..pagefile.parts import Axis, Case
from .cell import Cell, Quotient
from .reason import Remark

WITHHELD = (Remark.OTHER_CASE, Remark.DIFFERS)
UNIT = "unit"
SCALED: tuple[Axis, ...] = ("nodes", "cards")
OF_WORK: tuple[Axis, ...] = ("batch_size", "precision")
# What a step is made of, as the page or all logs of a number state it.
ALIKE: tuple[Axis, ...] = (*OF_WORK, "sequence_length", "data")


def divided(page: Page, cells: Sequence[Cell]) -> list[Cell]:
    """The cells of a page, in its order, those with a quotient filled in from the others.

    Both its numbers may be measured or quoted. A cell stays empty, with the reason, where one of them is missing.
    """
    shown = [_Throughput(place, cell) for place, cell in zip(page.places(), cells, strict=True)]
    throughputs = [one for one in shown if one.cell.shown.quantity.is_throughput and one.cell.value]
    return [_divided(one, throughputs) if one.cell.shown.quantity.is_quotient else one.cell for one in shown]


@dataclass(frozen=True)
class _Throughput:
    """A cell, and where it stands."""

    place: CellPlace
    cell: Cell

    def is_of(self, column: str, case: Case) -> bool:
        return self.place.column.column == column and case in (self.place.labels, self.place.case)

    @property
    def cards(self) -> int:
        return int(self.place.case["cards"])


def _divided(one: _Throughput, throughputs: Sequence[_Throughput]) -> Cell:
    # The same number may stand in several tables; a reader finds it soonest in the one that is before his eyes.
    nearest = sorted(throughputs, key=lambda other: other.place.table is not one.place.table)
    quotient = _speed_up(one.place, nearest) if one.place.column.against else _efficiency(one.place, nearest)
    if quotient is None or not isfinite(quotient.value):
        return replace(one.cell, reason=say(Remark.MISSING_PART))
    compared = tuple(one.place.column.against.case) if one.place.column.against else ()
    if reason := unlike(quotient.of, quotient.against, compared):
        return replace(one.cell, reason=reason)
    return replace(one.cell, quotient=quotient, number=quotient.value)


def unlike(of: Cell, against: Cell, compared: Sequence[Axis]) -> Diagnostic | None:
    """Why one number is not divided by another: a log has other cards than its label says, or units or cases differ.

    ``compared``: the axes in which they are to differ.
    """
    parts = (of, against)
    if any(found.fact in (*SCALED, *compared) for part in parts for found in part.certain_disagreements):
        return say(Remark.OTHER_CASE)
    if not _are_of_one_unit(of, against):
        return say(Remark.DIFFERS, fact=Message(UNIT), of=of.shown.rate, against=against.shown.rate)
    for axis in (axis for axis in ALIKE if axis not in compared):
        first, second = (_stated(part, axis) for part in parts)
        if first != second and None not in (first, second):
            return say(Remark.DIFFERS, fact=Message(axis.replace("_", " ")), of=_spelt(first), against=_spelt(second))
    return None


def _stated(part: Cell, axis: Axis) -> Value | None:
    """What the page states of a number, else all of its logs alike; None where they do not."""
    if axis in OF_WORK or axis in part.stated:
        return part.stated.get(axis)
    told = {fact.value if (fact := proof.reading.facts.get(axis)) else None for proof in part.proofs}
    return told.pop() if len(told) == 1 else None


def _are_of_one_unit(one: Cell, other: Cell) -> bool:
    return thing(one.shown.rate) == thing(other.shown.rate)


def _spelt(value: object) -> str:
    return str(value).upper()


def _speed_up(place: CellPlace, throughputs: Sequence[_Throughput]) -> Quotient | None:
    found = [next((one.cell for one in throughputs if one.is_of(*key)), None) for key in needed(place)]
    of, against = found
    return Quotient(of, against) if of and against else None


def _efficiency(place: CellPlace, throughputs: Sequence[_Throughput]) -> Quotient | None:
    alike = [one for one in throughputs if _scales_with(one.place, place)]
    of = next((one for one in alike if one.is_of(place.column.column, place.case)), None)
    if of is None:
        return None
    fewest = min((one for one in alike if _are_of_one_unit(one.cell, of.cell)), key=lambda one: one.cards)
    return Quotient(of.cell, fewest.cell, of.cards / fewest.cards, place.column.quantity.whole)


def _scales_with(one: CellPlace, other: CellPlace) -> bool:
    """Whether two places differ at most in how many cards and nodes they have."""
    same = one.column.column == other.column.column and _unscaled(one.case) == _unscaled(other.case)
    return same and "cards" in one.case


def _unscaled(case: Case) -> Case:
    return {axis: value for axis, value in case.items() if axis not in SCALED}

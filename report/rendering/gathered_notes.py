"""Gathered notes: what is said of several numbers of a table is one sentence, with the range of their figures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from parsers.io.message import Message, joined

from ..evidence.cell import Cell
from ..evidence.comparability import ON_SIDES, Difference, Unlike, in_words
from ..measure.diagnostics import Code, Diagnostic

# What is said against numbers by another figure of each; ``ratio`` is that figure / the number.
AGAINST: Mapping[StrEnum, str] = {
    Code.CONTRADICTED: "Other records of the same log differ by {range}; see the evidence.",
    Code.OVER_TIME: "Work over time of the same records differs by {range}; see the evidence.",
}
PROTOCOLS = "Protocols differ; see the evidence."
RANGE = "{low} to {high}"
RECORDS = "{range} records"
# What is said of a number that the rest of its log contradicts, for a sentence that rests on it.
GIST = "other records {range}"

# A place of a table: its row and its column.
Place = tuple[int, int]
Note = tuple[Message, set[Place]]


def _share(said: str) -> float:
    return float(said.rstrip("%"))


# Differences of which the range is told, and by what that is ordered.
RANGES: Mapping[Unlike, Callable[[str], object]] = {
    Unlike.SLOW_START: _share,
    Unlike.SLOW_END: _share,
    Unlike.FEW: int,
    Unlike.DATES: str,
}


def gists(cell: Cell) -> list[Message]:
    """The notes on a number in a few words, for a sentence that rests on it: those of which a table tells the range."""
    apart = [remark for remark in cell.remarks if remark.code == Code.CONTRADICTED]
    return [Message(GIST, range=_range_of(apart))] if apart else []


def of_diagnostics(found: Iterable[tuple[Place, Diagnostic]]) -> Iterator[Note]:
    """What is said at each place as notes, each with all its places; what is said against numbers is one note."""
    alike: dict[object, list[tuple[Place, Diagnostic]]] = {}
    for place, said in found:
        alike.setdefault(said.code if said.code in AGAINST else said, []).append((place, said))
    for several in alike.values():
        first, places = several[0][1], {place for place, _ in several}
        if first.code in AGAINST:
            yield Message(AGAINST[first.code], range=_range_of([said for _, said in several])), places
        else:
            yield first.message, places


def _range_of(apart: Iterable[Diagnostic]) -> Message | str:
    """By how much other figures differ from the numbers that they are said against."""
    shares = [float(str(said.values["ratio"])) - 1 for said in apart]
    return _range(f"{min(shares):+.1%}", f"{max(shares):+.1%}")


def _range(low: str, high: str) -> Message | str:
    return low if low == high else Message(RANGE, low=low, high=high)


def of_differences(found: Iterable[tuple[Place, Difference]]) -> Iterator[Note]:
    """What differs at each place as notes, one for each kind, with all its places."""
    alike: dict[Unlike, list[tuple[Place, Difference]]] = {}
    for place, difference in found:
        alike.setdefault(difference.code, []).append((place, difference))
    for several in alike.values():
        yield _one_difference([difference for _, difference in several]), {place for place, _ in several}


def _one_difference(differences: Sequence[Difference]) -> Message:
    first = differences[0]
    if first.code == Unlike.RULES:
        return Message(PROTOCOLS)
    sides: dict[str, dict[str, None]] = {}
    for difference in differences:
        for said, titles in difference.each.items():
            sides.setdefault(said, {}).update(dict.fromkeys(titles))
    if first.code in RANGES:
        ordered = sorted(sides, key=RANGES[first.code])  # type: ignore[arg-type]
        each = _range(ordered[0], ordered[-1])
        return Message(first.sentence, each=Message(RECORDS, range=each) if first.code == Unlike.FEW else each)
    listed = (Message(ON_SIDES, said=in_words(said), titles=_listed(titles)) for said, titles in sides.items())
    return Message(first.sentence, each=joined("{first}; {second}", listed))


def _listed(titles: Iterable[str]) -> Message:
    return joined("{first}, {second}", map(Message, titles))

"""Gathered notes: what is said of several numbers of a table is one sentence, with the range of their figures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from parsers.io.message import Message, joined

from ..evidence.cell import Cell
from ..evidence.comparability import DATES, FEW, ON_SIDES, RULES, SLOW_END, SLOW_START, Difference, in_words
from ..measuring import caveats
from ..measuring.checking.own_figures import MEANS, OWN
from ..measuring.checking.rounding import BY_TIME
from ..measuring.checking.running_means import LAST_MEANS

OUTLIERS = "The records have outliers: their median differs from the mean by {range}."
OTHER_RECORDS = "Other records of the same log differ by {range}; see the evidence."
PROTOCOLS = "Protocols differ; see the evidence."
RANGE = "{low} to {high}"
RECORDS = "{range} records"

# A place of a table: its row and its column.
Place = tuple[int, int]
Note = tuple[Message, set[Place]]


def _of_median(message: Message) -> float:
    return _number(message, "median") / _number(message, "mean") - 1


def _of_other_records(message: Message) -> float:
    return _number(message, "ratio") - 1


def _number(message: Message, name: str) -> float:
    return float(str(message.values[name]))


def _share(said: str) -> float:
    return float(said.rstrip("%"))


# Warnings that differ by what they say of each number: the sentence for all, and by what share each number differs.
SHARES: Mapping[str, tuple[str, Callable[[Message], float]]] = {
    caveats.UNEVEN: (OUTLIERS, _of_median),
    caveats.SLOW_START: (OUTLIERS, _of_median),
    OWN: (OTHER_RECORDS, _of_other_records),
    MEANS: (OTHER_RECORDS, _of_other_records),
    LAST_MEANS: (OTHER_RECORDS, _of_other_records),
}
# The same in a few words.
GISTS = {OUTLIERS: "median {range}", OTHER_RECORDS: "other records {range}"}
# Differences of which the range is told, and by what that is ordered.
RANGES: Mapping[str, Callable[[str], object]] = {SLOW_START: _share, SLOW_END: _share, FEW: int, DATES: str}


def gists(cell: Cell) -> list[Message]:
    """The notes on a number in a few words, for a sentence that rests on it: those of which a table tells the range."""
    shares: dict[str, list[float]] = {}
    for remark in cell.remarks:
        if remark.key in SHARES:
            sentence, share = SHARES[remark.key]
            shares.setdefault(sentence, []).append(share(remark))
    return [Message(GISTS[sentence], **_ends(found)) for sentence, found in shares.items()]


def of_messages(found: Iterable[tuple[Place, Message]]) -> Iterator[Note]:
    """What is said at each place as notes, each with all its places; those of one kind are one note."""
    alike: dict[object, list[tuple[Place, Message]]] = {}
    for place, message in _once(list(found)):
        alike.setdefault(SHARES.get(message.key, message), []).append((place, message))
    for several in alike.values():
        yield _one_message([message for _, message in several]), {place for place, _ in several}


def _once(found: Sequence[tuple[Place, Message]]) -> Iterator[tuple[Place, Message]]:
    """The same without what says of a number again, by its rates, that a few records make its mean."""
    uneven = {place for place, message in found if message.key in (caveats.UNEVEN, caveats.SLOW_START)}
    return ((place, message) for place, message in found if message.key != BY_TIME or place not in uneven)


def _one_message(messages: Sequence[Message]) -> Message:
    first = messages[0]
    if first.key not in SHARES:
        return first
    sentence, _ = SHARES[first.key]
    return Message(sentence, **_ends([SHARES[message.key][1](message) for message in messages]))


def _ends(shares: Sequence[float]) -> dict[str, Message | str]:
    return {"range": _range(f"{min(shares):+.1%}", f"{max(shares):+.1%}")}


def _range(low: str, high: str) -> Message | str:
    return low if low == high else Message(RANGE, low=low, high=high)


def of_differences(found: Iterable[tuple[Place, Difference]]) -> Iterator[Note]:
    """What differs at each place as notes, one for each kind, with all its places."""
    alike: dict[str, list[tuple[Place, Difference]]] = {}
    for place, difference in found:
        alike.setdefault(difference.key, []).append((place, difference))
    for several in alike.values():
        yield _one_difference([difference for _, difference in several]), {place for place, _ in several}


def _one_difference(differences: Sequence[Difference]) -> Message:
    key = differences[0].key
    if key == RULES:
        return Message(PROTOCOLS)
    sides: dict[str, dict[str, None]] = {}
    for difference in differences:
        for said, titles in difference.each.items():
            sides.setdefault(said, {}).update(dict.fromkeys(titles))
    if key in RANGES:
        ordered = sorted(sides, key=RANGES[key])  # type: ignore[arg-type]
        each = _range(ordered[0], ordered[-1])
        return Message(key, each=Message(RECORDS, range=each) if key == FEW else each)
    listed = (Message(ON_SIDES, said=in_words(said), titles=_listed(titles)) for said, titles in sides.items())
    return Message(key, each=joined("{first}; {second}", listed))


def _listed(titles: Iterable[str]) -> Message:
    return joined("{first}, {second}", map(Message, titles))

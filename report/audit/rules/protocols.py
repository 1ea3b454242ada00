"""Protocols: which protocol of which log gives the rates that tables state.

A document makes the numbers of one program in one way, as a rule. So all protocols are held against these together, the
simplest first.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from parsers.io.errors import ParserError
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact, name_facts
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import LABEL

from ...pagefile.parts import SCALING
from ...results.measured_log import as_read
from .. import vocabulary as words
from ..chance import Hit, Means, Rule, accepted, explain
from ..claims import Claim
from ..constants import EVEN, MOST_PROTOCOL_LOGS, SCALED
from ..labels import Agreement, Case, case_of_log, compared
from ..number import HALF_UP, TRUNCATED, Number
from .protocol_search import Known, Searched, protocol, search

Scaling = tuple[tuple[str, object], ...]


@dataclass(frozen=True, eq=False)
class Source:
    """A log, scaled in one way: ``program`` names its format, ``searched`` is what all protocols give."""

    path: str
    program: str
    searched: Searched


@dataclass(frozen=True)
class _Read:
    """What a log holds for this search; ``program`` names its format."""

    program: str
    records: FormatRecords
    facts: Mapping[str, Fact]
    known: Known


Explained = tuple[Hit, float, int]  # a hit, its chance, and how many numbers one protocol explains together


class ProtocolSearch:
    """The protocols of the logs of a checkout; each log is read and searched once for each way to scale it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.unread: list[str] = []  # logs that were not searched, as there were too many
        self._logs: dict[str, _Read | None] = {}
        self._found: dict[tuple[str, Scaling], Searched] = {}
        self._used: dict[str, Counter[int]] = defaultdict(Counter)  # how many rates a protocol explains, by program

    def explain(
        self, claims: Sequence[Claim], cases: Sequence[Case], places: Sequence[Sequence[str]]
    ) -> dict[int, Explained]:
        """For each rate that is beyond accident what gives it.

        ``cases``: what the labels of each say; ``places``: the logs that each may be of. Of several logs that give a
        number it is one whose name says what its labels do.
        """
        of_documents: dict[tuple[str, str], dict[int, list[Source]]] = defaultdict(lambda: defaultdict(list))
        for place, (claim, case, paths) in enumerate(zip(claims, cases, places, strict=True)):
            order = sorted(paths, key=lambda path: list(Agreement).index(compared(case, case_of_log(path)).agreement))
            for source in self._sources(claim, case, order):
                of_documents[claim.document, source.program][place].append(source)
        found: dict[int, Explained] = {}
        tests = len(of_documents)
        each = [
            (program, *one)
            for (_, program), of in of_documents.items()
            for one in explained({place: claims[place].number for place in of}, of)
        ]
        limit = accepted([chance * tests for *_, chance in each])
        for program, rank, hits, chance in each:
            if chance * tests <= limit:
                self._used[program][rank] += len(hits)
                found = {place: (hit, chance, len(hits)) for place, hit in hits.items()} | found
        return found

    def expected(self, claim: Claim, case: Case, paths: Sequence[str]) -> Hit | None:
        """What the log that alone is named for the most of the case of a rate gives.

        By the first protocol that gives the rate, where accident more likely gives none, else by that which explains
        most rates of its program.
        """
        labels = [(compared(case, case_of_log(path)), path) for path in paths]
        named = [(len(one.axes), path) for one, path in labels if one.agreement == Agreement.CONFIRMED]
        best = [path for count, path in named if count == max(named)[0]]
        source = next(self._sources(claim, case, best), None) if len(best) == 1 else None
        if source is None:
            return None
        ranks = np.flatnonzero(source.searched.hits(claim.number))[:1].tolist()
        if not ranks or (ranks[0] + 1) * source.searched.chance(claim.number) >= EVEN:
            ranks = [rank for rank, _ in self._used[source.program].most_common(1)]
        hits = [hit_of(claim.number, [source], rank) for rank in ranks]
        return next((hit for hit in hits if not np.isnan(hit.value)), None)

    def _sources(self, claim: Claim, case: Case, paths: Sequence[str]) -> Iterator[Source]:
        """The logs that a rate may be of, by its size, in each way in which facts, names and labels scale them."""
        for path in paths:
            read = self._read(path)
            if read is None:
                continue
            for scaling, facts in _scalings(path, read.facts, case):
                key = path, scaling
                if key not in self._found:
                    self._found[key] = search(read.records, facts, read.known)
                known = self._found[key].known
                if len(known) and known[0] / SCALED <= claim.number.value <= SCALED * known[-1]:
                    yield Source(path, read.program, self._found[key])

    def _read(self, path: str) -> _Read | None:
        """What is in a log; None where no rate is."""
        if path not in self._logs:
            if len(self._logs) >= MOST_PROTOCOL_LOGS:
                self.unread.append(path)
            self._logs[path] = None if path in self.unread else _read(self.root / path)
        return self._logs[path]


def is_rate(claim: Claim) -> bool:
    """Whether a claim is one that protocols of logs may give."""
    return claim.quantity == words.RATE and claim.number.digits > 1 and claim.table >= 0 and claim.number.value > 0


def _read(file: Path) -> _Read | None:
    try:
        reading = as_read(file).reading
        if not any(len(part.table) for part in reading.parts):
            return None
        return _Read(reading.format.name if reading.format else "", as_one(reading.parts[0]), dict(reading.facts), {})
    except (ParserError, OSError, ValueError):
        return None


def _scalings(path: str, facts: Mapping[str, Fact], case: Case) -> Iterator[tuple[Scaling, Mapping[str, Fact]]]:
    """The ways to scale a log: as it says itself, then its name, then the labels of a number."""
    named = {fact.name: fact for fact in name_facts(Path(path)) if fact.name in ("cards", "nodes")}
    stated = (str(axis) for axis in SCALING if isinstance(case.get(axis), int))
    label = {axis: Fact(axis, case[axis], LABEL) for axis in stated}
    ways: tuple[dict[str, Fact], ...] = (dict(facts), {**facts, **named}, {**label, **facts}, {**facts, **label})
    known = {tuple((axis, way[axis].value) for axis in SCALING if axis in way): way for way in ways[::-1]}
    yield from [*known.items()][::-1]


def explained(
    numbers: Mapping[int, Number], sources: Mapping[int, Sequence[Source]]
) -> list[tuple[int, dict[int, Hit], float]]:
    """What protocols explain of rates that were made in one way, beyond accident: rank, hits by place, and the chance.

    ``sources``: the logs that each may be of. Each protocol has two ranks, as digits may be rounded or truncated.
    Protocols that give the same rates are one, the first of them; equal rates of the same logs prove no more than one
    of them.
    """
    equal: dict[Hashable, list[int]] = defaultdict(list)
    for place, number in numbers.items():
        equal[number.text, *(source.path for source in sources[place])].append(place)
    firsts = [some[0] for some in equal.values()]
    if not firsts:
        return []
    hits = np.array([np.any([of.searched.hits(numbers[one]) for of in sources[one]], axis=0) for one in firsts])
    ranks = np.unique(hits, axis=1, return_index=True)[1].tolist()
    rules: dict[Hashable, dict[int, Hit]] = {
        rank: {
            row: hit_of(numbers[firsts[row]], sources[firsts[row]], rank)
            for row in np.flatnonzero(hits[:, rank]).tolist()
        }
        for rank in ranks
        if hits[:, rank].any()
    }
    chances = [_chance(numbers[one], sources[one]) for one in firsts]
    found = explain(len(firsts), rules, lambda _, row: chances[row], lambda rank, *_: cast(int, rank) + 1)
    groups = list(equal.values())
    return [
        (cast(int, one.rule), {place: hit for row, hit in one.hits.items() for place in groups[row]}, one.chance)
        for one in found
    ]


def _chance(number: Number, sources: Sequence[Source]) -> float:
    """How likely one protocol gives a number by accident, from any log that it may be of."""
    logs = {id(one.searched): one.searched for one in sources}
    return min(1.0, sum(searched.chance(number) for searched in logs.values()))


def hit_of(number: Number, sources: Sequence[Source], rank: int) -> Hit:
    """What a protocol gives for a rate, from the first of its logs that gives it, else from the first."""
    source = next((one for one in sources if one.searched.hits(number)[rank]), sources[0])
    decimals = max(0, -round(np.log10(number.step)))
    words = protocol(rank).overridden(f"decimals={decimals}").words()
    value = float(source.searched.values[rank // 2])
    return Hit(value, Rule(Means.PROTOCOL, words), source.path, 0, (HALF_UP, TRUNCATED)[rank % 2])

"""Protocols: which protocol of which log gives the rates that tables state.

A document makes the numbers of one program in one way, as a rule. So all protocols are held against these together, the
simplest first; what is left is held against the protocols that other documents were found to use for that program.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from parsers.io.errors import ParserError
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact, name_facts
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import LABEL

from ...evidence.as_read import as_read
from ...pagefile.parts import SCALING
from .. import vocabulary as words
from ..chance import Hit, Means, Rule, accepted, explain
from ..claims import Claim
from ..constants import MOST_PROTOCOL_LOGS, SCALED
from ..labels import Agreement, Case, case_of_log, compared
from ..number import HALF_UP, TRUNCATED, Number
from .protocol_search import Known, Searched, search

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
    ) -> dict[int, tuple[Hit, float, int]]:
        """For each rate the hit, its chance, and how many numbers one protocol explains together.

        ``cases``: what the labels of each say; ``places``: the logs that each may be of. Logs that the labels allow are
        tried first; what none of them gives may be in another, which is then named wrongly.
        """
        allowed: dict[int, list[str]] = {}
        others: dict[int, list[str]] = {}
        for place, (case, paths) in enumerate(zip(cases, places, strict=True)):
            said = {path: compared(case, case_of_log(path)).agreement for path in paths}
            allowed[place] = [
                path for order in (Agreement.CONFIRMED, Agreement.UNCONFIRMED) for path in paths if said[path] == order
            ]
            others[place] = [path for path in paths if said[path] == Agreement.CONTRADICTED]
        found = self._explained(claims, cases, allowed)
        return found | self._explained(
            claims, cases, {place: some for place, some in others.items() if place not in found}
        )

    def expected(self, claim: Claim, case: Case, paths: Sequence[str]) -> Hit | None:
        """What the only log that is named for the case of a rate gives, by what explains most rates of its program."""
        named = [path for path in paths if compared(case, case_of_log(path)).agreement == Agreement.CONFIRMED]
        sources = list(self._sources(claim, case, named)) if len(named) == 1 else []
        if not sources or not self._used[sources[0].program]:
            return None
        (rank, _), *_ = self._used[sources[0].program].most_common(1)
        values = [(float(one.searched.values[rank // 2]), one) for one in sources]
        value, source = min(values, key=lambda pair: abs(pair[0] - claim.number.value))
        protocol = source.searched.protocol(rank)
        return None if np.isnan(value) else Hit(value, Rule(Means.PROTOCOL, protocol.words()), source.path)

    def _explained(
        self, claims: Sequence[Claim], cases: Sequence[Case], places: Mapping[int, Sequence[str]]
    ) -> dict[int, tuple[Hit, float, int]]:
        of_documents: dict[tuple[str, str], dict[int, list[Source]]] = defaultdict(lambda: defaultdict(list))
        of_programs: dict[str, dict[int, list[Source]]] = defaultdict(lambda: defaultdict(list))
        for place, paths in places.items():
            for source in self._sources(claims[place], cases[place], paths):
                of_documents[claims[place].document, source.program][place].append(source)
                of_programs[source.program][place].append(source)
        found: dict[int, tuple[Hit, float, int]] = {}
        groups = [(program, _proved(claims, sources)) for (_, program), sources in of_documents.items()]
        each = [(program, rank, proved) for program, of in groups for rank, proved in of.items()]
        limit = accepted([_chance_of(proved) * len(groups) for _, _, proved in each])
        for program, rank, proved in each:
            if _chance_of(proved) * len(groups) <= limit:
                self._used[program][rank] += len(proved)
                found |= {place: one for place, one in proved.items() if place not in found}
        for program, sources in of_programs.items():
            left = {place: some for place, some in sources.items() if place not in found}
            for proved in _proved(claims, left, [rank for rank, _ in self._used[program].most_common()]).values():
                found |= {place: one for place, one in proved.items() if place not in found}
        return found

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
                searched = self._found[key]
                if searched.low / SCALED <= claim.number.value <= SCALED * searched.high:
                    yield Source(path, read.program, searched)

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


def _proved(
    claims: Sequence[Claim], sources: Mapping[int, Sequence[Source]], ranks: Sequence[int] | None = None
) -> dict[int, dict[int, tuple[Hit, float, int]]]:
    """What protocols prove of some claims, by the rank of the protocol and the place of the claim."""
    places = list(sources)
    group = Group([claims[place].number for place in places], [sources[place] for place in places])
    found: dict[int, dict[int, tuple[Hit, float, int]]] = {}
    for rank, hits, chance in group.explained(ranks):
        found[rank] = {places[row]: (hit, chance, len(hits)) for row, hit in hits.items()}
    return found


def _chance_of(proved: Mapping[int, tuple[Hit, float, int]]) -> float:
    """That of a protocol, which is the same for all that it explains."""
    return next(chance for _, chance, _ in proved.values())


class Group:
    """Rates that were made in one way: their ``numbers``, and the ``sources`` that each may be of.

    Each protocol has two ranks, as digits may be rounded or truncated.
    """

    def __init__(self, numbers: Sequence[Number], sources: Sequence[Sequence[Source]]) -> None:
        self.numbers, self.sources = numbers, sources
        self.keys = [(one.text, *(source.path for source in of)) for one, of in zip(numbers, sources, strict=True)]
        hits = [
            np.any([source.searched.hits(one) for source in of], axis=0)
            for one, of in zip(numbers, sources, strict=True)
        ]
        self.hits: NDArray[np.bool_] = np.array(hits, dtype=np.bool_)

    @cached_property
    def chances(self) -> list[float]:
        """How likely one protocol gives each number by accident, from any log that it may be of."""
        logs = [{id(one.searched): one.searched for one in of}.values() for of in self.sources]
        each = zip(self.numbers, logs, strict=True)
        return [min(1.0, sum(searched.chance(number) for searched in of)) for number, of in each]

    def explained(self, ranks: Sequence[int] | None = None) -> list[tuple[int, dict[int, Hit], float]]:
        """The protocols that explain rates of the group beyond accident: rank, hits by row, and the chance.

        ``ranks``: those to try, in this order; all by default. Protocols that give the same rates are one, the first of
        them; equal rates of the same logs prove no more than one of them.
        """
        if not len(self.hits) or (ranks is not None and not ranks):
            return []
        chosen = np.arange(self.hits.shape[1]) if ranks is None else np.array(ranks)
        _, firsts = np.unique(self.hits[:, chosen], axis=1, return_index=True)
        order = {int(chosen[first]): int(first) for first in firsts}
        rows = {rank: np.flatnonzero(self.hits[:, rank]).tolist() for rank in order}
        distinct = {rank: list({self.keys[row]: row for row in some}.values()) for rank, some in rows.items() if some}
        rules: dict[Hashable, dict[int, Hit]] = {
            rank: {row: self._hit(row, rank) for row in some} for rank, some in distinct.items()
        }

        def tried(rank: Hashable, *_: object) -> int:
            return order[cast(int, rank)] + 1

        found = [(cast(int, one.rule), one) for one in explain(len(self.keys), rules, self._chance, tried)]
        return [(rank, self._with_equal(rank, one.hits), one.chance) for rank, one in found]

    def _chance(self, _: Hashable, row: int) -> float:
        return self.chances[row]

    def _with_equal(self, rank: int, hits: Mapping[int, Hit]) -> dict[int, Hit]:
        """Hits with those of equal rates of the same logs, which were left out."""
        keys = {self.keys[row] for row in hits}
        rows = (row for row in np.flatnonzero(self.hits[:, rank]).tolist() if self.keys[row] in keys)
        return {row: self._hit(row, rank) for row in rows}

    def _hit(self, row: int, rank: int) -> Hit:
        """What a protocol gives for a rate, from the first of its logs that gives it."""
        number = self.numbers[row]
        source = next(one for one in self.sources[row] if one.searched.hits(number)[rank])
        value = float(source.searched.values[rank // 2])
        decimals = max(0, -round(np.log10(number.step)))
        words = source.searched.protocol(rank).printing(f"{number.value:.{decimals}f}").words()
        return Hit(value, Rule(Means.PROTOCOL, words), source.path, 0, (HALF_UP, TRUNCATED)[rank % 2])

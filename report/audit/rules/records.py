"""Records: numbers of a row of claims that stand together in one record of a data file, a line or an object; and those
of a row or a column that stand, in their order, in one series of a file near them.

All data files are read once; of each only what may decide is kept: for each row the records that hold most of it. Rows
are judged in families, each with its own share of the errors that are allowed: rows against the numbers that end a
series of a log near them, against all numbers near them, and against those of the whole checkout; rows and columns
against series near them. So a row that leads to a log is held against the few numbers there before it is held against
millions.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, inf, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import vocabulary as words
from ..chance import LEAST_CHANCE, Explanation, Floats, Hit, Means, accepted, accidents
from ..claims import Claim
from ..documents import CELL, ITEM
from ..evidence import DataFile

# Fewer digits than these select nothing among the lines of a checkout: two such numbers on one line are 1 in 10^4.
ANCHOR_DIGITS = 3
# Lines of a file with one number; a number that common selects nothing, and joining it costs.
MOST_OF_A_FILE = 2_000
# Candidates kept of a row: the best may fail where one that is nearer, or holds fewer numbers, is found.
KEPT = 3
FAMILIES = ENDS, NEAR, ALL, SERIES = range(4)  # against what rows are held, the fewest numbers first

Ints = NDArray[np.int64]
Rank = tuple[int, bool, bool, float]
Group = tuple[int, bool]  # a row or a column, and whether series hold it, not records


@dataclass(frozen=True)
class _Backing:
    """A number of a record that backs a claim: ``chance``: that a number there would by accident."""

    claim: int
    place: int
    hit: Hit
    chance: float
    agrees: bool  # whether the name of its series says what the claim counts
    is_end: bool  # whether it is the last number of its series


@dataclass(frozen=True)
class _Candidate:
    """A record that holds some of a row, or a series that holds some of a row or a column."""

    is_near: bool
    backings: tuple[_Backing, ...]

    @cached_property
    def rank(self) -> Rank:
        """What is kept of a row: what holds most of it, then what is near, then what is less likely by accident."""
        ends = any(one.is_end for one in self.backings)
        return -len(self.backings), not self.is_near, not ends, prod(one.chance for one in self.backings)

    def bound(self, expected: dict[int, float], size: int, *, is_of_ends: bool) -> float:
        """How many records hold so many of a row by accident: those with one of it, times that they have the rest."""
        distinct = {one.hit.value: one for one in self.backings}.values()  # what is printed again tells no more
        whole = prod(one.chance for one in distinct)
        firsts = (one for one in distinct if one.is_end or not is_of_ends)
        bounds = (max(expected[one.claim], LEAST_CHANCE) * whole / max(one.chance, LEAST_CHANCE) for one in firsts)
        return comb(size, len(distinct)) * min(bounds, default=inf)


class RecordSearch:
    """``claims``: all of a checkout; ``near``: for each the files near it.

    ``near_hits``: for each claim whose digits a record near it holds, as accident may have it, the best one.
    """

    def __init__(self, claims: Sequence[Claim], near: Sequence[frozenset[str]]) -> None:
        self.claims = claims
        self.best: dict[Group, list[_Candidate]] = defaultdict(list)
        self.near_hits: dict[Claim, tuple[Rank, Hit]] = {}
        # What is looked for: the claims in the units of logs, as a time may stand there in several.
        known: dict[object, int] = {}
        wanted = [
            (factor, place, *(known.setdefault(one, len(known)) for one in (claim.in_row, _column(claim))))
            for place, claim in enumerate(claims)
            if claim.is_measured and claim.number.digits >= ANCHOR_DIGITS
            for factor in factors(claim)
        ]
        wanted.sort(key=lambda one: one[0] * claims[int(one[1])].number.value)  # numpy finds ascending ones much faster
        self.claim, self.row, self.column = np.array([of for _, *of in wanted], dtype=np.int64).reshape(-1, 3).T
        self.factor = np.array([factor for factor, *_ in wanted])
        # How many numbers of each row or column are looked for.
        first = np.unique(self.claim, return_index=True)[1]
        self.sizes = np.bincount(np.concatenate((self.row[first], self.column[first]))).tolist()
        numbers = [claims[place].number for place in self.claim]
        self.low, self.high = np.array([number.interval for number in numbers]).reshape(-1, 2).T * self.factor
        self.value = np.array([number.value for number in numbers]) * self.factor
        self.step = np.array([number.informative_step for number in numbers]) * self.factor
        self.units: dict[int, list[int]] = defaultdict(list)  # of each claim, what is looked for
        self.by_set: dict[frozenset[str], list[int]] = defaultdict(list)  # of claims with the same files near them
        for number, place in enumerate(self.claim.tolist()):
            self.units[place].append(number)
            self.by_set[near[place]].append(number)
        self.sets_of: dict[str, list[frozenset[str]]] = defaultdict(list)
        for files in self.by_set:
            for path in files:
                self.sets_of[path].append(files)
        # By family, how many of the numbers there what is looked for would be by accident.
        self.expected = np.zeros((3, len(wanted)))
        self.seen: set[str] = set()
        self.near_rows: set[int] = set()
        self.near_columns: set[int] = set()

    def _expected(self, which: Ints, ascending: Floats) -> Floats:
        return accidents(self.value[which], self.step[which], ascending)

    def add(self, file: DataFile) -> None:
        """Look for all claims in a file; what is a copy of another is looked at only where it is near."""
        numbers = [one for files in self.sets_of.get(file.path, ()) for one in self.by_set[files]]
        near = np.array(numbers, dtype=np.int64)
        which = near if file.digest in self.seen else np.arange(len(self.claim))
        if not len(file.values) or not len(which):
            return
        self.near_rows.update(self.row[near].tolist())
        self.near_columns.update(self.column[near].tolist())
        distinct = np.unique(file.values)
        ends = _ends(file)
        self.expected[ENDS, near] += self._expected(near, np.sort(file.values[ends]))
        self.expected[NEAR, near] += self._expected(near, distinct)
        if file.digest not in self.seen:
            self.expected[ALL, which] += self._expected(which, distinct)
        self.seen.add(file.digest)
        self._join(file, which, set(near.tolist()), set(ends.tolist()))

    def _join(self, file: DataFile, which: Ints, near: set[int], ends: set[int]) -> None:
        """The records of a file that hold several claims of a row; of those that hold one, which are alike, one.

        And the series of a file near them that hold several of a row or a column.
        """
        singles: dict[int, tuple[Ints, Ints]] = {}
        found, at = self._found(file, which)
        is_near = np.isin(found, list(near))
        for row, wanted, places in _shared(self.row, file.records, found, at):
            if (self.claim[wanted] != self.claim[wanted[0]]).any():
                self._try((row, False), file, wanted, places, near, ends)
            elif row not in singles or (places[0] in ends and singles[row][1][0] not in ends):
                singles[row] = wanted, places
        for row, some in singles.items():
            self._try((row, False), file, *some, near, ends)
        for groups in (self.row, self.column):
            for group, wanted, places in _shared(groups, file.name_of, found[is_near], at[is_near]):
                if (self.claim[wanted] != self.claim[wanted[0]]).any() and file.names[file.name_of[places[0]]]:
                    self._try((group, True), file, wanted, places, near, ends)

    def _found(self, file: DataFile, which: Ints) -> tuple[Ints, Ints]:
        """The wanted that a file holds, each with the place of a value."""
        order = np.argsort(file.values, kind="stable")
        ascending = file.values[order]
        starts = np.searchsorted(ascending, self.low[which], "left")
        counts = np.searchsorted(ascending, self.high[which], "right") - starts
        some = np.flatnonzero((counts > 0) & (counts <= MOST_OF_A_FILE))
        counts, starts = counts[some], starts[some]
        places = order[np.arange(counts.sum()) + np.repeat(starts - np.cumsum(counts) + counts, counts)]
        return np.repeat(which[some], counts), places

    def _try(self, group: Group, file: DataFile, wanted: Ints, places: Ints, near: set[int], ends: set[int]) -> None:
        """Keep what a record or a series holds of a row or column, unless what is kept of that holds more.

        A number backs one claim: that which its name says, then that which accident hits less often. Those of a series
        are in its order.
        """
        kept, is_near = self.best[group], int(wanted[0]) in near
        most = -len(set(self.claim[wanted].tolist())), not is_near, ends.isdisjoint(places.tolist())
        if not is_near and len(kept) == KEPT and most > kept[-1].rank[:3]:
            return
        pairs = zip(wanted.tolist(), places.tolist(), strict=True)
        backings = (self._backing(file, number, place, place in ends, is_series=group[1]) for number, place in pairs)
        some = [one for one in backings if one]
        some = _in_order(some) if group[1] else some
        chosen: dict[int, _Backing] = {}
        used: set[int] = set()
        for one in sorted(some, key=lambda one: (not one.agrees, one.chance, one.claim, one.place)):
            if one.claim not in chosen and one.place not in used:
                chosen[one.claim] = one
                used.add(one.place)
        candidate = _Candidate(is_near, tuple(chosen.values()))
        for one in candidate.backings if is_near else ():
            claim = self.claims[one.claim]
            if claim not in self.near_hits or candidate.rank < self.near_hits[claim][0]:
                self.near_hits[claim] = candidate.rank, one.hit
        if candidate.backings:
            kept.append(candidate)
            kept.sort(key=lambda one: one.rank)
            del kept[KEPT:]

    def _backing(self, file: DataFile, number: int, place: int, is_end: bool, *, is_series: bool) -> _Backing | None:
        """A hit, and how often its series, or another number of its record, would be one in any unit of the claim."""
        place_of_claim = int(self.claim[number])
        claim, value = self.claims[place_of_claim], float(file.values[place] / self.factor[number])
        if not (rounding := claim.number.rounding_of(value)):
            return None
        series = file.ascending[int(file.name_of[place])]
        chance = float(self._expected(np.array([number]), series)[0])
        if not is_series:
            chance /= len(series)
            chance += float(self._expected(np.array(self.units[place_of_claim]), np.unique(file.beside(place))).sum())
        name = file.names[file.name_of[place]]
        means, line = Means.SERIES if is_series else Means.RECORD, int(file.lines[place])
        hit = Hit(value, means, name, file.path, line, rounding=rounding)
        return _Backing(place_of_claim, place, hit, min(1.0, chance), words.of_label(name) == claim.quantity, is_end)

    def found(self) -> list[Explanation]:
        """What is found beyond accident, the least likely by accident first."""
        near = len(self.near_rows)
        tests_of = (near, near, len(np.unique(self.row)), near + len(self.near_columns))
        proofs: list[tuple[float, int, int, float, _Candidate]] = []  # the second: in which family
        best: dict[tuple[int, int], float] = defaultdict(lambda: inf)
        for family, tests in zip(FAMILIES, tests_of, strict=True):
            # How many numbers would be each claim by accident, in any unit.
            of_family = self.expected[NEAR if family == SERIES else family]
            expected = {claim: float(of_family[units].sum()) for claim, units in self.units.items()}
            for (row, is_series), candidates in self.best.items():
                for one in candidates:
                    if is_series == (family == SERIES) and (one.is_near or family == ALL):
                        bound = one.bound(expected, self.sizes[row], is_of_ends=family == ENDS)
                        chance = len(FAMILIES) * bound
                        proofs.append((chance * tests, family, row, chance, one))
                        best[family, row] = min(best[family, row], chance * tests)
        limit = accepted(list(best.values()))
        return [
            Explanation(Means.RECORD, {self.claims[backing.claim]: backing.hit for backing in one.backings}, chance)
            for false, *_, chance, one in sorted(proofs, key=lambda proof: proof[:3])
            if false <= limit
        ]


def _in_order(some: Sequence[_Backing]) -> list[_Backing]:
    """As many of these as there are whose numbers ascend in the file as their claims do in the document."""
    places: list[int] = []  # of the chains of each length, the least place that one ends with
    chains: list[Any] = []  # such a chain: its last one, and the chain before
    for one in sorted(some, key=lambda one: (one.claim, -one.place)):
        at = bisect_left(places, one.place)
        places[at : at + 1], chains[at : at + 1] = [one.place], [(one, chains[at - 1] if at else None)]
    found, chain = [], chains[-1] if chains else None
    while chain:
        found.append(chain[0])
        chain = chain[1]
    return found


def _ends(file: DataFile) -> Ints:
    """The places of the last number of each named series."""
    _, behind = np.unique(file.name_of[::-1], return_index=True)
    places = len(file.values) - 1 - behind
    return places[[bool(file.names[file.name_of[place]]) for place in places]]


def factors(claim: Claim) -> tuple[float, ...]:
    """By what the number of a log may be larger than a claim: a time in another unit, a fraction for a percentage."""
    if claim.quantity in words.SHARES:
        return (1.0, 0.01)
    if claim.quantity != words.TIME:
        return (1.0,)
    known = {1.0: (1.0, 1e3), 60.0: (1.0, 60.0, 6e4), 1e-3: (1.0, 1e-3)}
    return known.get(claim.unit_seconds or 0, (1.0, 1e3, 60.0, 6e4))


def _column(claim: Claim) -> object:
    """What identifies the column of a claim; one that is in none is one of its own."""
    return (claim.document, "of", claim.table, claim.col) if claim.place in (CELL, ITEM) else claim


def _shared(groups: Ints, records: NDArray[np.int32], wanted: Ints, places: Ints) -> Iterator[tuple[int, Ints, Ints]]:
    """Each group of claims with each record that holds some of it: the wanted and the places of their values."""
    keys = groups[wanted] << 32 | records[places].astype(np.int64)
    sorting = np.lexsort((places, wanted, keys))
    keys, wanted, places = keys[sorting], wanted[sorting], places[sorting]
    starts = np.flatnonzero(np.diff(keys, prepend=-1)).tolist()
    for start, end in zip(starts, [*starts[1:], len(keys)], strict=False):
        yield int(keys[start] >> 32), wanted[start:end], places[start:end]

"""Protocols: which protocol of which log gives the rates that tables state.

Published pages rarely say how a number was made, but few ways are common. With hundreds of protocols some give any
digits by chance, so the order matters: what people choose first comes first, and how many stand before a protocol is
what its chance is multiplied by. A rule that is not in the table is never found, and never taken for another one unless
both use the same records. A document makes the numbers of one program in one way, as a rule. So all protocols are held
against these together.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from parsers.io.errors import ParserError
from parsers.runs.boundaries import as_one
from parsers.runs.facts import Fact, name_facts
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import LABEL
from parsers.series import Floats

from ...measure.diagnostics import NoMeasurement
from ...measure.measurement import Use
from ...measure.protocol import RULE, WINDOW, Protocol, named
from ...measure.records import Records, Run
from ...measure.rule import measure_log
from ...measure.stated import measure_stated, values_of, window_of
from ...measure.statistic import reduce, trim
from ...pagefile.parts import SCALING
from ...results.measured_log import as_read
from .. import vocabulary as words
from ..chance import EVEN, ROUNDINGS, Explanation, Hit, Means, accepted, accidental, explain
from ..claims import Claim
from ..labels import Agreement, Case, case_of_log, compared
from ..number import FLOAT_NOISE, HALF_UP, TRUNCATED, Number

MOST_PROTOCOL_LOGS = 400  # of a checkout that are read by the protocol search; more are named as not searched
SCALED = 5  # a rate may be of a log within this factor of what that prints (8 cards a node, scaled by name or label)

Costs = Mapping[int, int]
Keys = dict[str, object]
Known = dict[tuple[Protocol, bytes], Floats]  # statistics of values, by the first protocol that reads them

_SKIPS: Costs = (
    {0: 0, 10: 1, 20: 1, 5: 1, 50: 1, 100: 1}
    | dict.fromkeys((1, 2, 3, 4), 2)
    | dict.fromkeys((*range(6, 10), *range(11, 20)), 3)
)
_DROPS: Costs = {0: 0, 1: 1, 2: 2}
_LASTS: Costs = dict.fromkeys((10, 20, 50, 100, 200, 500, 1000), 3) | dict.fromkeys(
    (5, 15, 25, 30, 40, 60, 80, 150, 250, 300, 350, 400, 600, 800, 1500, 2000, 3000, 4000, 5000, 10_000), 4
)
_FRACTIONS = (0.1, 0.2, 0.25, 0.5)
_STATISTICS = {"mean": 0, "median": 1, "harmonic_mean": 1, "last": 1, "max": 2, "min": 2}
_OF_ALL = ("last", "max", "min")  # of these the window changes nothing that people publish
_ESTIMATES = {"reported": 0, "step_time": 0, "duration": 1}
_OF_PRINTING = ("decimals", "repeats")  # and of what is done with several logs
_TIPC: Keys = {"trim": 0.05, "trim_min": 5}
_EPOCH_SKIPS: Costs = {0: 1, 1: 1, 2: 2, 3: 3}


@cache
def protocols() -> tuple[Protocol, ...]:
    """All protocols of the search, without a rule of printing, the simplest first; the named ones and the rule lead."""
    leading: list[Keys] = [
        {"estimate": "reported", **{key: one for key, one in keys.items() if key not in _OF_PRINTING}}
        for keys in named().values()
    ]
    others = (keys for _, keys in sorted(_unnamed(), key=lambda found: found[0]))
    return tuple(dict.fromkeys((*map(Protocol.of, leading), Protocol(), *map(Protocol.of, others))))


def _unnamed() -> Iterator[tuple[int, Keys]]:
    """Cost and keys of the protocols of records of steps, of epochs, and of a summary."""
    windows: list[tuple[int, Keys]] = [
        (a + b, {"skip_records": skip, "drop_last": drop})
        for (skip, a), (drop, b) in product(_SKIPS.items(), _DROPS.items())
    ]
    # A warm-up in steps, in a log that has not all of them, or whose first is another than 1.
    windows += [(cost, {"skip_steps": skip}) for skip, cost in _SKIPS.items() if cost == 1]
    windows += [(cost, {"take_last": count}) for count, cost in _LASTS.items()]
    windows += [(3, {"skip_fraction": one}) for one in _FRACTIONS]
    statistics: list[tuple[int, Keys]] = [(cost, {"statistic": name}) for name, cost in _STATISTICS.items()]
    for (estimate, a), (b, window), (c, statistic) in product(_ESTIMATES.items(), windows, [*statistics, (1, _TIPC)]):
        if statistic.get("statistic") not in _OF_ALL or not any(window.values()):
            yield a + b + c, {"estimate": estimate, **window, **statistic}
    for (estimate, a), (skip, b), (c, statistic) in product(_ESTIMATES.items(), _EPOCH_SKIPS.items(), statistics):
        yield a + b + c, {"records": "epoch", "estimate": estimate, "skip_records": skip, **statistic}
    for cost, statistic in statistics:
        yield cost, {"records": "summary", "estimate": "reported", **statistic}


@dataclass(frozen=True, eq=False)
class Searched:
    """What the protocols give for one log: ``values`` (float64, one a protocol, NaN where it gives none)."""

    values: Floats

    def hits(self, number: Number) -> NDArray[np.bool_]:
        """Which protocols give a number (bool, two each): rounded half up, and then truncated."""
        away = (self.values - number.value) / number.step
        half = (away >= -0.5 - FLOAT_NOISE) & (away < 0.5)
        return np.column_stack((half, (away >= -FLOAT_NOISE) & (away < 1 - FLOAT_NOISE))).ravel()

    def chance(self, number: Number) -> float:
        """The probability that one protocol gives a number by chance, by how dense the values of all lie around it.

        Rounded half up it is another one than truncated, so that each is hit within one step.
        """
        return accidental(number, self.known) / ROUNDINGS / max(1, len(self.known))

    @cached_property
    def known(self) -> Floats:
        """The values that there are, ascending."""
        return np.sort(self.values[np.isfinite(self.values)])


def search(part: FormatRecords, facts: Mapping[str, Fact], known: Known | None = None) -> Searched:
    """What all protocols give for the records of a log, scaled by its facts.

    ``known``: what was computed of the same records, scaled in another way.
    """
    run, known = Run(1, part.table, part.fields, facts), {} if known is None else known
    values = np.full(len(protocols()), np.nan)
    for windows in _alike():
        first, ranks = protocols()[min(windows)], list(windows)
        if first.estimate == "clock" or not first.states_rule:  # one number, and not one a record
            for rank in ranks:
                with suppress(NoMeasurement), np.errstate(all="ignore"):
                    stated = protocols()[rank]
                    values[rank] = (measure_stated([run], stated) if stated.states_rule else measure_log([[run]])).value
            continue
        with suppress(NoMeasurement):
            records, read, _ = values_of(run, first)
            key = first, read.values.tobytes()
            if key not in known:
                known[key] = _statistics(records, read.values, windows)
            values[ranks] = read.factor / known[key] if read.are_times else known[key] * read.factor
    return Searched(values)


@cache
def _alike() -> list[dict[int, Hashable]]:
    """The places of the protocols that read one estimate of one kind of record, each with its window."""
    groups: dict[tuple[str, str], dict[int, Hashable]] = defaultdict(dict)
    for rank, one in enumerate(protocols()):
        window = tuple(getattr(one, key) for key in WINDOW)
        groups[one.records, one.estimate if one.states_rule else RULE][rank] = window
    return list(groups.values())


def _statistics(records: Records, values: Floats, windows: Mapping[int, Hashable]) -> Floats:
    """What protocols make of the values of records; NaN of none, and of what no throughput can be."""
    found = np.full(len(windows), np.nan)
    taken: dict[Hashable, Floats] = {}
    for place, (rank, window) in enumerate(windows.items()):
        one = protocols()[rank]
        with suppress(NoMeasurement):
            if window not in taken:
                taken[window] = np.zeros(0)  # where the log does not have its steps
                taken[window] = values[window_of(records, one)[0] == Use.USED]
            kept = taken[window]
            if len(kept) and (one.trim or one.trim_min):
                kept = kept[trim(kept, one.trim, one.trim_min)]
            if len(kept) and (np.isfinite(kept) & (kept > 0)).all():
                found[place] = reduce(kept, one.statistic)
    return found


# ---- the logs of a checkout


class Source(NamedTuple):
    """A log, scaled in one way: ``program`` names its format, ``searched`` is what all protocols give."""

    path: str
    program: str
    searched: Searched


class _Read(NamedTuple):
    """What a log holds for this search; ``program`` names its format."""

    program: str
    records: FormatRecords
    facts: Mapping[str, Fact]
    known: Known


class ProtocolSearch:
    """The protocols of the logs of a checkout; each log is read and searched once for each way to scale it.

    ``case_of``: what the labels of a claim say.
    """

    def __init__(self, root: Path, case_of: Callable[[Claim], Case]) -> None:
        self.root, self.case_of = root, case_of
        self.unread: list[str] = []  # logs that were not searched, as there were too many
        self._logs: dict[str, _Read | None] = {}
        self._found: dict[tuple[object, ...], Searched] = {}
        self._used: dict[str, Counter[int]] = defaultdict(Counter)  # how many rates a protocol explains, by program

    def explain(self, near: Mapping[Claim, Sequence[str]]) -> list[Explanation]:
        """The protocols that explain rates beyond accident; ``near``: the logs that each may be of.

        Of several logs that give a number it is one whose name says what its labels do.
        """
        of_documents: dict[tuple[str, str], dict[Claim, list[Source]]] = defaultdict(lambda: defaultdict(list))
        for claim, paths in near.items():
            case = self.case_of(claim)
            order = sorted(paths, key=lambda path: list(Agreement).index(compared(case, case_of_log(path)).agreement))
            for source in self._sources(claim, case, order):
                of_documents[claim.document, source.program][claim].append(source)
        each = [(program, one) for (_, program), sources in of_documents.items() for one in explained(sources)]
        tests = len(of_documents)
        limit = accepted([one.chance * tests for _, one in each])
        found = [(program, one) for program, one in each if one.chance * tests <= limit]
        for program, one in found:
            self._used[program][cast(int, one.rule)] += len(one.hits)
        return [one for _, one in found]

    def expected(self, claim: Claim, paths: Sequence[str]) -> Hit | None:
        """What the log that alone is named for the most of the case of a rate gives.

        By the first protocol that gives the rate, where accident more likely gives none, else by that which explains
        most rates of its program.
        """
        case = self.case_of(claim)
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
            for scaling, facts in _scalings(path, read.facts, case).items() if read else ():
                key = path, scaling
                if read and key not in self._found:
                    self._found[key] = search(read.records, facts, read.known)
                known = self._found[key].known
                if read and len(known) and known[0] / SCALED <= claim.number.value <= SCALED * known[-1]:
                    yield Source(path, read.program, self._found[key])

    def _read(self, path: str) -> _Read | None:
        """What is in a log; None where no rate is."""
        if path not in self._logs:
            self._logs[path] = None
            if len(self._logs) > MOST_PROTOCOL_LOGS:
                self.unread.append(path)
                return None
            with suppress(ParserError, OSError, ValueError):
                reading = as_read(self.root / path).reading
                if any(len(part.table) for part in reading.parts):
                    program = reading.format.name if reading.format else ""
                    self._logs[path] = _Read(program, as_one(reading.parts[0]), dict(reading.facts), {})
        return self._logs[path]


def is_rate(claim: Claim) -> bool:
    """Whether a claim is one that protocols of logs may give."""
    return claim.may_be_proved and claim.quantity == words.RATE and claim.table >= 0 and claim.number.value > 0


def _scalings(path: str, facts: Mapping[str, Fact], case: Case) -> Mapping[object, Mapping[str, Fact]]:
    """The ways to scale a log: as it says itself, then its name, then the labels of a number."""
    named = {fact.name: fact for fact in name_facts(Path(path)) if fact.name in ("cards", "nodes")}
    stated = (str(axis) for axis in SCALING if isinstance(case.get(axis), int))
    label = {axis: Fact(axis, case[axis], LABEL) for axis in stated}
    found: dict[object, Mapping[str, Fact]] = {}
    for way in (facts, {**facts, **named}, {**label, **facts}, {**facts, **label}):
        found.setdefault(tuple((axis, way[axis].value) for axis in SCALING if axis in way), way)
    return found


def explained(sources: Mapping[Claim, Sequence[Source]]) -> list[Explanation]:
    """What protocols explain of rates that were made in one way, beyond accident; the rule is the rank of a protocol.

    ``sources``: the logs that each may be of. Each protocol has two ranks, as digits may be rounded or truncated.
    Protocols that give the same rates are one, the first of them; equal rates of the same logs prove no more than one
    of them.
    """
    equal: dict[Hashable, list[Claim]] = defaultdict(list)
    for claim, some in sources.items():
        equal[claim.number.text, *(source.path for source in some)].append(claim)
    firsts = {some[0]: some for some in equal.values()}
    if not firsts:
        return []
    hits = np.array([np.any([of.searched.hits(one.number) for of in sources[one]], axis=0) for one in firsts])
    rules: dict[Hashable, dict[Claim, Hit]] = {
        rank: {one: hit_of(one.number, sources[one], rank) for one, is_hit in zip(firsts, hits[:, rank]) if is_hit}  # noqa: B905 - one each
        for rank in np.unique(hits, axis=1, return_index=True)[1].tolist()
        if hits[:, rank].any()
    }
    chances: dict[Claim, float] = {}  # that one protocol gives a number by accident, from any log that it may be of
    for one in firsts:
        searched = {id(source.searched): source.searched for source in sources[one]}.values()
        chances[one] = min(1.0, sum(of.chance(one.number) for of in searched))
    return explain(firsts, rules, lambda _, claim: chances[claim], _tried, copies=firsts)


def _tried(rule: Hashable, _: int, known: Sequence[Hashable]) -> int:
    """How many ranks there are up to one; where a statistic is known to be meant, only its windows are left to try."""
    rank = cast(int, rule)
    own = _statistic(rank)
    is_known = any(_statistic(cast(int, one)) == own for one in known)
    return sum(_statistic(one) == own for one in range(rank + 1)) if is_known else rank + 1


def _statistic(rank: int) -> Hashable:
    """What the protocol of a rank does with the records of its window."""
    one = protocols()[rank // 2]
    return one.records, one.estimate, one.statistic, one.trim, one.trim_min


def hit_of(number: Number, sources: Sequence[Source], rank: int) -> Hit:
    """What the protocol of a rank gives for a rate, from the first of its logs that gives it, else from the first."""
    source = next((one for one in sources if one.searched.hits(number)[rank]), sources[0])
    decimals = max(0, -round(np.log10(number.step)))
    one = protocols()[rank // 2].overridden(f"rounding={('half_up', 'truncate')[rank % 2]},decimals={decimals}")
    value, rounding = float(source.searched.values[rank // 2]), (HALF_UP, TRUNCATED)[rank % 2]
    return Hit(value, Means.PROTOCOL, one.words(), source.path, rounding=rounding)

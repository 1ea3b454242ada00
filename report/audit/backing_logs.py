"""Backing logs: which logs back a published number, and what every protocol gives for them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from operator import attrgetter
from typing import get_args

from parsers.io.message import Message
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import LABEL
from parsers.runs.reading import Reading
from parsers.scanning.detection import formats, known_shapes
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.measurement import Measurement
from ..measure.number import printed, without_noise
from ..measure.protocol import Protocol
from ..measure.records import Run
from ..measure.stated import measure_stated, value_of
from ..pagefile.parts import SCALING, Axis
from ..published.labels import Rate, Value
from ..published.published_numbers import PublishedNumber
from ..published.published_site import Backing
from ..published.site_logs import Log
from ..recovery.protocol_search import (
    REPEATS,
    Repeats,
    Searched,
    of_compute,
    search,
    search_step_times,
    search_steps,
    together,
)
from .log_matching import agree, is_of_job, runs_meant, stated

MOST_RUNS = 20  # of a case, which together are one number
SIZE = attrgetter("log.bytes")
_DIGITS = re.compile(r"\d+")
AXES: tuple[Axis, ...] = get_args(Axis)
LABELS = (*SCALING, "precision")
GIVES_THESE = "The log gives these digits ({rounded}) by {protocol}"
RUNS_GIVE_THESE: Mapping[Repeats, str] = {
    "mean": "The mean of {count} runs gives these digits ({rounded}) by {protocol}",
    "median": "The median of {count} runs gives these digits ({rounded}) by {protocol}",
    "max": "The best of {count} runs gives these digits ({rounded}) by {protocol}",
}
CONTRADICTS = "label: {label}, {source}: {value}"


@dataclass(frozen=True)
class Evidence:
    """A log behind a number, scaled by ``facts``; ``searched`` is what the protocols give.

    ``seconds``: what the unit of the number is in seconds, if it is the time of a step; ``times``: how many it is.
    ``run``: which run of a log of several it is, from 1, None for the log as a whole; ``reading`` has its facts.
    """

    log: Log
    reading: Reading
    part: FormatRecords
    facts: Mapping[str, Fact]
    searched: Searched
    seconds: float | None = None
    times: float = 1.0
    run: int | None = None
    known: dict[Protocol, float | None] = field(default_factory=dict, compare=False, repr=False)

    @property
    def format(self) -> str:
        """The name of the format."""
        return self.part.format.name if self.part.format else ""

    @property
    def one_of(self) -> tuple[str, int]:
        """Of what the log prints the throughput, ``card``, ``node`` or ``job``, and how many of these there are.

        One card of several nodes is one node of them: nodes may differ more than the cards of one.
        """
        fields = (self.part.fields.get((kind, "throughput")) for kind in ("step", "epoch", "summary"))
        scopes = {field.scope for field in fields if field} & {"card", "node"}
        for axis, of in (("nodes", "node"), ("cards", "card")) if self.seconds is None else ():
            fact = self.facts.get(axis)
            if scopes and fact and isinstance(fact.value, int) and fact.value > 1:
                return of, fact.value
        return "job", 1

    def stating_run(self, protocol: Protocol) -> Protocol:
        """A protocol with the run that it is applied to, where that is one of several."""
        return protocol.overridden(f"run={self.run}") if self.run else protocol

    def says(self, axis: str) -> list[Fact]:
        """What the log states of an axis; of one run of several, what is believed of that."""
        if self.run is None:
            return self.log.says(axis)
        return [self.reading.facts[axis]] if axis in self.reading.facts else []

    @property
    def giving(self) -> tuple[str, Mapping[str, object]]:
        """The message that it gives some digits, and what that needs beside the protocol."""
        return GIVES_THESE, {}

    def throughput(self, protocol: Protocol) -> float | None:
        """What a protocol gives of the whole log; None where the log does not allow it."""
        if protocol not in self.known:
            self.known[protocol] = self._measured(protocol)
        return self.known[protocol]

    def _measured(self, protocol: Protocol) -> float | None:
        try:
            return value_of(Run(1, self.part.table, self.part.fields, self.facts), protocol)
        except NoMeasurement:
            return None

    def measured(self, protocol: Protocol) -> Measurement | None:
        """The same with the records that made it, of several logs those of the first; None where that allows none."""
        try:
            found = measure_stated([Run(1, self.part.table, self.part.fields, self.facts)], protocol)
        except NoMeasurement:
            return None
        value = self.throughput(protocol)
        return found if value is None else replace(found, estimate=replace(found.estimate, value=value))

    def value(self, protocol: Protocol) -> float | None:
        """The same in the unit of the number: a throughput, or the time of a step."""
        found = self.throughput(protocol)
        if found is None or self.seconds is None:
            return found if found is None or self.times == 1 else without_noise(found / self.times)
        return without_noise(1 / found / self.seconds) if found else 0.0

    def digits(self, protocol: Protocol) -> str | None:
        """The digits that a protocol prints; None where the log does not allow it."""
        found = self.value(protocol)
        return None if found is None else printed(found, protocol)


@dataclass(frozen=True)
class RepeatedEvidence(Evidence):
    """The logs of several runs of one case; the first stands for them. ``repeats``: how they become one value."""

    runs: tuple[Evidence, ...] = ()
    repeats: Repeats = "mean"

    @property
    def giving(self) -> tuple[str, Mapping[str, object]]:
        """That the runs give some digits together, and how many these are."""
        return RUNS_GIVE_THESE[self.repeats], {"count": len(self.runs)}

    def _measured(self, protocol: Protocol) -> float | None:
        known = [found for run in self.runs if (found := run.throughput(protocol)) is not None]
        return REPEATS[self.repeats](known) if known else None


def repeated(evidence: Sequence[Evidence]) -> Iterator[RepeatedEvidence]:
    """What several runs give together: logs in one folder whose names differ by numbers that say nothing of a case."""
    groups: dict[object, list[Evidence]] = {}
    for one in (one for one in evidence if one.seconds is None and one.run is None and len(evidence) > 1):
        folder, _, name = one.log.path.rpartition("/")
        case: list[object] = [(axis, one.log.named[axis]) for axis in AXES if axis in one.log.named]
        case += [(axis, one.facts[axis].value) for axis in SCALING if axis in one.facts]
        groups.setdefault((folder, _DIGITS.sub("0", name), *case), []).append(one)
    for runs in (runs for runs in groups.values() if 1 < len(runs) <= MOST_RUNS):
        log, reading, part, facts = runs[0].log, runs[0].reading, runs[0].part, runs[0].facts
        for how in REPEATS:
            searched = together([run.searched for run in runs], how)
            yield RepeatedEvidence(
                log, reading, part, facts, searched, times=runs[0].times, runs=tuple(runs), repeats=how
            )


@dataclass(frozen=True)
class _Way:
    """What the labels of a number say of how its log is scaled, and in what it counts."""

    stated: tuple[tuple[str, Value], ...]
    seconds: float | None
    times: float
    rate: Rate
    is_of_tokens: bool


@dataclass(frozen=True)
class _Task:
    """A log, and all ways in which numbers scale it: it is read once for all of them."""

    log: Log
    ways: tuple[_Way, ...]


class Library:
    """The evidence of logs, each made once for each way to scale it; ``workers`` make that of many."""

    def __init__(self, workers: Workers = ALL_CORES) -> None:
        self.workers = workers
        self._known: dict[tuple[Log, _Way], tuple[Evidence, ...]] = {}

    def prepare(self, wanted: Iterable[tuple[PublishedNumber, Backing]]) -> None:
        """Make the evidence of many numbers at once."""
        ways: dict[Log, list[_Way]] = {}
        for log, way in dict.fromkeys((backing.log, _way(number)) for number, backing in wanted):
            if (log, way) not in self._known:
                ways.setdefault(log, []).append(way)
        tasks = [_Task(log, tuple(some)) for log, some in ways.items()]
        if tasks:
            known_shapes(formats())  # workers that are forked have them then
        tasks.sort(key=SIZE, reverse=True)  # so that no core waits for a long one at the end
        with self.workers.each(_made, tasks, SIZE) as made:
            for task, found in zip(tasks, made, strict=True):
                self._known |= {(task.log, way): one for way, one in zip(task.ways, found, strict=True)}

    def evidence(self, number: PublishedNumber, backing: Backing) -> tuple[Evidence, ...]:
        """The log of a number, scaled in each way that the labels and the log itself allow.

        Empty where the file is not in a known log format.
        """
        key = backing.log, _way(number)
        if key not in self._known:
            self.prepare([(number, backing)])
        return self._known[key]


def _way(number: PublishedNumber) -> _Way:
    stated = tuple((axis, number.case[axis]) for axis in SCALING if axis in number.case)
    return _Way(stated, *number.measure, is_of_tokens=number.rate == "per_card" and "tok" in number.column.lower())


def _made(task: _Task) -> list[tuple[Evidence, ...]]:
    """The evidence of a log, for each of its ways."""
    reading = task.log.reading
    if reading is None:
        return [()] * len(task.ways)
    part_of = cache(lambda run: as_one(reading.parts[0].of_run(run)))
    return [
        tuple(
            one
            for run in runs_meant(reading, way.stated)
            for one in _scaled(task.log, reading.of_run(run), part_of(run), way, run)
        )
        for way in task.ways
    ]


def _scaled(log: Log, reading: Reading, part: FormatRecords, way: _Way, run: int | None) -> Iterator[Evidence]:
    """The evidence of a log, or of one run: scaled as it says itself; then, where that is another way, as labels say.

    The labels come first where the name of the log agrees with them: then the line that says otherwise is alone.
    """
    if way.seconds is not None:
        found = search_step_times(part, reading.facts, way.seconds)
        yield Evidence(log, reading, part, reading.facts, found, way.seconds, run=run)
        return
    if way.rate == "steps":
        yield Evidence(log, reading, part, reading.facts, search_steps(part, reading.facts), run=run)
        return
    if way.rate == "tflops":
        if compute := of_compute(part):
            yield Evidence(log, reading, compute, {}, search(compute, {}).divided(way.times), times=way.times, run=run)
        return
    by_label = {axis: Fact(axis, said, LABEL) for axis, said in way.stated}
    ways = [by_label | reading.facts, dict(reading.facts) | by_label]
    if all(log.named.get(axis, said) == said for axis, said in way.stated):
        ways.reverse()
    distinct = {tuple((axis, one[axis].value) for axis in SCALING if axis in one): one for one in ways[::-1]}
    for facts in [*distinct.values()][::-1]:
        if times := way.times * _divisor(way, facts):
            found = search(part, facts)
            times /= _tokens_of_a_sample(way, facts, found.unit)
            yield Evidence(log, reading, part, facts, found.divided(times), times=times, run=run)


def _divisor(way: _Way, facts: Mapping[str, Fact]) -> int:
    """How many of what a number counts a whole job is: of its cards if it counts one; 0 where these are not known."""
    if way.rate != "per_card":
        return 1
    fact = facts.get("cards")
    return fact.value if fact and isinstance(fact.value, int) else 0


def _tokens_of_a_sample(way: _Way, facts: Mapping[str, Fact], unit: str | None) -> int:
    """How many tokens a sample has, where a number counts tokens and its log samples; 1 where that is not known."""
    fact = facts.get("sequence_length") if way.is_of_tokens and unit in ("samples/s", "sequences/s") else None
    return fact.value if fact and isinstance(fact.value, int) else 1


def contradictions(number: PublishedNumber, evidence: Evidence, *, came_out: bool = True) -> list[Message]:
    """What the lines of a log say otherwise than the labels of a number, a part of a sentence each."""
    return [
        Message(
            CONTRADICTS, label=stated(fact.name, number.case[fact.name]), source=fact.source.message, value=fact.value
        )
        for fact in facts_against(number, evidence, came_out=came_out)
    ]


def facts_against(number: PublishedNumber, evidence: Evidence, *, came_out: bool = True) -> list[Fact]:
    """The facts of a log that say otherwise than the labels of a number; those of its name where its lines are silent.

    A batch size by which the number was scaled is not contradicted by the log, nor is a number of cards where it came
    out: where it did not, a log of another job may have its name.
    """
    scaled_by = {axis for axis in SCALING if axis in evidence.facts and evidence.facts[axis].source == LABEL}
    scaled_by -= set() if came_out else {"cards", "nodes"}
    found = []
    for axis in (axis for axis in LABELS if axis in number.case and axis not in scaled_by):
        said = evidence.says(axis)
        values = (fact.value if isinstance(fact.value, int) else str(fact.value) for fact in said)
        own = number.case[axis]
        if said and not any(agree(axis, own, value) or is_of_job(axis, own, value, evidence.facts) for value in values):
            found.append(said[0])
    return found

"""Backing logs: which logs back a published number, and what every protocol gives for them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import get_args

from parsers.io.message import Message
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import LABEL
from parsers.runs.reading import Reading
from parsers.sharing.workers import ALL_CORES, Workers

from ..measuring.measurement import Measurement, NoMeasurement, measure
from ..measuring.number import printed, without_noise
from ..measuring.protocol import Protocol
from ..pagefile.parts import SCALING, Axis
from ..published.labels import Value
from ..published.published_numbers import PublishedNumber
from ..published.published_site import Backing
from ..published.site_logs import Log
from ..recovery.protocol_search import Searched, search, search_step_times
from ..recovery.runs_together import REPEATS, Repeats, together
from .log_matching import agree

MOST_RUNS = 20  # of a case, which together are one number
_DIGITS = re.compile(r"\d+")
AXES: tuple[Axis, ...] = get_args(Axis)
LABELS = (*SCALING, "precision")
GIVES_THESE = "The log gives these digits ({rounded}) by {protocol}"
RUNS_GIVE_THESE: Mapping[Repeats, str] = {
    "mean": "The mean of {count} runs gives these digits ({rounded}) by {protocol}",
    "median": "The median of {count} runs gives these digits ({rounded}) by {protocol}",
}
CONTRADICTS = "label: {label}, {source}: {value}"
# A value of an axis, in words.
STATED: Mapping[str, str] = {
    "nodes": "nodes {value}",
    "cards": "cards {value}",
    "batch_size": "batch size {value}",
    "precision": "precision {value}",
    "device": "device {value}",
    "framework": "framework {value}",
}


@dataclass(frozen=True)
class Evidence:
    """A log behind a number, scaled by ``facts``; ``searched`` is what the protocols give.

    ``seconds``: what the unit of the number is in seconds, if it is the time of a step; ``times``: how many it is.
    """

    log: Log
    reading: Reading
    part: FormatRecords
    facts: Mapping[str, Fact]
    searched: Searched
    seconds: float | None = None
    times: float = 1.0
    known: dict[Protocol, Measurement | None] = field(default_factory=dict, compare=False, repr=False)

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

    @property
    def giving(self) -> tuple[str, Mapping[str, object]]:
        """The message that it gives some digits, and what that needs beside the protocol."""
        return GIVES_THESE, {}

    def measured(self, protocol: Protocol) -> Measurement | None:
        """What a protocol gives; None where the log does not allow it."""
        if protocol not in self.known:
            self.known[protocol] = self._measured(protocol)
        return self.known[protocol]

    def _measured(self, protocol: Protocol) -> Measurement | None:
        try:
            return measure(self.part.table, self.part.fields, self.facts, protocol)
        except NoMeasurement:
            return None

    def digits(self, protocol: Protocol) -> str | None:
        """The digits that a protocol prints; None where the log does not allow it."""
        found = self.measured(protocol)
        return printed(self.number(found), protocol) if found else None

    def number(self, measured: Measurement) -> float:
        """A measurement in the unit of the number: a throughput, or the time of a step."""
        if self.seconds is None:
            return without_noise(measured.value / self.times) if self.times != 1 else measured.value
        return without_noise(1 / measured.value / self.seconds) if measured.value else 0.0


@dataclass(frozen=True)
class RepeatedEvidence(Evidence):
    """The logs of several runs of one case; the first stands for them. ``repeats``: how they become one value."""

    runs: tuple[Evidence, ...] = ()
    repeats: Repeats = "mean"

    @property
    def giving(self) -> tuple[str, Mapping[str, object]]:
        """That the runs give some digits together, and how many these are."""
        return RUNS_GIVE_THESE[self.repeats], {"count": len(self.runs)}

    def _measured(self, protocol: Protocol) -> Measurement | None:
        known = [found for run in self.runs if (found := run.measured(protocol))]
        return replace(known[0], value=REPEATS[self.repeats]([found.value for found in known])) if known else None


def repeated(evidence: Sequence[Evidence]) -> Iterator[RepeatedEvidence]:
    """What several runs give together: logs in one folder whose names differ by numbers that say nothing of a case."""
    groups: dict[object, list[Evidence]] = {}
    for one in (one for one in evidence if one.seconds is None):
        path = PurePosixPath(one.log.path)
        case: list[object] = [(axis, one.log.named[axis]) for axis in AXES if axis in one.log.named]
        case += [(axis, one.facts[axis].value) for axis in SCALING if axis in one.facts]
        groups.setdefault((path.parent, _DIGITS.sub("0", path.name), *case), []).append(one)
    for runs in (runs for runs in groups.values() if 1 < len(runs) <= MOST_RUNS):
        log, reading, part, facts = runs[0].log, runs[0].reading, runs[0].part, runs[0].facts
        for how in REPEATS:
            searched = together([run.searched for run in runs], how)
            yield RepeatedEvidence(
                log, reading, part, facts, searched, None, runs[0].times, runs=tuple(runs), repeats=how
            )


@dataclass(frozen=True)
class _Task:
    """A log, and what the labels of a number say of how it is scaled."""

    log: Log
    stated: tuple[tuple[str, Value], ...]
    seconds: float | None
    times: float


class Library:
    """The evidence of logs, each made once for each way to scale it; workers make that of many."""

    def __init__(self, workers: Workers = ALL_CORES) -> None:
        self._workers = workers
        self._known: dict[_Task, tuple[Evidence, ...]] = {}

    def prepare(self, wanted: Iterable[tuple[PublishedNumber, Backing]]) -> None:
        """Make the evidence of many numbers at once."""
        tasks = [task for task in dict.fromkeys(_task(*pair) for pair in wanted) if task not in self._known]
        tasks.sort(key=lambda task: task.log.bytes, reverse=True)  # so that no core waits for a long one at the end
        with self._workers.each(_made, tasks, _bytes) as made:
            self._known |= dict(zip(tasks, made, strict=True))

    def evidence(self, number: PublishedNumber, backing: Backing) -> tuple[Evidence, ...]:
        """The log of a number, scaled in each way that the labels and the log itself allow.

        Empty where the file is not in a known log format.
        """
        self.prepare([(number, backing)])
        return self._known[_task(number, backing)]


def _bytes(task: _Task) -> int:
    return task.log.bytes


def _task(number: PublishedNumber, backing: Backing) -> _Task:
    stated = tuple((axis, number.case[axis]) for axis in SCALING if axis in number.case)
    return _Task(backing.log, stated, *number.measure)


def _made(task: _Task) -> tuple[Evidence, ...]:
    """The evidence of a log: scaled as it says itself; then, where that is another way, as the labels say.

    The labels come first where the name of the log agrees with them: then the line that says otherwise is alone.
    """
    reading = task.log.reading
    if reading is None:
        return ()
    part = as_one(reading.parts[0])
    if task.seconds is not None:
        found = search_step_times(part, reading.facts, task.seconds)
        return (Evidence(task.log, reading, part, reading.facts, found, task.seconds),)
    by_label = {axis: Fact(axis, said, LABEL) for axis, said in task.stated}
    ways = [by_label | reading.facts, dict(reading.facts) | by_label]
    if all(task.log.named.get(axis, said) == said for axis, said in task.stated):
        ways.reverse()
    distinct = {tuple((axis, way[axis].value) for axis in SCALING if axis in way): way for way in ways[::-1]}
    return tuple(
        Evidence(task.log, reading, part, way, search(part, way).divided(task.times), times=task.times)
        for way in [*distinct.values()][::-1]
    )


def contradictions(number: PublishedNumber, evidence: Evidence) -> list[Message]:
    """What the lines of a log say otherwise than the labels of a number, a part of a sentence each."""
    return [
        Message(
            CONTRADICTS, label=stated(fact.name, number.case[fact.name]), source=fact.source.message, value=fact.value
        )
        for fact in facts_against(number, evidence)
    ]


def facts_against(number: PublishedNumber, evidence: Evidence) -> list[Fact]:
    """The facts of a log that say otherwise than the labels of a number; those of its name where its lines are silent.

    A batch size or a number of cards by which the number was scaled, and came out, is not contradicted by the log.
    """
    scaled_by = {axis for axis in SCALING if axis in evidence.facts and evidence.facts[axis].source == LABEL}
    found = []
    for axis in (axis for axis in LABELS if axis in number.case and axis not in scaled_by):
        said = evidence.log.says(axis)
        if said and not any(agree(axis, number.case[axis], _said(fact)) for fact in said):
            found.append(said[0])
    return found


def stated(axis: str, value: Value) -> Message:
    """An axis and its value: ``batch size 32``."""
    return Message(STATED[axis], value=value)


def _said(fact: Fact) -> Value:
    return fact.value if isinstance(fact.value, int) else str(fact.value)

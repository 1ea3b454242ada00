"""Backing logs: which logs back a published number, and what every protocol gives for them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import get_args

from parsers.io.message import Message
from parsers.runs.appended import as_one
from parsers.runs.facts import Fact
from parsers.runs.format_records import FormatRecords
from parsers.runs.provenance import LABEL
from parsers.runs.reading import Reading
from parsers.sharing.workers import ALL_CORES, Workers

from ..measuring.measurement import Measurement, NoMeasurement, measure
from ..measuring.number import printed
from ..measuring.protocol import Protocol
from ..pagefile.parts import SCALING, Axis
from ..published.labels import Value
from ..published.published_numbers import PublishedNumber
from ..published.published_site import Backing, DeadLink, PublishedSite
from ..published.site_logs import Log
from ..recovery.protocol_search import Searched, search
from .candidates import Candidates, best

AXES: tuple[Axis, ...] = get_args(Axis)
LABELS = (*SCALING, "precision")
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
# Axes on which a log must not say otherwise than the number; batch size may, which is a finding.
DECISIVE = ("cards", "nodes", "device", "framework", "precision")
HALF = ("amp", "fp16", "bf16", "fp8")
FULL = ("fp32", "tf32")


@dataclass(frozen=True)
class Match:
    """The logs that may back a number, the best first, and the dead links that were meant to."""

    backings: tuple[Backing, ...]
    dead: tuple[DeadLink, ...]


def agree(axis: str, one: Value, other: Value) -> bool:
    """Whether two values of an axis can be those of one case: few pages distinguish half precisions."""
    if axis == "precision":
        return one == other or any(one in family and other in family for family in (HALF, FULL))
    return one == other


def conflicts(case: Mapping[str, Value], said: Mapping[str, Value], axes: Iterable[str] = DECISIVE) -> list[str]:
    """The axes on which two cases cannot be one."""
    return [axis for axis in axes if axis in case and axis in said and not agree(axis, case[axis], said[axis])]


class Matcher:
    """Finds the logs of numbers among those of a site."""

    def __init__(self, site: PublishedSite) -> None:
        self.site = site
        self._all = self._candidates(site.backings)

    @cached_property
    def _named(self) -> Candidates:
        return self._candidates(self.site.by_name)

    def _candidates(self, backings: Sequence[Backing]) -> Candidates:
        return Candidates(self.site, backings, _may_back, _fit_of_case, (*DECISIVE, "batch_size"))

    def match(self, number: PublishedNumber) -> Match:
        """The logs of a number: those that contradict it nowhere, of the nearest folder that has any."""
        dead = tuple(d for d in self._all.dead(number.page) if _is_meant(number, d))
        return Match(_nearest(number, self._all), dead)

    def by_name(self, number: PublishedNumber) -> tuple[Backing, ...]:
        """The logs of a number by their own names, whatever the links of the page say."""
        return _nearest(number, self._named)


def is_named_for(number: PublishedNumber, log: Log) -> bool:
    """Whether the own name of a log says as many cards or nodes as a number, and nothing else than its labels."""
    return _may_back(number.case, Backing(log, log.named))


def _nearest(number: PublishedNumber, candidates: Candidates) -> tuple[Backing, ...]:
    if own := _of_own_links(number, candidates):
        return own
    for folder in candidates.folders(number):
        if fitting := candidates.fitting(folder, number.case):
            return _best(number, fitting)
    return _by_words(number, candidates)


def _of_own_links(number: PublishedNumber, candidates: Candidates) -> tuple[Backing, ...]:
    """The log that the cell of a number links to, its head, or its row, where that is one and of no other case."""
    for links in number.linked[:2]:
        found = {backing.log.path: backing for link in links for backing in candidates.of_link(number.page, link)}
        fitting = [backing for backing in found.values() if not _without_derived(number.case, backing.said)]
        if len(fitting) == 1:
            return (fitting[0],)
    return ()


def _by_words(number: PublishedNumber, candidates: Candidates) -> tuple[Backing, ...]:
    """The only log in the folder of a page whose name holds what tells the row of a number from the other rows."""
    beside = candidates.beside(number.page)
    found = [backing for backing in beside if number.row_words & backing.log.words]
    fitting = [backing for backing in found if not _without_derived(number.case, backing.said)]
    return (fitting[0],) if len(fitting) == 1 else ()


def _may_back(case: Mapping[str, Value], backing: Backing) -> bool:
    """Whether a log can be meant: it names its cards or nodes, and contradicts the case nowhere."""
    counted = ("cards", "nodes") if "cards" in case or "nodes" in case else ()
    names_it = not counted or any(a in case and case[a] == backing.said.get(a) for a in counted)
    return names_it and not _without_derived(case, backing.said)


def _without_derived(case: Mapping[str, Value], said: Mapping[str, Value]) -> list[str]:
    """The conflicts; nodes count only where one of both does not name its cards."""
    found = conflicts(case, said)
    return [axis for axis in found if axis != "nodes" or not ("cards" in case and "cards" in said)]


def _is_meant(number: PublishedNumber, dead: DeadLink) -> bool:
    return bool(set(dead.said) & set(number.case) & {"cards", "nodes"}) and not conflicts(number.case, dead.said)


def _best(number: PublishedNumber, backings: Sequence[Backing]) -> tuple[Backing, ...]:
    """The logs that fit best of those that fit the case, several only where nothing distinguishes them; one once."""
    linked = [backing for backing in backings if backing.page == number.page] or backings
    found = best(linked, [_fit(number, backing) for backing in linked])
    return tuple({backing.log.path: backing for backing in found[::-1]}.values())[::-1]


def _fit_of_case(case: Mapping[str, Value], backing: Backing) -> tuple[float, ...]:
    """How much of a case the words of a log say."""
    same = {axis: axis in case and backing.said.get(axis) == case[axis] for axis in (*DECISIVE, "batch_size")}
    known = sum(same[axis] for axis in ("framework", "device", "cards", "nodes"))
    return (known, same["batch_size"], same["precision"])


def _fit(number: PublishedNumber, backing: Backing) -> tuple[float, ...]:
    """How much the words of a log share with those of a number, of logs that fit its case alike."""
    words = len(number.words & backing.log.words) - 0.01 * len(backing.log.words - number.words)
    return (words, -len(Path(backing.log.path).parts))


@dataclass(frozen=True)
class Evidence:
    """A log behind a number, scaled by ``facts``; ``searched`` is what the protocols give."""

    log: Log
    reading: Reading
    part: FormatRecords
    facts: Mapping[str, Fact]
    searched: Searched
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
        for axis, of in (("nodes", "node"), ("cards", "card")):
            fact = self.facts.get(axis)
            if scopes and fact and isinstance(fact.value, int) and fact.value > 1:
                return of, fact.value
        return "job", 1

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
        return printed(found.value, protocol) if found else None


@dataclass(frozen=True)
class _Task:
    """A log, and what the labels of a number say of how it is scaled."""

    log: Log
    stated: tuple[tuple[str, Value], ...]


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
    return _Task(backing.log, stated)


def _made(task: _Task) -> tuple[Evidence, ...]:
    """The evidence of a log: scaled as it says itself; then, where that is another way, as the labels say.

    The labels come first where the name of the log agrees with them: then the line that says otherwise is alone.
    """
    reading = task.log.reading
    if reading is None:
        return ()
    by_label = {axis: Fact(axis, said, LABEL) for axis, said in task.stated}
    ways = [by_label | reading.facts, dict(reading.facts) | by_label]
    if all(task.log.named.get(axis, said) == said for axis, said in task.stated):
        ways.reverse()
    distinct = {tuple((axis, way[axis].value) for axis in SCALING if axis in way): way for way in ways[::-1]}
    part = as_one(reading.parts[0])
    return tuple(Evidence(task.log, reading, part, way, search(part, way)) for way in [*distinct.values()][::-1])


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

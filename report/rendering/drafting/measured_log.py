"""A measured log: what of it a page file states, as far as the log and its run folder say it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import get_args

from parsers.grammar.field import Scope
from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.facts import Fact, is_count
from parsers.runs.provenance import PAGE
from parsers.runs.runfile import run_file

from ...evidence.case_runs import another_log, not_done, outside
from ...evidence.log_summary import Summary, summarise
from ...evidence.measured_log import MeasuredLog as Measured
from ...evidence.measured_log import measured_log as measured
from ...measure.protocol import Protocol
from ...measuring.estimate import tokens_of_a_sample
from ...pagefile.page import Axis, Case, Value
from ...pagefile.parts import COUNTED
from ...pagefile.values import PRECISIONS
from .draft_logs import why

LONGEST = 80  # characters of a value that a page file states
MOST_COMMAND = 2000
SAMPLES, TOKENS = "samples/s", "tokens"
COUNTING = ("step_time", "duration", "clock")  # estimates that can count tokens instead


@dataclass(frozen=True)
class MeasuredLog:
    """A log with a throughput, by its ``path`` below the folder of logs.

    ``case``: the axes that it states. ``protocol``: that of its number, without the warm-up that it ``skips``, of so
    many ``records``. ``program``: the formats that read it. ``command``: what started it, where its run.json says so;
    ``launched``: all that the run.json says, where it is that of a run that Tachograph started. ``observed``: the
    quantities that its telemetry gives. ``quantities``: what else a page can show of it, by their names.
    """

    path: str
    sha256: str
    case: Case
    protocol: Protocol
    unit: str
    scope: Scope
    skips: int
    records: int
    program: str
    command: str = ""
    launched: str = ""
    observed: tuple[str, ...] = ()
    is_of_a_run: bool = False
    quantities: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """What holds its repeats: the folder of its case where it is that of a run, else its own path."""
        return str(PurePosixPath(self.path).parent.parent) if self.is_of_a_run else self.path


@dataclass(frozen=True)
class UnusedLog:
    """A log that gives no number, and why; ``is_never_evidence``: a page passes over it by itself."""

    path: str
    reason: Message
    is_never_evidence: bool = False


@dataclass(frozen=True)
class DraftTask:
    """A log by its ``path`` below the folder of logs, and the counts that its user ``states`` where it does not."""

    folder: Path
    path: str
    states: tuple[tuple[str, int], ...] = ()


def measured_log(task: DraftTask) -> MeasuredLog | UnusedLog:
    """Measure one log by the first protocol that it allows."""
    folder, path = task.folder, task.path
    log = folder / path
    try:
        if reason := outside(folder, path):
            return UnusedLog(path, why(path, reason))
        run = run_file(log)
        if reason := not_done(run, path):
            return UnusedLog(path, why(path, reason), is_never_evidence=True)
        summary, beside = _summary(log, task.states)
        if reason := another_log(run, path, log, summary.reading.sha256):
            return UnusedLog(path, why(path, reason), is_never_evidence=True)
    except ParserError as error:
        return UnusedLog(path, error.message)
    if summary.measurement is None:
        return UnusedLog(path, why(path, summary.reason or Message("")))
    return _of_summary(path, summary, beside, run)


def _summary(log: Path, states: Iterable[tuple[str, int]]) -> tuple[Summary, Measured]:
    summary = summarise(log, None, ())
    lacking = tuple(Fact(name, count, PAGE) for name, count in states if name not in summary.reading.facts)
    return (summarise(log, None, lacking) if lacking else summary), measured(log, None, lacking)


def _of_summary(path: str, summary: Summary, beside: Measured, run: Mapping[str, object]) -> MeasuredLog | UnusedLog:
    found = summary.measurement
    if found is None:
        return UnusedLog(path, why(path, summary.reason or Message("")))
    skips = found.protocol.skip_records if found.protocol.take_first is None else 0
    parts, steady = Path(path).parts, _steady(found.protocol, summary)
    counts_tokens = found.unit == SAMPLES and steady.estimate in COUNTING and _length(summary) is not None
    return MeasuredLog(
        path,
        summary.reading.sha256,
        case_of(summary.reading.facts),
        Protocol.of({**steady.model_dump(exclude_defaults=True), "counts": TOKENS}) if counts_tokens else steady,
        f"{TOKENS}/s" if counts_tokens else found.unit,
        found.scope,
        skips,
        found.records_used + skips,
        " + ".join(summary.formats),
        _command(run),
        json.dumps(run, sort_keys=True) if "start" in run else "",
        tuple(shown.quantity.name for _, shown in beside.observed.quantities),
        is_of_a_run=len(parts) > 2 and parts[-2].isdecimal() and bool(run),
        quantities=tuple(_quantities(summary, beside)),
    )


def _quantities(summary: Summary, beside: Measured) -> Iterator[str]:
    """What one card does and how long a step takes, of a log of a language model."""
    names = [one.name for one in beside.figures]
    if summary.measurement and (summary.measurement.unit == f"{TOKENS}/s" or _length(summary) or names[1:]):
        found = beside.measurement
        yield from names[:1] if names[:1] == ["throughput_per_card"] else ()
        yield from ("step_time",) if found and found.seconds_per_step else ()
        yield from (name for name in names if name != "throughput_per_card")


def _length(summary: Summary) -> float | None:
    """How many tokens a sample has."""
    return tokens_of_a_sample(summary.part.table, summary.reading.facts)


def _steady(protocol: Protocol, summary: Summary) -> Protocol:
    """The protocol without its warm-up, for a page that chooses one for several runs; the last run is called so."""
    keys = protocol.model_dump(exclude_defaults=True)
    if protocol.take_first is None:
        keys.pop("skip_records", None)
    if summary.runs and protocol.run == summary.runs[-1].number:
        keys |= {"run": "last"}
    return Protocol.of({"estimate": protocol.estimate, **keys})


def case_of(facts: Mapping[str, Fact]) -> Case:
    """The axes that facts state, in the order of the axes; a value that a page file cannot hold is left out."""
    stated = {axis: _value(axis, facts[axis].value) for axis in get_args(Axis) if axis in facts}
    return {axis: value for axis, value in stated.items() if value is not None}


def _value(axis: Axis, said: object) -> Value | None:
    if isinstance(said, float) and said.is_integer():
        said = int(said)
    if axis in COUNTED or isinstance(said, int):
        return said if is_count(said) else None
    text = str(said)
    if axis == "precision" and text not in PRECISIONS and text.lower() in PRECISIONS:
        return None  # a page would have to spell it otherwise than the log
    is_plain = 0 < len(text.strip()) <= LONGEST and printable(text) == text
    return text if is_plain and isinstance(said, str) else None


def _command(run: Mapping[str, object]) -> str:
    said = run.get("native")
    is_plain = isinstance(said, str) and len(said) <= MOST_COMMAND and printable(said) == said
    return str(said) if is_plain else ""

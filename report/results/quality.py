"""Quality beside speed: what a reader must know of how the runs behind a number train, held against a reference."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from glob import escape
from pathlib import Path
from typing import Any, TypeVar

from parsers.io.errors import ParserError
from parsers.io.files import data_of
from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.provenance import Provenance
from parsers.runs.reading import Reading

from ..measure.diagnostics import Diagnostic, NoMeasurement
from ..measure.number import percent, signed
from ..measure.protocol import Protocol
from ..pagefile.page import CellPlace, Page
from ..pagefile.parts import Case
from .agreement import (
    FinalMetric,
    LossCurve,
    Stated,
    final_metric,
    incomparable,
    loss_agreement,
    loss_curve,
    metric_agreement,
    other_task,
    stated_by,
)
from .convergence import BY_TWO_METRICS, convergence_test, mllog_convergence
from .made import MadeRun
from .remarks import NoEvidenceError, Remark, as_told
from .store import LogStore, logs_of, outside

NOT_THE_LOSS = "Loss differs from the reference by {change} at {kind} {first} to {last} (tolerance {tolerance})."
LOSS_AGREES = "Loss agrees with the reference within {tolerance}: {change} at most, at {kind} {first} to {last}."
NO_NUMBER = "The training is not that of the reference: {reason}."
NOT_COMPARED = "Loss not compared with the reference: {reason}."
METRIC_DIFFERS = (
    "{name} differs from the reference by {change}: {value} instead of {reference} (tolerance {tolerance})."
)
METRIC_AGREES = "{name} agrees with the reference within {tolerance}: {value}; reference {reference}."
METRIC_NOT_COMPARED = "{name} not compared with the reference: {reason}."
NO_METRIC_IN = "{log} prints no {name} beside its records"
NO_REFERENCE = "no log fits {pattern} in the log folder"
NEEDS_AXIS = "{pattern} needs {axis}, which the case does not specify"
REFERENCE_UNREADABLE = "the log {log} cannot be used"
NO_LOSS_IN = "{log} prints no loss"
NO_STEPS_IN = "the steps of {log} cannot be counted"
RUN_VARIABLES = "variables"

TOO_FAST = "RCP test failed: the runs converge in {mean} on average; the reference allows {lowest} or more."
CONVERGES = "RCP test passed: the runs converge in {mean} on average; the reference allows {lowest} or more."
CONVERGENCE_FAILED = "RCP test failed: {reason}."
NOT_TESTED = "RCP test not made: {reason}."
OTHER_RUNS = "the runs are of different benchmarks or batch sizes"
NOT_MLLOG = "the runs do not state a benchmark with one metric and its global_batch_size in :::MLLOG lines"
NO_EVALUATION = "{log} prints no evaluation with its epoch or samples"
NO_JSON = "{file} cannot be read as JSON"

Read = TypeVar("Read", LossCurve, FinalMetric)


def quality_remarks(
    page: Page, place: CellPlace, runs: Sequence[MadeRun], protocol: Protocol, store: LogStore
) -> Iterator[Diagnostic]:
    """What the page's check of quality says of the runs behind a number; nothing where the page states none."""
    if (quality := page.quality_of(place.column.column)) is None:
        return
    judged = _Judged(quality.reference or "", page.of_model(place.case), runs, protocol, store)
    checks: list[tuple[Message, Callable[[], Diagnostic]]] = []
    if quality.loss is not None:
        checks.append((Message(NOT_COMPARED), partial(judged.loss, _fraction(quality.loss))))
    for name, limit in quality.metrics.items():
        checks.append((Message(METRIC_NOT_COMPARED, name=name), partial(judged.metric, name, _fraction(limit))))
    if quality.convergence_points is not None:
        checks.append((Message(NOT_TESTED), partial(judged.convergence, quality.convergence_points)))
    for not_made, check in checks:
        try:
            yield check()
        except NoEvidenceError as error:
            yield _told(True, not_made.key, **not_made.values, reason=error.message)


def reference_logs(page: Page, logs: Path) -> Iterator[str]:
    """The files below the folder of logs that the checks of quality of a page read."""
    for place in page.places():
        quality = page.quality_of(place.column.column)
        patterns = (quality.reference, quality.convergence_points) if quality else ()
        for pattern in filter(None, patterns):
            try:
                yield from logs_of(logs, _filled(pattern, page.of_model(place.case)))
            except NoEvidenceError:
                continue


@dataclass(frozen=True)
class _Judged:
    """The runs behind a number, and the pattern of the logs that they are held against.

    ``case``: as patterns of logs take it. ``protocol``: says which run of each log is meant. Each check raises
    NoEvidenceError where it cannot be made.
    """

    reference: str
    case: Case
    runs: Sequence[MadeRun]
    protocol: Protocol
    store: LogStore

    def loss(self, tolerance: float) -> Diagnostic:
        """What the losses say."""
        found = loss_agreement(
            [_loss(path, one, None) for path, one in self.references],
            [_loss(run.log, run.reading, self.protocol.run) for run in self.runs],
            tolerance,
        )
        if found.verdict == "NaN":
            return _told(True, NO_NUMBER, reason=found.reason)
        reason = incomparable(self.stated)
        if reason is not None or found.change is None or found.steps is None:
            return _told(True, NOT_COMPARED, reason=reason or found.reason)
        told = {"change": signed(found.change), "tolerance": f"{100 * tolerance:g}%"}
        key = NOT_THE_LOSS if found.is_wrong else LOSS_AGREES
        return _told(found.is_wrong, key, **told, kind=found.kind, first=found.steps[0], last=found.steps[1])

    def metric(self, name: str, tolerance: float) -> Diagnostic:
        """What a final metric says."""
        reference = [_metric(path, one, name) for path, one in self.references]
        found = metric_agreement(name, reference, [_metric(run.log, run.reading, name) for run in self.runs], tolerance)
        if found.verdict == "NaN":
            return _told(True, NO_NUMBER, reason=found.reason)
        reason = other_task(self.stated)
        if reason is not None or found.change is None or found.values is None:
            return _told(True, METRIC_NOT_COMPARED, name=name, reason=reason or found.reason)
        told = {"value": f"{found.values[1]:.6g}", "reference": f"{found.values[0]:.6g}"}
        key = METRIC_DIFFERS if found.is_wrong else METRIC_AGREES
        return _told(found.is_wrong, key, name=name, change=signed(found.change), tolerance=percent(tolerance), **told)

    def convergence(self, pattern: str) -> Diagnostic:
        """The RCP test."""
        told = _json_of(self.store.folder, self._found(pattern)[0])
        runs = [mllog_convergence(run.reading.path) for run in self.runs]
        if len({(run.benchmark, run.batch_size) for run in runs}) > 1:
            raise NoEvidenceError(OTHER_RUNS)
        benchmark, batch_size = runs[0].benchmark, runs[0].batch_size
        if benchmark is None or batch_size is None or benchmark == BY_TWO_METRICS:
            raise NoEvidenceError(NOT_MLLOG)
        for made, run in zip(self.runs, runs, strict=True):
            if run.is_done and run.last is None:
                raise NoEvidenceError(NO_EVALUATION, log=made.log)
        found = convergence_test(told, benchmark, batch_size, [run.converged for run in runs])
        if found.reason is not None:
            return _told(True, CONVERGENCE_FAILED if found.has_failed else NOT_TESTED, reason=found.reason)
        key = TOO_FAST if found.has_failed else CONVERGES
        return _told(found.has_failed, key, mean=f"{found.mean:.4g}", lowest=f"{found.lowest:.4g}")

    @cached_property
    def references(self) -> list[tuple[str, Reading]]:
        """The logs of the reference; raises NoEvidenceError where there are none, or one cannot be used."""
        return [(path, self._reading(path)) for path in self._found(self.reference)]

    @property
    def stated(self) -> dict[str, Stated]:
        """What the logs and the run.json of each side state, by name."""
        sides = [one for _, one in self.references], [run.reading for run in self.runs]
        a, b = (stated_by(fact for one in side for fact in _facts(one)) for side in sides)
        return {name: (a.get(name, set()), b.get(name, set())) for name in {**a, **b}}

    def _found(self, pattern: str) -> Sequence[str]:
        """The files of a pattern; raises NoEvidenceError where there are none."""
        filled = _filled(pattern, self.case)
        if not (paths := logs_of(self.store.folder, filled)):
            raise NoEvidenceError(NO_REFERENCE, pattern=filled)
        return paths

    def _reading(self, path: str) -> Reading:
        try:
            if self.store.unfit(path) is None:
                return self.store.reading(path)
        except (ParserError, OSError):
            pass
        raise NoEvidenceError(REFERENCE_UNREADABLE, log=path)


def _told(is_wrong: bool, key: str, **values: object) -> Diagnostic:
    """What a check says; what passes neither changes a number nor speaks against it."""
    said = Message(key, **values)
    return as_told(said) if is_wrong else Diagnostic(Remark.QUALITY_PASSED, {"said": said})


def _fraction(percentage: str) -> float:
    return float(percentage[:-1]) / 100


def _filled(pattern: str, case: Case) -> str:
    try:
        return pattern.format_map({str(axis): escape(str(value)) for axis, value in case.items()})
    except KeyError as error:
        raise NoEvidenceError(NEEDS_AXIS, pattern=pattern, axis=error.args[0]) from None


def _loss(path: str, reading: Reading, run: Any) -> LossCurve:
    try:
        return _there(loss_curve(Path(path), reading, run), NO_LOSS_IN, log=path)
    except NoMeasurement:
        raise NoEvidenceError(NO_STEPS_IN, log=path) from None


def _metric(path: str, reading: Reading, name: str) -> FinalMetric:
    try:
        return _there(final_metric(Path(path), reading, name), NO_METRIC_IN, log=path, name=name)
    except NoMeasurement as error:
        raise NoEvidenceError(error.message) from None
    except ParserError:
        raise NoEvidenceError(REFERENCE_UNREADABLE, log=path) from None


def _there(found: Read | None, key: str, **values: str) -> Read:
    if found is None:
        raise NoEvidenceError(key, **values)
    return found


def _json_of(logs: Path, path: str) -> Any:
    try:
        if outside(logs, path) is None:
            return json.loads(data_of(logs / path))
    except (OSError, ValueError, RecursionError):
        pass
    raise NoEvidenceError(NO_JSON, file=path)


def _facts(reading: Reading) -> Iterator[Fact]:
    """The facts of a run, and the variables that its run.json says it was launched with."""
    yield from reading.facts.values()
    variables = reading.run_file.get(RUN_VARIABLES)
    if isinstance(variables, dict):
        for name, value in variables.items():
            yield Fact(f"{RUN_VARIABLES}.{name}", str(value), Provenance("run_file"))

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
from parsers.runs.facts import Fact
from parsers.runs.provenance import Provenance
from parsers.runs.reading import Reading

from ..measure.diagnostics import Diagnostic, NoMeasurement, say
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
from .remarks import NoEvidenceError, Remark
from .store import LogStore, logs_of, outside

RUN_VARIABLES = "variables"
Read = TypeVar("Read", LossCurve, FinalMetric)


def quality_remarks(
    page: Page, place: CellPlace, runs: Sequence[MadeRun], protocol: Protocol, store: LogStore
) -> Iterator[Diagnostic]:
    """What the page's check of quality says of the runs behind a number; nothing where the page states none."""
    if (quality := page.quality_of(place.column.column)) is None:
        return
    judged = _Judged(quality.reference or "", page.of_model(place.case), runs, protocol, store)
    checks: list[tuple[Callable[[], Diagnostic], Diagnostic]] = []  # each with what is said where it cannot be made
    if quality.loss is not None:
        checks.append((partial(judged.loss, _fraction(quality.loss)), say("loss_not_compared")))
    for name, limit in quality.metrics.items():
        checks.append((partial(judged.metric, name, _fraction(limit)), say("metric_not_compared", name=name)))
    if quality.convergence_points is not None:
        checks.append((partial(judged.convergence, quality.convergence_points), say("convergence_not_tested")))
    for check, not_made in checks:
        try:
            yield check()
        except NoEvidenceError as error:
            yield say(not_made.code, **not_made.values, reason=error.message)


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
        reason = found.reason if found.verdict == "NaN" else incomparable(self.stated) or found.reason
        if reason is not None or found.change is None or found.steps is None:
            return say("not_the_training" if found.verdict == "NaN" else "loss_not_compared", reason=reason or "")
        told = {"change": signed(found.change), "tolerance": f"{100 * tolerance:g}%", "kind": found.kind}
        code = "loss_differs" if found.is_wrong else Remark.LOSS_AGREES
        return say(code, **told, first=found.steps[0], last=found.steps[1])

    def metric(self, name: str, tolerance: float) -> Diagnostic:
        """What a final metric says."""
        reference = [_metric(path, one, name) for path, one in self.references]
        found = metric_agreement(name, reference, [_metric(run.log, run.reading, name) for run in self.runs], tolerance)
        if found.verdict == "NaN":
            return say("not_the_training", reason=found.reason or "")
        reason = other_task(self.stated) or found.reason
        if reason is not None or found.change is None or found.values is None:
            return say("metric_not_compared", name=name, reason=reason or "")
        reached, expected = (f"{value:.6g}" for value in reversed(found.values))
        told = {"name": name, "value": reached, "reference": expected, "tolerance": percent(tolerance)}
        code = "metric_differs" if found.is_wrong else Remark.METRIC_AGREES
        return say(code, **told, change=signed(found.change))

    def convergence(self, pattern: str) -> Diagnostic:
        """The RCP test."""
        told = _json_of(self.store.folder, self._found(pattern)[0])
        runs = [mllog_convergence(run.reading.path) for run in self.runs]
        if len({(run.benchmark, run.batch_size) for run in runs}) > 1:
            raise NoEvidenceError("other_benchmarks")
        benchmark, batch_size = runs[0].benchmark, runs[0].batch_size
        if benchmark is None or batch_size is None or benchmark == BY_TWO_METRICS:
            raise NoEvidenceError("no_benchmark")
        for made, run in zip(self.runs, runs, strict=True):
            if run.is_done and run.last is None:
                raise NoEvidenceError("no_evaluation", log=made.log)
        found = convergence_test(told, benchmark, batch_size, [run.converged for run in runs])
        if found.reason is not None:
            return say("convergence_failed" if found.has_failed else "convergence_not_tested", reason=found.reason)
        code = "converges_too_fast" if found.has_failed else Remark.CONVERGES
        return say(code, mean=f"{found.mean:.4g}", lowest=f"{found.lowest:.4g}")

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
            raise NoEvidenceError("no_reference", pattern=filled)
        return paths

    def _reading(self, path: str) -> Reading:
        try:
            if self.store.unfit(path) is None:
                return self.store.reading(path)
        except (ParserError, OSError):
            pass
        raise NoEvidenceError("unusable_reference", log=path)


def _fraction(percentage: str) -> float:
    return float(percentage[:-1]) / 100


def _filled(pattern: str, case: Case) -> str:
    try:
        return pattern.format_map({str(axis): escape(str(value)) for axis, value in case.items()})
    except KeyError as error:
        raise NoEvidenceError("pattern_needs_axis", pattern=pattern, axis=error.args[0]) from None


def _loss(path: str, reading: Reading, run: Any) -> LossCurve:
    try:
        return _there(loss_curve(Path(path), reading, run), "no_loss", log=path)
    except NoMeasurement:
        raise NoEvidenceError("uncounted_steps", log=path) from None


def _metric(path: str, reading: Reading, name: str) -> FinalMetric:
    try:
        return _there(final_metric(Path(path), reading, name), "no_metric", log=path, name=name)
    except NoMeasurement as error:
        raise NoEvidenceError("told", said=error.message) from None
    except ParserError:
        raise NoEvidenceError("unusable_reference", log=path) from None


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
    raise NoEvidenceError("no_json", file=path)


def _facts(reading: Reading) -> Iterator[Fact]:
    """The facts of a run, and the variables that its run.json says it was launched with."""
    yield from reading.facts.values()
    variables = reading.run_file.get(RUN_VARIABLES)
    if isinstance(variables, dict):
        for name, value in variables.items():
            yield Fact(f"{RUN_VARIABLES}.{name}", str(value), Provenance("run_file"))

"""Quality beside speed: what a reader must know of how the runs behind a number train, held against a reference.

The RCP test asks whether runs converge no faster than MLPerf's reference does. Its rule is that of
mlperf_logging/rcp_checker/rcp_checker.py of mlcommons/logging at commit 7bbf792. Of the reference and of the runs the
olympic mean counts, without the fastest and the slowest. A point is passed by a mean that is not below the lowest one
of which a one-sided t test at 5% would not say that it is faster, with the deviation of the reference on both sides.
The point is that of the batch size; between two of them it is interpolated; below the smallest one that is taken, for a
smaller batch never needs more epochs; above the largest one there is none. Points that convergence is slower at than
interpolated between their neighbours are pruned first. ``runs`` of a test is taken to be how many there are, as the
rules of each benchmark want it.

What the lines ``:::MLLOG`` of a log say that a run took is read as read_submission_file() there does.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from parsers.io.errors import ParserError
from parsers.io.files import data_of
from parsers.runs.facts import Fact
from parsers.runs.provenance import Provenance
from parsers.runs.reading import Reading
from parsers.scanning.text import LogText

from ..measure.diagnostics import Diagnostic, NoEvidenceError, NoMeasurement, Remark, say
from ..measure.number import signed
from ..measure.protocol import Protocol
from ..measure.statistic import olympic, students_t
from ..pagefile.page import CellPlace, Page
from ..pagefile.parts import Case
from .agreement import LossCurve, incomparable, loss_agreement, loss_curve, stated_by
from .made import MadeRun
from .store import LogStore, logs_of, outside

RUN_VARIABLES = "variables"


def quality_remarks(
    page: Page, place: CellPlace, runs: Sequence[MadeRun], protocol: Protocol, store: LogStore
) -> Iterator[Diagnostic]:
    """What the page's check of quality says of the runs behind a number; nothing where the page states none.

    ``protocol``: says which run of each log is meant.
    """
    if (quality := page.columns[place.column.column].quality) is None:
        return
    case = page.of_model(place.case)
    if quality.loss is not None and quality.reference is not None:
        told = quality.reference, float(quality.loss[:-1]) / 100
        yield _said("loss_not_compared", lambda: _of_losses(*told, case, runs, protocol, store))
    if points := quality.convergence_points:
        yield _said("convergence_not_tested", lambda: _of_mlperf(points, case, runs, store))


def _said(not_made: str, check: Callable[[], Diagnostic]) -> Diagnostic:
    """What a check says; by the code ``not_made`` why it cannot be made."""
    try:
        return check()
    except NoEvidenceError as error:
        return say(not_made, reason=error.message)


def reference_logs(page: Page, logs: Path) -> Iterator[str]:
    """The files below the folder of logs that the checks of quality of a page read."""
    for place in page.places():
        quality = page.columns[place.column.column].quality
        patterns = (quality.reference, quality.convergence_points) if quality else ()
        for pattern in filter(None, patterns):
            try:
                yield from _files(pattern, page.of_model(place.case), logs)
            except NoEvidenceError:
                continue


def _of_losses(
    pattern: str, tolerance: float, case: Case, runs: Sequence[MadeRun], protocol: Protocol, store: LogStore
) -> Diagnostic:
    """What the losses say beside those of the logs of a pattern; raises NoEvidenceError where they say nothing."""
    references = [(path, _reading(store, path)) for path in _files(pattern, case, store.folder)]
    found = loss_agreement(
        [_loss(path, one, None) for path, one in references],
        [_loss(run.log, run.reading, protocol.run) for run in runs],
        tolerance,
    )
    sides = [one for _, one in references], [run.reading for run in runs]
    stated = stated_by(*((fact for one in side for fact in _facts(one)) for side in sides))
    reason = found.reason if found.verdict == "NaN" else incomparable(stated) or found.reason
    if reason is not None or found.change is None or found.steps is None:
        return say("not_the_training" if found.verdict == "NaN" else "loss_not_compared", reason=reason or "")
    told = {"change": signed(found.change), "tolerance": f"{100 * tolerance:g}%", "kind": found.kind}
    code = Remark.LOSS_AGREES if found.verdict == "same" else "loss_differs"
    return say(code, **told, first=found.steps[0], last=found.steps[1])


def _of_mlperf(pattern: str, case: Case, runs: Sequence[MadeRun], store: LogStore) -> Diagnostic:
    """What the RCP test says; raises NoEvidenceError where it cannot be made."""
    told = _json_of(store.folder, _files(pattern, case, store.folder)[0])
    each = [mllog_convergence(run.reading.path) for run in runs]
    ((benchmark, batch_size), *others) = {(run.benchmark, run.batch_size) for run in each}
    if others or benchmark is None or batch_size is None or benchmark in OWN_RULES:
        raise NoEvidenceError("no_benchmark")
    for made, run in zip(runs, each, strict=True):
        if run.is_done and run.last is None:
            raise NoEvidenceError("no_evaluation", log=made.log)
    mean, lowest = convergence_test(told, benchmark, batch_size, [run.converged for run in each])
    return say("converges_too_fast" if mean < lowest else Remark.CONVERGES, mean=f"{mean:.4g}", lowest=f"{lowest:.4g}")


def _files(pattern: str, case: Case, logs: Path) -> Sequence[str]:
    """The files of a pattern of a case; raises NoEvidenceError where there are none."""
    try:
        filled = pattern.format_map({str(axis): escape(str(value)) for axis, value in case.items()})
    except KeyError as error:
        raise NoEvidenceError("pattern_needs_axis", pattern=pattern, axis=error.args[0]) from None
    if not (paths := logs_of(logs, filled)):
        raise NoEvidenceError("no_reference", pattern=filled)
    return paths


def _reading(store: LogStore, path: str) -> Reading:
    try:
        if store.unfit(path) is None:
            return store.reading(path)
    except (ParserError, OSError):
        pass
    raise NoEvidenceError("unusable_reference", log=path)


def _loss(path: str, reading: Reading, run: Any) -> LossCurve:
    try:
        found = loss_curve(Path(path), reading, run)
    except NoMeasurement:
        raise NoEvidenceError("uncounted_steps", log=path) from None
    if found is None:
        raise NoEvidenceError("no_loss", log=path)
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


# ---- the RCP test

TOKEN = b":::MLLOG "
RESULTS = ("eval_error", "eval_accuracy")
# The benchmarks whose convergence is counted in samples; of all others it is in epochs.
IN_SAMPLES = frozenset({"llama2_70b_lora", "flux1", "llama31_8b", "gpt_oss_20b", "deepseekv3_671b", "qwen35_397b_grpo"})
# These have rules of their own: two metrics, a mean that leaves out more runs, a mean that may be lower.
OWN_RULES = frozenset({"stable_diffusion", "unet3d", "llama31_405b"})
ALPHA = 0.05
FEWEST_RUNS = 3
UNITS = ("samples to converge", "Epochs to converge")
NEEDED_BY = "Tests of convergence need"


@dataclass(frozen=True)
class MllogConvergence:
    """What a run says: its benchmark, its batch size, and the epochs or samples of its last evaluation.

    ``is_done``: whether it stopped with success, and so converged by then.
    """

    benchmark: str | None = None
    batch_size: int | None = None
    last: float | None = None
    is_done: bool = False

    @property
    def converged(self) -> float | None:
        """What it took to converge; None where it did not, or does not say."""
        return self.last if self.is_done else None


def mllog_convergence(log: Path) -> MllogConvergence:
    """Read a log, packed or not; raises LogError. What is no such line, or broken, says nothing."""
    benchmark, batch_size, last, is_done = None, None, None, False
    for said in _mllog(log):
        key, value, told = said.get("key"), said.get("value"), said.get("metadata")
        told = told if isinstance(told, dict) else {}
        count = told.get("samples_count" if benchmark in IN_SAMPLES else "epoch_num")
        if key == "submission_benchmark" and isinstance(value, str):
            benchmark = value
        elif key == "global_batch_size" and _is_number(value):
            batch_size = int(value)
        elif key == "run_stop":
            is_done = told.get("status") == "success"
        elif key in RESULTS and not is_done and _is_number(count):
            last = round(float(count), 3)
    return MllogConvergence(benchmark, batch_size, last, is_done)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _mllog(log: Path) -> Iterator[dict[str, Any]]:
    for block in LogText(log).data():
        for line in block.split(b"\n") if TOKEN in block else ():
            _, token, told = line.rpartition(TOKEN)
            with suppress(ValueError, RecursionError):
                if token and isinstance(found := json.loads(told.decode("utf-8", "replace").strip()), dict):
                    yield found


@dataclass(frozen=True)
class ConvergencePoint:
    """How long the reference takes at one batch size: the olympic mean, its deviation, and how many runs are in it."""

    batch_size: int
    mean: float
    deviation: float
    runs: int


def convergence_test(
    told: Any, benchmark: str, batch_size: int, converged: Sequence[float | None]
) -> tuple[float, float]:
    """The mean of some runs and the lowest one that passes the test; both in epochs or samples.

    ``told``: what the JSON file of the reference convergence points holds. ``converged``: epochs or samples that each
    run took, None where it did not converge. Raises NoEvidenceError where the test cannot be made, ExtraError where
    SciPy is not installed.
    """
    if len(converged) < FEWEST_RUNS:
        raise NoEvidenceError("few_runs", fewest=FEWEST_RUNS, count=len(converged))
    if (failed := sum(one is None for one in converged)) > 1:
        raise NoEvidenceError("not_converged", count=failed, runs=len(converged))
    try:
        points = _points(told, benchmark)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise NoEvidenceError("no_reference_points", benchmark=benchmark) from None
    point = _point_of(batch_size, _pruned(points), len(converged))
    if point is None:
        raise NoEvidenceError("no_point", batch=batch_size)
    count = len(converged) - 2
    return olympic([math.inf if one is None else one for one in converged]), _lowest(point, count)


def _points(told: Mapping[str, Mapping[str, Any]], benchmark: str) -> list[ConvergencePoint]:
    found = {}
    for record in told.values():
        values = [float(one) for one in record[next((unit for unit in UNITS if unit in record), UNITS[0])]]
        if record["Benchmark"] != benchmark or not (len(values) > 2 and np.isfinite(values).all() and min(values) > 0):
            raise ValueError
        size = int(record["BS"])
        found[size] = ConvergencePoint(size, olympic(values), float(np.std(values)), len(values) - 2)
    if not found:
        raise ValueError
    return [found[size] for size in sorted(found)]


def _pruned(points: Sequence[ConvergencePoint]) -> list[ConvergencePoint]:
    """Those from the fastest on, without any that is slower than interpolated between its neighbours."""
    fastest = min(points, key=lambda point: point.mean)
    left = [point for point in points if point.batch_size >= fastest.batch_size]
    at = 1
    while at < len(left) - 1:
        if left[at].mean > _between(left[at].batch_size, left[at - 1], left[at + 1], 0).mean:
            del left[at]
            at -= 1
        at += 1
    return left


def _between(size: int, low: ConvergencePoint, high: ConvergencePoint, runs: int) -> ConvergencePoint:
    sizes, both = [low.batch_size, high.batch_size], ([low.mean, high.mean], [low.deviation, high.deviation])
    mean, deviation = (float(np.interp(size, sizes, values)) for values in both)
    return ConvergencePoint(size, mean, deviation, runs)


def _point_of(size: int, points: Sequence[ConvergencePoint], runs: int) -> ConvergencePoint | None:
    """The point of a batch size; one that is interpolated counts as of twice as many runs as are tested."""
    low = next((point for point in reversed(points) if point.batch_size <= size), None)
    high = next((point for point in points if point.batch_size >= size), None)
    if low is None or low is high or high is None:
        return high
    return _between(size, low, high, 2 * runs)


def _lowest(point: ConvergencePoint, count: int) -> float:
    """The lowest mean of so many runs that is not faster than a point."""
    degrees = point.runs + count - 2
    if point.deviation == 0 or degrees < 1:
        return point.mean
    error = point.deviation * math.sqrt(1 / point.runs + 1 / count)
    return max(0.0, point.mean - students_t(NEEDED_BY)(degrees, 1 - ALPHA) * error)

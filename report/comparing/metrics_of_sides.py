"""Final metrics of two sides: whether the runs of B reach what those of A do, within stated tolerances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from parsers.io.message import Message

from ..measure.diagnostics import NoMeasurement
from ..results.agreement import FinalMetric, MetricAgreement, final_metric, metric_agreement, other_task
from .case_pairs import Runs
from .changes import ChangedCondition
from .compared_runs import ComparedRun
from .loss_of_sides import stated_by_sides

NO_METRIC = "{log} prints no {name} beside its records"


def metrics_of_sides(
    sides: tuple[Runs, Runs], changes: Sequence[ChangedCondition], tolerances: Mapping[str, float]
) -> tuple[MetricAgreement, ...]:
    """Hold the final metrics of B against those of A; ``tolerances``: by name, as fractions of the metric of A.

    ``changes``: what differs between the sides. Raises LogError where a log cannot be read any more.
    """
    reason = other_task(stated_by_sides(sides, changes)) if tolerances else None
    return tuple(_agreement(name, sides, tolerance, reason) for name, tolerance in tolerances.items())


def _agreement(name: str, sides: tuple[Runs, Runs], tolerance: float, reason: Message | None) -> MetricAgreement:
    try:
        a, b = ([_printed(run, name) for run in side] for side in sides)
    except NoMeasurement as error:
        return MetricAgreement(name, "unknown", tolerance, reason=error.message)
    found = metric_agreement(name, a, b, tolerance)
    return found if reason is None or found.verdict == "NaN" else replace(found, verdict="unknown", reason=reason)


def _printed(run: ComparedRun, name: str) -> FinalMetric:
    found = final_metric(run.found.log, run.reading, name)
    if found is None:
        raise NoMeasurement(NO_METRIC, log=run.found.log, name=name)
    return found

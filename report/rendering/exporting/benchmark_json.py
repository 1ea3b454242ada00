"""JSON for services that keep benchmarks of commits: each takes a list or an object of names, units and values."""

import json
from collections.abc import Sequence
from typing import Any

from .metric import Metric
from .target import Files, Target, apart

LESS_IS_BETTER = "not better when bigger"
MORE_IS_BETTER = "not better when smaller"
NO_MODEL = "of a model that neither the page nor a log names"
UNFIT_NAME = "with a name that the service cuts or refuses"
# Of a benchmark and of a measure (https://bencher.dev/docs/reference/bencher-metric-format).
LONGEST_BENCHMARK, LONGEST_MEASURE = 1024, 64
CPU = "CPU"
IGNORED = "-bencher-ignore"


def action_files(metrics: Sequence[Metric]) -> Files:
    """What the tools customBiggerIsBetter and customSmallerIsBetter of github-action-benchmark take.

    A list of objects with ``name``, ``unit``, ``value``, and texts in ``range`` and ``extra``: interface
    BenchmarkResult in src/extract.ts of benchmark-action/github-action-benchmark at commit 04dcc2c.
    """
    names = apart("github-action-benchmark", (metric.full_name for metric in metrics))
    return _file([_entry(name, metric) for name, metric in zip(names, metrics, strict=True)])


def _entry(name: str, metric: Metric) -> dict[str, Any]:
    entry = {"name": name, "unit": metric.unit, "value": metric.number}
    if metric.extremes:
        low, high = metric.extremes
        entry["range"] = f"{low.digits} – {high.digits} ({len(metric.runs)} runs)"
    left = ("unit", "runs")
    return entry | {"extra": "\n".join(f"{key}: {said}" for key, said in metric.told.items() if key not in left)}


def bencher_files(metrics: Sequence[Metric]) -> Files:
    """What the adapter ``json`` of Bencher takes: benchmarks with measures, each with its value.

    ``lower_value`` and ``upper_value`` are the lowest and the highest of several runs. A measure is called by its
    quantity and its unit, for its own ``throughput`` is in operations/s. Schema https://bencher.dev/bmf.json, limits
    of names https://bencher.dev/docs/reference/bencher-metric-format.
    """
    names = apart("bencher", (metric.full_name for metric in metrics))
    return _file({name: {_measure(of): _value(of)} for name, of in zip(names, metrics, strict=True)})


def _measure(metric: Metric) -> str:
    return f"{metric.quantity} ({metric.unit})" if metric.unit else metric.quantity


def _value(metric: Metric) -> dict[str, float]:
    value = {"value": metric.number}
    if metric.extremes:
        # Of runs that were rounded, as the value was: it lies between them.
        low, high = (float(run.digits) for run in metric.extremes)
        value |= {"lower_value": low, "upper_value": high}
    return value


def _not_of_bencher(metric: Metric) -> str | None:
    # A name that ends so would be cut, and stand for the one without the ending.
    too_long = len(metric.full_name) > LONGEST_BENCHMARK or len(_measure(metric)) > LONGEST_MEASURE
    return UNFIT_NAME if too_long or metric.full_name.endswith(IGNORED) else None


def database_files(metrics: Sequence[Metric]) -> Files:
    """What the PyTorch benchmark database takes: a list of records, each of one metric.

    A record has the columns ``benchmark``, ``model``, ``runners`` and ``metric`` of the table oss_ci_benchmark_v3;
    those about the change and the workflow are filled in by the action that uploads it. The values of ``extra_info``
    are texts. File clickhouse_db_schema/oss_ci_benchmark_v3/schema.sql of pytorch/test-infra at commit 3c0eb5c.
    """
    return _file([_record(metric) for metric in metrics])


def _record(metric: Metric) -> dict[str, Any]:
    told = {name: said for name, said in metric.told.items() if name not in ("model", "framework", "precision")}
    case = {name: str(said) for name, said in metric.case.items()}
    runner = _runner(case.get("device"), metric.case.get("cards"))
    return {
        "benchmark": {
            "name": metric.suite,
            "mode": "training",
            "dtype": case.get("precision", ""),
            "extra_info": {"address": metric.name},
        },
        "model": {"name": case["model"], "backend": case.get("framework", "")},
        **({"runners": [runner]} if runner else {}),
        "metric": {"name": metric.quantity, "benchmark_values": [metric.number], "extra_info": told},
    }


def _runner(device: str | None, cards: object) -> dict[str, Any]:
    """The machines of a run, nothing where no device is known; cards of a CPU are processes and no GPUs."""
    if not device or device.upper() == CPU:
        return {"type": device} if device else {}
    return {"type": device, "gpu_info": device, **({"gpu_count": cards} if isinstance(cards, int) else {})}


def _file(told: Any) -> Files:
    return {"metrics.json": (json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()}


def _without_model(metric: Metric) -> str | None:
    return None if metric.case.get("model") else NO_MODEL


TARGETS = (
    Target("github-action-benchmark", action_files, lambda m: None if m.direction > 0 else LESS_IS_BETTER),
    Target(
        "github-action-benchmark-smaller",
        action_files,
        lambda m: None if m.direction < 0 else MORE_IS_BETTER,
    ),
    Target("bencher", bencher_files, _not_of_bencher),
    Target("pytorch-benchmark", database_files, _without_model),
)

"""All targets, by name: a new one is a module and a line here."""

from collections.abc import Mapping

from . import (
    benchmark_json,
    metric_table,
    mlflow_runs,
    mlperf_results,
    openmetrics,
    otava,
    perflog,
    speed_line,
    wandb_runs,
)
from .target import Target

_ALL = (
    metric_table.CSV,
    metric_table.PARQUET,
    *benchmark_json.TARGETS,
    openmetrics.OPENMETRICS,
    otava.OTAVA,
    mlflow_runs.MLFLOW,
    mlperf_results.MLPERF,
    perflog.PERFLOG,
    speed_line.SPEED_LINE,
    wandb_runs.WANDB,
)
TARGETS: Mapping[str, Target] = {target.name: target for target in _ALL}

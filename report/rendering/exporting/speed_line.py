"""Speed lines of TIPC, PaddlePaddle's test suite: a file for each throughput, under the name that says its case."""

import json
from collections.abc import Sequence

from ...measuring.quantity import named
from .file_name import file_name
from .metric import Metric
from .target import Files, Target, apart

NOT_OF_TIPC = "without model, framework, precision, batch size, nodes or cards, which TIPC names"
NOT_A_SPEED = "not a throughput of a whole job"
NOT_DATA_PARALLEL = "of jobs that are not data-parallel"
NAMED = ("framework", "model", "batch_size", "precision", "nodes", "cards")
OTHER_PARALLELISM = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")
MODE = "DP"


def files(metrics: Sequence[Metric]) -> Files:
    """A line of JSON in ``index/REPOSITORY_MODEL_bs8_fp32_MultiP_DP_N1C8_speed`` for each throughput of a job.

    ``ips`` is that of all cards of the job. What no log says is null: branch and commit of the model and of the
    framework, run time; there is no convergence value. Names and model_name: test_tipc/benchmark_train.sh of
    PaddlePaddle/PaddleClas at commit 089382a; keys: the script analysis.py that it calls.
    """
    names = apart("tipc", (f"index/{_name(metric)}_speed" for metric in metrics))
    return {name: _line(metric).encode() for name, metric in zip(names, metrics, strict=True)}


def _name(metric: Metric) -> str:
    repository, devices = file_name(str(metric.case["framework"])), _devices(metric)
    return f"{repository}_{_model(metric)}_{devices}"


def _model(metric: Metric) -> str:
    case = metric.case
    model, precision = (file_name(str(case[name])) for name in ("model", "precision"))
    process = "SingleP" if case["cards"] == 1 else "MultiP"
    return f"{model}_bs{case['batch_size']}_{precision}_{process}_{MODE}"


def _devices(metric: Metric) -> str:
    return f"N{metric.case['nodes']}C{metric.case['cards']}"


def _line(metric: Metric) -> str:
    said = {
        "model_branch": None,
        "model_commit": None,
        "model_name": _model(metric),
        "batch_size": metric.case["batch_size"],
        "fp_item": metric.case["precision"],
        "run_mode": MODE,
        "convergence_value": 0,
        "convergence_key": "",
        "ips": metric.number,
        "speed_unit": metric.unit,
        "device_num": _devices(metric),
        "model_run_time": None,
        "frame_commit": None,
        "frame_version": metric.circumstances.get("framework_version"),
    }
    return json.dumps(said)


def _refused(metric: Metric) -> str | None:
    if not named(metric.quantity).is_throughput or metric.scope != "job":
        return NOT_A_SPEED
    if any(metric.case.get(name) in (None, "") for name in NAMED) or not _are_counts(metric):
        return NOT_OF_TIPC
    return NOT_DATA_PARALLEL if any(metric.case.get(name, 1) != 1 for name in OTHER_PARALLELISM) else None


def _are_counts(metric: Metric) -> bool:
    return all(isinstance(metric.case[name], int) for name in ("batch_size", "nodes", "cards"))


SPEED_LINE = Target("tipc", files, _refused, is_folder=True)

"""Runs of MLflow: a folder of its file store, with an experiment for each page and a run for each number."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from .metric import Metric
from .otava import without_time
from .run_time import moment
from .target import Files, Target, apart

EXPERIMENT_DIGITS = 10**18
RUN_DIGITS = 32
# What the service of artifacts would hold; nothing is put there.
ARTIFACTS = "mlflow-artifacts:/"
ACTIVE, FINISHED, LOCAL = "active", 3, 4
SOURCE = "tachograph"
# A tag holds at most 8000 characters, so that what may be long is told line by line.
IN_LINES = ("evidence", "remarks", "runs")
MOST_CHARACTERS = 8000


def files(metrics: Sequence[Metric]) -> Files:
    """A file store: ``EXPERIMENT/RUN/`` with ``meta.yaml``, ``metrics/``, ``params/`` and ``tags/``.

    Each number is a metric called by its quantity, with the digits of the page, at the time when its last run began
    (UTC where the log prints no zone). Its case is in the parameters, all else in tags. Numbers of experiments and runs
    are made of their names, so that the same numbers give the same files. Class FileStore in
    mlflow/store/tracking/file_store.py of mlflow-skinny 3.17.2, which reads it where MLFLOW_ALLOW_FILE_STORE is true;
    ``mlflow migrate-filestore`` puts it into a database.
    """
    apart("mlflow", (metric.full_name for metric in metrics))
    found: dict[str, bytes] = {}
    for metric in metrics:
        experiment, run = _experiment(metric.suite), _digest(metric.full_name)[:RUN_DIGITS]
        found[f"{experiment}/meta.yaml"] = _yaml(_of_experiment(experiment, metric.suite))
        for name, text in _of_run(metric, experiment, run).items():
            found[f"{experiment}/{run}/{name}"] = text
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _experiment(suite: str) -> str:
    """The number of an experiment, as long as those that MLflow makes."""
    return f"{int(_digest(suite), 16) % EXPERIMENT_DIGITS:018}"


def _of_experiment(number: str, suite: str) -> Mapping[str, Any]:
    return {
        "artifact_location": f"{ARTIFACTS}{number}",
        "experiment_id": number,
        "lifecycle_stage": ACTIVE,
        "name": suite,
    }


def _of_run(metric: Metric, experiment: str, run: str) -> Mapping[str, bytes]:
    """The files of one run."""
    times = [_milliseconds(one.time) for one in metric.runs]
    told: dict[str, Any] = {
        "artifact_uri": f"{ARTIFACTS}{experiment}/{run}/artifacts",
        "end_time": None,
        "entry_point_name": "",
        "experiment_id": experiment,
        "lifecycle_stage": ACTIVE,
        "run_id": run,
        "run_name": metric.name,
        "source_name": SOURCE,
        "source_type": LOCAL,
        "source_version": "",
        "start_time": min(times),
        "status": FINISHED,
        "tags": [],
        "user_id": "",
    }
    params = {f"params/{name}": str(said).encode() for name, said in metric.case.items()}
    tags = {f"tags/{name}": said.encode() for name, said in _tags(metric).items()}
    value = f"{max(times)} {metric.digits} 0\n".encode()
    return {"meta.yaml": _yaml(told), f"metrics/{metric.quantity}": value, **params, **tags}


def _tags(metric: Metric) -> Mapping[str, str]:
    plain = {name: said for name, said in metric.told.items() if name not in (*metric.case, *IN_LINES)}
    lines = {"evidence": metric.proofs, "remarks": metric.remarks, "runs": [run.digits for run in metric.runs]}
    numbered = {f"{name}.{at}": said for name, of in lines.items() for at, said in enumerate(of, 1)}
    said = {"mlflow.runName": metric.name, **plain, **numbered}
    return {name: text[:MOST_CHARACTERS] for name, text in said.items()}


def _milliseconds(time: str) -> int:
    return round(moment(time).timestamp() * 1000)


def _yaml(told: Mapping[str, Any]) -> bytes:
    return yaml.safe_dump(dict(told), allow_unicode=True).encode()


MLFLOW = Target("mlflow", files, without_time, is_folder=True)

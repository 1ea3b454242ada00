"""Series for Apache Otava, which looks for changes in them: a CSV file for each series, and the configuration."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import yaml

from parsers.runs.record_file import no_formula

from .file_name import file_name
from .metric import ExportedRun, Metric
from .run_time import moment
from .target import Files, Target, apart

NO_TIME = "of runs whose date neither the log nor run.json gives"
CONFIGURATION = "otava.yaml"
TIME, VALUE = "time", "value"
ATTRIBUTES = ("unit", "scope", "protocol", "log", "sha256", "lines")


def files(metrics: Sequence[Metric]) -> Files:
    """A CSV file for each series, its runs in the order of time, and ``otava.yaml`` that says how to read them.

    A test of type ``csv`` has ``file``, relative to the folder in which otava is called, ``time_column``,
    ``attributes`` and ``metrics``, each with ``column`` and ``direction``; every row has a time that dateparser reads
    and a number: otava/test_config.py and CsvImporter in otava/importer.py of apache-otava 0.8.0. Raises ExportError
    for two numbers of one name, which would make one series.
    """
    apart("otava", (metric.full_name for metric in metrics))
    series: dict[str, list[Metric]] = {}
    for metric in metrics:
        series.setdefault(f"{metric.series} {metric.quantity}", []).append(metric)
    named = {file_name(name): of for name, of in series.items()}
    told = {"tests": {name: _test(name, of[0]) for name, of in named.items()}}
    texts = {f"{name}.csv": _csv(of) for name, of in named.items()}
    return {CONFIGURATION: yaml.safe_dump(told, allow_unicode=True, sort_keys=False).encode(), **texts}


def _test(name: str, metric: Metric) -> dict[str, Any]:
    return {
        "type": "csv",
        "file": f"{name}.csv",
        "time_column": TIME,
        "attributes": list(ATTRIBUTES),
        "metrics": {metric.quantity: {"column": VALUE, "direction": metric.direction}},
    }


def _csv(metrics: Iterable[Metric]) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([TIME, VALUE, *ATTRIBUTES])
    runs = [(metric, run) for metric in metrics for run in metric.runs]
    writer.writerows(_row(*found) for found in sorted(runs, key=lambda found: moment(found[1].time)))
    return file.getvalue().encode()


def _row(metric: Metric, run: ExportedRun) -> list[str]:
    exhibit = run.exhibits[0]
    lines = f"{exhibit.lines[0]}-{exhibit.lines[1]}"
    told = (metric.unit, metric.scope, metric.protocol, exhibit.path, exhibit.sha256, lines)
    return [run.time, run.digits, *map(no_formula, told)]


def without_time(metric: Metric) -> str | None:
    """Why a number of runs of an unknown date is refused; None where all have one."""
    return None if metric.runs and all(run.time for run in metric.runs) else NO_TIME


OTAVA = Target("otava", files, without_time, is_folder=True)

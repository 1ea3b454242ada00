"""Formats: what other programs read, each made of metrics with the digits of the page.

A format takes the metrics that fit it and makes its files; what does not fit is left out and counted by reason.
"""

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parsers.io.errors import ParserError
from parsers.io.extras import extra
from parsers.runs.record_file import no_formula

from ...evidence.circumstances import CIRCUMSTANCES
from ...measure.quantity import QUANTITIES
from .metrics import AXES, Metric, one_line

QUOTED = "quoted from others, or computed from what is quoted"
LESS_IS_BETTER = "not better when bigger"
MORE_IS_BETTER = "not better when smaller"
NO_MODEL = "of a model that neither the page nor a log names"
NOT_OF_TIPC = "without model, framework, precision, batch size, nodes or cards, which TIPC names"
NOT_A_SPEED = "not a throughput of a whole job"
NOT_DATA_PARALLEL = "of jobs that are not data-parallel"
SAME_NAME = "{target}: two numbers would both be called {name}; export them separately."

Files = Mapping[str, bytes]
Refusal = Callable[[Metric], str | None]


class ExportError(ParserError):
    """What cannot be exported; one sentence says what and why."""


@dataclass(frozen=True)
class Format:
    """The format of another program.

    ``files``: the files of some metrics by their names, one of any name where it is a format of a single file.
    ``refused``: why a metric does not fit, a key of the catalogues, or None. ``takes_quotes``: it has room to say that
    a number was not measured. ``is_folder``: it has several files, and ``is_text`` that its file can be printed.
    """

    name: str
    files: Callable[[Sequence[Metric]], Files]
    refused: Refusal = lambda metric: None
    takes_quotes: bool = False
    is_folder: bool = False
    is_text: bool = True


@dataclass(frozen=True)
class Export:
    """Files, how many numbers are in them, and how many were left out for which reasons, keys of the catalogues."""

    files: Files
    count: int
    left_out: Mapping[str, int]


def exported(target: Format, metrics: Iterable[Metric]) -> Export:
    """The files of a format with the metrics that fit it; no files where none does. Raises ExportError."""
    left_out: Counter[str] = Counter()
    taken = list[Metric]()
    for metric in map(one_line, metrics):
        reason = QUOTED if metric.is_quoted and not target.takes_quotes else target.refused(metric)
        if reason is None:
            taken.append(metric)
        else:
            left_out[reason] += 1
    return Export(target.files(taken) if taken else {}, len(taken), left_out)


def _distinct(target: str, names: Iterable[str]) -> list[str]:
    """Names of which no two are the same, so that no number takes the place of another; else raises ExportError."""
    found = Counter(listed := list(names))
    if same := next((name for name, count in found.items() if count > 1), None):
        raise ExportError(SAME_NAME, target=target, name=repr(same))
    return listed


# CSV and Parquet: one row a number.

COLUMNS = (
    *("suite", "name", "title", "quantity", "printed", "value", "unit", "scope", "quoted", "source", "qualifier"),
    *("protocol", *AXES, *CIRCUMSTANCES, "runs", "logs", "computed_from", "remarks"),
)


def _row(metric: Metric) -> Mapping[str, Any]:
    return {
        "suite": metric.suite,
        "name": metric.name,
        "title": metric.title,
        "quantity": metric.quantity,
        "printed": metric.digits,
        "value": metric.value,
        "unit": metric.unit,
        "scope": metric.scope,
        "quoted": metric.is_quoted,
        "source": metric.source,
        "qualifier": metric.qualifier,
        "protocol": metric.protocol,
        **{axis: metric.case.get(axis) for axis in AXES},
        **{name: metric.circumstances.get(name) for name in CIRCUMSTANCES},
        "runs": [run.value for run in metric.runs],
        "logs": [
            {"path": exhibit.path, "sha256": exhibit.sha256, "first": exhibit.lines[0], "last": exhibit.lines[1]}
            for exhibit in metric.exhibits
        ],
        "computed_from": list(metric.parts),
        "remarks": list(metric.remarks),
    }


def csv_files(metrics: Sequence[Metric]) -> Files:
    """One CSV file; of what a number has several, such as runs and logs, the cell is a JSON array.

    RFC 4180, but for rows that end with a line feed. A text that a spreadsheet would take for a formula begins with an
    apostrophe, as in the tables of a site.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for metric in metrics:
        row = _row(metric)
        writer.writerow([_csv_field(row[name]) for name in COLUMNS])
    return {"metrics.csv": file.getvalue().encode()}


def _csv_field(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return no_formula(value) if isinstance(value, str) else value


def parquet_files(metrics: Sequence[Metric]) -> Files:
    """One Parquet file; runs, logs and remarks are lists, and axes texts, because a page may call eight cards what it
    likes. Raises ExtraError where pyarrow is not installed.
    """
    with extra("parquet", "Parquet needs"):
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415
    log = pa.struct([("path", pa.string()), ("sha256", pa.string()), ("first", pa.int64()), ("last", pa.int64())])
    types = {"value": pa.float64(), "quoted": pa.bool_(), "runs": pa.list_(pa.float64()), "logs": pa.list_(log)}
    types |= {"computed_from": pa.list_(pa.string()), "remarks": pa.list_(pa.string())}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
    rows = [
        {name: str(value) if name in AXES and value is not None else value for name, value in _row(metric).items()}
        for metric in metrics
    ]
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, schema), file)
    return {"metrics.parquet": file.getvalue()}


# JSON: lists of names, units and values.


def _json_file(content: Any) -> Files:
    return {"metrics.json": (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()}


def action_files(metrics: Sequence[Metric]) -> Files:
    """What the tools customBiggerIsBetter and customSmallerIsBetter of github-action-benchmark take.

    A list of objects with ``name``, ``unit``, ``value``, and texts in ``range`` and ``extra``: interface
    BenchmarkResult in src/extract.ts of benchmark-action/github-action-benchmark at commit 04dcc2c.
    """
    names = _distinct("github-action-benchmark", (metric.full_name for metric in metrics))
    return _json_file([_action_entry(name, metric) for name, metric in zip(names, metrics, strict=True)])


def _action_entry(name: str, metric: Metric) -> dict[str, Any]:
    entry = {"name": name, "unit": metric.unit, "value": metric.number}
    if len(metric.runs) > 1:
        ordered = sorted(metric.runs, key=lambda run: run.value)
        entry["range"] = f"{ordered[0].digits} – {ordered[-1].digits} ({len(ordered)} runs)"
    texts = (f"{key}: {text}" for key, text in metric.texts.items() if key not in ("unit", "runs"))
    return entry | {"extra": "\n".join(texts)}


def database_files(metrics: Sequence[Metric]) -> Files:
    """What the PyTorch benchmark database takes: a list of records, each of one metric.

    A record has the columns ``benchmark``, ``model``, ``runners`` and ``metric`` of the table oss_ci_benchmark_v3;
    those about the change and the workflow are filled in by the action that uploads it. The values of ``extra_info``
    are texts. File clickhouse_db_schema/oss_ci_benchmark_v3/schema.sql of pytorch/test-infra at commit 3c0eb5c.
    """
    return _json_file([_database_record(metric) for metric in metrics])


def _database_record(metric: Metric) -> dict[str, Any]:
    case = {name: str(said) for name, said in metric.case.items()}
    runner: dict[str, Any] = {}
    if device := case.get("device"):
        runner = {"type": device}
        if device.upper() != "CPU":  # its cards are processes and no GPUs
            runner["gpu_info"] = device
            if isinstance(cards := metric.case.get("cards"), int):
                runner["gpu_count"] = cards
    texts = {name: text for name, text in metric.texts.items() if name not in ("model", "framework", "precision")}
    return {
        "benchmark": {
            "name": metric.suite,
            "mode": "training",
            "dtype": case.get("precision", ""),
            "extra_info": {"address": metric.name},
        },
        "model": {"name": case["model"], "backend": case.get("framework", "")},
        **({"runners": [runner]} if runner else {}),
        "metric": {"name": metric.quantity, "benchmark_values": [metric.number], "extra_info": texts},
    }


# OpenMetrics text, which Prometheus and its relatives read.

PREFIX = "tachograph"
UNITS = {"%": "percent", "×": "ratio", "MiB": "mebibytes", "W": "watts", "s": "seconds", "ms": "milliseconds"}
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def openmetrics_files(metrics: Sequence[Metric]) -> Files:
    r"""One text: a gauge family for each quantity and unit, and one of ``info`` with the log lines of each number.

    The name of a family ends with its unit, which the line ``# UNIT`` repeats; in values of labels a backslash, a quote
    and a newline are escaped as ``\\``, ``\"`` and ``\n``; the text ends with ``# EOF``. OpenMetrics 1.0, sections
    "Overall Structure", "Escaping" and "Unit" (prometheus/OpenMetrics, specification/OpenMetrics.md).
    """
    _distinct("openmetrics", (metric.full_name for metric in metrics))
    families: dict[tuple[str, str], list[Metric]] = {}
    for metric in metrics:
        families.setdefault((metric.quantity, _unit_name(metric.unit)), []).append(metric)
    lines = [line for (quantity, unit), of in families.items() for line in _family(quantity, unit, of)]
    return {"metrics.txt": "".join(f"{line}\n" for line in (*lines, *_evidence(metrics), "# EOF")).encode()}


def _unit_name(unit: str) -> str:
    """A unit as the end of the name of a family: ``images_per_second`` for images/s, empty for none."""
    spelt = [UNITS.get(part, part) for part in unit.split("/")]
    singular = [part.removesuffix("s") if at else part for at, part in enumerate(spelt)]
    return re.sub(r"[^A-Za-z0-9]+", "_", "_per_".join(singular)).strip("_")


def _family(quantity: str, unit: str, metrics: Sequence[Metric]) -> Iterator[str]:
    name = f"{PREFIX}_{quantity}_{unit}" if unit else f"{PREFIX}_{quantity}"
    yield f"# TYPE {name} gauge"
    if unit:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {quantity} as the page prints it; the label unit is its unit as spelt there."
    left = ("printed", "runs", "evidence", "remarks", "computed_from")
    for metric in metrics:
        texts = {key: text for key, text in metric.texts.items() if key not in left}
        yield f"{name}{_labels({'suite': metric.suite, 'name': metric.name, **texts})} {metric.digits}"


def _evidence(metrics: Sequence[Metric]) -> Iterator[str]:
    name = f"{PREFIX}_evidence"
    if any(metric.exhibits for metric in metrics):
        yield f"# TYPE {name} info"
        yield f"# HELP {name} The log lines that a number was computed from."
    for metric in metrics:
        for number, exhibit in enumerate(metric.exhibits, 1):
            first, last = exhibit.lines
            labels = {"suite": metric.suite, "name": metric.name, "file": str(number), "log": exhibit.path}
            labels |= {"sha256": exhibit.sha256, "first_line": str(first), "last_line": str(last)}
            yield f"{name}_info{_labels(labels)} 1"


def _labels(texts: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in texts.items()) + "}"


# Speed lines of TIPC, PaddlePaddle's test suite.

MODE = "DP"
OTHER_PARALLELISM = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")
# A path below what systems allow, with a digest and an ending behind it.
MOST_CHARACTERS = 100
DIGITS = 16
_ENDS_AS_OURS = re.compile(rf"-[0-9a-f]{{{DIGITS}}}\Z")


def tipc_files(metrics: Sequence[Metric]) -> Files:
    """A line of JSON in ``index/REPOSITORY_MODEL_bs8_fp32_MultiP_DP_N1C8_speed`` for each throughput of a job.

    ``ips`` is that of all cards of the job. What no log says is null: branch and commit of the model and of the
    framework, run time; there is no convergence value. Names and model_name: test_tipc/benchmark_train.sh of
    PaddlePaddle/PaddleClas at commit 089382a; keys: the script analysis.py that it calls.
    """
    names, lines = list[str](), list[bytes]()
    for metric in metrics:
        case = metric.case
        repository, model, precision = (file_name(str(case[name])) for name in ("framework", "model", "precision"))
        process = "SingleP" if case["cards"] == 1 else "MultiP"
        model_name = f"{model}_bs{case['batch_size']}_{precision}_{process}_{MODE}"
        devices = f"N{case['nodes']}C{case['cards']}"
        line = {
            "model_branch": None,
            "model_commit": None,
            "model_name": model_name,
            "batch_size": case["batch_size"],
            "fp_item": case["precision"],
            "run_mode": MODE,
            "convergence_value": 0,
            "convergence_key": "",
            "ips": metric.number,
            "speed_unit": metric.unit,
            "device_num": devices,
            "model_run_time": None,
            "frame_commit": None,
            "frame_version": metric.circumstances.get("framework_version"),
        }
        names.append(f"index/{repository}_{model_name}_{devices}_speed")
        lines.append(json.dumps(line).encode())
    return dict(zip(_distinct("tipc", names), lines, strict=True))


def file_name(text: str) -> str:
    """A text as the name of a file of ASCII letters, digits and ``._=-``, never a hidden one.

    Where anything of the text is lost, the name ends with the first 16 digits of its SHA-256, so that two texts never
    have one name; that of a text which ends so itself does, too.
    """
    kept = re.sub(r"[^A-Za-z0-9._=-]+", "-", text).strip(".-")[:MOST_CHARACTERS]
    if kept == text and text and not _ENDS_AS_OURS.search(text):
        return kept
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    return f"{kept}-{digest}" if kept else digest


def _not_of_tipc(metric: Metric) -> str | None:
    case = metric.case
    if not QUANTITIES[metric.quantity].is_throughput or metric.scope != "job":
        return NOT_A_SPEED
    is_named = all(case.get(name) not in (None, "") for name in ("framework", "model", "precision"))
    if not is_named or not all(isinstance(case.get(name), int) for name in ("batch_size", "nodes", "cards")):
        return NOT_OF_TIPC
    return NOT_DATA_PARALLEL if any(case.get(name, 1) != 1 for name in OTHER_PARALLELISM) else None


FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format("csv", csv_files, takes_quotes=True),
        Format("parquet", parquet_files, takes_quotes=True, is_text=False),
        Format("github-action-benchmark", action_files, lambda m: None if m.direction > 0 else LESS_IS_BETTER),
        Format("github-action-benchmark-smaller", action_files, lambda m: None if m.direction < 0 else MORE_IS_BETTER),
        Format("pytorch-benchmark", database_files, lambda m: None if m.case.get("model") else NO_MODEL),
        Format("openmetrics", openmetrics_files),
        Format("tipc", tipc_files, _not_of_tipc, is_folder=True),
    )
}

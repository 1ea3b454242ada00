"""Tables of metrics, for spreadsheets and programs: one row a number, as CSV and as Parquet with units."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from parsers.io.extras import extra
from parsers.runs.record_file import no_formula

from ...evidence.circumstances import CIRCUMSTANCES
from ...evidence.ranks.exhibits import Exhibit
from ...pagefile.parts import Axis
from .metric import Metric
from .target import Files, Target

AXES: tuple[str, ...] = get_args(Axis)
COUNTS = tuple(axis for axis in AXES if axis not in ("model", "framework", "device", "precision"))
TEXTS = ("suite", "name", "title", "quantity", "printed")
COLUMNS = (
    *(*TEXTS, "value", "unit", "scope", "quoted", "source", "qualifier", "protocol", *AXES, *CIRCUMSTANCES),
    *("runs", "logs", "computed_from", "remarks"),
)


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
        writer.writerow([_plain(row[name]) for name in COLUMNS])
    return {"metrics.csv": file.getvalue().encode()}


def _plain(value: Any) -> Any:
    """A value as a field of CSV."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return no_formula(value) if isinstance(value, str) else value


def parquet_files(metrics: Sequence[Metric]) -> Files:
    """One Parquet file; runs, logs and remarks are lists. Raises ExtraError where pyarrow is not installed."""
    with extra("parquet", "Parquet needs"):
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415
    log = pa.struct([("path", pa.string()), ("sha256", pa.string()), ("first", pa.int64()), ("last", pa.int64())])
    types = {"value": pa.float64(), "quoted": pa.bool_(), "runs": pa.list_(pa.float64()), "logs": pa.list_(log)}
    types |= {"computed_from": pa.list_(pa.string()), "remarks": pa.list_(pa.string())}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
    rows = [{name: _typed(name, value) for name, value in _row(metric).items()} for metric in metrics]
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, schema), file)
    return {"metrics.parquet": file.getvalue()}


def _typed(name: str, value: Any) -> Any:
    """A value as its column has it: axes are texts, because a page may call eight cards what it likes."""
    return str(value) if name in AXES and value is not None else value


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
        "logs": [_log(exhibit) for exhibit in metric.exhibits],
        "computed_from": list(metric.parts),
        "remarks": list(metric.remarks),
    }


def _log(exhibit: Exhibit) -> dict[str, Any]:
    first, last = exhibit.lines
    return {"path": exhibit.path, "sha256": exhibit.sha256, "first": first, "last": last}


CSV = Target("csv", csv_files, takes_quotes=True)
PARQUET = Target("parquet", parquet_files, takes_quotes=True, is_text=False)

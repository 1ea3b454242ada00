"""Exports: the numbers of reports as the files that other programs read, with the digits of the page."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from parsers.io.errors import ParserError, extra
from parsers.io.printable import printable
from parsers.runs.record_file import no_formula

from ..pagefile.page import SEVERAL
from ..pagefile.parts import Axis, Circumstance
from ..results.model import Report, Result, Run
from .view import View

AXES: tuple[str, ...] = get_args(Axis)
CIRCUMSTANCES: tuple[str, ...] = get_args(Circumstance)
STATUSES = ("confirmed", "unchecked", "contradicted")

Row = Mapping[str, Any]  # a number as ``rows`` gives it

OF_DIRECTION = {1: "not better when bigger", -1: "not better when smaller"}


# ---- the numbers


def rows(name: str, report: Report) -> list[Row]:
    """The numbers of a report in its order, each as a row of the same columns; each text on one line, all of it seen.

    ``page``: ``name``, that of its page or the path of its log. ``id``: its address there. ``digits``: the number as
    the page prints it; ``value``: the same, unrounded where it was measured. ``scope``: job, node, card or unknown,
    empty for a ratio. ``direction``: 1 where more is better, -1 where less is, 0 where neither. ``status``: the least
    certain one of its runs. ``quoted``: no log proves all of it; ``source``: where it was published. ``qualifiers``:
    what is so instead of what its labels say. ``protocol``: in neutral words. ``runs``: the value of each; of several
    ``lowest`` and ``highest``, printed as the number is. ``files``: those that prove it, each with ``path``,
    ``sha256``, and the ``first`` and ``last`` line used. ``computed_from``: the addresses of the numbers that it is
    computed from. ``cautions``: those of its page, in English; ``details``: what else its logs say. Then its case and
    its circumstances, a column each, None where nothing says it.
    """
    view = View(report, "en")
    return [_seen({"page": name, **_row(view, result, result.digits)}) for result in report.results if result.digits]


def _row(view: View, result: Result, digits: str) -> Row:
    report, kind = view.report, result.kind
    runs, case = report.runs_of(result), _case(report, result)
    scopes = {run.scope for run in runs} if kind.is_rate else set()  # of a log by itself any
    ends = [view.printed(result, end(run.value for run in runs)) for end in (min, max)] if runs[1:] else ["", ""]
    source = report.page.sources[result.source] if result.source else None
    return {
        "id": result.id,
        "quantity": result.quantity,
        "digits": digits,
        "value": result.value,
        "unit": result.unit,
        "scope": scopes.pop() if len(scopes) == 1 else kind.scope,
        "direction": kind.direction,
        "status": max((run.status for run in runs), key=STATUSES.index, default=""),
        "quoted": result.rests_on_quotes,
        "source": f"{source.title}, {source.url}" if source else "",
        "qualifiers": view.qualifiers(result),
        "protocol": view.rule(result),
        "runs": [run.value for run in runs],
        "lowest": ends[0],
        "highest": ends[1],
        "files": [one for run in runs for one in _files(report, run)],
        "computed_from": result.operands,
        "cautions": [said for _, said in view.cautions(result)],
        "details": view.details(result),
        **{axis: case.get(axis) for axis in AXES},
        **{name: result.circumstances.get(name) for name in CIRCUMSTANCES},
    }


def _files(report: Report, run: Run) -> Iterator[Row]:
    used = run.records.used
    first = (run.log, min(used, default=0), max(used, default=0))
    for path, begin, end in (first, *((one.path, one.first, one.last) for one in run.also)):
        yield {"path": path, "sha256": report.logs[path].sha256, "first": begin, "last": end}


def _case(report: Report, result: Result) -> dict[str, Any]:
    """The case of a number; what it leaves open as all its logs say it, and the model as the page says it of all.

    A number of telemetry alone has the logs of the numbers beside it, which are of the same runs.
    """
    table, row, at = report.places[result.id]
    column, model = table.columns[at].key, report.page.model
    beside = [id_ for id_, one in zip(row.results, table.columns, strict=True) if column == one.key]
    runs = [run for id_ in (*beside, *result.operands) for run in report.runs_of(report.by_id[id_])]
    facts = [report.logs[path].facts for run in runs for path in (run.log, *(one.path for one in run.also))]
    found: dict[str, Any] = {"model": model} if model and SEVERAL not in model else {}
    for axis in AXES:
        said = {told[axis][0] for told in facts if axis in told}
        if len(said) == 1:
            found[axis] = said.pop()
    return found | result.labels


def _seen(value: Any) -> Any:
    """The same with each text on one line: no format has to spell control characters, and no terminal meets them."""
    if isinstance(value, dict):
        return {key: _seen(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_seen(one) for one in value]
    return printable(value) if isinstance(value, str) else value


def _known(row: Row, names: Iterable[str]) -> dict[str, Any]:
    return {name: row[name] for name in names if row[name] is not None}


def _texts(row: Row) -> dict[str, str]:
    """What is beside the number, for formats that have room for names and texts; nothing that is empty."""
    files = (f"{one['path']} sha256:{one['sha256']} lines {one['first']}-{one['last']}" for one in row["files"])
    told = _known(row, ("unit", "scope", "status", "protocol", *AXES)) | {
        "qualifiers": ", ".join(row["qualifiers"]),
        **_known(row, CIRCUMSTANCES),
        "digits": row["digits"],
        "evidence": "; ".join(files),
        "computed_from": " ".join(row["computed_from"]),
        "cautions": " ".join(row["cautions"]),
        "details": " ".join(row["details"]),
    }
    return {name: str(text) for name, text in told.items() if str(text)}


# ---- formats


@dataclass(frozen=True)
class Format:
    """The format of another program.

    ``file``: the one file of some rows. ``direction``: of numbers that it takes alone, those that are better when
    bigger (1) or smaller (-1). ``takes_quotes``: it has room to say that a number was not measured. ``is_text``: its
    file can be printed.
    """

    file: Callable[[Sequence[Row]], bytes]
    direction: int | None = None
    takes_quotes: bool = False
    is_text: bool = True

    def refused(self, row: Row) -> str | None:
        """Why a number does not fit, or None."""
        if row["quoted"] and not self.takes_quotes:
            return "quoted from others, or computed from what is quoted"
        return OF_DIRECTION[self.direction] if self.direction not in (None, row["direction"]) else None


def exported(target: Format, found: Iterable[Row]) -> tuple[bytes, Counter[str]]:
    """The file of a format with the numbers that fit it, empty where none does, and how many were left out for which
    reason. Raises ParserError where two have one name.
    """
    left_out: Counter[str] = Counter()
    taken = dict[str, Row]()
    for row in found:
        name = f"{row['page']}/{row['id']}"
        if (reason := target.refused(row)) is not None:
            left_out[reason] += 1
        elif name in taken:
            raise ParserError("Two numbers would both be called {name}; export them separately.", name=repr(name))
        else:
            taken[name] = row
    return target.file([*taken.values()]) if taken else b"", left_out


# ---- tables


def csv_file(found: Sequence[Row]) -> bytes:
    """One CSV file; of what a number has several, such as runs and files, the cell is a JSON array.

    RFC 4180, but for rows that end with a line feed. A text that a spreadsheet would take for a formula begins with an
    apostrophe.
    """
    writer = csv.writer(text := io.StringIO(), lineterminator="\n")
    writer.writerow(found[0])
    writer.writerows(map(_csv_field, row.values()) for row in found)
    return text.getvalue().encode()


def _csv_field(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return no_formula(value) if isinstance(value, str) else value


def parquet_file(found: Sequence[Row]) -> bytes:
    """One Parquet file with the same columns, typed; axes are texts, because a page may call eight cards what it likes.

    Raises ExtraError where pyarrow is not installed.
    """
    with extra("parquet", "Parquet needs"):
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415
    file = {"path": pa.string(), "sha256": pa.string(), "first": pa.int64(), "last": pa.int64()}
    types: dict[str, Any] = dict.fromkeys(("qualifiers", "computed_from", "cautions", "details"), pa.list_(pa.string()))
    types |= {"value": pa.float64(), "direction": pa.int8(), "quoted": pa.bool_(), "runs": pa.list_(pa.float64())}
    types["files"] = pa.list_(pa.struct(file))
    schema = pa.schema([(name, types.get(name, pa.string())) for name in found[0]])
    axes = ({axis: str(said) for axis, said in _known(row, AXES).items()} for row in found)
    table = pa.Table.from_pylist([{**row, **texts} for row, texts in zip(found, axes, strict=True)], schema)
    parquet.write_table(table, data := io.BytesIO())
    return data.getvalue()


def action_file(found: Sequence[Row]) -> bytes:
    """What the tools customBiggerIsBetter and customSmallerIsBetter of github-action-benchmark take.

    A list of objects with ``name``, ``unit``, ``value``, and texts in ``range`` and ``extra``: interface
    BenchmarkResult in src/extract.ts of benchmark-action/github-action-benchmark at commit 04dcc2c.
    """
    entries = []
    for row in found:
        entry = {"name": f"{row['page']}/{row['id']}", "unit": row["unit"], "value": float(row["digits"])}
        if row["lowest"]:
            entry["range"] = f"{row['lowest']} – {row['highest']} ({len(row['runs'])} runs)"
        entry["extra"] = "\n".join(f"{key}: {text}" for key, text in _texts(row).items() if key != "unit")
        entries.append(entry)
    return (json.dumps(entries, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


# ---- OpenMetrics text, which Prometheus and its relatives read

PREFIX = "tachograph"
UNITS = {"%": "percent", "×": "ratio", "MiB": "mebibytes", "W": "watts", "s": "seconds", "ms": "milliseconds"}
# What does not name a time series, because it changes with the run: the family of ``info`` has most of it.
NO_LABELS = ("status", *CIRCUMSTANCES, "digits", "evidence", "computed_from", "cautions", "details")
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\""})


def openmetrics_file(found: Sequence[Row]) -> bytes:
    r"""One text: a gauge family for each quantity and unit, and one of ``info`` with the log lines of each number.

    The name of a family ends with its unit, which the line ``# UNIT`` repeats; in values of labels a backslash and a
    quote are escaped as ``\\`` and ``\"``; the text ends with ``# EOF``. OpenMetrics 1.0, sections "Overall Structure",
    "Escaping" and "Unit" (prometheus/OpenMetrics, specification/OpenMetrics.md).
    """
    families: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        families.setdefault((row["quantity"], _unit_name(row["unit"])), []).append(row)
    lines = [line for (quantity, unit), of in families.items() for line in _family(quantity, unit, of)]
    return "".join(f"{line}\n" for line in (*lines, *_evidence(found), "# EOF")).encode()


def _unit_name(unit: str) -> str:
    """A unit as the end of the name of a family: ``images_per_second`` for images/s, empty for none."""
    spelt = [UNITS.get(part, part) for part in unit.split("/")]
    singular = [part.removesuffix("s") if at else part for at, part in enumerate(spelt)]
    return re.sub(r"[^A-Za-z0-9]+", "_", "_per_".join(singular)).strip("_")


def _family(quantity: str, unit: str, found: Sequence[Row]) -> Iterator[str]:
    name = f"{PREFIX}_{quantity}_{unit}" if unit else f"{PREFIX}_{quantity}"
    yield f"# TYPE {name} gauge"
    if unit:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {quantity} as the page prints it; the label unit is its unit as spelt there."
    for row in found:
        texts = {key: text for key, text in _texts(row).items() if key not in NO_LABELS}
        yield f"{name}{_labels({'page': row['page'], 'id': row['id'], **texts})} {row['digits']}"


def _evidence(found: Sequence[Row]) -> Iterator[str]:
    name = f"{PREFIX}_evidence"
    if any(row["files"] for row in found):
        yield f"# TYPE {name} info"
        yield f"# HELP {name} The log lines that a number was computed from."
    for row in found:
        for at, file in enumerate(row["files"], 1):
            labels = {"page": row["page"], "id": row["id"], **_known(row, ("status", *CIRCUMSTANCES)), "file": at}
            labels |= {"log": file["path"], "sha256": file["sha256"]}
            yield f"{name}_info{_labels(labels | {'first_line': file['first'], 'last_line': file['last']})} 1"


def _labels(told: Mapping[str, object]) -> str:
    return "{" + ",".join(f'{name}="{str(said).translate(_ESCAPES)}"' for name, said in told.items()) + "}"


FORMATS: Mapping[str, Format] = {
    "csv": Format(csv_file, takes_quotes=True),
    "parquet": Format(parquet_file, takes_quotes=True, is_text=False),
    "github-action-benchmark": Format(action_file, direction=1),
    "github-action-benchmark-smaller": Format(action_file, direction=-1),
    "openmetrics": Format(openmetrics_file),
}

"""Exports: the numbers of reports as the files that other programs read, with the digits of the page."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args

from parsers.io.errors import ParserError
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


# ---- the numbers


def rows(report: Report) -> list[Row]:
    """The numbers of a report in its order, each as a row of the same columns; each text on one line, all of it seen.

    ``page``: the name of its page. ``id``: its address there. ``digits``: the number as
    the page prints it; ``value``: the same, unrounded where it was measured. ``scope``: job, node, card or unknown,
    empty for a ratio. ``direction``: 1 where more is better, -1 where less is, 0 where neither. ``status``: the least
    certain one of its runs. ``quoted``: no log proves all of it; ``source``: where it was published. ``qualifiers``:
    what is so instead of what its labels say. ``protocol``: in neutral words. ``runs``: the value of each; of several
    ``lowest`` and ``highest``, printed as the number is. ``files``: those that prove it, each with ``path``,
    ``sha256``, and the ``first`` and ``last`` line used. ``computed_from``: the addresses of the numbers that it is
    computed from. ``cautions``: those of its page, in English; ``details``: what else its logs say. Then its case and
    its circumstances, a column each, None where nothing says it.
    """
    view, page = View(report, "en"), report.page.name
    return [_seen({"page": page, **_row(view, result, result.digits)}) for result in report.results if result.digits]


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


# ---- formats


def exported(target: str, found: Iterable[Row]) -> tuple[bytes, int]:
    """The file of one of ``FORMATS`` with the numbers that it takes, empty where there is none, and how many these are.

    Raises ParserError where two have one name.
    """
    taken = dict[str, Row]()
    for row in found:
        name = f"{row['page']}/{row['id']}"
        if name in taken:
            raise ParserError("Two numbers would both be called {name}; export them separately.", name=repr(name))
        if target == "csv" or (row["direction"] == 1 and not row["quoted"]):
            taken[name] = row
    return FORMATS[target](taken) if taken else b"", len(taken)


def _csv_file(found: Mapping[str, Row]) -> bytes:
    """One CSV file; of what a number has several, such as runs and files, the cell is a JSON array.

    RFC 4180, but for rows that end with a line feed. A text that a spreadsheet would take for a formula begins with an
    apostrophe.
    """
    writer = csv.writer(text := io.StringIO(), lineterminator="\n")
    writer.writerow(next(iter(found.values())))
    writer.writerows(map(_csv_field, row.values()) for row in found.values())
    return text.getvalue().encode()


def _csv_field(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return no_formula(value) if isinstance(value, str) else value


def _action_file(found: Mapping[str, Row]) -> bytes:
    """What the tool customBiggerIsBetter of github-action-benchmark takes: measured numbers of which more is better.

    A list of objects with ``name``, ``unit``, ``value``, and texts in ``range`` and ``extra``: interface
    BenchmarkResult in src/extract.ts of benchmark-action/github-action-benchmark at commit 04dcc2c.
    """
    entries = []
    for name, row in found.items():
        entry = {"name": name, "unit": row["unit"], "value": float(row["digits"])}
        if row["lowest"]:
            entry["range"] = f"{row['lowest']} – {row['highest']} ({len(row['runs'])} runs)"
        entry["extra"] = "\n".join(f"{key}: {text}" for key, text in _texts(row))
        entries.append(entry)
    return (json.dumps(entries, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _texts(row: Row) -> Iterator[tuple[str, str]]:
    """What is beside a number, as texts; nothing that is empty."""
    for key in ("scope", "status", "protocol", *AXES, "qualifiers", *CIRCUMSTANCES, "digits"):
        said = ", ".join(row[key]) if isinstance(row[key], list) else row[key]
        if said not in ("", None):
            yield key, str(said)
    files = (f"{one['path']} sha256:{one['sha256']} lines {one['first']}-{one['last']}" for one in row["files"])
    told = {"evidence": "; ".join(files)}
    told |= {key: " ".join(row[key]) for key in ("computed_from", "cautions", "details")}
    yield from ((key, text) for key, text in told.items() if text)


FORMATS: Mapping[str, Callable[[Mapping[str, Row]], bytes]] = {
    "csv": _csv_file,
    "github-action-benchmark": _action_file,
}

"""Exports have the digits of the report, and each is read by its consumer or fits the schema that this publishes."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from prometheus_client import Metric as Family
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.sharing.workers import ALONE
from report.results.model import CaseValue, Note, Report, parsed
from report.results.model import Row as TableRow
from report.views.export import FORMATS, Row, exported, rows
from report.views.publish import read_pages
from tests.conftest import Compare
from tests.hostile_text import HOSTILE, unseen
from tests.report.conftest import GOLDEN
from tests.report.exporting import schemas

PAGES = [str(GOLDEN / f"{name}.toml") for name in ("toy", "toy_gpu", "llm_example")]


@cache
def reports() -> list[Report]:
    return [page.report for page in read_pages(PAGES, GOLDEN / "logs", GOLDEN, ALONE)]


@cache
def every_row() -> list[Row]:
    return [row for report in reports() for row in rows(report.page.name, report)]


def numbers() -> list[tuple[str, str, float | None]]:
    """The address, the digits and the value of each number."""
    return [
        (f"{report.page.name}/{one.id}", one.digits, one.value)
        for report in reports()
        for one in report.results
        if one.digits is not None
    ]


# One of a label that its log contradicts, one of several runs, one of telemetry alone, one of the log and telemetry.
SAMPLE = ["toy/cards/8/b", *(f"toy_gpu/cards/2/toy{ending}" for ending in ("", "-peak-memory", "-power"))]
HARD = st.text(
    st.sampled_from("\n\r\t\0\x1b\x85\u2028\u202e\"'\\,;|={}[]#:-. /@+%é你\ud800") | st.characters(), max_size=40
)
TEXTS = [name for name, target in FORMATS.items() if target.is_text]
SCHEMAS = {
    "github-action-benchmark": schemas.ACTION,
    "github-action-benchmark-smaller": schemas.ACTION,
}


def name(row: Row) -> str:
    return f"{row['page']}/{row['id']}"


def sample(**changed: object) -> Row:
    """A number that fits every format but that of what is better when smaller, with changes."""
    return {**next(row for row in every_row() if name(row) == SAMPLE[1]), **changed}


def fits(target: str, row: Row) -> bool:
    return not exported(FORMATS[target], [row])[1]


def text(target: str, *of: Row) -> str:
    """The only file of a format, which is a text."""
    return exported(FORMATS[target], of)[0].decode()


def in_csv(said: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(said)))


def in_parquet(*of: Row) -> list[dict[str, Any]]:
    data, _ = exported(FORMATS["parquet"], of)
    read: list[dict[str, Any]] = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    return read


def samples(said: str, kind: str) -> list[Any]:
    families: list[Family] = list(text_string_to_metric_families(said))  # type: ignore[no-untyped-call]
    return [one for family in families if family.type == kind for one in family.samples]


def in_action(said: str) -> dict[str, float]:
    return {one["name"]: one["value"] for one in json.loads(said)}


# The numbers in the file of each format by their names.
READERS: dict[str, Callable[[str], dict[str, float]]] = {
    "csv": lambda said: {name(row): float(row["digits"]) for row in in_csv(said)},
    "github-action-benchmark": in_action,
    "github-action-benchmark-smaller": in_action,
    "openmetrics": lambda said: {name(one.labels): one.value for one in samples(said, "gauge")},
}


@pytest.mark.parametrize("target", READERS)
def test_a_file_has_the_numbers_of_the_report(target: str) -> None:
    taken = [name(row) for row in every_row() if fits(target, row)]
    wanted = {called: float(digits) for called, digits, _ in numbers() if called in taken}
    assert READERS[target](text(target, *every_row())) == wanted != {}


def test_tables_have_digits_and_values_of_every_number_as_the_report_has_them() -> None:
    assert [(name(row), row["digits"], row["value"]) for row in in_parquet(*every_row())] == numbers()
    of_csv = in_csv(text("csv", *every_row()))
    assert [(name(row), row["digits"], float(row["value"])) for row in of_csv] == numbers()
    assert [json.loads(row["files"] or "[]") for row in of_csv] == [row["files"] for row in in_parquet(*every_row())]


def test_zeros_at_the_end_of_a_number_are_written() -> None:
    assert samples(text("openmetrics", sample(digits="100.50")), "gauge")[0].value == 100.5
    assert "} 100.50\n" in text("openmetrics", sample(digits="100.50"))


def test_each_file_behind_a_number_has_the_hash_and_the_lines_that_the_report_states() -> None:
    for report in reports():
        for row, result in zip(rows("", report), (one for one in report.results if one.digits), strict=True):
            runs = report.runs_of(result)
            main = [(run.log, run.records.used[0], run.records.used[-1]) for run in runs]
            also = [(one.path, one.first, one.last) for run in runs for one in run.also]
            assert sorted((one["path"], one["first"], one["last"]) for one in row["files"]) == sorted(main + also)
            assert all(one["sha256"] == report.logs[one["path"]].sha256 for one in row["files"])


def test_openmetrics_has_the_log_lines_of_every_number() -> None:
    told = [one.labels for one in samples(text("openmetrics", *every_row()), "info")]
    assert [(name(one), one["log"], one["sha256"], int(one["first_line"]), int(one["last_line"])) for one in told] == [
        (name(row), *file.values()) for row in every_row() for file in row["files"]
    ]


@pytest.mark.parametrize("target", SCHEMAS)
def test_json_fits_the_published_schema(target: str) -> None:
    jsonschema.validate(json.loads(text(target, *every_row())), SCHEMAS[target])


@pytest.mark.parametrize("target", [target for target in FORMATS if target != "parquet"])
def test_a_file_is_as_it_stands_here(target: str, compare: Compare) -> None:
    said = text(target, *(row for row in every_row() if name(row) in SAMPLE))
    compare(Path(__file__).parent / f"golden/{target}.txt", said)


@pytest.mark.parametrize(
    ("target", "changed"),
    [
        ("github-action-benchmark", {"direction": -1}),
        ("github-action-benchmark", {"direction": 0}),
        ("github-action-benchmark-smaller", {}),
        *((target, {"quoted": True}) for target, one in FORMATS.items() if not one.takes_quotes),
    ],
)
def test_what_does_not_fit_is_left_out_and_counted(target: str, changed: dict[str, object]) -> None:
    data, left_out = exported(FORMATS[target], [sample(**changed)])
    assert (data, left_out.total()) == (b"", 1)


def test_a_quoted_figure_is_marked_in_a_table() -> None:
    of = (sample(quoted=True), sample(id="other"))
    assert [row["quoted"] for row in in_csv(text("csv", *of))] == ["true", "false"]
    assert [row["quoted"] for row in in_parquet(*of)] == [True, False]


@pytest.mark.parametrize("target", FORMATS)
def test_two_numbers_of_one_name_are_refused_rather_than_one_lost(target: str) -> None:
    direction = -1 if target.endswith("smaller") else 1
    with pytest.raises(ParserError, match="both be called"):
        exported(FORMATS[target], [sample(direction=direction)] * 2)


def test_a_text_that_a_spreadsheet_would_compute_is_a_text() -> None:
    (row,) = in_csv(text("csv", sample(id="=1+1", model="@SUM(A1)")))
    assert (row["id"], row["model"]) == ("'=1+1", "'@SUM(A1)")


# ---- names of strangers, whatever is in them


def called(said: str) -> Report:
    """A report of one number in which everything that a stranger may choose is the same text, which is not empty."""
    (report,) = (one for one in reports() if one.page.name == "toy_gpu")
    result = next(one for one in report.results if f"toy_gpu/{one.id}" == SAMPLE[1])
    case = {axis: CaseValue(said) for axis in ("model", "framework", "device", "precision")}
    table = replace(
        report.page.tables[0],
        title=said,
        columns=report.page.tables[0].columns[:1],
        rows=[TableRow(said, [said])],
        notes=[Note(1, Message(said), [said], {said: None})],
    )
    own = replace(result, id=said, unit=said, case=case | {"cards": CaseValue(8)}, qualifiers=[Message(said)])
    run = replace(report.runs[result.runs[0]], log=said, also=[])
    log = report.logs[report.runs[result.runs[0]].log]
    page = replace(report.page, name=said, tables=[table])
    return Report(2, page, [replace(own, runs=["r1"])], {"r1": run}, {said: log})


@given(HARD)
@example(HOSTILE)
@example("'\"\\,\n|")
def test_a_hostile_name_is_shown_on_one_line_and_read_back(of_stranger: str) -> None:
    shown = printable(said := f"n{of_stranger}n")
    (row,) = rows(said, called(said))
    made = {target: text(target, row) for target in TEXTS if fits(target, row)}
    assert not any(unseen(file) for file in made.values())
    assert json.loads(in_csv(made["csv"])[0]["cautions"]) == [shown]
    assert in_parquet(row)[0]["files"][0]["path"] == shown
    labels = samples(made["openmetrics"], "gauge")[0].labels
    assert {labels[key] for key in ("page", "id", "unit", "model", "qualifiers")} == {shown}
    assert samples(made["openmetrics"], "info")[0].labels["log"] == shown
    (entry,) = json.loads(made["github-action-benchmark"])
    assert entry["name"] == f"{shown}/{shown}"
    for target, schema in SCHEMAS.items():
        if target in made:
            jsonschema.validate(json.loads(made[target]), schema)


@pytest.mark.parametrize(
    ("found", "put"),
    [('"digits": "', f'"digits": "{"9" * 400}'), ('"lines": [', f'"lines": [{10**30}, ')],
    ids=["endless digits", "a line that no file has"],
)
def test_a_report_with_numbers_that_no_format_holds_is_refused(found: str, put: str) -> None:
    with pytest.raises(ParserError, match="is no report"):
        parsed(reports()[0].to_json().replace(found, put), Path("a.report.json"))

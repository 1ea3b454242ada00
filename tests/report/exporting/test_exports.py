"""Exports have the digits of the report; each is one text that its consumer reads, whatever a stranger wrote in it."""

import csv
import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parsers.io.errors import ParserError
from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.sharing.workers import ALONE
from report.results.model import CaseValue, Note, Report, parsed
from report.results.model import Row as TableRow
from report.views.commands import TARGETS
from report.views.export import FORMATS, Row, exported, rows
from report.views.publish import read_pages
from tests.commandline import run
from tests.conftest import Compare
from tests.hostile_text import HOSTILE, unseen
from tests.report.conftest import GOLDEN
from tests.report.quoted_page import make, put_run

PAGES = [str(GOLDEN / f"{name}.toml") for name in ("toy", "toy_gpu", "llm_example")]
ACTION = "github-action-benchmark"
# The interface BenchmarkResult in src/extract.ts of benchmark-action/github-action-benchmark at commit 04dcc2c; the
# action refuses an empty list.
TEXT, NUMBER = {"type": "string"}, {"type": "number"}
FIELDS = {"name": TEXT, "value": NUMBER, "unit": TEXT, "range": TEXT, "extra": TEXT}
ENTRY = {"type": "object", "properties": FIELDS, "required": ["name", "value", "unit"], "additionalProperties": False}
SCHEMA = {"type": "array", "minItems": 1, "items": ENTRY}
# One of a label that its log contradicts, one of several runs, one of telemetry alone, one of the log and telemetry.
SAMPLE = ["toy/cards/8/b", *(f"toy_gpu/cards/2/toy{ending}" for ending in ("", "-peak-memory", "-power"))]
HARD = st.text(
    st.sampled_from("\n\r\t\0\x1b\x85\u2028\u202e\"'\\,;|={}[]#:-. /@+%é你\ud800") | st.characters(), max_size=40
)


@cache
def reports() -> list[Report]:
    return [page.report for page in read_pages(PAGES, GOLDEN / "logs", GOLDEN, ALONE)]


@cache
def every_row() -> list[Row]:
    return [row for report in reports() for row in rows(report)]


def name(row: Row) -> str:
    return f"{row['page']}/{row['id']}"


def sample(**changed: object) -> Row:
    """A number that fits every format, with changes."""
    return {**next(row for row in every_row() if name(row) == SAMPLE[1]), **changed}


def text(target: str, *of: Row) -> str:
    return exported(target, of)[0].decode()


def in_csv(said: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(said)))


def test_csv_has_digits_and_values_of_every_number_with_the_lines_that_the_report_states() -> None:
    found = iter(in_csv(text("csv", *every_row())))
    for report in reports():
        for result in (one for one in report.results if one.digits):
            row, runs = next(found), report.runs_of(result)
            told = (f"{report.page.name}/{result.id}", result.digits, result.value)
            assert (name(row), row["digits"], float(row["value"])) == told
            main = [(run.log, run.records.used[0], run.records.used[-1]) for run in runs]
            also = [(one.path, one.first, one.last) for run in runs for one in run.also]
            files = json.loads(row["files"] or "[]")
            assert sorted((one["path"], one["first"], one["last"]) for one in files) == sorted(main + also)
            assert all(one["sha256"] == report.logs[one["path"]].sha256 for one in files)
    assert next(found, None) is None


def test_the_action_takes_what_is_measured_and_better_when_bigger() -> None:
    entries = json.loads(text(ACTION, *every_row()))
    jsonschema.validate(entries, SCHEMA)
    taken = [row for row in every_row() if row["direction"] == 1 and not row["quoted"]]
    assert [(one["name"], one["value"]) for one in entries] == [(name(row), float(row["digits"])) for row in taken]
    assert 0 < len(taken) < len(every_row())


@pytest.mark.parametrize("target", FORMATS)
def test_a_file_is_as_it_stands_here(target: str, compare: Compare) -> None:
    said = text(target, *(row for row in every_row() if name(row) in SAMPLE))
    compare(Path(__file__).parent / f"golden/{target}.txt", said)


@pytest.mark.parametrize("changed", [{"direction": -1}, {"direction": 0}, {"quoted": True}])
def test_what_does_not_fit_is_left_out_and_counted(changed: dict[str, object]) -> None:
    assert exported(ACTION, [sample(**changed)]) == (b"", 0)
    assert exported("csv", [sample(**changed)])[1] == 1


@pytest.mark.parametrize("target", FORMATS)
def test_two_numbers_of_one_name_are_refused_rather_than_one_lost(target: str) -> None:
    with pytest.raises(ParserError, match="both be called"):
        exported(target, [sample()] * 2)


def test_a_text_that_a_spreadsheet_would_compute_is_a_text() -> None:
    (row,) = in_csv(text("csv", sample(id="=1+1", model="@SUM(A1)")))
    assert (row["id"], row["model"]) == ("'=1+1", "'@SUM(A1)")


# ---- the command


def test_the_command_has_every_format() -> None:
    assert [*FORMATS] == [*TARGETS]


@pytest.mark.parametrize("target", FORMATS)
def test_a_report_without_its_logs_gives_what_its_page_gives_and_what_is_empty_is_counted(
    target: str, tmp_path: Path
) -> None:
    (tmp_path / "toy.report.json").write_text(reports()[0].to_json(), encoding="utf-8")
    of_report = run("export", target, "toy.report.json", cwd=tmp_path)
    of_page = run("export", target, PAGES[0], "--logs", GOLDEN / "logs", "--out", "out", cwd=tmp_path)
    assert of_report.stdout == (tmp_path / "out").read_text(encoding="utf-8") == text(target, *rows(reports()[0]))
    assert of_report.stderr == of_page.stderr == "Exported 6 of 9 cells; 3 are empty.\n"


def test_a_quoted_figure_is_marked_in_csv_and_left_out_where_nothing_marks_it(tmp_path: Path) -> None:
    page = make(tmp_path)
    put_run(tmp_path, "a1", 120)
    where = (page, "--logs", tmp_path / "logs")
    found = in_csv(run("export", "csv", *where, cwd=tmp_path).stdout)
    assert {row["id"]: row["source"] for row in found}["t/1/b"] == "A paper, https://example.org/paper"
    made_of = {row["id"]: json.loads(row["computed_from"] or "[]") for row in found}
    assert (made_of["t/1/a"], made_of["t/8/a-scaling-efficiency"]) == ([], ["t/8/a", "t/1/a"])
    measured = ["t/1/a", "t/1/a-scaling-efficiency"]
    assert [row["id"] for row in found if row["quoted"] == "false"] == measured
    done = run("export", ACTION, *where, cwd=tmp_path)
    assert [one["name"] for one in json.loads(done.stdout)] == [f"page/{id_}" for id_ in measured]


@pytest.mark.parametrize("source", ["missing.toml", "missing.report.json"])
def test_what_cannot_be_read_leaves_the_output_as_it_was(source: str, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("before", encoding="utf-8")
    done = run("export", "csv", "cpu-demo", source, "--out", "out.csv", cwd=tmp_path)
    assert (done.returncode, source in done.stderr, "Traceback" in done.stderr) == (2, True, False)
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "before"


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
    (row,) = rows(called(said))
    made = {target: text(target, row) for target in FORMATS}
    assert not any(unseen(file) for file in made.values())
    (told,) = in_csv(made["csv"])
    assert [told["model"], *json.loads(told["cautions"]), json.loads(told["files"])[0]["path"]] == [shown] * 3
    jsonschema.validate(entries := json.loads(made[ACTION]), SCHEMA)
    assert [one["name"] for one in entries] == [f"{shown}/{shown}"]


@pytest.mark.parametrize(
    ("found", "put"),
    [('"digits": "', f'"digits": "{"9" * 400}'), ('"lines": [', f'"lines": [{10**30}, ')],
    ids=["endless digits", "a line that no file has"],
)
def test_a_report_with_numbers_that_no_format_holds_is_refused(found: str, put: str) -> None:
    with pytest.raises(ParserError, match="is no report"):
        parsed(reports()[0].to_json().replace(found, put), Path("a.report.json"))

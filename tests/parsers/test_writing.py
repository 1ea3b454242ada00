"""Tables that are written: no cell of a text is a formula for the spreadsheet that opens it."""

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.record_file import write
from parsers.scanning.record_table import RECORD, RecordTable
from tests.commandline import run
from tests.parsers.toy_logs import step

FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    '=HYPERLINK("http://a")',
    "=",
    "-",
    "-x",
    "--1",
    "＝1",
    "-1.5\n=2",
]
BEGINS = "=+-@\t\r\n＝＋－＠"


def cells(texts: list[str], path: Path) -> list[str]:
    """What a table of these texts holds once it is written and read again."""
    write([("a.log", table(text=np.array(texts, object)))], path)
    with path.open(encoding="utf-8", newline="") as file:
        return [row[2] for row in csv.reader(file)][1:]


def table(**columns: Any) -> RecordTable:
    """Records of steps with these columns."""
    return RecordTable({RECORD: np.zeros(len(next(iter(columns.values()))), np.int8), **columns})


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_would_be_a_formula_has_an_apostrophe_before_it(text: str, tmp_path: Path) -> None:
    assert cells([text], tmp_path / "a.csv") == ["'" + text.replace("\r", r"\r")]


@pytest.mark.parametrize("text", ["-1.5", "+2", "-1e-05", "+0.5E+3", "a=b", "'=1", " =1", "1-2", "训练"])
def test_a_number_and_any_other_text_stay(text: str, tmp_path: Path) -> None:
    assert cells([text], tmp_path / "a.csv") == [text]


def test_negative_numbers_and_times_stay_what_they_are(tmp_path: Path) -> None:
    times = np.array(["2024-01-01", "NaT"], "datetime64[us]")
    write([("a", table(loss=np.array([-1.5, np.nan]), time=times, step=np.array([-1, 2])))], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "log,record,loss,time,step\na,step,-1.5,2024-01-01,-1\na,step,,,2\n"


def test_a_column_is_empty_where_a_log_lacks_it_and_its_counts_are_alike_in_all_logs(tmp_path: Path) -> None:
    write([("a", table(step=np.array([1]))), ("b", table(loss=np.array([0.5])))], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "log,record,step,loss\na,step,1.0,\nb,step,,0.5\n"


def test_json_lines_hold_the_whole_number_and_the_whole_time(tmp_path: Path) -> None:
    times = np.array(["2024-01-01T00:00:00.123456"], "datetime64[us]")
    write([("a", table(learning_rate=np.array([1.5e-12]), time=times))], tmp_path / "a.jsonl")
    said = '{"log":"a","record":"step","learning_rate":1.5e-12,"time":"2024-01-01T00:00:00.123456"}\n'
    assert (tmp_path / "a.jsonl").read_text() == said


def test_json_lines_hold_null_for_what_is_no_number(tmp_path: Path) -> None:
    write([("a", table(loss=np.array([np.nan, np.inf])))], tmp_path / "a.jsonl")
    line = '{"log":"a","record":"step","loss":null}\n'
    assert (tmp_path / "a.jsonl").read_text() == line * 2


@pytest.mark.slow
@given(st.lists(st.text(st.sampled_from(BEGINS + "1.e a\"',;")), min_size=1))
def test_no_text_but_a_number_begins_as_a_formula(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / f"texts-{os.getpid()}.csv"
    found = cells(texts, path)
    assert [text.removeprefix("'") for text in found] == [text.replace("\r", r"\r").removeprefix("'") for text in texts]
    for text in found:
        if text.startswith(tuple(BEGINS)):
            float(text)


def test_the_name_of_a_log_is_no_formula_in_a_table_of_records(tmp_path: Path) -> None:
    (tmp_path / "=1+1.log").write_bytes(step(1))
    run("parse", "=1+1.log", "--out", "a.csv", cwd=tmp_path)
    assert (tmp_path / "a.csv").read_text().splitlines()[1].startswith("'=1+1.log,")

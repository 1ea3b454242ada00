"""Tables that are written: no cell of a text is a formula for the spreadsheet that opens it."""

import csv
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.commands import write
from parsers.io.lazy import pd
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
    write(pd.DataFrame({"line": range(len(texts)), "text": texts}), path)
    with path.open(encoding="utf-8", newline="") as file:
        return [row[1] for row in csv.reader(file)][1:]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_would_be_a_formula_has_an_apostrophe_before_it(text: str, tmp_path: Path) -> None:
    assert cells([text], tmp_path / "a.csv") == ["'" + text.replace("\r", r"\r")]


@pytest.mark.parametrize("text", ["-1.5", "+2", "-1e-05", "+0.5E+3", "a=b", "'=1", " =1", "1-2", "训练"])
def test_a_number_and_any_other_text_stay(text: str, tmp_path: Path) -> None:
    assert cells([text], tmp_path / "a.csv") == [text]


def test_negative_numbers_and_times_stay_what_they_are(tmp_path: Path) -> None:
    table = pd.DataFrame({"loss": [-1.5, float("nan")], "time": pd.to_datetime(["2024-01-01", "NaT"]), "step": [-1, 2]})
    write(table, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "loss,time,step\n-1.5,2024-01-01,-1\n,,2\n"


def test_a_category_that_would_be_a_formula_has_an_apostrophe_before_it(tmp_path: Path) -> None:
    write(pd.DataFrame({"record": pd.Categorical(["=a", "b", None])}), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == 'record\n\'=a\nb\n""\n'


def test_a_carriage_return_begins_no_row(tmp_path: Path) -> None:
    assert cells(["a\r=1", "b"], tmp_path / "a.csv") == [r"a\r=1", "b"]


def test_json_lines_hold_a_text_as_it_is(tmp_path: Path) -> None:
    write(pd.DataFrame({"log": ["=1"]}), tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_text() == '{"log":"=1"}\n'


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

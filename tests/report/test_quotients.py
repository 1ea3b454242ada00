"""Numbers that are computed from two others of a page: what they are, what they rest on, and when there is none."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.evidence.cell import Cell, Quoted, Quotient
from report.evidence.comparison import comparisons
from report.evidence.evidence_file import read
from report.evidence.quotient import REASONS
from report.measuring.quantity import THROUGHPUT, Shown
from report.pagefile.page_file import load
from report.pagefile.parts import Case
from report.rendering.publish import cell_json
from report.wording.words import languages, words
from tests.report.quoted_page import cells_of, digits, make, markdown, published, put_run, row

figures = st.decimals("0.01", "1e9", places=2, allow_nan=False).map(str)


def quoted(value: str) -> Cell:
    case: Case = {}
    return Cell("t", "r", "c", case, Shown(THROUGHPUT, "images/s"), quoted=Quoted(value, "paper"))


@given(of=figures, against=figures, ideal=st.integers(1, 4096))
def test_a_quotient_is_that_of_the_digits_that_are_quoted(of: str, against: str, ideal: int) -> None:
    found = Quotient(quoted(of), quoted(against), float(ideal))
    assert found.value == pytest.approx(float(of) / float(against) / ideal)


@given(of=figures)
def test_a_number_over_itself_is_one(of: str) -> None:
    assert Quotient(quoted(of), quoted(of)).value == 1


def test_a_speed_up_is_of_unrounded_numbers(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 100.04)
    put_run(tmp_path, "b1", 80.04)
    _, _, speed_up, _ = row(tmp_path)
    assert speed_up.number == pytest.approx(100.04 / 80.04, rel=1e-12)


def test_scaling_efficiency_is_from_the_fewest_cards_that_have_a_number(tmp_path: Path) -> None:
    make(tmp_path, '    { column = "a", case = { cards = 1 }, value = "100.0", source = "paper" },\n', "")
    assert row(tmp_path, 0)[3].digits is None
    assert row(tmp_path, 1)[3].digits == "100.0"


@pytest.mark.parametrize(("run", "rests"), [("a1", [True, False]), ("b1", [True, True])])
def test_what_is_computed_from_a_quote_rests_on_it(run: str, rests: list[bool], tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, run, 120.0)
    assert [cell.rests_on_quotes for cell in row(tmp_path)[2:]] == rests


@pytest.mark.parametrize("language", languages())
def test_a_measured_number_over_a_quoted_one_is_marked(language: str, tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    page = markdown(tmp_path, language)
    assert f"[1.50](page.evidence.{language}.md#t/1/a-vs-b)‡ " in page
    assert f"[100.0](page.evidence.{language}.md#t/1/a-scaling-efficiency) " in page


@pytest.mark.parametrize(
    ("language", "title"), [("en", "Scores, scaling efficiency, 8 cards"), ("zh", "Scores，扩展效率，8 卡")]
)
def test_a_finding_names_its_quantity_where_its_table_has_others(language: str, title: str, tmp_path: Path) -> None:
    make(tmp_path, "\nquotes", "\nhighlights = [{ scaling = { cards = 8 } }]\nquotes")
    (finding,) = [line for line in markdown(tmp_path, language).splitlines() if line.startswith("- **Scores")]
    assert finding.startswith(f"- **{title}") and "80.0" in finding


def test_how_a_number_was_computed_leads_to_both_its_numbers(tmp_path: Path) -> None:
    make(tmp_path)
    page = markdown(tmp_path)
    assert "[100.0](#t/1/a) ÷ [80](#t/1/b) " in page
    assert "[640.00](#t/8/a) ÷ [100.0](#t/1/a) ÷ 8 × 100 " in page


def test_a_quotient_without_one_of_its_numbers_is_empty_and_says_so(tmp_path: Path) -> None:
    make(tmp_path)
    missing = row(tmp_path, 1)[2]
    assert missing.digits is None
    assert str(missing.reason) == "An input of the ratio is missing."


def test_a_quotient_of_what_its_log_says_is_another_case_is_empty_and_says_so(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0, cards=4)
    speed_up = row(tmp_path)[2]
    assert speed_up.digits is None
    assert "does not match its label" in str(speed_up.reason)
    assert "does not match its label" in markdown(tmp_path)


@pytest.mark.parametrize(
    ("axis", "a", "b", "said"),
    [
        ("sequence_length", 2048, 4096, "Not comparable: sequence length 2048 and 4096."),
        ("data", "real", "synthetic", "Not comparable: data REAL and SYNTHETIC."),
    ],
)
def test_numbers_of_another_sequence_length_or_data_are_not_divided(
    axis: str, a: int | str, b: int | str, said: str, tmp_path: Path
) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0, **{axis: a})  # type: ignore[arg-type]
    put_run(tmp_path, "b1", 100.0, **{axis: b})  # type: ignore[arg-type]
    assert str(row(tmp_path)[2].reason) == said


def test_numbers_of_which_one_does_not_state_its_data_are_divided(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0, data="real")
    put_run(tmp_path, "b1", 100.0)
    assert row(tmp_path)[2].digits == "1.20"


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_translated(reason: str) -> None:
    assert words("zh").gettext(reason) != reason


def test_a_throughput_of_another_table_is_found_and_the_own_table_comes_first(tmp_path: Path) -> None:
    path = make(tmp_path)
    second = """
[[tables]]
name = "again"
title = "Again"
corner = "Cards"
case = { precision = "fp32", cards = 1 }
columns = [
    { column = "a" },
    { column = "a", title = "A over B", quantity = "speed_up", against = { column = "b" } },
]
rows = [{ title = "1" }]
"""
    path.write_text(path.read_text(encoding="utf-8") + second, encoding="utf-8")
    quotient = cells_of(tmp_path)[-1].quotient
    assert quotient is not None
    assert (quotient.of.table, quotient.against.table) == ("again", "t")


def test_the_evidence_file_says_what_a_number_is_computed_from(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    told = read(published(tmp_path, "en").files[-1]).cells[2]
    assert told.computed is not None
    assert (told.computed.of, told.computed.against, told.printed, told.logs) == ("t/1/a", "t/1/b", "1.50", [])


def test_json_says_what_a_number_is_computed_from(tmp_path: Path) -> None:
    make(tmp_path)
    told = cell_json(cells_of(tmp_path)[-1])
    assert told["computed"] == {"of": "640.00", "against": "100.0", "ideal": 8.0, "whole": 100}
    assert told["rests_on_quotes"] is True


def test_cards_that_are_scaled_from_by_another_protocol_are_reported(tmp_path: Path) -> None:
    path = make(tmp_path)
    runs = '[[columns.a.runs]]\nwhen = { cards = 8 }\nlogs = "a8/*.log"\nprotocol = "skip_records=5,decimals=1"\n'
    text = path.read_text(encoding="utf-8").replace("[[columns.a.runs]]", f"{runs}[[columns.a.runs]]", 1)
    path.write_text(text, encoding="utf-8")
    put_run(tmp_path, "a1", 100.0)
    put_run(tmp_path, "a8", 700.0, cards=8)
    (found,) = comparisons(load(path), cells_of(tmp_path))
    assert (found.title, found.is_row) == ("A", False)
    assert "The protocols differ" in str(found.differences[0])


def test_digits_are_those_that_a_column_asks_for(tmp_path: Path) -> None:
    make(tmp_path, 'quantity = "scaling_efficiency" }', 'quantity = "scaling_efficiency", decimals = 2 }')
    assert digits(row(tmp_path, 1))[3] == "80.00"

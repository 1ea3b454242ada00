"""Quoted figures: where they stand, how they are marked, and what takes their place."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.pagefile.page import Quote
from report.pagefile.page_file import PageError, load
from report.views.publish import publish
from report.wording.words import languages
from tests.report.compared_page import unlike
from tests.report.page_text import table
from tests.report.quoted_page import digits, make, markdown, published, put_run, report, row


def test_a_quote_stands_where_there_is_no_log_with_the_digits_as_printed(tmp_path: Path) -> None:
    make(tmp_path)
    assert digits(report(tmp_path).results) == ["100.0", "80", "1.25", "100.0", "640.00", None, None, "80.0"]


def test_a_measurement_takes_the_place_of_a_quote_and_is_compared_with_none(
    tmp_path: Path,
) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    found = published(tmp_path, "en")
    assert (found.covered("measured"), found.covered("quoted"), len(found.report.own)) == (1, 2, 4)
    measured = found.report.results[0]
    assert (measured.digits, measured.source, measured.rests_on_quotes) == ("120.0", None, False)
    assert unlike(tmp_path) == []
    run = tmp_path / "logs/a1/run.json"
    run.write_text(json.dumps(json.loads(run.read_text(encoding="utf-8")) | {"status": "failed"}), encoding="utf-8")
    assert row(tmp_path)[0].digits == "100.0"


@pytest.mark.parametrize("language", languages())
def test_what_rests_on_a_quote_is_marked_and_every_quote_is_listed_with_its_source(
    language: str, tmp_path: Path
) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    page = markdown(tmp_path, language)
    marks = [("120.0", "a", ""), ("80", "b", "‡"), ("1.50", "a-vs-b", "‡"), ("100.0", "a-scaling-efficiency", "")]
    for number, cell, mark in marks:
        assert f"[{number}](page.evidence.{language}.md#t/1/{cell}){mark} " in page
    listed = [line for line in page.splitlines() if "<a id=" in line and "paper" in line]
    assert [line.count("https://example.org/paper") for line in listed] == [1, 1]
    assert "Nobody knows how it was made." in page


def test_only_throughputs_are_quoted(tmp_path: Path) -> None:
    make(tmp_path, '{ column = "a" },', '{ column = "a" }, { column = "a", quantity = "power" },')
    assert digits(report(tmp_path).results)[:2] == ["100.0", None]


def test_a_page_without_numbers_is_not_written(tmp_path: Path) -> None:
    (page,) = publish(["cpu-demo"], tmp_path, [], tmp_path)
    assert (page.files, [*tmp_path.iterdir()]) == ([], [])


@pytest.mark.parametrize(
    ("found", "put", "named"),
    [
        ("1,100.0,paper", "1,100.0,book", r"page.quotes.csv, line 2: .*'book'"),
        ("a,1,100.0", "a,2,100.0", "line 2: .*cards 2"),
        ("a,8,", "a,1,", "line 3: .*100.0 and 640.00"),
        ("100.0", "100,0", "line 2: has 5 values for 4 columns"),
        ("100.0", "1e2", "line 2: quotes.a.value"),
        ("column,cards", "column,card", "line 1: card is not a valid key; did you mean cards"),
        ('"https://example.org/paper"', '"javascript:x"', "sources.paper.url"),
        ('"2031-05"', '"May"', "sources.paper.date"),
        (', against = { column = "b" }', "", "speed_up"),
        ('title = "A over B", ', "", "title"),
        ('{ column = "b" } },', '{ case = { precision = "amp" } } },', "precision amp"),
    ],
)
def test_a_mistake_in_a_page_with_quotes_is_reported(found: str, put: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(PageError, match=named):
        load(make(tmp_path, found, put))


@given(st.from_regex(r"\A[0-9]{1,15}(\.[0-9]{1,15})?\Z"))
def test_whatever_is_printed_can_be_quoted(figure: str) -> None:
    assert Quote(column="a", case={}, value=figure, source="paper").value == figure


def test_a_speed_up_is_of_unrounded_numbers(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 100.04)
    put_run(tmp_path, "b1", 80.04)
    of, against, speed_up, _ = row(tmp_path)
    assert speed_up.value == pytest.approx((of.value or 0) / (against.value or 1), rel=1e-12)
    assert speed_up.value == pytest.approx(100.04 / 80.04, rel=1e-5)


def test_scaling_efficiency_is_from_the_fewest_cards_that_have_a_number(tmp_path: Path) -> None:
    make(tmp_path, "a,1,100.0,paper\n", "")
    assert row(tmp_path, 0)[3].digits is None
    assert row(tmp_path, 1)[3].digits == "100.0"


@pytest.mark.parametrize(("run", "rests"), [("a1", [True, False]), ("b1", [True, True])])
def test_what_is_computed_from_a_quote_rests_on_it(run: str, rests: list[bool], tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, run, 120.0)
    assert [cell.rests_on_quotes for cell in row(tmp_path)[2:]] == rests


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ({"cards": 4}, {}, "does not match its label"),
        ({"sequence_length": 2048}, {"sequence_length": 4096}, "Not comparable: sequence length 2048 and 4096."),
        ({"data": "real"}, {"data": "synthetic"}, "Not comparable: data REAL and SYNTHETIC."),
    ],
)
def test_numbers_of_other_cases_are_not_divided_and_it_is_said_why(
    a: dict[str, Any], b: dict[str, Any], said: str, tmp_path: Path
) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0, **a)
    put_run(tmp_path, "b1", 100.0, **b)
    speed_up = row(tmp_path)[2]
    assert speed_up.digits is None and said in str(speed_up.reason)


def test_a_throughput_of_another_table_is_found_and_the_own_table_comes_first(tmp_path: Path) -> None:
    path = make(tmp_path)
    a_over_b = '{ column = "a", title = "A over B", quantity = "speed_up", against = { column = "b" } }'
    second = table(f'{{ column = "a" }}, {a_over_b}', 'precision = "fp32", cards = 1', name="again")
    path.write_text(path.read_text(encoding="utf-8") + second, encoding="utf-8")
    assert report(tmp_path).results[-1].operands == ["again/all/a", "t/1/b"]


def test_the_report_says_what_a_number_is_computed_from(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    found = report(tmp_path).results
    speed_up, efficiency = found[2], found[-1]
    assert (speed_up.operands, speed_up.digits, speed_up.runs) == (["t/1/a", "t/1/b"], "1.50", [])
    assert (efficiency.operands, efficiency.ideal, efficiency.whole) == (["t/8/a", "t/1/a"], 8.0, 100)
    assert efficiency.rests_on_quotes

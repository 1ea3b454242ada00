"""Quoted figures: where they stand, how they are marked, and what takes their place."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.pagefile.page import Quote
from report.pagefile.page_file import PageError, load
from report.views.publish import publish
from report.wording.words import languages
from tests.report.compared_page import unlike
from tests.report.quoted_page import digits, make, markdown, published, put_run, report, row

every_language = pytest.mark.parametrize("language", languages())


def test_a_quote_stands_where_there_is_no_log_with_the_digits_as_printed(tmp_path: Path) -> None:
    make(tmp_path)
    assert digits(report(tmp_path).results) == ["100.0", "80", "1.25", "100.0", "640.00", None, None, "80.0"]


def test_a_measurement_takes_the_place_of_a_quote(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    measured = row(tmp_path)[0]
    assert (measured.digits, measured.source, measured.rests_on_quotes) == ("120.0", None, False)


def test_a_run_that_was_not_done_leaves_the_quote_in_place(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    run = tmp_path / "logs/a1/run.json"
    run.write_text(json.dumps(json.loads(run.read_text(encoding="utf-8")) | {"status": "failed"}), encoding="utf-8")
    assert row(tmp_path)[0].digits == "100.0"


def test_only_throughputs_are_quoted(tmp_path: Path) -> None:
    make(tmp_path, '{ column = "a" },', '{ column = "a" }, { column = "a", quantity = "power" },')
    assert digits(report(tmp_path).results)[:2] == ["100.0", None]


@every_language
def test_every_quoted_figure_is_marked_in_its_table(language: str, tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    page = markdown(tmp_path, language)
    assert f"[120.0](page.evidence.{language}.md#t/1/a) " in page
    assert f"[80](page.evidence.{language}.md#t/1/b)‡ " in page


@every_language
def test_every_quoted_figure_is_listed_with_its_source(language: str, tmp_path: Path) -> None:
    make(tmp_path)
    page = markdown(tmp_path, language)
    listed = [line for line in page.splitlines() if "<a id=" in line and "paper" in line]
    assert [line.count("https://example.org/paper") for line in listed] == [1, 1, 1]
    assert "Nobody knows how it was made." in page


def test_what_is_quoted_stands_in_no_comparison(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    assert unlike(tmp_path) == []


def test_coverage_tells_measured_quoted_and_missing_cells_apart(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    found = published(tmp_path, "en")
    assert (found.covered("measured"), found.covered("quoted"), len(found.report.own)) == (1, 2, 4)


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

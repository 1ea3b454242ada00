"""Numbers that are computed from two others of a page: what they are, what they rest on, and when there is none."""

from pathlib import Path
from typing import Any

import pytest

from report.wording.words import languages
from tests.report.quoted_page import make, markdown, put_run, report, row


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


@pytest.mark.parametrize("language", languages())
def test_a_measured_number_over_a_quoted_one_is_marked(language: str, tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    page = markdown(tmp_path, language)
    assert f"[1.50](page.evidence.{language}.md#t/1/a-vs-b)‡ " in page
    assert f"[100.0](page.evidence.{language}.md#t/1/a-scaling-efficiency) " in page


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
    assert report(tmp_path).results[-1].operands == ["again/all/a", "t/1/b"]


def test_the_report_says_what_a_number_is_computed_from(tmp_path: Path) -> None:
    make(tmp_path)
    put_run(tmp_path, "a1", 120.0)
    found = report(tmp_path).results
    speed_up, efficiency = found[2], found[-1]
    assert (speed_up.operands, speed_up.digits, speed_up.runs) == (["t/1/a", "t/1/b"], "1.50", [])
    assert (efficiency.operands, efficiency.ideal, efficiency.whole) == (["t/8/a", "t/1/a"], 8.0, 100)
    assert efficiency.rests_on_quotes

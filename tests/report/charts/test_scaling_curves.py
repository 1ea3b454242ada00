"""Scaling curves of a table: the page's numbers by cards, beside the ideal."""

from pathlib import Path
from typing import Any

from report.charts.chart import Chart, svg
from report.charts.page_charts import page_charts
from report.evidence.case_evidence import cells
from report.pagefile.page_file import load
from tests.report.charts.charted_page import PAGE, SPEEDS, charts, data, make, numbers, texts, with_quote
from tests.report.compared_page import put

CURVES = "1-t-scaling"
BY_COLUMN = """
name = "t"
title = "Scores"
case = { batch_size = 64 }
columns = [
    { column = "a", title = "1 card", case = { cards = 1 } },
    { column = "a", title = "8 cards", case = { cards = 8 } },
    { column = "a", title = "32 cards", case = { cards = 32 } },
]
rows = [{ title = "FP32", case = { precision = "fp32" } }]
"""


def curves(folder: Path, **made: Any) -> Chart:
    return charts(folder, **made)[CURVES]


def ends_of_ideal(chart: Chart) -> list[tuple[int, float]]:
    """The ends of the ideal lines, which are the rows with the dash of an ideal line."""
    return [(row["cards"], row["value"]) for row in data(chart) if row.get("dash") == [1, 3] and "cards" in row]


def test_the_points_have_the_numbers_of_the_page(tmp_path: Path) -> None:
    assert numbers(curves(tmp_path), "series", "cards", "value", "digits") == [
        ("A", 1, 400.0, "400.0"),
        ("A", 8, 3000.0, "3000.0"),
        ("A", 32, 11000.0, "11000.0"),
        ("B", 1, 380.5, "380.5"),
        ("B", 8, 2925.0, "2925.0"),
        ("B", 32, 9000.0, "9000.0"),
    ]


def test_the_ideal_line_grows_as_the_cards_from_the_fewest_on(tmp_path: Path) -> None:
    assert ends_of_ideal(curves(tmp_path)) == [(1, 400.0), (32, 12800.0), (1, 380.5), (32, 12176.0)]


def test_both_axes_are_logarithmic(tmp_path: Path) -> None:
    assert str(curves(tmp_path).spec).count("'type': 'log'") >= 2


def test_the_text_alternative_gives_the_ends_and_the_efficiency(tmp_path: Path) -> None:
    assert "A: 400.0 at 1, 11000.0 at 32 cards, 85.9 % of linear scaling; B: 380.5 at 1" in curves(tmp_path).alternative


def test_two_counts_of_cards_are_no_curve(tmp_path: Path) -> None:
    assert CURVES not in charts(tmp_path, speeds={run: speeds for run, speeds in SPEEDS.items() if "32" not in run})


def test_a_run_of_another_batch_size_is_on_no_curve(tmp_path: Path) -> None:
    make(tmp_path)
    put(tmp_path, "b32-0", (9000.0,) * 30, cards=32, case={"batch_size": 128})
    page = load(tmp_path / "page.toml")
    found = {chart.name: chart for chart in page_charts(page, list(cells(page, tmp_path / "logs")), "en")}
    assert set(numbers(found[CURVES], "series")) == {("A",)}


def test_a_series_with_two_numbers_for_one_count_is_no_curve(tmp_path: Path) -> None:
    twice = PAGE.replace('title = "{cards} cards", case = { cards = 8 }', 'title = "again", case = { cards = 1 }')
    assert CURVES not in charts(tmp_path, page=twice)


def test_counts_of_cards_may_go_by_columns(tmp_path: Path) -> None:
    chart = curves(tmp_path, page=PAGE[: PAGE.index("[[tables]]")] + "[[tables]]" + BY_COLUMN)
    assert [row[:2] for row in numbers(chart, "series", "cards", "digits")] == [("FP32", 1), ("FP32", 8), ("FP32", 32)]


def test_a_quoted_point_is_hollow_and_in_the_key(tmp_path: Path) -> None:
    chart = with_quote(tmp_path)[CURVES]
    assert [row for row in numbers(chart, "digits", "quoted") if row[1]] == [("8000.50‡", True)]
    assert "hollow: quoted ‡" in texts(svg(chart))
    assert "8000.50‡ at 32 cards" in chart.alternative

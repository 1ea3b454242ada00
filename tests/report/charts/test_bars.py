"""Bars of a table: they have the page's numbers, their repeats, and the mark of what is quoted."""

import re
from pathlib import Path
from typing import Any

import pytest

from report.charts.chart import Chart, svg
from tests.report.charts.charted_page import PAGE, SPEEDS, charts, numbers, texts, with_quote

BARS = "1-t-bars"


def bars(folder: Path, **made: Any) -> Chart:
    return charts(folder, **made)[BARS]


def with_one_bar_less(folder: Path) -> Chart:
    return bars(folder, speeds={run: speeds for run, speeds in SPEEDS.items() if run != "b8"})


def test_the_bars_have_the_numbers_of_the_page(tmp_path: Path) -> None:
    assert numbers(bars(tmp_path), "row", "column", "value", "digits") == [
        ("1 cards", "A", 400.0, "400.0"),
        ("1 cards", "B", 380.5, "380.5"),
        ("8 cards", "A", 3000.0, "3000.0"),
        ("8 cards", "B", 2925.0, "2925.0"),
        ("32 cards", "A", 11000.0, "11000.0"),
        ("32 cards", "B", 9000.0, "9000.0"),
    ]


def test_the_digits_of_every_number_stand_beside_its_bar(tmp_path: Path) -> None:
    assert {"400.0", "380.5", "3000.0", "2925.0", "11000.0", "9000.0"} <= set(texts(svg(bars(tmp_path))))


def test_bars_are_of_one_thickness_however_many_a_row_has(tmp_path: Path) -> None:
    drawn = re.findall(r'd="M0,[\d.]+h[\d.]+v([\d.]+)h-[\d.]+Z" fill="#', svg(with_one_bar_less(tmp_path)))
    assert (len(drawn), len(set(drawn))) == (5, 1)


def test_the_title_of_a_row_stands_at_the_middle_of_its_bars(tmp_path: Path) -> None:
    rows = numbers(with_one_bar_less(tmp_path), "title", "middle")
    assert [(title, round(middle, 3)) for title, middle in rows if title] == [
        ("1 cards", 18.525),
        ("8 cards", 9.025),
        ("32 cards", 18.525),
    ]


def test_whiskers_reach_from_the_lowest_to_the_highest_repeat(tmp_path: Path) -> None:
    spread = [(value, low, high) for value, low, high in numbers(bars(tmp_path), "value", "low", "high") if low < high]
    assert spread == [(400.0, 390.0, 410.0), (2925.0, 2900.0, 2950.0)]


def test_whiskers_are_explained_only_where_there_are_any(tmp_path: Path) -> None:
    (tmp_path / "once").mkdir()
    once = bars(tmp_path / "once", speeds={run: speeds[:1] for run, speeds in SPEEDS.items()})
    said = "range of repeats"
    assert (said in texts(svg(bars(tmp_path))), said in texts(svg(once))) == (True, False)


def test_rows_far_apart_have_axes_of_their_own_and_say_so(tmp_path: Path) -> None:
    assert "Scales differ between groups." in texts(svg(bars(tmp_path)))


def test_rows_close_together_share_an_axis(tmp_path: Path) -> None:
    near = bars(tmp_path, speeds={run: (100.0 + len(run),) for run in SPEEDS})
    assert "Scales differ between groups." not in texts(svg(near))


def test_a_quoted_number_is_hollow_and_marked_and_in_the_key(tmp_path: Path) -> None:
    chart = with_quote(tmp_path)[BARS]
    assert numbers(chart, "value", "digits", "quoted")[-1] == (8000.5, "8000.50‡", True)
    assert {"8000.50‡", "quoted ‡"} <= set(texts(svg(chart)))


def test_a_quoted_number_is_told_apart_in_the_text_alternative(tmp_path: Path) -> None:
    assert "Quoted, not measured from a log: 1." in with_quote(tmp_path)[BARS].alternative


def test_without_quotes_the_key_has_none(tmp_path: Path) -> None:
    assert not any("‡" in text for text in texts(svg(bars(tmp_path))))


def test_the_text_alternative_gives_the_highest_and_the_lowest_number(tmp_path: Path) -> None:
    assert bars(tmp_path).alternative == (
        "Bar chart of 6 numbers in images/s: the highest is 11000.0 (32 cards, A), the lowest 380.5 (1 cards, B). "
        "Numbers of repeated runs: 2."
    )


@pytest.mark.parametrize("runs", [{}, {"a1": (5.0,)}], ids=["none", "one"])
def test_fewer_than_two_numbers_are_no_chart(runs: dict[str, tuple[float, ...]], tmp_path: Path) -> None:
    assert charts(tmp_path, speeds=runs) == {}


def test_a_throughput_of_nothing_is_drawn(tmp_path: Path) -> None:
    chart = bars(tmp_path, speeds={"a1": (1e-9,), "b1": (1e-9,)})
    assert texts(svg(chart)).count("0.0") == 2


def test_a_row_of_nothing_begins_where_the_other_rows_begin(tmp_path: Path) -> None:
    chart = bars(tmp_path, speeds={"a1": (1e-9,), "b1": (1e-9,), "a8": (100.0,), "b8": (90.0,)})
    drawn = re.findall(r'd="M([\d.]+),[\d.]+h[^"]*" fill="#', svg(chart))
    assert drawn == ["0"] * 4


def test_of_very_many_numbers_the_first_are_drawn_and_the_text_says_so(tmp_path: Path) -> None:
    rows = "".join(f'{{ title = "row {n}", case = {{ cards = 1, nodes = {n} }} }},' for n in range(1, 41))
    page = PAGE[: PAGE.index("rows = [")] + f"rows = [{rows}]\n"
    chart = bars(tmp_path, speeds={"a1": (1.0,), "b1": (2.0,)}, page=page)
    assert len(numbers(chart, "row", "column", "value")) == 60
    assert "Showing the first 60 of 80 numbers." in chart.alternative


def test_rows_and_columns_with_the_same_titles_stay_apart(tmp_path: Path) -> None:
    page = PAGE.replace("{cards} cards", "same").replace('title = "B"', 'title = "A"')
    assert len(texts(svg(bars(tmp_path, page=page)))) == len(texts(svg(bars(tmp_path))))

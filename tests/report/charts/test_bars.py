"""Bars of a table: they have the page's numbers and repeats, say what they show, and mark what is not comparable."""

from pathlib import Path
from typing import Any

import pytest
from report.charts.page_charts import page_charts
from report.charts.panels import PanelChart

from report.evidence.case_evidence import cells
from report.pagefile.page_file import load
from tests.report.charts.charted_page import PAGE, charts, make, points, with_quote
from tests.report.compared_page import put

BARS = "1-t-bars"
GROUPS = """
[[tables]]
name = "t"
title = "Scores"
corner = "Cards"
case = { batch_size = 64 }
for = { precision = ["fp32", "amp"] }
columns = [{ column = "a" }, { column = "b" }]
rows = { cards = [1, 2, 4, 8] }
"""

OF_ONE = """
[sources.paper]
title = "A paper"
url = "https://example.org/paper"
date = "2031"
note = "No logs."

[[tables]]
name = "t"
title = "Scores"
corner = "Cards"
for = { precision = ["fp32", "amp"] }
columns = ["a"]
rows = { cards = [1, 8] }
source = "paper"
figures = [["100"], ["800"], ["150"], ["1600"]]
"""


def bars(folder: Path, **made: Any) -> PanelChart:
    return charts(folder, **made)[BARS]


def test_the_bars_have_the_digits_of_the_page(tmp_path: Path) -> None:
    assert [(panel, line, point.digits) for panel, line, point in points(bars(tmp_path))] == [
        ("1 cards", "A", "400.0"),
        ("1 cards", "B", "380.5"),
        ("8 cards", "A", "3000.0"),
        ("8 cards", "B", "2925.0"),
        ("32 cards", "A", "11000.0"),
        ("32 cards", "B", "9000.0"),
    ]


def test_a_bar_is_as_long_as_its_number_on_the_scale_of_its_panel(tmp_path: Path) -> None:
    lengths = [round(point.at, 4) for _, _, point in points(bars(tmp_path))]
    assert lengths == [0.9756, 0.928, 1, 0.975, 1, 0.8182]


def test_a_run_of_another_batch_size_is_hatched_and_says_so(tmp_path: Path) -> None:
    make(tmp_path)
    put(tmp_path, "b32-0", (19000.0,) * 30, cards=32, case={"batch_size": 128})
    page = load(tmp_path / "page.toml")
    chart = page_charts(page, list(cells(page, tmp_path / "logs")), "en")[0]
    assert isinstance(chart, PanelChart)
    *others, last = [point for _, _, point in points(chart)]
    assert (last.is_apart, last.said, any(point.is_apart for point in others)) == (True, "BS=128", False)


def test_repeats_stand_on_their_bar(tmp_path: Path) -> None:
    chart = bars(tmp_path)
    assert sorted(round(at * 410) for at in chart.panels[0].lines[0].runs) == [390, 400, 410]


def test_panels_of_one_program_share_a_scale_whatever_their_precision(tmp_path: Path) -> None:
    chart = bars(tmp_path, page=PAGE[: PAGE.index("[[tables]]")] + OF_ONE, speeds={})
    assert [round(point.at * 1600) for _, _, point in points(chart)] == [100, 800, 150, 1600]


def test_of_many_rows_in_groups_the_last_that_all_groups_have_is_drawn(tmp_path: Path) -> None:
    page = PAGE[: PAGE.index("[[tables]]")] + GROUPS
    speeds = {f"{name}{cards}": (100.0 * cards,) for name in "ab" for cards in (1, 2, 4, 8)}
    chart = bars(tmp_path, page=page, speeds=speeds)
    assert [(panel.title, len(panel.lines)) for panel in chart.panels] == [("fp32", 2), ("amp", 2)]


def test_a_quoted_number_is_pale_and_marked(tmp_path: Path) -> None:
    chart = with_quote(tmp_path)[BARS]
    *_, last = [point for _, _, point in points(chart)]
    assert (last.digits, last.is_hollow) == ("8000.50‡", True)


@pytest.mark.parametrize("runs", [{}, {"a1": (5.0,)}], ids=["none", "one"])
def test_fewer_than_two_numbers_are_no_chart(runs: dict[str, tuple[float, ...]], tmp_path: Path) -> None:
    assert charts(tmp_path, speeds=runs) == {}


def test_of_very_many_numbers_the_first_are_drawn(tmp_path: Path) -> None:
    rows = "".join(f'{{ title = "row {n}", case = {{ cards = 1, nodes = {n} }} }},' for n in range(1, 41))
    page = PAGE[: PAGE.index("rows = [")] + f"rows = [{rows}]\n"
    chart = bars(tmp_path, speeds={"a1": (1.0,), "b1": (2.0,)}, page=page)
    assert len(points(chart)) == 60

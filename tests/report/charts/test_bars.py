"""Bars of a table: they have the page's numbers and repeats, say what they show, and mark what is not comparable."""

from pathlib import Path
from typing import Any

import pytest

from report.charts.page_charts import page_charts
from report.charts.panels import PanelChart
from report.evidence.case_evidence import cells
from report.pagefile.page_file import load
from tests.report.charts.charted_page import PAGE, SPEEDS, charts, make, points, texts, with_quote
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


def test_who_copies_a_number_of_a_bar_gets_its_digits_without_the_gap_between_thousands(tmp_path: Path) -> None:
    drawn = bars(tmp_path).svg()
    assert "11000.0 " in texts(drawn)
    assert '11<tspan dx="0.16em">000.0</tspan>' in drawn


def test_a_line_is_called_as_its_column_is_on_a_narrow_screen(tmp_path: Path) -> None:
    page = PAGE.replace('title = "A"', 'title = "A"\nshort = "a!"', 1)
    assert [line.short for line in bars(tmp_path, page=page).panels[0].lines] == ["a!", ""]


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


@pytest.mark.parametrize(
    ("speeds", "title"),
    [
        (SPEEDS, "A is fastest in all 3 cases"),
        ({**SPEEDS, "b8": (3100.0,)}, "Fastest: A (1 cards, 32 cards); B (8 cards)"),
        ({"a1": (400.0,), "b1": (380.5,)}, "1 cards: A is fastest"),
    ],
)
def test_the_title_says_who_is_fastest(speeds: dict[str, tuple[float, ...]], title: str, tmp_path: Path) -> None:
    assert bars(tmp_path, speeds=speeds).title == title


def test_the_title_of_one_framework_says_how_much_it_reaches(tmp_path: Path) -> None:
    chart = bars(tmp_path, speeds={run: speeds for run, speeds in SPEEDS.items() if run[0] == "a"})
    assert chart.title == "Up to 11000.0 images/s: 32 cards, A"


def test_a_cell_without_a_number_says_so_in_its_place(tmp_path: Path) -> None:
    chart = bars(tmp_path, speeds={run: speeds for run, speeds in SPEEDS.items() if run != "b8"})
    assert [line.missing for line in chart.panels[1].lines] == ["", "no log"]
    assert "no log" in texts(chart.svg())


def test_a_run_of_another_batch_size_is_hatched_says_so_and_is_not_the_fastest(tmp_path: Path) -> None:
    make(tmp_path)
    put(tmp_path, "b32-0", (19000.0,) * 30, cards=32, case={"batch_size": 128})
    page = load(tmp_path / "page.toml")
    chart = page_charts(page, list(cells(page, tmp_path / "logs")), "en")[0]
    assert isinstance(chart, PanelChart)
    *others, last = [point for _, _, point in points(chart)]
    assert (last.is_apart, last.said, any(point.is_apart for point in others)) == (True, "BS=128", False)
    assert "Hatched: not comparable" in chart.note
    assert chart.title == "A is fastest in the 2 comparable cases"


def test_repeats_stand_on_their_bar_and_are_explained(tmp_path: Path) -> None:
    chart = bars(tmp_path)
    assert sorted(round(at * 410) for at in chart.panels[0].lines[0].runs) == [390, 400, 410]
    assert "Circles: single runs." in chart.note


def test_without_repeats_nothing_is_said_of_them(tmp_path: Path) -> None:
    chart = bars(tmp_path, speeds={run: speeds[:1] for run, speeds in SPEEDS.items()})
    assert ("Circles" in chart.note, [line.runs for line in chart.panels[0].lines]) == (False, [[], []])


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ('["100", "90"], ["200", "90"], ["300", "90"], ["400", "90"]', "Panels of one precision share a scale."),
        ('["100", "90"], ["200", "90"], ["10", "9"], ["400", "90"]', "Scales differ between panels."),
        ('["100", "90"], ["100", "90"], ["100", "90"], ["100", "90"]', ""),
    ],
)
def test_the_note_says_which_panels_share_a_scale(figures: str, said: str, tmp_path: Path) -> None:
    table = OF_ONE.replace('["a"]', '["a", "b"]').replace('["100"], ["800"], ["150"], ["1600"]', figures)
    chart = bars(tmp_path, page=PAGE[: PAGE.index("[[tables]]")] + table, speeds={})
    assert len(chart.panels) == 4
    assert chart.note == " ".join(filter(None, ("Throughput (images/s).", said, "Pale: quoted ‡.")))


def test_rows_close_together_share_a_scale(tmp_path: Path) -> None:
    near = bars(tmp_path, speeds={run: (100.0 + len(run),) for run in SPEEDS})
    assert "scale" not in near.note


def test_panels_of_one_program_share_a_scale_whatever_their_precision(tmp_path: Path) -> None:
    chart = bars(tmp_path, page=PAGE[: PAGE.index("[[tables]]")] + OF_ONE, speeds={})
    assert [round(point.at * 1600) for _, _, point in points(chart)] == [100, 800, 150, 1600]
    assert "scale" not in chart.note


def test_of_many_rows_in_groups_the_last_that_all_groups_have_is_drawn(tmp_path: Path) -> None:
    page = PAGE[: PAGE.index("[[tables]]")] + GROUPS
    speeds = {f"{name}{cards}": (100.0 * cards,) for name in "ab" for cards in (1, 2, 4, 8)}
    chart = bars(tmp_path, page=page, speeds=speeds)
    assert [(panel.title, len(panel.lines)) for panel in chart.panels] == [("fp32", 2), ("amp", 2)]
    assert "Cards: 8." in chart.note


def test_a_quoted_number_is_pale_and_marked(tmp_path: Path) -> None:
    chart = with_quote(tmp_path)[BARS]
    *_, last = [point for _, _, point in points(chart)]
    assert (last.digits, last.is_hollow) == ("8000.50‡", True)
    assert "Pale: quoted ‡." in chart.note
    assert "Quoted, not measured from a log: 1." in chart.alternative


@pytest.mark.parametrize("runs", [{}, {"a1": (5.0,)}], ids=["none", "one"])
def test_fewer_than_two_numbers_are_no_chart(runs: dict[str, tuple[float, ...]], tmp_path: Path) -> None:
    assert charts(tmp_path, speeds=runs) == {}


def test_a_throughput_of_nothing_is_drawn(tmp_path: Path) -> None:
    chart = bars(tmp_path, speeds={"a1": (1e-9,), "b1": (1e-9,)})
    assert [point.digits for _, _, point in points(chart)] == ["0.0", "0.0"]


def test_of_very_many_numbers_the_first_are_drawn_and_the_text_says_so(tmp_path: Path) -> None:
    rows = "".join(f'{{ title = "row {n}", case = {{ cards = 1, nodes = {n} }} }},' for n in range(1, 41))
    page = PAGE[: PAGE.index("rows = [")] + f"rows = [{rows}]\n"
    chart = bars(tmp_path, speeds={"a1": (1.0,), "b1": (2.0,)}, page=page)
    assert len(points(chart)) == 60
    assert "Showing the first 60 of 80 numbers." in chart.alternative

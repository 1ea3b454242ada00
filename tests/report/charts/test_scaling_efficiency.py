"""Scaling efficiency of a table in percent: the digits of the page, or computed from its throughputs."""

from pathlib import Path

from report.charts.page_charts import page_charts
from report.charts.panels import PanelChart

from report.evidence.case_evidence import cells
from report.pagefile.page_file import load
from tests.report.charts.charted_page import PAGE, charts, make, points, with_quote
from tests.report.compared_page import put

SCALING = "1-t-scaling"
OF_THROUGHPUTS = f'{PAGE}charts = ["scaling"]\n'
SHOWN = PAGE.replace('{ column = "a" }, { column = "b" }', '{ column = "a" }, { column = "b" }, EFFICIENCY').replace(
    "EFFICIENCY", '{ column = "a", quantity = "scaling_efficiency", decimals = 0 }'
)


def digits(chart: PanelChart) -> list[tuple[str, str]]:
    return [(line, point.digits) for _, line, point in points(chart)]


def test_the_efficiencies_of_throughputs_are_over_the_fewest_cards(tmp_path: Path) -> None:
    chart = charts(tmp_path, page=OF_THROUGHPUTS)[SCALING]
    assert digits(chart) == [("A", "93.8"), ("A", "85.9"), ("B", "96.1"), ("B", "73.9")]


def test_the_efficiencies_that_a_page_shows_have_its_digits(tmp_path: Path) -> None:
    chart = charts(tmp_path, page=f'{SHOWN}charts = ["scaling"]\n')[SCALING]
    assert [said for _, said in digits(chart)] == ["94", "86"]


def test_a_run_of_another_batch_size_has_no_efficiency(tmp_path: Path) -> None:
    make(tmp_path, page=OF_THROUGHPUTS)
    put(tmp_path, "b32-0", (9000.0,) * 30, cards=32, case={"batch_size": 128})
    page = load(tmp_path / "page.toml")
    (chart,) = page_charts(page, list(cells(page, tmp_path / "logs")), "en")
    assert isinstance(chart, PanelChart)
    assert digits(chart) == [("A", "93.8"), ("A", "85.9"), ("B", "96.1")]


def test_what_is_computed_from_a_quoted_number_is_marked(tmp_path: Path) -> None:
    chart = with_quote(tmp_path, page=OF_THROUGHPUTS)[SCALING]
    assert digits(chart)[-1] == ("B", "65.7‡")

"""Runs over time on a page: those that its tables name, with the run that they are of."""

import re
from pathlib import Path

import pytest

from report.charts.chart import Chart, svg
from report.charts.page_charts import page_charts
from report.charts.palette import LOOKS
from report.evidence.case_evidence import cells
from report.pagefile.page_file import PageError, load
from report.wording.words import languages
from tests.report.charts.charted_page import PAGE, charts, make, runs, texts

GOLDEN = Path(__file__).parents[1] / "golden"
OVER_TIME = f'{PAGE}over_time = [{{ column = "a", case = {{ cards = 1 }} }}]\n'


def of_telemetry(language: str) -> dict[str, Chart]:
    page = load(GOLDEN / "toy_gpu.toml")
    found = page_charts(page, list(cells(page, GOLDEN / "logs")), language)
    return {chart.name: chart for chart in found if isinstance(chart, Chart)}


def test_a_run_that_a_table_names_is_drawn_over_time(tmp_path: Path) -> None:
    assert set(runs(tmp_path, page=OVER_TIME)) == {"1-t-run-1-throughput"}


def test_no_run_is_drawn_over_time_unasked(tmp_path: Path) -> None:
    assert runs(tmp_path) == {}


def test_of_several_runs_the_middle_one_is_drawn_and_named(tmp_path: Path) -> None:
    chart = runs(tmp_path, page=OVER_TIME)["1-t-run-1-throughput"]
    assert "1 cards · A · a1-0/train.log" in texts(svg(chart))
    assert chart.alternative.endswith("Run: 1 cards · A.")


@pytest.mark.parametrize("framework", ["PyTorch", "PaddleClas"])
def test_a_run_over_time_has_the_colour_that_its_framework_has_in_the_bars(framework: str, tmp_path: Path) -> None:
    page = OVER_TIME.replace('title = "A"', f'title = "{framework}"')
    bars = charts(tmp_path, page=page)["1-t-bars"]
    drawn = svg(runs(tmp_path, page=page)["1-t-run-1-throughput"], standalone=True)
    look = bars.panels[0].lines[0].look
    opening = drawn[: drawn.index(">")]
    assert f'class="{look}"' in opening
    assert 'stroke="var(--c)"' in drawn
    light, dark = LOOKS[look.removeprefix("c-")]
    assert re.findall(r"--c:(#\w+)", drawn) == [light, dark, light]


@pytest.mark.parametrize("language", languages())
def test_a_watched_run_has_its_memory_and_power_under_its_table(language: str) -> None:
    found = of_telemetry(language)
    assert list(found) == ["1-cards-run-1-throughput", "1-cards-run-1-memory", "1-cards-run-1-power"]
    assert {chart.table for chart in found.values()} == {"cards"}


def test_a_run_without_a_log_is_not_drawn(tmp_path: Path) -> None:
    speeds = {"a8": (3000.0,), "b8": (2900.0,), "b1": (380.5,)}
    assert runs(tmp_path, page=OVER_TIME, speeds=speeds) == {}


def test_a_table_may_leave_out_charts(tmp_path: Path) -> None:
    assert charts(tmp_path, page=f"{PAGE}charts = []\n") == {}


def test_a_run_over_time_that_the_table_does_not_show_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(
        PageError, match="over_time of table t asks for the throughput of column 'a' for cards 2, which the"
    ):
        make(tmp_path, page=OVER_TIME.replace("case = { cards = 1 } }]\n", "case = { cards = 2 } }]\n"))

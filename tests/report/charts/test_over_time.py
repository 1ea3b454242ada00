"""Runs over time on a page: those that its tables name, with the run that they are of."""

import re
from pathlib import Path

import pytest
from report.charts.chart import svg
from report.charts.palette import LOOKS

from report.pagefile.page_file import PageError
from tests.report.charts.charted_page import PAGE, charts, make, runs, texts

OVER_TIME = f'{PAGE}over_time = [{{ column = "a", case = {{ cards = 1 }} }}]\n'


def test_a_run_that_a_table_names_is_drawn_over_time(tmp_path: Path) -> None:
    assert set(runs(tmp_path, page=OVER_TIME)) == {"1-t-run-1-throughput"}


def test_of_several_runs_the_middle_one_is_drawn_and_named(tmp_path: Path) -> None:
    chart = runs(tmp_path, page=OVER_TIME)["1-t-run-1-throughput"]
    assert "1 cards · A · a1-0/train.log" in texts(svg(chart))


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


def test_a_run_over_time_that_the_table_does_not_show_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(PageError):
        make(tmp_path, page=OVER_TIME.replace("case = { cards = 1 } }]\n", "case = { cards = 2 } }]\n"))

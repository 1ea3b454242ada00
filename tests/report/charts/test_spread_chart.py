"""How far the runs of each number are apart, where numbers have several."""

from pathlib import Path

from tests.report.charts.charted_page import PAGE, charts, points

SPREAD = "1-t-spread"
OF_THROUGHPUTS = f'{PAGE}charts = ["spread"]\n'


def test_each_run_stands_by_its_distance_from_the_median_of_its_case(tmp_path: Path) -> None:
    chart = charts(tmp_path, page=OF_THROUGHPUTS)[SPREAD]
    (panel,) = chart.panels
    ticks = {said: at for at, said in panel.ticks}
    first = [point for _, line, point in points(chart) if line == "1 cards, A"]
    assert [point.digits for point in first] == ["400.0", "410.0", "390.0"]
    assert [point.is_hollow for point in first] == [False, True, True]
    unit = ticks["+2%"] - ticks["0%"]
    assert [round((point.at - ticks["0%"]) / unit * 2, 6) for point in first] == [0, 2.5, -2.5]


def test_runs_that_are_equal_stand_in_one_place(tmp_path: Path) -> None:
    chart = charts(tmp_path, speeds={"a1": (2.0, 2.0), "b1": (2.0, 2.0)}, page=OF_THROUGHPUTS)[SPREAD]
    assert len({point.at for _, _, point in points(chart)}) == 1

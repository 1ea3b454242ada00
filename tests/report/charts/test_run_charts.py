"""Charts of one run: its records with what the protocol used of them, its memory and its power."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.charts.chart import Chart, svg
from report.charts.run_charts import run_charts
from report.charts.timeline import in_unit

from parsers.runs.facts import Fact
from parsers.runs.provenance import option
from parsers.runs.reading import read
from report.measure.measure import measure
from report.measure.protocol import Protocol
from report.wording.words import languages
from tests.parsers.run_folders import make_run, put_clock, put_gpu
from tests.parsers.toy_logs import steps
from tests.report.charts.charted_page import SVG, data, numbers, parsed

GOLDEN = Path(__file__).parents[1] / "golden/logs/toy_gpu"
TWO_CARDS = GOLDEN / "Toy50_bs64_amp_N1C2/1/train.log"


def drawn(
    log: Path, protocol: str = "skip_records=1,decimals=1", language: str = "en", **facts: int
) -> dict[str, Chart]:
    reading = read(log, facts=[Fact(name, value, option(name)) for name, value in facts.items()])
    measurement = measure(reading, Protocol.parse(protocol) if protocol else None)
    return {chart.name: chart for chart in run_charts(reading, measurement, language, "c-torch")}


def line_log(folder: Path, speeds: list[float]) -> Path:
    """A log of these throughputs, one a second."""
    lines = [
        f"DLL 2031-05-04 11:{n // 60:02}:{n % 60:02}.000000 - (0, {n}) total_ips : {v}" for n, v in enumerate(speeds)
    ]
    path = folder / "train.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def line(chart: Chart) -> list[tuple[float, float]]:
    """The points of the line of a chart."""
    return [(row["at"], row["value"]) for row in data(chart) if row.keys() == {"at", "value"}]


def spans(chart: Chart) -> list[dict[str, float]]:
    """The shaded stretches, and the one of a value."""
    return [row for row in data(chart) if "end" in row]


def test_the_line_has_the_throughput_of_every_record_at_its_time(tmp_path: Path) -> None:
    chart = drawn(line_log(tmp_path, [1.0, 5.0, 6.0, 5.5]))["throughput"]
    assert line(chart) == [(0.0, 1.0), (1.0, 5.0), (2.0, 6.0), (3.0, 5.5)]


def test_the_warm_up_is_shaded_and_the_window_is_marked(tmp_path: Path) -> None:
    chart = drawn(line_log(tmp_path, [1.0, 5.0, 6.0, 5.5]))["throughput"]
    assert spans(chart) == [{"at": 0.0, "end": 1.0}, {"at": 1.0, "end": 3.0, "value": 5.5}]


def test_without_a_protocol_the_steady_part_is_marked(tmp_path: Path) -> None:
    chart = drawn(line_log(tmp_path, [1.0, 5.0, 6.0, 5.5, 5.0, 6.0]), "")["throughput"]
    (warm_up, window) = spans(chart)
    assert (warm_up, window["at"], window["end"]) == ({"at": 0.0, "end": 1.0}, 1.0, 5.0)


def test_a_run_by_the_clock_shows_what_it_says_between_records(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"".join(steps(9)))
    put_clock(log, *(f"{number},{1935619200 + number}.000" for number in range(1, 10)))
    chart = drawn(log, "estimate=clock,skip_records=2", cards=1, batch_size=64)["throughput"]
    assert [value for _, value in line(chart)] == [64.0] * 8
    assert [span["value"] for span in spans(chart) if "value" in span] == [64.0]


def test_a_long_run_is_drawn_with_at_most_a_thousand_points(tmp_path: Path) -> None:
    speeds = [100.0 + number % 7 for number in range(3000)]
    speeds[1234], speeds[2345] = 1.0, 999.0
    chart = drawn(line_log(tmp_path, speeds))["throughput"]
    shown = [value for _, value in line(chart)]
    assert (len(shown) <= 1000, min(shown), max(shown)) == (True, 1.0, 999.0)


def test_memory_is_that_of_the_fullest_card() -> None:
    chart = drawn(TWO_CARDS)["memory"]
    assert max(value for _, value in line(chart)) == 30371


def test_power_is_that_of_all_cards_with_its_mean_over_the_window() -> None:
    chart = drawn(TWO_CARDS)["power"]
    (window,) = spans(chart)
    assert window["value"] == 640.0
    assert window["end"] - window["at"] == pytest.approx(6.0)


def test_power_of_a_card_without_a_sample_is_a_straight_line(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"".join(steps(9)))
    cards = [(0, 0, 100), (0, 1, 10), (1, 0, 100), (2, 0, 100), (2, 1, 30)]
    put_gpu(log, *(f"{1935619200 + second}.000,{card},90,1000,{power},1,1,50" for second, card, power in cards))
    assert line(drawn(log, "plain")["power"]) == [(0.0, 110.0), (1.0, 120.0), (2.0, 130.0)]


@pytest.mark.parametrize("language", languages())
def test_every_chart_of_a_run_is_well_formed_and_described_in_every_language(language: str) -> None:
    for name, chart in drawn(TWO_CARDS, language=language).items():
        root = parsed(svg(chart))
        assert root.findtext(f"{SVG}desc") == chart.alternative
        assert numbers(chart, "at", "value") == numbers(drawn(TWO_CARDS)[name], "at", "value") != []


@given(st.lists(st.floats(0, 1e7), min_size=1))
def test_times_keep_their_proportions_in_every_unit(seconds: list[float]) -> None:
    at, unit = in_unit(np.array(sorted(seconds)))
    assert np.allclose(at * {"s": 1, "min": 60, "h": 3600}[unit], sorted(seconds))

"""What telemetry gives of a run: whose cards count, over which time, and when there is no number."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsers.runs.facts import Fact, Facts
from parsers.runs.provenance import PAGE
from parsers.runs.reading import Reading, read
from report.measure.measure import measure
from report.measure.measurement import Measurement
from report.measure.number import without_noise
from report.measure.protocol import Protocol
from report.measure.quantity import PEAK_MEMORY, POWER, SAMPLES_PER_JOULE
from report.results.remarks import NoEvidenceError
from report.results.telemetry import (
    Observation,
    RunTelemetry,
    observe,
    run_telemetry,
)
from tests.parsers.run_folders import make_run, put_clock, put_gpu
from tests.parsers.toy_logs import steps

T = 1935619200
Draw = Callable[[int], "float | str"]


def sample(second: float, card: int = 0, power: object = 300, memory: object = 1000, utilisation: object = 90) -> str:
    return f"{T + second:.3f},{card},{utilisation},{memory},{power},1980,2619,55"


def measured(reading: Reading, protocol: str = "plain") -> Measurement:
    return measure(reading, Protocol.parse(protocol))


def watched(
    folder: Path, *rows: str, clock: bool = True, protocol: str = "plain", machines: int = 1, **facts: int
) -> RunTelemetry:
    """The run of a log of 9 step lines, one a second from second 10 on, with these samples of its cards."""
    log = make_run(folder, b"".join(steps(9)), nodes=[{}] * machines)
    put_gpu(log, *rows)
    if clock:
        put_clock(log, *(f"{line},{T + 9 + line:.3f}" for line in range(1, 10)))
    reading = read(log)
    known = Facts(Fact(name, value, PAGE) for name, value in {"cards": 1, **facts}.items())
    return run_telemetry("train.log", reading, known, measured(reading, protocol))


def every_second(draw: Draw, seconds: range = range(30), card: int = 0, utilisation: int = 90) -> list[str]:
    return [sample(second, card, draw(second), utilisation=utilisation) for second in seconds]


def power(run: RunTelemetry) -> Observation:
    return observe(POWER, run, None)


def remarks(found: Observation) -> list[str]:
    return [remark.code for remark in found.remarks]


def test_peak_memory_is_the_greatest_of_the_whole_run_with_the_line_that_tells_it(tmp_path: Path) -> None:
    found = observe(
        PEAK_MEMORY, watched(tmp_path, sample(0, memory=5), sample(1, memory=9), sample(29, memory=9)), None
    )
    assert (found.value, found.lines) == (9, (3,))


def test_power_is_the_mean_from_the_first_to_the_last_line_used(tmp_path: Path) -> None:
    found = power(watched(tmp_path, *every_second(lambda second: 300 if 10 <= second <= 18 else 50)))
    assert (found.value, len(found.lines)) == (300, 9)


def test_the_power_of_all_cards_of_the_run_is_added(tmp_path: Path) -> None:
    rows = [row for card in (0, 1) for row in every_second(lambda _: 100 + 50 * card, card=card)]  # noqa: B023
    assert power(watched(tmp_path, *rows, cards=2)).value == 250


def test_samples_per_joule_is_the_throughput_over_the_power(tmp_path: Path) -> None:
    found = watched(tmp_path, *every_second(lambda _: 250))
    throughput = measured(read(tmp_path / "train.log"))
    assert observe(SAMPLES_PER_JOULE, found, throughput).value == without_noise(throughput.value / 250)


def test_of_more_cards_than_the_run_used_the_busiest_count(tmp_path: Path) -> None:
    idle = every_second(lambda _: 50, card=0, utilisation=1)
    found = power(watched(tmp_path, *idle, *every_second(lambda _: 300, card=3)))
    assert (found.value, remarks(found)) == (300, ["busiest_cards"])


def test_cards_are_busy_by_what_they_do_in_the_window(tmp_path: Path) -> None:
    before = [sample(second, 0, 50, utilisation=100 if second < 10 else 0) for second in range(30)]
    assert watched(tmp_path, *before, *every_second(lambda _: 300, card=1, utilisation=50)).cards == (1,)


@pytest.mark.parametrize(("nodes", "said"), [(1, "fewer_cards"), (2, "some_machines")])
def test_fewer_cards_than_the_run_used_give_no_power(nodes: int, said: str, tmp_path: Path) -> None:
    found = watched(tmp_path, *every_second(lambda _: 300), cards=2, nodes=nodes)
    assert remarks(observe(PEAK_MEMORY, found, None)) == [said]
    with pytest.raises(NoEvidenceError):
        power(found)


def test_without_a_clock_power_is_that_of_the_whole_run(tmp_path: Path) -> None:
    found = power(watched(tmp_path, *every_second(lambda second: second), clock=False))
    assert (found.value, remarks(found)) == (14.5, ["mean_of_whole_run"])


def test_a_gap_counts_as_long_as_it_lasted_and_is_reported(tmp_path: Path) -> None:
    rows = [sample(second, power=watts) for second, watts in ((10, 100), (11, 100), (18, 300))]
    found = power(watched(tmp_path, *rows))
    assert found.value == 187.5  # (1 x 100 + 7 x 200) / 8
    assert remarks(found) == ["gap_of_samples"]


def test_a_sample_without_power_is_passed_over(tmp_path: Path) -> None:
    found = power(watched(tmp_path, *every_second(lambda second: "" if second == 12 else 300)))
    assert (found.value, len(found.lines)) == (300, 8)


@pytest.mark.parametrize("seconds", [(), (12,), (12, 12)])
def test_fewer_than_two_moments_in_the_window_give_no_power(seconds: tuple[int, ...], tmp_path: Path) -> None:
    found = watched(tmp_path, sample(0), *map(sample, seconds), sample(29))
    with pytest.raises(NoEvidenceError):
        power(found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.lists(st.floats(0, 1000).map(lambda watts: round(watts, 2)), min_size=9, max_size=9))
def test_the_mean_power_lies_between_the_least_and_the_greatest_sample(tmp_path: Path, watts: list[float]) -> None:
    found = power(watched(tmp_path, *(sample(10 + second, power=said) for second, said in enumerate(watts))))
    assert min(watts) - 1e-9 <= found.value <= max(watts) + 1e-9

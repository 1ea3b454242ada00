from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.grammar.field import Field
from parsers.runs.facts import Fact
from parsers.runs.provenance import FILE_NAME, line
from report.measure.number import printed
from report.measure.protocol import Protocol
from report.measuring.measurement import Measurement, NoMeasurement, Throughput, combine, measure
from report.measuring.selection import EMPTY_WINDOW, EMPTY_WINDOW_OF_ONE

FIELDS = {
    ("step", "throughput"): Field("throughput", "NUMBER", unit="images", scope="card", kind="window_mean"),
    ("step", "step_time"): Field("step_time", "NUMBER", unit="seconds", kind="window_mean"),
    ("step", "step"): Field("step", "INTEGER", first=1),
    ("summary", "throughput"): Field("throughput", "NUMBER", unit="images", scope="job", kind="total"),
}
RUNNING = {
    **FIELDS,
    ("step", "throughput"): Field("throughput", "NUMBER", unit="images", scope="card", kind="running_mean"),
}
EIGHT = {"cards": Fact("cards", 8, FILE_NAME), "batch_size": Fact("batch_size", 4, line(3))}


def log(throughput: Sequence[float], **columns: Any) -> pd.DataFrame:
    """A step record every second line, from line 2, for every tenth step."""
    count = np.arange(1, len(throughput) + 1)
    records = pd.DataFrame({"line": 2 * count, "record": "step", "step": 10 * count, "throughput": throughput})
    return records.assign(**columns)


def of(text: str, records: pd.DataFrame, fields: dict[tuple[str, str], Field] | None = None) -> Measurement:
    return measure(records, fields or FIELDS, EIGHT, Protocol.parse(text))


def test_one_cards_throughput_is_scaled_to_the_job() -> None:
    measured = of("plain", log([10, 20, 60]))
    assert (measured.value, measured.unit, measured.scope) == (240, "images/s", "job")  # 90 / 3 x 8


def test_a_measurement_names_the_lines_that_it_used_and_those_it_left_out() -> None:
    measured = of("skip_records=1,drop_last=1", log([10, 20, 30, 40]))
    assert measured.lines == (4, 6)
    assert measured.left_out == {"skip_records": (2,), "drop_last": (8,)}
    assert (measured.records_used, measured.available) == (2, 4)


def test_the_tipc_protocol_skips_10_lines_and_cuts_5_at_each_end() -> None:
    # Lines 1 to 10 are warm-up; of 12 values 5 go at each end: (106 + 107) / 2 x 8.
    measured = of("tipc", log([1] * 10 + [100 + i for i in range(1, 13)]))
    assert printed(measured.value, measured.protocol) == "852.000"
    assert measured.lines == (32, 34)
    assert len(measured.left_out["trim"]) == 10


def test_the_last_record_alone_proves_the_statistic_last() -> None:
    measured = of("statistic=last", log([10, 20, 30]))
    assert (measured.value, measured.lines, measured.left_out) == (240, (6,), {"not_last": (2, 4)})


def test_the_time_of_a_step_gives_batch_size_times_cards_over_its_mean() -> None:
    measured = of("estimate=step_time", log([np.nan, np.nan], step_time=[0.5, 1.5]))
    assert (measured.value, measured.unit, measured.scope) == (32, "samples/s", "job")  # 4 x 8 / 1


def test_the_clock_counts_samples_between_the_two_lines_that_it_names() -> None:
    # Steps 20 to 40 in 2 x 4 s: 20 x 4 x 8 / 8.
    time = np.datetime64("2026-11-21T09:00:00", "us") + np.arange(5) * np.timedelta64(4, "s")
    measured = of("estimate=clock,skip_steps=20,take_first=20steps", log([1] * 5, time=time))
    assert (measured.value, measured.lines) == (80, (4, 8))
    assert measured.left_out == {"skip_steps": (2,), "beyond": (10,), "between": (6,)}


def test_instant_undoes_a_running_mean() -> None:
    # 10 steps at 10 a second last 1 s, 20 at 4 last 5 s: 10 in 4 s are 2.5 a second; (10 + 2.5) / 2 x 8.
    measured = of("estimate=instant", log([10, 4]), RUNNING)
    assert (measured.value, measured.warnings) == (50, ())


def test_a_running_mean_that_cannot_be_one_is_refused() -> None:
    # 10 steps at 1 a second last 10 s, but 20 steps at 4 a second only 5 s.
    with pytest.raises(NoMeasurement, match="estimate=instant gives -2 at line 4"):
        of("estimate=instant", log([1, 4]), RUNNING)


def test_a_stall_printed_as_0_counts() -> None:
    assert of("plain", log([0, 10])).value == 40  # 5 x 8


def test_the_lowest_rank_is_used_and_the_others_are_reported() -> None:
    measured = of("plain", log([10, 99, 20, 99], rank=[0, 1, 0, 1]))
    assert (measured.value, measured.left_out) == (120, {"other_rank": (4, 8)})  # 15 x 8
    assert tuple(map(str, measured.warnings)) == (
        "The log contains several ranks; only rank 0 is used, 2 of 4 records are skipped.",
    )


def test_a_rank_that_prints_no_throughput_is_not_the_one_used() -> None:
    measured = of("plain", log([np.nan, 20], rank=[0, 1]))
    assert (measured.lines, measured.left_out) == ((4,), {"no_value": (2,)})


@pytest.mark.parametrize("nothing", [np.nan, np.inf])
def test_records_without_a_number_are_left_out_and_reported(nothing: float) -> None:
    measured = of("plain", log([nothing, 20]))
    assert (measured.value, measured.left_out) == (160, {"no_value": (2,)})
    said = "1 of 2 records is skipped because it has no throughput, at line 2."
    assert tuple(map(str, measured.warnings)) == (said,)


@given(
    st.lists(st.floats(0.1, 1e5) | st.just(np.nan), min_size=1, max_size=40).filter(lambda v: not np.isnan(v).all()),
    st.sampled_from(["plain", "skip_records=3", "drop_last=2,take_last=5", "take_first=100steps", "trim=0.1"]),
)
def test_every_record_is_either_used_or_left_out_for_one_reason(values: list[float], protocol: str) -> None:
    records = log(values)
    try:
        measured = of(protocol, records)
    except NoMeasurement as nothing:
        assert nothing.message.key in (EMPTY_WINDOW, EMPTY_WINDOW_OF_ONE)
        return
    lines = [*measured.lines, *(line for left in measured.left_out.values() for line in left)]
    assert sorted(lines) == records["line"].tolist()


@given(st.lists(st.integers(1, 10**9).map(lambda n: n / 1000), min_size=1, max_size=40))
def test_the_value_lies_between_the_lowest_and_the_highest_record(values: list[float]) -> None:
    assert min(values) * 8 <= of("plain", log(values)).value + 1e-9
    assert of("plain", log(values)).value <= max(values) * 8 + 1e-9


def run(value: float, unit: str = "images/s") -> Throughput:
    return Throughput(value, unit, "job")


def test_repeats_are_put_together_as_the_protocol_says() -> None:
    runs = [run(value) for value in (90, 10, 30, 20)]
    assert combine(runs, Protocol()) == 25  # the median of 10 20 30 90
    assert combine(runs, Protocol(repeats="olympic")) == 25  # (20 + 30) / 2
    assert combine(runs, Protocol(repeats="mean")) == 37.5  # 150 / 4


def test_repeats_in_different_units_are_refused() -> None:
    with pytest.raises(NoMeasurement, match="found images/s of one job and tokens/s of one job"):
        combine([run(1), run(2, "tokens/s")], Protocol())

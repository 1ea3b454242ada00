"""A mean that a few records make is warned of, with what leaves them out."""

import numpy as np
import pandas as pd

from parsers.grammar.field import Field
from parsers.runs.facts import Fact
from parsers.runs.provenance import FILE_NAME, line
from report.measuring.measurement import measure
from report.measuring.protocol import Protocol

FIELDS = {
    ("step", "throughput"): Field("throughput", "NUMBER", unit="images", scope="card", kind="window_mean"),
    ("step", "step_time"): Field("step_time", "NUMBER", unit="seconds", kind="window_mean"),
}
EIGHT = {"cards": Fact("cards", 8, FILE_NAME), "batch_size": Fact("batch_size", 4, line(3))}
SLOW_START = [1.0, 2, 10, 10, 10, 10]


def warnings(text: str, **columns: list[float]) -> tuple[str, ...]:
    records = pd.DataFrame({"record": "step", **columns})
    records["line"] = np.arange(1, len(records) + 1)
    return tuple(map(str, measure(records, FIELDS, EIGHT, Protocol.parse(text)).warnings))


def test_a_mean_that_slow_first_steps_make_is_reported_with_what_leaves_them_out() -> None:
    assert warnings("plain", throughput=SLOW_START) == (
        "The mean of 6 records is 57.3333, their median 80: the first records are outliers; skip_records=2 skips them.",
    )
    assert warnings("skip_records=2", throughput=SLOW_START) == ()


def test_records_to_skip_are_counted_from_the_first_of_the_log() -> None:
    (warning,) = warnings("skip_records=1", throughput=SLOW_START)
    assert "skip_records=2" in warning


def test_a_mean_that_single_steps_make_is_reported_with_a_statistic_that_does_not_follow_them() -> None:
    assert warnings("estimate=step_time", step_time=[1.0, 1, 16, 1, 1]) == (
        "The mean of 5 records is 8, their median 32: outliers present; the median (statistic=median) is more robust.",
    )


def test_only_a_mean_is_warned_of() -> None:
    assert warnings("statistic=median", throughput=SLOW_START) == ()


def test_a_mean_near_the_median_is_not_warned_of() -> None:
    assert warnings("plain", throughput=[99.0, 100, 101, 105]) == ()


def test_a_mean_between_two_speeds_is_told_though_the_median_is_the_same() -> None:
    assert warnings("estimate=step_time", step_time=[1.0] * 8 + [4.0] * 8) == (
        "The records are of two speeds, about 8 and 32; their mean 12.8 is that of neither.",
    )


def test_speeds_that_scatter_are_not_two() -> None:
    assert warnings("estimate=step_time", step_time=[float(value) for value in range(10, 30)]) == ()


def test_two_speeds_are_not_told_of_a_few_records() -> None:
    assert warnings("estimate=step_time", step_time=[1.0, 4.0] * 4) == ()

from contextlib import nullcontext
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parsers.grammar.field import Field, Kind
from report.measuring.estimate import column, refuse_rounded, values
from report.measuring.protocol import NoMeasurement, Protocol
from report.measuring.record_columns import columns
from report.measuring.window import Fields

INSTANT = Protocol(estimate="instant")
STEP = Field("step", "INTEGER", first=1)


def log(**columns: object) -> pd.DataFrame:
    records = pd.DataFrame(columns)
    return records.assign(line=np.arange(1, len(records) + 1))


def throughput(kind: Kind = "running_mean", since: int | None = None, per: Literal["epoch", "run"] = "epoch") -> Fields:
    field = Field("throughput", "NUMBER", unit="images", scope="card", kind=kind, since=since, per=per)
    return {("step", "throughput"): field, ("step", "step"): STEP}


def step_time(kind: Kind, unit: str | None = "seconds") -> Fields:
    return {("step", "step_time"): Field("step_time", "NUMBER", unit=unit, kind=kind), ("step", "step"): STEP}


def test_reported_values_are_those_of_the_log() -> None:
    assert values(log(step=[1, 2], throughput=[3.0, 5.0]), throughput(), Protocol()).tolist() == [3, 5]


def test_means_of_an_unknown_kind_are_not_undone() -> None:
    with pytest.raises(NoMeasurement, match="does not define whether throughput is a running mean"):
        values(log(step=[1, 2], throughput=[3.0, 5.0]), throughput("unknown"), INSTANT)


@pytest.mark.parametrize(("unit", "number"), [("milliseconds", 250.0), ("minutes", 1 / 240), ("hours", 1 / 14400)])
def test_a_time_of_a_step_becomes_seconds(unit: str, number: float) -> None:
    fields = step_time("instant", unit)
    assert values(log(step_time=[number]), fields, Protocol(estimate="step_time")).tolist() == [pytest.approx(0.25)]


def test_a_time_without_a_unit_is_refused() -> None:
    with pytest.raises(NoMeasurement, match="The unit of step_time is None; only milliseconds, seconds, minutes"):
        values(log(step_time=[250.0]), step_time("instant", None), Protocol(estimate="step_time"))


def test_instant_undoes_a_running_mean_of_rates() -> None:
    # 10 steps at 10 a second last 1 s; 30 steps at 6 last 5 s: 20 steps in 4 s are 5 a second.
    records = log(step=[10, 30], throughput=[10.0, 6.0])
    assert values(records, throughput(), INSTANT).tolist() == [10, 5]


def test_instant_undoes_a_running_mean_of_times() -> None:
    # 10 steps of 2 s last 20 s; 30 steps of 4 s last 120 s: 20 steps in 100 s take 5 s each.
    records = log(step=[10, 30], step_time=[2.0, 4.0])
    assert values(records, step_time("running_mean"), INSTANT).tolist() == [2, 5]


def test_instant_begins_anew_with_each_epoch() -> None:
    records = log(step=[10, 30, 10, 30], throughput=[10.0, 6.0, 8.0, 8.0])
    assert values(records, throughput(), INSTANT).tolist() == [10, 5, 8, 8]


def test_instant_counts_steps_from_the_reset() -> None:
    # Reset after step 4: at 10 and 20 it covers 6 and 16 steps, 6 / 3 = 2 s and 16 / 2 = 8 s: 10 steps in 6 s.
    records = log(step=[10, 20], throughput=[3.0, 2.0])
    assert values(records, throughput(since=4), INSTANT) == pytest.approx([3, 10 / 6])


def test_a_record_before_the_reset_covers_all_steps_so_far() -> None:
    # Steps 2 and 4 lie before the reset: 2 / 1 = 2 s and 4 / 2 = 2 s would be no time, 4 / 1.6 = 2.5 s is 0.5 s.
    records = log(step=[2, 4, 6], throughput=[1.0, 1.6, 7.0])
    assert values(records, throughput(since=4), INSTANT).tolist() == [1, 4, 7]


@pytest.mark.parametrize(
    ("times", "unit", "is_refused"),
    [
        ([1.0, 2.0, 1.0], "milliseconds", True),
        ([1.0, 2.5, 1.0], "milliseconds", False),
        ([7.0, 8.0, 7.0], "milliseconds", False),
        ([1.0, 2.0, 1.0], "seconds", False),
    ],
    ids=["whole", "not all whole", "many", "seconds"],
)
def test_a_time_of_few_whole_milliseconds_is_refused(times: list[float], unit: str, is_refused: bool) -> None:
    records, fields = columns(log(step_time=times)), step_time("instant", unit)
    with pytest.raises(NoMeasurement, match="whole milliseconds") if is_refused else nullcontext():
        refuse_rounded(records, fields, "step", "step_time")


@pytest.mark.parametrize(("times", "is_refused"), [([0.0, 1.0, 0.0], True), ([12.0, 13.0], False), ([0.5, 1.0], False)])
def test_a_time_of_an_epoch_in_few_whole_seconds_is_refused(times: list[float], is_refused: bool) -> None:
    fields = {("epoch", "duration"): Field("duration", "NUMBER", unit="seconds")}
    with pytest.raises(NoMeasurement, match="whole seconds") if is_refused else nullcontext():
        refuse_rounded(columns(log(duration=times)), fields, "epoch", "duration")


def test_a_running_mean_over_the_run_covers_all_epochs() -> None:
    # Epochs of 10 steps: 10 steps in 1 s, 20 steps in 5 s, so the second 10 take 4 s.
    records = log(step=[10, 10], throughput=[10.0, 4.0])
    assert values(records, throughput(per="run"), INSTANT).tolist() == [10, 2.5]


def test_a_running_mean_over_the_run_is_undone_between_epoch_records() -> None:
    # The time of an epoch is 1 / 10, then 2 / 4 - 1 / 10 = 0.4: 1 / 0.4 = 2.5.
    mean = Field("throughput", "NUMBER", scope="job", kind="running_mean", per="run")
    fields = {("epoch", "throughput"): mean, ("epoch", "epoch"): Field("epoch", "INTEGER", first=0)}
    found = values(log(epoch=[0, 1], throughput=[10.0, 4.0]), fields, Protocol(records="epoch", estimate="instant"))
    assert found.tolist() == [10, 2.5]


def test_a_mean_of_each_epoch_needs_no_undoing_between_epoch_records() -> None:
    mean = Field("throughput", "NUMBER", scope="job", kind="running_mean", per="epoch", since=4)
    fields = {("epoch", "throughput"): mean, ("epoch", "epoch"): Field("epoch", "INTEGER", first=0)}
    records = log(epoch=[0, 1, 2], throughput=[10.0, 4.0, 5.0])
    assert values(records, fields, Protocol(records="epoch", estimate="instant")).tolist() == [10, 4, 5]


def test_a_mean_that_leaves_out_steps_cannot_be_undone_by_counting_epochs() -> None:
    mean = Field("throughput", "NUMBER", scope="job", kind="running_mean", per="run", since=4)
    fields = {("epoch", "throughput"): mean, ("epoch", "epoch"): Field("epoch", "INTEGER", first=0)}
    with pytest.raises(NoMeasurement, match="The epoch records of this log do not contain step numbers"):
        values(log(epoch=[0, 1], throughput=[10.0, 4.0]), fields, Protocol(records="epoch", estimate="instant"))


def test_a_mean_of_each_epoch_needs_no_undoing_between_last_steps_of_epochs() -> None:
    records = log(step=[16, 16, 16], throughput=[10.0, 4.0, 5.0])
    assert values(records, throughput(since=4), INSTANT).tolist() == [10, 4, 5]


@pytest.mark.parametrize("kind", ["instant", "window_mean"])
def test_instant_leaves_other_kinds_as_they_are(kind: Kind) -> None:
    records = log(step=[10, 30], throughput=[10.0, 6.0])
    assert values(records, throughput(kind), INSTANT).tolist() == [10, 6]


def test_instant_refuses_a_total_because_it_cannot_be_undone() -> None:
    with pytest.raises(NoMeasurement, match="is a total, which cannot be converted"):
        values(log(step=[10, 30], throughput=[10.0, 6.0]), throughput("total"), INSTANT)


def test_a_mean_of_each_epoch_cannot_be_undone_by_steps_of_the_run() -> None:
    records = log(step=[10, 20, 30], epoch=[0, 0, 1], throughput=[1.0, 1.0, 1.0])
    with pytest.raises(NoMeasurement, match="step numbers continue into the next epoch at line 3"):
        values(records, throughput(), INSTANT)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=30), st.integers(1, 10), st.integers(0, 12))
def test_instant_gives_back_the_times_that_a_running_mean_was_made_of(
    seconds: list[float], every: int, since: int
) -> None:
    # A program of one sample a step prints every so often the mean rate since the reset after step ``since``.
    printed = range(every, len(seconds) + 1, every)
    assume(len(printed) > 0)
    spans = [seconds[since if step > since else 0 : step] for step in printed]
    records = log(step=list(printed), throughput=[len(span) / sum(span) for span in spans])
    found = values(records, throughput(since=since), INSTANT)
    before = [0, *printed]
    starts = [since if before[i] <= since < step else before[i] for i, step in enumerate(printed)]
    expected = [(step - at) / sum(seconds[at:step]) for at, step in zip(starts, printed, strict=True)]
    assert found == pytest.approx(expected, rel=1e-9)


def test_instant_reads_the_time_of_a_step_where_there_is_no_throughput() -> None:
    assert column(log(step_time=[1.0]), step_time("instant"), INSTANT) == "step_time"


@pytest.mark.parametrize(
    ("estimate", "sentence"),
    [
        (
            "reported",
            "estimate=reported needs throughput, which the step records of this log do not contain: use estimate=",
        ),
        (
            "clock",
            "estimate=clock needs time or elapsed, which the step records of this log do not contain: "
            "use estimate=step_time.",
        ),
    ],
)
def test_a_column_that_the_log_does_not_print_is_reported_with_those_it_does(estimate: str, sentence: str) -> None:
    records = log(step_time=[1.0], throughput=[np.nan])
    with pytest.raises(NoMeasurement, match=sentence):
        column(records, step_time("instant"), Protocol.parse(f"estimate={estimate}"))


def test_a_log_of_losses_alone_gives_no_throughput() -> None:
    with pytest.raises(NoMeasurement, match="they do not contain any speed metric"):
        column(log(loss=[1.0]), {}, INSTANT)

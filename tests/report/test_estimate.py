from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parsers.grammar.field import Field, Kind
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measuring.estimate import column, refuse_rounded, values
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


def of_epochs(per: Literal["epoch", "run"], since: int | None = None) -> Fields:
    mean = Field("throughput", "NUMBER", scope="job", kind="running_mean", per=per, since=since)
    return {("epoch", "throughput"): mean, ("epoch", "epoch"): Field("epoch", "INTEGER", first=0)}


# 10 steps at 10 a second last 1 s; 30 steps at 6 last 5 s: 20 steps in 4 s are 5 a second.
STEPS = {"step": [10, 30], "throughput": [10.0, 6.0]}
EPOCHS = {"epoch": [0, 1, 2], "throughput": [10.0, 4.0, 5.0]}


@pytest.mark.parametrize(
    ("records", "fields", "of", "expected"),
    [
        (STEPS, throughput(), "step", [10, 5]),
        (STEPS, throughput("instant"), "step", [10, 6]),
        (STEPS, throughput("window_mean"), "step", [10, 6]),
        # 10 steps of 2 s last 20 s; 30 steps of 4 s last 120 s: 20 steps in 100 s take 5 s each.
        ({"step": [10, 30], "step_time": [2.0, 4.0]}, step_time("running_mean"), "step", [2, 5]),
        ({"step": [10, 30, 10, 30], "throughput": [10.0, 6.0, 8.0, 8.0]}, throughput(), "step", [10, 5, 8, 8]),
        # Epochs of 10 steps: 10 steps in 1 s, 20 steps in 5 s, so the second 10 take 4 s.
        ({"step": [10, 10], "throughput": [10.0, 4.0]}, throughput(per="run"), "step", [10, 2.5]),
        ({"step": [16, 16, 16], "throughput": [10.0, 4.0, 5.0]}, throughput(since=4), "step", [10, 4, 5]),
        # The time of an epoch is 1 / 10, then 2 / 4 - 1 / 10 = 0.4: 1 / 0.4 = 2.5.
        ({"epoch": [0, 1], "throughput": [10.0, 4.0]}, of_epochs("run"), "epoch", [10, 2.5]),
        (EPOCHS, of_epochs("epoch", since=4), "epoch", [10, 4, 5]),
    ],
)
def test_instant_undoes_a_running_mean(records: dict[str, Any], fields: Fields, of: str, expected: list[float]) -> None:
    assert values(log(**records), fields, Protocol.parse(f"records={of},estimate=instant")).tolist() == expected


@pytest.mark.parametrize(
    ("records", "fields", "protocol"),
    [
        (STEPS, throughput("unknown"), "estimate=instant"),
        (STEPS, throughput("total"), "estimate=instant"),
        ({**EPOCHS, "step": [10, 20, 30], "epoch": [0, 0, 1]}, throughput(), "estimate=instant"),
        (EPOCHS, of_epochs("run", since=4), "records=epoch,estimate=instant"),
        ({"step_time": [250.0]}, step_time("instant", None), "estimate=step_time"),
    ],
    ids=["unknown kind", "total", "steps of the run", "epochs that leave out steps", "no unit"],
)
def test_what_cannot_be_computed_is_refused(records: dict[str, Any], fields: Fields, protocol: str) -> None:
    with pytest.raises(NoMeasurement):
        values(log(**records), fields, Protocol.parse(protocol))


@pytest.mark.parametrize(("unit", "number"), [("milliseconds", 250.0), ("minutes", 1 / 240), ("hours", 1 / 14400)])
def test_a_time_of_a_step_becomes_seconds(unit: str, number: float) -> None:
    fields = step_time("instant", unit)
    assert values(log(step_time=[number]), fields, Protocol(estimate="step_time")).tolist() == [pytest.approx(0.25)]


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


@pytest.mark.parametrize("estimate", ["reported", "clock"])
def test_an_estimate_without_its_column_is_refused(estimate: str) -> None:
    with pytest.raises(NoMeasurement, match=f"estimate={estimate}"):
        column(log(step_time=[1.0], throughput=[np.nan]), step_time("instant"), Protocol.parse(f"estimate={estimate}"))

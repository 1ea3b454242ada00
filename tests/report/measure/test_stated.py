"""Stated protocols: what each key takes from a run, what its statistic makes of that, and what cannot be measured."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parsers.runs.facts import Fact
from parsers.runs.provenance import PAGE
from parsers.runs.ranks import read as read_log
from parsers.runs.reading import read, survey
from report.measure.diagnostics import Code, NoMeasurement
from report.measure.measure import measure
from report.measure.measurement import Measurement, combine
from report.measure.protocol import Protocol
from tests.conftest import Compare
from tests.parsers.golden_logs import LOGS
from tests.parsers.run_folders import make_run, put_clock
from tests.parsers.toy_logs import write_grammar
from tests.report.measure.made_runs import run, stamps, stated, uses

OF_CARD: Mapping[str, Any] = {"throughput": {"scope": "card"}}
EIGHT = {"cards": 8, "batch_size": 4}
NAN = np.nan


def every_tenth(steps: int) -> Any:
    """A run that prints its rate after each tenth step, so that record i stands for step 10 x i."""
    numbers = np.arange(10, steps + 1, 10)
    return run(step=numbers, throughput=numbers / 10.0)


def rates_of(found: Measurement) -> list[float]:
    """What each record that is used gives by itself."""
    assert found.calculation is not None
    rates: list[float] = found.calculation.rates.tolist()
    return rates


def refusal(protocol: str, *parts: Any) -> Code:
    """By which code a protocol is refused."""
    with pytest.raises(NoMeasurement) as error:
        stated(protocol, *parts)
    assert error.value.diagnostic is not None
    return Code(error.value.diagnostic.code)


@pytest.mark.parametrize(
    ("protocol", "steps", "expected"),
    [
        ("skip_records=2", 30, "skip_records skip_records used"),
        ("skip_fraction=0.25", 40, "skip_records used used used"),
        ("skip_fraction=0.25", 30, "used used used"),
        ("skip_steps=20", 30, "skip_steps skip_steps used"),
        ("skip_steps=19", 30, "skip_steps used used"),
        ("drop_last=1", 30, "used used drop_last"),
        ("drop_last=20steps", 50, "used used used drop_last drop_last"),  # the last 20 are 31 to 50
        ("skip_records=1,take_first=2", 50, "skip_records used used beyond beyond"),
        ("skip_steps=20,take_first=20steps", 50, "skip_steps skip_steps used used beyond"),  # steps 21 to 40
        ("skip_records=1,take_first=20steps", 50, "skip_records used used beyond beyond"),  # steps 11 to 30
        ("take_first=25steps", 40, "used used beyond beyond"),
        ("drop_last=1,take_last=2", 50, "before before used used drop_last"),
        ("take_last=25steps", 50, "before before used used used"),  # steps 26 to 50
        ("skip_records=2,take_last=5", 40, "skip_records skip_records used used"),
        ("from_step=20,to_step=40", 50, "before used used used beyond"),
        ("from_step=35,to_step=44", 50, "before before before used beyond"),
        ("from_step=20,take_first=2", 50, "before used used beyond beyond"),
        ("from_step=20,drop_last=1", 50, "before used used used drop_last"),
        ("skip_records=1,to_step=30", 50, "skip_records used used beyond beyond"),
        ("statistic=last", 30, "not_last not_last used"),
        ("trim=0.25", 40, "trim used used trim"),
        ("trim_min=1,skip_records=1", 40, "skip_records trim used trim"),
    ],
)
def test_a_protocol_says_of_each_record_why_it_is_used_or_not(protocol: str, steps: int, expected: str) -> None:
    assert uses(stated(protocol, every_tenth(steps))) == expected


@pytest.mark.parametrize(
    ("protocol", "missing"),
    [
        ("take_first=3", None),
        ("take_first=5", 2),  # 3 records are there
        ("skip_records=1,take_last=5", 3),  # 2 are left
        ("skip_steps=10,take_first=20steps", None),  # steps 11 to 30
        ("skip_steps=10,take_first=25steps", 5),  # up to step 35
    ],
)
def test_how_much_a_log_is_too_short_is_told(protocol: str, missing: int | None) -> None:
    told = [
        said.values["missing"] for said in stated(protocol, every_tenth(30)).diagnostics if said.code == "too_short"
    ]
    assert [int(str(one).split()[0]) for one in told] == ([missing] if missing else [])


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 12), st.integers(1, 12))
def test_on_a_log_of_every_step_records_and_steps_mean_the_same(skip: int, drop: int, take: int, left: int) -> None:
    length = skip + drop + left
    made = run(step=np.arange(1, length + 1), throughput=np.arange(1.0, length + 1))
    in_records = stated(f"skip_records={skip},drop_last={drop},take_first={take}", made)
    in_steps = stated(f"skip_steps={skip},drop_last={drop}steps,take_first={take}steps", made)
    assert uses(in_steps).replace("skip_steps", "skip_records") == uses(in_records)


@given(
    st.lists(st.floats(0.1, 1e5) | st.just(NAN), min_size=1, max_size=40).filter(lambda v: not np.isnan(v).all()),
    st.sampled_from(["plain", "skip_records=3", "drop_last=2,take_last=5", "take_first=100steps", "trim=0.1"]),
)
def test_every_record_is_used_or_left_out_for_one_reason_and_the_number_lies_among_them(
    values: list[float], protocol: str
) -> None:
    made = run(step=np.arange(1, len(values) + 1), throughput=values)
    try:
        found = stated(protocol, made)
    except NoMeasurement as nothing:
        assert nothing.diagnostic is not None and nothing.diagnostic.code == Code.NO_WINDOW
        return
    lines = [*found.lines, *(line for left in found.left_out.values() for line in left)]
    assert sorted(lines) == made.table["line"].tolist()
    used = np.array(values)[[line - 1 for line in found.lines]]
    assert used.min() * (1 - 1e-12) <= found.value <= used.max() * (1 + 1e-12)


def test_the_number_of_a_step_is_as_printed_where_the_first_is_0() -> None:
    made = run(step=[0, 1, 2, 3], throughput=[1.0] * 4, means={"step": {"first": 0}})
    assert uses(stated("from_step=1,to_step=2", made)) == "before used used beyond"


def test_a_duration_that_begins_anew_with_an_epoch_covers_no_steps_of_the_epoch_before() -> None:
    columns: Any = {"epoch": [1, 1, 2, 2], "step": [10, 20, 10, 20], "steps_per_epoch": [30] * 4, "duration": [5.0] * 4}
    made = run(means={"duration": {"per": "epoch"}}, **columns)
    assert rates_of(stated("estimate=duration,counts=steps", made)) == [2.0] * 4


def test_a_trimmed_step_is_no_part_of_the_step_beside_it() -> None:
    made = run(step=[10, 20, 30, 40, 50, 60], step_time=[1.0, 1.0, 9.0, 2.0, 0.1, 2.0])
    assert "work_over_time" not in [
        said.code for said in stated("estimate=step_time,counts=steps,trim_min=1", made).diagnostics
    ]


def test_the_tipc_protocol_skips_10_lines_and_cuts_5_at_each_end() -> None:
    rates = [1.0] * 10 + [100.0 + i for i in range(1, 13)]
    found = stated("tipc", run(step=np.arange(10, 221, 10), throughput=rates, facts=EIGHT, means=OF_CARD))
    assert (found.value, found.lines, len(found.left_out["trim"])) == (852, (16, 17), 10)  # (106 + 107) / 2 x 8


# 10 steps each; the job has 8 cards with 4 samples each.
TIMES: Mapping[str, Any] = {"step": [10, 20, 30], "step_time": [0.5, 1.5, 1.0]}
CLOCK: Mapping[str, Any] = {"step": [10, 20, 30, 40, 50], "time": stamps([0, 4, 8, 12, 16])}
EPOCHS: Mapping[str, Any] = {"epoch": [1, 2], "steps_per_epoch": [100, 100], "duration": [5.0, 4.0]}


@pytest.mark.parametrize(
    ("protocol", "kind", "columns", "value", "unit", "lines"),
    [
        ("plain", "step", {"step": [1, 2, 3], "throughput": [10.0, 20, 60]}, 30, "images/s", (1, 2, 3)),
        ("plain", "step", {"step": [1, 2], "throughput": [0.0, 10]}, 5, "images/s", (1, 2)),  # a stall counts
        ("plain", "step", {"step": [1, 2], "throughput": [NAN, 10]}, 10, "images/s", (2,)),
        ("plain", "step", {"step": [1, 2], "throughput": [np.inf, 10]}, 10, "images/s", (2,)),
        ("estimate=step_time", "step", TIMES, 32, "samples/s", (1, 2, 3)),  # 4 x 8 / 1
        ("estimate=step_time,statistic=last", "step", TIMES, 32, "samples/s", (3,)),
        ("estimate=step_time,counts=steps", "step", TIMES, 1, "steps/s", (1, 2, 3)),
        ("estimate=step_time", "step", {"step": [1, 2], "step_rate": [2.0, 2.0]}, 64, "samples/s", (1, 2)),
        ("estimate=clock", "step", CLOCK, 80, "samples/s", (1, 5)),  # 40 steps x 32 / 16 s
        ("estimate=clock,skip_steps=20,take_first=20steps", "step", CLOCK, 80, "samples/s", (2, 4)),
        ("estimate=clock,counts=steps", "step", CLOCK, 2.5, "steps/s", (1, 5)),
        ("records=epoch,estimate=duration", "epoch", EPOCHS, 720, "samples/s", (1, 2)),  # of 640 and 800
        ("records=epoch,estimate=duration,counts=steps", "epoch", EPOCHS, 22.5, "steps/s", (1, 2)),
        ("records=epoch,estimate=duration,counts=epochs", "epoch", EPOCHS, 0.225, "epochs/s", (1, 2)),
        ("estimate=duration", "step", {"step": [10, 30], "duration": [1.0, 2.0]}, 320, "samples/s", (1, 2)),
    ],
)
def test_an_estimate_gives_the_number_of_the_job(
    protocol: str, kind: str, columns: dict[str, Any], value: float, unit: str, lines: tuple[int, ...]
) -> None:
    found = stated(protocol, run(kind, facts=EIGHT, **columns))
    assert (found.unit, found.scope, found.lines) == (unit, "job", lines)
    assert found.value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("columns", "facts", "value", "unit"),
    [
        ({"batch_size": [32, 16]}, {"cards": 2}, 96, "samples/s"),  # 48 a step on average
        ({}, {"job_batch_tokens": 491520, "batch_size": 12}, 983040, "tokens/s"),
        ({"consumed_tokens": [1000, 1500]}, {}, 100, "tokens/s"),  # 500 in 10 steps
        ({"consumed_tokens": [1000, 1500]}, {"batch_size": 4, "cards": 2}, 16, "samples/s"),
    ],
)
def test_a_step_is_the_batch_of_the_job_or_else_its_tokens(
    columns: dict[str, Any], facts: dict[str, int], value: float, unit: str
) -> None:
    found = stated("estimate=step_time", run(step=[10, 20], step_time=[0.5, 0.5], facts=facts, **columns))
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize(("statistic", "value"), [("mean", 80 / 3), ("median", 24), ("last", 16)])
def test_each_record_counts_with_the_batch_size_of_its_own(statistic: str, value: float) -> None:
    made = run(step=[1, 2, 3, 4], step_time=[1.0, 1, 0.5, 0.5], job_batch_size=[32, 32, 8, 8])
    assert stated(f"estimate=step_time,statistic={statistic}", made).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("columns", "facts", "counts", "rate"),
    [
        ({"consumed_samples": [1000, 5000], "elapsed": [5.0, 15.0]}, EIGHT, "samples", 400),
        ({"consumed_tokens": [1000, 5000], "elapsed": [5.0, 15.0]}, {}, "samples", 400),
        # What was done before the first record does not matter, and it may not say so.
        ({"token_count": [NAN, 300, 500], "elapsed": [5.0, 15.0, 25.0]}, {"cards": 4}, "samples", 160),
        # The clock begins anew while steps go on: another start.
        ({"step": [1, 2, 3, 4, 5], "elapsed": [2.0, 4.0, 6.0, 2.0, 4.0]}, {}, "steps", 0.5),
        # Steps begin anew with each epoch, and the clock too, or the clock goes on.
        ({"epoch": [1, 1, 2, 2], "step": [50, 99, 50, 99], "elapsed": [12.5, 24.75] * 2}, {}, "steps", 4),
        ({"step": [1, 3, 1, 3], "steps_per_epoch": [4] * 4, "elapsed": [2.0, 6.0, 10.0, 14.0]}, {}, "steps", 0.5),
        ({"elapsed": [10.0, 20.0, 40.0], "epoch": [1, 2, 4]}, {}, "epochs", 0.1),
        ({"elapsed": [10.0, 20.0, 30.0, 90.0, 100.0], "epoch": [1, 2, 3, 1, 2]}, {}, "epochs", 0.1),
        ({"epoch": [1, 3], "elapsed": [5.0, 15.0]}, {"epoch_samples": 1000}, "samples", 200),
    ],
)
def test_a_clock_counts_what_was_done_between_records(
    columns: dict[str, Any], facts: dict[str, int], counts: str, rate: float
) -> None:
    kind = "epoch" if "step" not in columns and "epoch" in columns else "step"
    found = stated(f"records={kind},estimate=clock,counts={counts}", run(kind, facts=facts, **columns))
    assert found.value == pytest.approx(rate, rel=1e-9)


def test_arrival_times_are_used_where_a_log_prints_no_time_and_that_is_told(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"".join(b"toy %d speed 1\n" % step for step in range(1, 5)))
    put_clock(log, "1,1935619200.000", "2,1935619200.500", "3,1935619201.000", "4,1935619201.500")
    facts = [Fact("cards", 8, PAGE), Fact("batch_size", 4, PAGE)]
    found = measure(read(log, format=write_grammar(tmp_path, "toy"), facts=facts), Protocol.parse("estimate=clock"))
    assert (found.value, found.unit, found.lines) == (64, "samples/s", (1, 4))  # 3 steps x 4 x 8 / 1.5 s
    assert Code.ARRIVED in [said.code for said in found.diagnostics]


RUNNING = {"kind": "running_mean"}
# 10 steps at 10 a second last 1 s; 30 steps at 6 last 5 s: 20 steps in 4 s are 5 a second.
MEANS = {"step": [10, 30], "throughput": [10.0, 6.0]}
OF_EPOCHS = {"epoch": [1, 2], "throughput": [10.0, 4.0]}


@pytest.mark.parametrize(
    ("columns", "means", "rates"),
    [
        (MEANS, RUNNING, [10, 5]),
        (MEANS, {"kind": "instant"}, [10, 6]),
        (MEANS, {"kind": "window_mean"}, [10, 6]),
        ({"step": [10, 30, 10, 30], "throughput": [10.0, 6.0, 8.0, 8.0]}, RUNNING, [10, 5, 8, 8]),
        # Epochs of 10 steps: 10 steps in 1 s, 20 in 5 s.
        ({"step": [10, 10], "epoch": [1, 2], "throughput": [10.0, 4.0]}, {**RUNNING, "per": "run"}, [10, 2.5]),
        ({"step": [16] * 3, "epoch": [1, 2, 3], "throughput": [10.0, 4, 5]}, {**RUNNING, "since": 4}, [10, 4, 5]),
        # The time of an epoch is 1 / 10, then 2 / 4 - 1 / 10 = 0.4.
        (OF_EPOCHS, {**RUNNING, "per": "run"}, [10, 2.5]),
        (OF_EPOCHS, {**RUNNING, "per": "epoch", "since": 4}, [10, 4]),
    ],
)
def test_instant_undoes_a_running_mean(columns: dict[str, Any], means: dict[str, Any], rates: list[float]) -> None:
    kind = "step" if "step" in columns else "epoch"
    found = stated(f"records={kind},estimate=instant", run(kind, means={"throughput": means}, **columns))
    assert rates_of(found) == pytest.approx(rates)


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=30), st.integers(1, 10), st.integers(0, 12))
def test_instant_gives_back_the_times_that_a_running_mean_was_made_of(
    seconds: list[float], every: int, since: int
) -> None:
    # A program of one sample a step prints every so often the mean rate since the reset after step ``since``.
    printed = range(every, len(seconds) + 1, every)
    assume(len(printed) > 0)
    spans = [seconds[since if step > since else 0 : step] for step in printed]
    rates = [len(span) / sum(span) for span in spans]
    made = run(step=list(printed), throughput=rates, means={"throughput": {**RUNNING, "since": since}})
    before = [0, *printed]
    starts = [since if before[i] <= since < step else before[i] for i, step in enumerate(printed)]
    expected = [(step - at) / sum(seconds[at:step]) for at, step in zip(starts, printed, strict=True)]
    assert rates_of(stated("estimate=instant", made)) == pytest.approx(expected, rel=1e-9)


def test_instant_times_of_steps_are_those_between_the_records_whatever_the_epoch() -> None:
    made = run(
        step=[10, 20, 40, 10, 20],
        epoch=[1, 1, 1, 2, 2],
        step_time=[9.0, 5.0, 3.0, 9.0, 6.0],
        means={"step_time": {**RUNNING, "per": "epoch"}},
    )
    found = stated("estimate=instant,counts=steps", made)
    assert found.unit == "steps/s"
    assert rates_of(found) == pytest.approx([1 / 9, 1, 1, 1 / 9, 1 / 3])


@pytest.mark.parametrize(
    ("rates", "left_out"),
    [
        ([175.5, 175.5, 175.5, 875.0, 876.0, 874.0], {"repeated": (1, 2, 3)}),
        ([875.0, 875.0, 876.0, 874.0], {}),
        ([800.0, 875.0, 876.0], {}),
        ([875.0, 875.0, 875.0], {}),
    ],
    ids=["stands still and jumps", "near", "once", "steady"],
)
def test_a_mean_that_an_earlier_run_left_behind_is_left_out(
    rates: list[float], left_out: dict[str, tuple[int, ...]]
) -> None:
    made = run(throughput=rates, means={"throughput": {**RUNNING, "per": "run"}})
    assert stated("estimate=reported", made).left_out == left_out


@pytest.mark.parametrize(("unit", "printed"), [("milliseconds", 250.0), ("minutes", 1 / 240), ("hours", 1 / 14400)])
def test_a_time_of_a_step_is_in_seconds_whatever_its_unit(unit: str, printed: float) -> None:
    made = run(step=[1, 2], step_time=[printed] * 2, means={"step_time": {"unit": unit}})
    assert stated("estimate=step_time,counts=steps", made).value == pytest.approx(4)


STEPS = {"step": [1, 2, 3], "throughput": [1.0, 1.0, 1.0]}


@pytest.mark.parametrize(
    ("protocol", "kind", "columns", "means", "code"),
    [
        ("skip_records=3", "step", STEPS, {}, Code.NO_WINDOW),
        ("trim=0.4,trim_min=2", "step", STEPS, {}, Code.NO_WINDOW),
        ("records=epoch", "step", STEPS, {}, Code.NO_COLUMN),
        ("estimate=step_time", "step", STEPS, {}, Code.NO_COLUMN),
        ("estimate=clock", "step", STEPS, {}, Code.NO_COLUMN),
        ("plain", "step", {"step": [1], "loss": [1.0]}, {}, Code.NO_SPEED),
        ("plain", "step", {"step": [1, 2], "throughput": [0.0, 0.0]}, {}, Code.ZERO),
        ("plain", "step", {"step": [1, 2], "throughput": [-1.0, 2.0]}, {}, Code.IMPOSSIBLE),
        ("estimate=step_time,counts=steps", "step", {"step": [1, 2], "step_time": [0.0, 2.0]}, {}, Code.IMPOSSIBLE),
        # 10 steps at 1 a second last 10 s, but 20 steps at 4 a second only 5 s.
        ("estimate=instant", "step", {"step": [10, 20], "throughput": [1.0, 4.0]}, RUNNING, Code.IMPOSSIBLE),
        ("estimate=instant", "step", MEANS, {"kind": "unknown"}, Code.NOT_UNDONE),
        ("estimate=instant", "step", MEANS, {"kind": "total"}, Code.NOT_UNDONE),
        ("estimate=instant", "step", {**MEANS, "epoch": [1, 2]}, RUNNING, Code.NOT_UNDONE),  # steps of the run
        # Two means of one epoch, and nothing tells how many of its steps each covers.
        ("estimate=instant", "step", {"epoch": [1, 1], "throughput": [4.0, 5.0]}, RUNNING, Code.NOT_UNDONE),
        ("skip_steps=1", "epoch", {"epoch": [1, 2], "throughput": [1.0, 1.0]}, {}, Code.NO_STEPS),
        ("from_step=1", "step", {"step": [1, 2, 1, 2], "throughput": [1.0] * 4}, {}, Code.NO_STEPS),
        ("estimate=clock,counts=epochs", "epoch", {"elapsed": [5.0, 10.0]}, {}, Code.NO_STEPS),
        ("estimate=step_time", "step", {"step": [1], "step_time": [1.0]}, {}, Code.NO_BATCH),
        ("estimate=clock", "step", {"step": [10], "elapsed": [1.0]}, {}, Code.NO_BATCH),
        ("estimate=clock,counts=steps", "step", {"step": [10], "elapsed": [1.0]}, {}, Code.NO_TIME),
        ("estimate=duration,counts=steps", "step", {"step": [10, 10, 20], "duration": [5.0] * 3}, {}, Code.IMPOSSIBLE),
        ("estimate=clock,counts=steps", "step", {"step": [10, 20], "elapsed": [1.0, 1.0]}, {}, Code.NO_TIME),
        ("plain", "step", {**STEPS, "counted": np.array(["a", "b", "a"], object)}, {}, Code.UNLIKE_UNITS),
    ],
)
def test_what_a_protocol_cannot_measure_is_refused_by_a_code(
    protocol: str, kind: str, columns: dict[str, Any], means: dict[str, Any], code: Code
) -> None:
    if kind == "epoch":
        protocol = f"records=epoch,{protocol}"
    assert refusal(protocol, run(kind, means={"throughput": means}, **columns)) == code


def test_the_code_of_a_missing_column_names_the_estimates_that_are_possible() -> None:
    with pytest.raises(NoMeasurement) as error:
        stated("estimate=clock", run(**TIMES))
    assert error.value.diagnostic is not None
    assert error.value.diagnostic.values["possible"] == "estimate=step_time"


@pytest.mark.parametrize(
    ("columns", "facts", "status", "ratio"),
    [
        ({"step_time": np.full(40, 0.512)}, {"job_batch_size": 64}, "confirmed", 1),
        ({"step_time": np.full(40, 1.024)}, {"job_batch_size": 64}, "contradicted", 0.5),
        ({"time": stamps(np.arange(40) * 0.512)}, {"job_batch_size": 64}, "confirmed", 1),
        ({"time": stamps(np.arange(40) * 2.048)}, {"job_batch_size": 64}, "contradicted", 0.25),
        ({}, {}, "unchecked", None),
    ],
)
def test_other_sources_check_a_number_by_a_protocol_and_never_change_it(
    columns: dict[str, Any], facts: dict[str, int], status: str, ratio: float | None
) -> None:
    made = run(step=np.arange(1, 41), throughput=np.full(40, 125.0), facts=facts, **columns)
    found = stated("tipc-plain", made)
    assert (found.value, found.status) == (125, status)
    assert (found.by.ratio if found.by else 0) == pytest.approx(ratio or 0)


GRAMMAR = """// Toy that begins anew
start: step_line | summary_line | event_line
step_line: "step" step{"1"} "speed" throughput{images, job, instant}
summary_line: "in all" throughput{images, job, total}
event_line: "begin" run_start{"training"}
%import .vocabulary (step, throughput, run_start, images, job, instant, total, BLANK)
%ignore BLANK
"""


def speeds(*values: float) -> list[str]:
    return [f"step {number} speed {value}" for number, value in enumerate(values, 1)]


TWO_RUNS = [*speeds(50, 52, 54), "begin training", *speeds(100, 102, 104)]


@pytest.mark.parametrize(
    ("protocol", "value"),
    [
        ("run=1,estimate=reported", 52),
        ("run=2,estimate=reported", 102),
        ("run=last,estimate=reported", 102),
        ("run=1,skip_records=1", 53),
        ("run=1", 2 / (1 / 52 + 1 / 54)),  # by the rule: the first is slow
    ],
)
def test_a_protocol_says_which_run_of_a_log_it_means(tmp_path: Path, protocol: str, value: float) -> None:
    assert of_log(tmp_path, TWO_RUNS, protocol).value == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("lines", "protocol", "code"),
    [
        (TWO_RUNS, "estimate=reported", Code.WHICH_RUN),
        (TWO_RUNS, "estimate=reported,run=3", Code.WHICH_RUN),
        (["no record at all"], "run=last", Code.NO_RECORDS),
        (["no record at all"], "estimate=reported,run=last", Code.NO_RECORDS),
        ([*speeds(50, 52), "in all 52", "begin training", *speeds(100, 102)], "summary,run=last", Code.NO_COLUMN),
    ],
)
def test_a_protocol_that_means_no_run_of_the_log_is_refused(
    tmp_path: Path, lines: list[str], protocol: str, code: Code
) -> None:
    with pytest.raises(NoMeasurement) as error:
        of_log(tmp_path, lines, protocol)
    assert error.value.diagnostic is not None and error.value.diagnostic.code == code


def of_log(folder: Path, lines: list[str], protocol: str) -> Measurement:
    log, grammar = folder / "a.log", folder / "toy.lark"
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    grammar.write_text(GRAMMAR, encoding="utf-8")
    return measure(survey(log, format=grammar), Protocol.parse(protocol))


def repeat(value: float, unit: str = "images", scope: str = "job") -> Measurement:
    means = {"throughput": {"unit": unit, "scope": scope}}
    return stated("plain", run(step=[1, 2], throughput=[value] * 2, means=means))


@pytest.mark.parametrize("other", [("tokens", "job"), ("images", "unknown")])
def test_repeats_of_another_unit_or_scope_are_not_put_together(other: tuple[str, str]) -> None:
    runs = [repeat(1), repeat(2), repeat(4, *other)]
    assert combine(runs[:2], Protocol.parse("repeats=max")) == 2
    with pytest.raises(NoMeasurement) as error:
        combine(runs, Protocol.parse("repeats=median"))
    assert error.value.diagnostic is not None and error.value.diagnostic.code == Code.UNLIKE_UNITS


PROTOCOLS = (
    "tipc-plain",
    "summary",
    "estimate=step_time,statistic=median",
    "estimate=clock,counts=steps,skip_records=2",
    "estimate=duration",
    "estimate=instant",
    "estimate=instant,counts=steps",
    "skip_steps=20,take_first=100 steps,estimate=reported",
    "records=epoch,estimate=clock,counts=epochs",
    "skip_fraction=0.7,statistic=harmonic_mean,drop_last=1",
)


def measured() -> Iterator[str]:
    """A line for each number that a protocol gives."""
    for log in LOGS:
        reading = read_log(log)
        for text in PROTOCOLS:
            with suppress(NoMeasurement):
                found = measure(reading, Protocol.parse(text))
                lines = f"{found.records_used} of lines {found.ends[0]} to {found.ends[1]}"
                number = f"{found.value:.15g} {found.unit} ({found.scope})"
                yield f"{log.parent.name}/{log.name} {text}: {number}, {lines}"


def test_every_stated_number_is_what_it_was(compare: Compare) -> None:
    compare(Path(__file__).parent / "golden/stated.txt", "\n".join(measured()) + "\n")

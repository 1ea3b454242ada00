"""The rule: work over time in the steady part of the longest run, and what the other sources of a log say of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.grammar.format import METRICS
from parsers.scanning.record_table import RECORD
from parsers.series import FEW, OVERHEAD
from report.measure.diagnostics import Code, NoMeasurement
from report.measure.measurement import Measurement
from report.measure.records import Run
from report.results.measured_log import measured_log
from tests.report.measure.made_runs import measured, run, stamps

# A quiet run of 40 steps: 0.512 s each, 64 images.
STEPS = np.arange(1, 41)
QUIET = np.full(40, 0.512)
CLOCK = np.cumsum(QUIET)
OF_JOB = {"cards": 8, "batch_size": 8, "job_batch_size": 64}


def warm(first: float, count: int = 3) -> Any:
    """The times of a run whose first steps take other times."""
    return np.where(count >= STEPS, first, QUIET)


def number(*runs: Any) -> Measurement:
    """The number of a log that gives one."""
    found = measured(*runs)
    assert isinstance(found, Measurement), found
    return found


@pytest.mark.parametrize(
    ("columns", "facts", "status", "unit"),
    [
        ({"throughput": 64 / QUIET}, {}, "unchecked", "images/s"),
        ({"throughput": 64 / QUIET, "time": stamps(CLOCK)}, OF_JOB, "confirmed", "images/s"),
        ({"throughput": 64 / QUIET, "step_time": QUIET}, OF_JOB, "confirmed", "images/s"),
        ({"step_time": QUIET}, OF_JOB, "unchecked", "samples/s"),
        ({"step_time": QUIET}, {}, "unchecked", "steps/s"),
        ({"step_time": QUIET, "time": stamps(CLOCK)}, {}, "confirmed", "steps/s"),
        ({"step_time": QUIET, "time": stamps(CLOCK)}, OF_JOB, "confirmed", "samples/s"),
        ({"time": stamps(CLOCK)}, OF_JOB, "unchecked", "samples/s"),
        ({"consumed_samples": 64 * STEPS, "elapsed": CLOCK}, {}, "unchecked", "samples/s"),
        ({"throughput": 64 / QUIET, "time": stamps(CLOCK * 3)}, OF_JOB, "contradicted", "images/s"),
        ({"throughput": 64 / QUIET, "time": stamps(CLOCK / 3)}, OF_JOB, "contradicted", "images/s"),
        # A rate and the counts that it was computed from are one source.
        ({"throughput": 64 / QUIET, "duration": QUIET, "sample_count": np.full(40, 64)}, {}, "unchecked", "images/s"),
        # The clock proves the timer, but says nothing of what a step holds.
        ({"throughput": 64 / QUIET, "step_time": QUIET, "time": stamps(CLOCK)}, {}, "unchecked", "images/s"),
    ],
)
def test_a_source_gives_the_number_and_the_others_check_it(
    columns: dict[str, Any], facts: dict[str, int], status: str, unit: str
) -> None:
    found = number(run(step=STEPS, facts=facts, **columns))
    assert (found.status, found.unit, found.scope) == (status, unit, "job")
    assert found.value == pytest.approx(1.953125 if unit == "steps/s" else 125, rel=1e-9)


@pytest.mark.parametrize(
    ("scope", "facts", "value", "whose", "codes"),
    [
        ("card", {"cards": 8}, 1000, "job", set()),
        ("card", {}, 125, "card", {Code.SCOPE_UNKNOWN}),
        ("node", {"nodes": 2}, 250, "job", set()),
        ("unknown", {"cards": 8}, 125, "unknown", {Code.SCOPE_UNSTATED}),
        ("unknown", {"cards": 1}, 125, "job", set()),
        ("unknown", OF_JOB, 125, "job", set()),  # the time of a step tells the work of the job
        ("unknown", {"cards": 8, "job_batch_size": 512}, 1000, "job", set()),
    ],
)
def test_a_number_is_that_of_the_whole_job_where_the_log_says_what_makes_it_that(
    scope: str, facts: dict[str, int], value: float, whose: str, codes: set[Code]
) -> None:
    printed = run(
        step=STEPS, throughput=125 + 0 * QUIET, step_time=QUIET, facts=facts, means={"throughput": {"scope": scope}}
    )
    found = number(printed)
    assert (found.value, found.scope) == (value, whose)
    assert {said.code for said in found.diagnostics} - {Code.CONSTANT} == codes


def test_a_job_is_not_slower_than_one_of_its_cards() -> None:
    columns: dict[str, Any] = {"throughput": 64 / QUIET, "time": stamps(CLOCK * 3)}
    found = number(run(step=STEPS, facts={"job_batch_size": 64}, means={"throughput": {"scope": "card"}}, **columns))
    assert found.status == "contradicted"


@pytest.mark.parametrize(("each", "value", "scope"), [(64, 125, "job"), (512, 1000, "card")])
def test_a_clock_tells_whose_number_a_rate_of_unknown_scope_is(each: int, value: float, scope: str) -> None:
    columns: dict[str, Any] = {"throughput": 64 / QUIET, "consumed_samples": each * STEPS, "elapsed": CLOCK + 7}
    found = number(run(step=STEPS, facts={"cards": 8}, means={"throughput": {"scope": "unknown"}}, **columns))
    assert (found.value, found.scope, found.status) == (value, "job", "confirmed")
    assert {"scope": scope, "source": "step.elapsed"} in [said.values for said in found.diagnostics]


SUMMARY = """***** Running training *****
  Num examples = 3,200
  Instantaneous batch size per device = 16
  Total train batch size (w. parallel, distributed & accumulation) = 16
  Gradient Accumulation steps = 1
{{'train_runtime': 100.0, 'train_samples_per_second': 32.0, 'train_steps_per_second': {printed}, 'epoch': 1.0}}
"""


@pytest.mark.parametrize(
    ("printed", "status"), [("2.0", "unchecked"), ("1.2", "contradicted"), ("3.0", "contradicted")]
)
def test_two_totals_of_a_line_confirm_nothing_but_may_contradict(tmp_path: Path, printed: str, status: str) -> None:
    log = tmp_path / "train.log"
    log.write_text(SUMMARY.format(printed=printed), encoding="utf-8")
    assert measured_log(log).status == status


@pytest.mark.parametrize("first", [5.0, 0.1])
def test_records_at_the_start_that_are_slower_or_twice_as_fast_are_left_out_and_told(first: float) -> None:
    found = number(run(step=STEPS, step_time=warm(first)))
    assert (found.value, found.left_out) == (1.953125, {"warm_up": (1, 2, 3)})
    (said,) = (one for one in found.diagnostics if one.code == Code.WARM_UP)
    with_them = pytest.approx(40 / (3 * first + 37 * 0.512))
    assert said.values == {"count": 3, "of": 40, "value": with_them, "unit": "steps/s"}


def test_a_pause_of_a_clock_is_no_part_of_training() -> None:
    seconds = np.cumsum(np.where(STEPS == 20, 60.0, 0.512))
    found = number(run(step=STEPS, time=stamps(seconds)))
    assert found.value == pytest.approx(1.953125)
    assert found.left_out["pause"] == (20,)


@pytest.mark.parametrize(
    ("stalls", "value"), [((20,), 1.953125), ((20, 30), 1.953125), ((10, 20, 30, 40), 40 / (10 + 36 * 0.512))]
)
def test_what_recurs_in_the_times_of_steps_is_part_of_training(stalls: tuple[int, ...], value: float) -> None:
    times = np.where(np.isin(STEPS, stalls), 2.5, QUIET)
    assert number(run(step=STEPS, step_time=times)).value == pytest.approx(value)


RESUMED = 64 * (STEPS + 1000)  # the counter of a resumed run, whose clock begins anew


@pytest.mark.parametrize(
    ("columns", "kind", "value"),
    [
        ({"step_time": np.cumsum(warm(5.0)) / STEPS}, {"kind": "running_mean", "per": "run"}, 1.953125),
        ({"consumed_samples": RESUMED, "elapsed": CLOCK, "throughput": RESUMED / CLOCK}, {}, 125),
    ],
)
def test_a_mean_since_the_start_is_turned_back_into_the_time_of_each_record(
    columns: dict[str, Any], kind: dict[str, str], value: float
) -> None:
    found = number(run(step=STEPS, means={"step_time": kind}, **columns))
    assert found.value == pytest.approx(value)
    assert Code.UNDONE in {said.code for said in found.diagnostics}


def test_the_durations_of_records_come_before_a_total_of_the_run() -> None:
    steps = run(step=10 * STEPS, duration=10 * QUIET, facts=OF_JOB, means={"duration": {"kind": "wall_time"}})
    found = number([steps, run("summary", throughput=[120.0], means={"throughput": {"kind": "total"}})])
    assert (found.estimate.name, found.status) == ("step.duration", "confirmed")
    assert found.value == pytest.approx(125)


def test_the_steps_of_an_epoch_that_prints_no_record_are_done_between_those_around_it() -> None:
    epochs = np.arange(1, 41, 2)
    seconds = 0.512 * 10 * epochs
    found = number(run(step=[10] * 20, epoch=epochs, steps_per_epoch=[10] * 20, time=stamps(seconds), facts=OF_JOB))
    assert found.value == pytest.approx(125)


def test_the_time_of_a_run_counts_for_all_epochs_that_it_numbers() -> None:
    every = run("epoch", epoch=[*range(1, 11), np.nan], duration=[*[np.nan] * 10, 300.0])
    kinds = np.repeat([METRICS.index("epoch"), METRICS.index("summary")], [10, 1]).astype(np.int8)
    fields = {**run("epoch", epoch=[1]).fields, **run("summary", duration=[300.0]).fields}
    found = number(Run(1, every.table.having(RECORD, kinds), fields, {}))
    assert found.unit == "epochs/s"
    assert found.value == pytest.approx(10 / 300)


@pytest.mark.parametrize(("at", "time"), [(20, 5.0), (40, np.nan)])
def test_one_record_with_a_rank_among_many_without_is_no_run_of_its_own(at: int, time: float) -> None:
    ranks, times = np.where(at == STEPS, 3.0, np.nan), np.where(at == STEPS, time, QUIET)
    found = number(run(step=STEPS, rank=ranks, step_time=times))
    assert found.value == pytest.approx(1.953125)
    assert found.records_used == 39


def test_steps_that_are_printed_twice_count_once() -> None:
    found = number(run(step=np.repeat(STEPS, 2), step_time=np.repeat(warm(5.0, 1), 2)))
    assert (found.value, found.records_used) == (1.953125, 39)


def test_the_longest_run_of_a_log_counts_and_one_of_another_speed_contradicts_it() -> None:
    short = run(number=2, step=STEPS[:20], step_time=QUIET[:20])
    found = number(run(step=STEPS, step_time=QUIET), short)
    assert (found.status, found.run, [one.number for one in found.runs]) == ("unchecked", 1, [1, 2])
    slower = number(run(step=STEPS, step_time=QUIET), run(number=2, step=STEPS, step_time=2 * QUIET))
    assert (slower.status, slower.run, slower.by and slower.by.ratio) == ("contradicted", 2, 2)


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"step": STEPS, "throughput": 0 * QUIET}, Code.NO_SPEED),
        ({"step": STEPS, "loss": QUIET}, Code.NO_SPEED),
        ({"step": STEPS[:1], "step_time": QUIET[:1]}, Code.FIRST_STEP),
        ({"step": STEPS, "step_time": 1 + STEPS % 2, "means": {"step_time": {"unit": "milliseconds"}}}, Code.COARSE),
        ({"step": STEPS, "throughput": np.full(40, np.nan)}, Code.NO_SPEED),
    ],
)
def test_a_log_without_a_speed_is_refused_with_a_code(columns: dict[str, Any], code: Code) -> None:
    found = measured(run(**columns))
    assert isinstance(found, NoMeasurement)
    assert found.diagnostic is not None
    assert found.diagnostic.code == code


TIMES = st.lists(st.floats(0.05, 0.2), min_size=2 * FEW, max_size=30)


@given(TIMES, st.integers(1, 4096))
def test_all_forms_of_one_timer_give_one_number(times: list[float], batch: int) -> None:
    steps, seconds = np.arange(1, len(times) + 1), np.array(times)
    facts = {"cards": 1, "batch_size": batch, "job_batch_size": batch}
    by_time = number(run(step=steps, step_time=seconds, facts=facts))
    forms = [
        run(step=steps, throughput=batch / seconds, facts=facts),
        run(step=steps, step_time=1000 * seconds, facts=facts, means={"step_time": {"unit": "milliseconds"}}),
        run(step=steps, step_rate=1 / seconds, facts=facts),
    ]
    assert [number(form).value for form in forms] == pytest.approx([by_time.value] * 3, rel=1e-6)


@given(TIMES, st.sampled_from([0.125, 0.5, 2.0, 8.0]), st.booleans())
def test_a_number_that_is_wrong_by_a_factor_is_never_confirmed(
    times: list[float], wrong: float, has_clock: bool
) -> None:
    steps, seconds = np.arange(1, len(times) + 1), np.array(times)
    columns: dict[str, Any] = {"throughput": wrong * 64 / seconds, "step_time": seconds}
    if has_clock:
        columns["time"] = stamps(np.cumsum(seconds))
    assert number(run(step=steps, facts=OF_JOB, **columns)).status == "contradicted"


@given(TIMES, st.floats(1e-3, 1e3))
def test_a_log_of_slower_steps_gives_a_number_as_much_slower(times: list[float], slower: float) -> None:
    steps, seconds = np.arange(1, len(times) + 1), np.round(np.array(times), 3) + 1e-4  # in four digits, always
    one, other = (number(run(step=steps, step_time=s)) for s in (seconds, seconds * slower))
    assert other.value == pytest.approx(one.value / slower, rel=OVERHEAD)


@pytest.mark.parametrize("first", [0, 1])
def test_a_mean_over_all_epochs_is_undone_alike_whether_the_log_counts_them_from_0_or_1(first: int) -> None:
    epochs, seconds = np.arange(10), np.array([100.0, *[10.0] * 9])  # of 1000 images each
    mean_of_run = {"kind": "running_mean", "per": "run"}
    means: dict[str, dict[str, Any]] = {"epoch": {"first": first}, "throughput": mean_of_run}
    rates = 1000 * (epochs + 1) / np.cumsum(seconds)
    found = number(run("epoch", epoch=epochs + first, throughput=rates, means=means))
    assert found.value == pytest.approx(100)
    assert found.lines == tuple(range(2, 11))


def test_a_running_mean_counts_no_steps_that_trained_nothing() -> None:
    step, epoch = np.tile(np.arange(100, 1001, 100), 2), np.repeat([1, 2], 10)
    done = step - 50  # the loss scale overflowed at the start of each epoch
    rates = 1000 * done / (60 + done * 0.5)
    log = {"step": step, "epoch": epoch, "steps_per_epoch": np.full(20, 1000), "updates": done + 950 * (epoch - 1)}
    means = {"throughput": {"kind": "running_mean", "per": "epoch", "unit": "tokens"}}
    assert number(run(**log, throughput=rates, means=means)).value == pytest.approx(2000)


@pytest.mark.parametrize(("other", "status"), [(104.0, "unchecked"), (200.0, "contradicted"), (50.0, "contradicted")])
def test_totals_of_two_runs_are_one_number_only_where_they_agree(other: float, status: str) -> None:
    found = number(run("summary", throughput=[other]), run("summary", 2, throughput=[100.0]))
    assert (found.status, found.value, found.run) == (status, 100, 2)


@pytest.mark.parametrize(("every", "status"), [(3, "unchecked"), (4, "unchecked"), (10, "confirmed")])
@pytest.mark.parametrize("seconds", [1.0, 20.0])
def test_what_recurs_every_few_records_does_not_make_the_clock_contradict(
    every: int, status: str, seconds: float
) -> None:
    clock = np.cumsum(QUIET + seconds * (STEPS % every == 0))
    found = number(run(step=STEPS, throughput=64 / QUIET, time=stamps(clock), facts=OF_JOB))
    assert found.value == pytest.approx(125)
    assert found.status == status
    wrong = number(run(step=STEPS, throughput=128 / QUIET, time=stamps(clock), facts=OF_JOB))
    assert wrong.status == "contradicted"


@pytest.mark.parametrize(("printed", "is_coarse"), [("0.004", True), ("0.040", False)])
def test_the_same_duration_in_too_few_digits_is_no_speed(tmp_path: Path, printed: str, is_coarse: bool) -> None:
    log = tmp_path / "hours.log"
    log.write_text("".join(f"Epoch {epoch}/12 loss 0.5{epoch} epoch time {printed}h\n" for epoch in range(1, 13)))
    found = measured_log(log)
    assert (Code.COARSE in [one.code for one in found.diagnostics]) == is_coarse
    assert (found.status == "refused") == is_coarse


def test_a_mean_of_a_window_at_the_first_step_of_an_epoch_is_that_of_one_step() -> None:
    step, epoch = np.tile(np.arange(0, 101, 20), 4), np.repeat(np.arange(1, 5), 6)
    times, lengths, means = np.where(step == 0, 12.0, 0.5), np.full(24, 110), {"step": {"first": 0}}
    found = number(run(step=step, epoch=epoch, steps_per_epoch=lengths, step_time=times, means=means))
    assert found.value == pytest.approx((3 * 101 + 100) / (3 * 12 + 400 * 0.5))  # without the first step of all


def test_the_last_steps_of_epochs_that_nobody_numbers_are_no_repetition() -> None:
    ends, mean = np.full(6, 50), {"step_time": {"kind": "running_mean", "per": "epoch", "since": 1}}
    times, losses = np.array([0.23, 0.0201, 0.0199, 0.02, 0.0202, 0.0198]), np.linspace(0.6, 0.1, 6)
    found = number(run(step=ends, steps_per_epoch=ends, step_time=times, loss=losses, means=mean))
    assert found.value == pytest.approx(50, rel=0.01)
    assert len(found.lines) == 5


@pytest.mark.parametrize("wrong", [0.5, 2])
def test_a_slow_first_epoch_does_not_let_a_clock_confirm_a_wrong_time(wrong: float) -> None:
    times = np.array([12.5, *[0.36] * 9])
    clock, means = stamps(np.cumsum(times + 0.04)), {"duration": {"kind": "training_time", "per": "epoch"}}
    found = measured(run("epoch", epoch=np.arange(1, 11), time=clock, duration=times * wrong, means=means))
    assert not isinstance(found, Measurement) or found.status != "confirmed"


@pytest.mark.parametrize(("decimals", "source"), [(0, "step.time"), (1, "step.step_time")])
def test_a_clock_comes_before_times_that_are_printed_in_too_few_digits(decimals: int, source: str) -> None:
    times = np.where(STEPS % 3, 7.52, 6.9)
    found = number(run(step=STEPS, step_time=np.round(times, decimals), time=stamps(np.cumsum(times)), facts=OF_JOB))
    assert (found.estimate.name, found.status) == (source, "confirmed")
    assert found.value == pytest.approx(64 * 39 / times[1:].sum(), rel=0.005)


@pytest.mark.parametrize(("times", "facts"), [(8, "cards = 8"), (2, "nodes = 2"), (3, "")])
def test_the_count_that_two_contradicting_sides_are_apart_by_is_named(times: int, facts: str) -> None:
    of_job = {"cards": 8, "nodes": 2, "batch_size": 8, "job_batch_size": 64}
    found = number(run(step=STEPS, throughput=64 / QUIET / times, time=stamps(CLOCK), facts=of_job))
    named = [str(one.values["facts"]) for one in found.diagnostics if one.code == Code.NEAR_COUNT]
    assert (found.status, [said.partition(" (")[0] for said in named]) == ("contradicted", [facts] if facts else [])
    assert found.other_value == pytest.approx(125)


@pytest.mark.parametrize(("steps", "seconds"), [(40, None), (400, 0.5)])
def test_a_clock_of_whole_seconds_tells_the_time_of_a_step_only_over_many(steps: int, seconds: float | None) -> None:
    clock, numbers = np.floor(np.arange(steps) * 0.5), np.arange(1, steps + 1)
    found = number(run(step=numbers, throughput=np.full(steps, 125.5), time=stamps(clock)))
    assert found.seconds_per_step == (seconds and pytest.approx(seconds, rel=0.02))

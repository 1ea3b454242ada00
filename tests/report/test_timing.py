"""The clock: what was done between two records, and how long it took."""

import numpy as np
import pandas as pd
import pytest

from parsers.grammar.field import Field
from parsers.runs.facts import Fact
from parsers.runs.provenance import line, option
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measuring.timing import clock

STEP = Field("step", "INTEGER", first=1)


def log(**columns: object) -> pd.DataFrame:
    records = pd.DataFrame(columns)
    return records.assign(line=np.arange(1, len(records) + 1))


def timed(steps: list[int], seconds: list[float]) -> pd.DataFrame:
    start = np.datetime64("2026-11-21T09:00:00", "us")
    return log(step=steps, time=start + (np.array(seconds) * 1e6).astype("timedelta64[us]"))


def ticks(records: pd.DataFrame, used: list[bool]) -> tuple[float, float, list[bool]]:
    known = {name: Fact(name, 1, option(name)) for name in ("batch_size", "cards")}
    found = clock(records, {("step", "step"): STEP}, known, np.array(used), Protocol(estimate="clock"))
    return found.amount, found.seconds, found.ends.tolist()


def test_the_clock_starts_with_the_last_record_before_the_window() -> None:
    # From the end of step 20 to the end of step 40: 20 steps in 5.5 s.
    records = timed([10, 20, 30, 40, 50], [1, 2, 4, 7.5, 9])
    assert ticks(records, [False, False, True, True, False]) == (20, 5.5, [False, True, False, True, False])


def test_without_a_record_before_it_the_clock_starts_with_the_first_in_the_window() -> None:
    assert ticks(timed([10, 20, 30], [1, 2, 4]), [True, True, True]) == (20, 3, [True, False, True])


@pytest.mark.parametrize(("steps", "seconds"), [([10], [1]), ([10, 20], [1, 1])])
def test_the_clock_needs_two_records_and_must_go_forward(steps: list[int], seconds: list[float]) -> None:
    with pytest.raises(NoMeasurement):
        ticks(timed(steps, seconds), [True] * len(steps))


def test_samples_that_the_log_counts_itself_are_taken() -> None:
    records = log(step=[10, 30], elapsed=[5.0, 15.0], consumed_samples=[1000, 5000])
    assert ticks(records, [True, True]) == (4000, 10, [True, True])


def test_epochs_have_the_samples_that_a_fact_tells() -> None:
    records = log(epoch=[1.0, 3.0], elapsed=[5.0, 15.0])
    known = {"epoch_samples": Fact("epoch_samples", 1000, line(2))}
    protocol = Protocol.parse("records=epoch,estimate=clock")
    found = clock(records, {}, known, np.array([True, True]), protocol)
    assert (found.amount, found.seconds) == (2000, 10)


def counted(records: pd.DataFrame, fields: dict[tuple[str, str], Field], **known: int) -> tuple[float, str]:
    facts = {name: Fact(name, value, option(name)) for name, value in known.items()}
    found = clock(records, fields, facts, np.ones(len(records), np.bool_), Protocol(estimate="clock"))
    return found.amount, found.counted


def test_tokens_that_the_log_counts_since_the_start_are_taken() -> None:
    assert counted(log(elapsed=[5.0, 15.0], consumed_tokens=[1000, 5000]), {}) == (4000, "tokens")


def test_tokens_of_each_record_are_those_of_all_but_the_first_which_may_not_count_them() -> None:
    fields = {("step", "token_count"): Field("token_count", "NUMBER", scope="card")}
    records = log(elapsed=[5.0, 15.0, 25.0], token_count=[np.nan, 300.0, 500.0])
    assert counted(records, fields, cards=4) == (3200, "tokens")


def test_seconds_that_begin_anew_are_those_of_another_start_while_steps_go_on() -> None:
    records = log(step=[1, 2, 3, 4, 5], elapsed=[2.0, 4.0, 6.0, 2.0, 4.0])
    found = clock(
        records, {("step", "step"): STEP}, {}, np.ones(5, np.bool_), Protocol.parse("estimate=clock,counts=steps")
    )
    assert found.amount / found.seconds == 0.5


EPOCHS = Protocol.parse("records=epoch,estimate=clock,counts=epochs")


@pytest.mark.parametrize(
    ("epochs", "elapsed"),
    [([1.0, 2.0, 4.0], [10.0, 20.0, 40.0]), ([1.0, 2.0, 3.0, 1.0, 2.0], [10.0, 20.0, 30.0, 90.0, 100.0])],
    ids=["one run", "another start"],
)
def test_epochs_are_counted_by_their_numbers(epochs: list[float], elapsed: list[float]) -> None:
    found = clock(log(epoch=epochs, elapsed=elapsed), {}, {}, np.ones(len(epochs), np.bool_), EPOCHS)
    assert (found.amount, found.seconds) == (3, 30)


def pauses(seconds: list[float]) -> tuple[float, tuple[int, int]] | None:
    """The throughput without pauses of steps printed every ten, and the rows of the longest stretch without one."""
    records = timed([10 * n for n in range(1, len(seconds) + 1)], np.cumsum(seconds).tolist())
    known = {name: Fact(name, 1, option(name)) for name in ("batch_size", "cards")}
    every = np.ones(len(records), np.bool_)
    found = clock(records, {("step", "step"): STEP}, known, every, Protocol(estimate="clock")).pauses
    return (float(str(found.warning.values["value"])), found.longest) if found else None


def test_a_pause_between_two_records_is_told_with_the_throughput_without_it() -> None:
    assert pauses([5, 5, 5, 305, 5, 5, 5]) == (2, (3, 6))


@pytest.mark.parametrize(
    "seconds", [[5, 5, 5, 14, 5, 5], [5, 6, 4, 5, 7, 3], [1, 0, 0, 1, 0, 2, 0, 1], [5, 5.01] * 400 + [20]]
)
def test_what_varies_by_little_or_makes_little_of_the_time_is_no_pause(seconds: list[float]) -> None:
    assert pauses(seconds) is None


def passes(count: int, first: float = 5.25) -> pd.DataFrame:
    """Passes of a bar of four steps, the first of which takes some seconds, and the others one."""
    steps = [1, 2, 3, 4] * count
    return log(step=steps, elapsed=[first - 1 + step for step in steps])


def in_steps(records: pd.DataFrame) -> float:
    found = clock(
        records,
        {("step", "step"): STEP},
        {},
        np.full(len(records), True),
        Protocol.parse("estimate=clock,counts=steps"),
    )
    return found.rate


def test_short_passes_of_a_bar_count_from_where_their_clock_began() -> None:
    assert in_steps(passes(6)) == pytest.approx(4 / 8.25)


def test_passes_of_a_clock_in_whole_seconds_count_so_where_they_are_long() -> None:
    assert in_steps(passes(6, first=9)) == pytest.approx(4 / 12.5)
    assert in_steps(passes(6, first=3)) == pytest.approx(1)


def test_passes_that_are_cut_off_do_not_count_from_their_beginning() -> None:
    cut = passes(9)[lambda records: (records["step"] < 4) | (records["line"] % 3 > 0)]
    assert in_steps(cut.assign(line=np.arange(1, len(cut) + 1))) == pytest.approx(1)


def test_the_clock_of_an_epoch_begins_anew_behind_one_that_prints_only_once() -> None:
    epochs, steps = [1, 1, 2, 2, 3, 4, 4], [50, 100, 50, 100, 50, 50, 100]
    assert in_steps(log(epoch=epochs, step=steps, elapsed=[step / 4 for step in steps])) == pytest.approx(4)


def test_a_bar_that_is_drawn_as_a_step_ends_and_again_as_it_is_counted_makes_no_pauses() -> None:
    steps = np.repeat(np.arange(20), 2)
    seconds = np.append(0, np.repeat(np.arange(1, 20), 2) * 94.0 + np.arange(38) % 2)
    records = log(step=steps[: len(seconds)], elapsed=seconds)
    known = {name: Fact(name, 1, option(name)) for name in ("batch_size", "cards")}
    used = np.ones(len(records), np.bool_)
    assert clock(records, {("step", "step"): STEP}, known, used, Protocol(estimate="clock")).pauses is None

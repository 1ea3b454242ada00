import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.grammar.field import Field
from report.measuring.protocol import NoMeasurement, Protocol
from report.measuring.window import one_rank, repeated, shortfall, steps_done, window
from report.measuring.windows.record_use import REASON_KEYS, RecordUse

FROM_0 = Field("step", "INTEGER", first=0)
FROM_1 = Field("step", "INTEGER", first=1)
FIELDS = {("step", "step"): FROM_1}


def log(steps: list[float], **columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"line": np.arange(1, len(steps) + 1), "step": steps, **columns})


def every_tenth(steps: int) -> pd.DataFrame:
    """Steps 10, 20, 30, ... of one epoch, so that record i stands for step 10 x i."""
    return log(list(range(10, steps + 1, 10)))


def keys(protocol: str, records: pd.DataFrame) -> list[str]:
    _, reasons = window(records, FIELDS, Protocol.parse(protocol))
    return [REASON_KEYS[reason] for reason in reasons.tolist()]


def test_the_first_step_counts_as_one_whether_it_is_called_0_or_1() -> None:
    assert steps_done(log([0, 1, 2]), FROM_0).tolist() == [1, 2, 3]
    assert steps_done(log([1, 2, 3]), FROM_1).tolist() == [1, 2, 3]


def test_steps_add_up_over_epochs_whose_length_the_log_prints() -> None:
    # Epochs of 16 steps, printed at 0, 10: 1, 11, then 16 + 1, 16 + 11, then 32 + 1.
    records = log([0, 10, 0, 10, 0], steps_per_epoch=[16] * 5)
    assert steps_done(records, FROM_0).tolist() == [1, 11, 17, 27, 33]


def test_without_a_printed_length_an_epoch_ends_at_its_last_printed_step() -> None:
    assert steps_done(log([10, 20, 10, 20, 5]), FROM_1).tolist() == [10, 20, 30, 40, 45]


def test_a_length_that_some_lines_lack_is_taken_from_the_last_line_of_the_epoch() -> None:
    records = log([1, 2, 1, 2, 1], steps_per_epoch=[np.nan, 8, 8, np.nan, 8])
    assert steps_done(records, FROM_1).tolist() == [1, 2, 9, 10, 11]


def test_step_numbers_that_run_on_over_epochs_are_the_steps_done() -> None:
    records = log([10, 20, 30], epoch=[0, 1, 2], steps_per_epoch=[10, 10, 10])
    assert steps_done(records, FROM_1).tolist() == [10, 20, 30]


def test_a_step_of_the_run_that_is_printed_again_as_it_resumes_ends_no_epoch() -> None:
    records = log([5, 10, 12, 17, 17, 22], epoch=[1, 1, 2, 2, 3, 3])
    assert steps_done(records, FROM_1).tolist() == [5, 10, 12, 17, 17, 22]


def test_no_records_have_no_steps() -> None:
    assert steps_done(log([]), FROM_1).tolist() == []


@given(st.integers(1, 50), st.integers(1, 5), st.integers(1, 60), st.sampled_from([0, 1]))
def test_steps_done_are_those_of_a_loop_that_prints_every_so_often(
    length: int, epochs: int, every: int, first: int
) -> None:
    loop = [(epoch, step) for epoch in range(epochs) for step in range(length) if step % every == 0]
    records = log([step + first for _, step in loop], steps_per_epoch=[length] * len(loop))
    done = steps_done(records, Field("step", "INTEGER", first=first))
    assert done.tolist() == [epoch * length + step + 1 for epoch, step in loop]


def test_a_step_that_an_epoch_prints_again_cannot_be_counted() -> None:
    records = log([1, 1, 2, 2], epoch=[0, 0, 0, 0])
    with pytest.raises(NoMeasurement, match="does not increase from line 1 to line 2 of the same epoch"):
        steps_done(records, FROM_1)


def test_repeats_are_marked_only_within_an_epoch() -> None:
    assert repeated(log([1, 2, 1, 1], epoch=[0, 0, 1, 1]), FROM_1).tolist() == [False, False, False, True]


@pytest.mark.parametrize("step", [np.nan, 1.5])
def test_a_record_without_a_whole_step_number_is_named_by_its_line(step: float) -> None:
    with pytest.raises(NoMeasurement, match="Line 2 does not contain a whole step number"):
        steps_done(log([1, step]), FROM_1)


def test_records_that_carry_no_step_number_cannot_be_skipped_by_steps() -> None:
    with pytest.raises(NoMeasurement, match="The epoch records of this log do not contain step numbers"):
        window(log([1, 2]), FIELDS, Protocol(records="epoch", skip_steps=1))


def test_the_lowest_rank_stays() -> None:
    assert one_rank(log([1] * 4, rank=[3, 1, 1, 2])).tolist() == [False, True, True, False]


def test_records_without_a_rank_beside_ranked_ones_are_another_rank() -> None:
    assert one_rank(log([1] * 2, rank=[np.nan, 0])).tolist() == [False, True]


def test_records_that_name_no_rank_all_stay() -> None:
    assert one_rank(log([1, 2])).all()
    assert one_rank(log([1, 2], rank=[np.nan, np.nan])).all()


def test_a_nullable_integer_rank_is_read() -> None:
    records = log([1, 2]).assign(rank=pd.array([1, None], dtype="Int64"))
    assert one_rank(records).tolist() == [True, False]


def test_a_protocol_without_a_window_uses_every_record() -> None:
    assert keys("plain", every_tenth(30)) == ["used"] * 3


def test_skip_records_leaves_out_the_first_records() -> None:
    assert keys("skip_records=2", every_tenth(30)) == ["skip_records", "skip_records", "used"]


def test_skip_fraction_leaves_out_whole_records_at_the_start() -> None:
    assert keys("skip_fraction=0.25", every_tenth(40)) == ["skip_records"] + ["used"] * 3
    assert keys("skip_fraction=0.25", every_tenth(30)) == ["used"] * 3


def test_skip_steps_leaves_out_records_up_to_and_including_that_step() -> None:
    assert keys("skip_steps=20", every_tenth(30)) == ["skip_steps", "skip_steps", "used"]
    assert keys("skip_steps=19", every_tenth(30)) == ["skip_steps", "used", "used"]


def test_drop_last_leaves_out_records_at_the_end() -> None:
    assert keys("drop_last=1", every_tenth(30)) == ["used", "used", "drop_last"]


def test_drop_last_in_steps_leaves_out_records_of_the_last_steps() -> None:
    # Of 50 steps the last 20 are 31 to 50.
    assert keys("drop_last=20steps", every_tenth(50)) == ["used"] * 3 + ["drop_last"] * 2


def test_take_first_takes_records_after_those_skipped() -> None:
    assert keys("skip_records=1,take_first=2", every_tenth(50)) == ["skip_records", "used", "used", "beyond", "beyond"]


def test_take_first_in_steps_counts_from_the_last_step_skipped() -> None:
    # Steps 21 to 120: the records of step 30 to 120.
    found = keys("skip_steps=20,take_first=100steps", every_tenth(140))
    assert found == ["skip_steps"] * 2 + ["used"] * 10 + ["beyond"] * 2


def test_take_first_in_steps_counts_from_the_last_record_skipped() -> None:
    # One record is 10 steps: steps 11 to 30.
    assert keys("skip_records=1,take_first=20steps", every_tenth(50))[:4] == ["skip_records", "used", "used", "beyond"]


def test_take_first_in_steps_counts_from_the_start_where_nothing_is_skipped() -> None:
    assert keys("take_first=25steps", every_tenth(40)) == ["used", "used", "beyond", "beyond"]


def test_take_last_takes_records_before_those_dropped() -> None:
    assert keys("drop_last=1,take_last=2", every_tenth(50)) == ["before", "before", "used", "used", "drop_last"]


def test_take_last_in_steps_takes_the_records_of_the_last_steps() -> None:
    # Of 50 steps the last 25 are 26 to 50.
    assert keys("take_last=25steps", every_tenth(50)) == ["before", "before", "used", "used", "used"]


def test_take_last_never_takes_what_is_skipped() -> None:
    assert keys("skip_records=2,take_last=5", every_tenth(40)) == ["skip_records"] * 2 + ["used"] * 2


def test_a_window_can_leave_nothing() -> None:
    used, _ = window(every_tenth(30), FIELDS, Protocol(skip_records=5))
    assert not used.any()


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 12), st.integers(1, 12))
def test_on_a_log_of_every_step_records_and_steps_mean_the_same(skip: int, drop: int, take: int, length: int) -> None:
    records = log(list(range(1, length + 1)))
    in_records = Protocol.parse(f"skip_records={skip},drop_last={drop},take_first={take}")
    in_steps = Protocol.parse(f"skip_steps={skip},drop_last={drop}steps,take_first={take}steps")
    assert window(records, FIELDS, in_records)[0].tolist() == window(records, FIELDS, in_steps)[0].tolist()


@given(st.integers(0, 12), st.integers(0, 5), st.integers(1, 12), st.integers(0, 12))
def test_only_records_that_are_used_have_that_reason(skip: int, drop: int, take: int, length: int) -> None:
    protocol = Protocol.parse(f"skip_records={skip},drop_last={drop},take_last={take}")
    used, reasons = window(log(list(range(1, length + 1))), FIELDS, protocol)
    assert (used == (reasons == RecordUse.USED)).all()


@pytest.mark.parametrize(
    ("protocol", "missing"),
    [
        ("plain", 0),
        ("take_first=3", 0),
        ("take_first=5", 2),  # 3 records are there
        ("skip_records=1,take_last=5", 3),  # 2 are left
        ("skip_steps=10,take_first=20steps", 0),  # steps 11 to 30
        ("skip_steps=10,take_first=25steps", 5),  # up to step 35
        ("skip_steps=40,take_first=7steps", 7),  # nothing is left
    ],
)
def test_shortfall_is_what_a_log_of_30_steps_in_3_records_has_too_few(protocol: str, missing: int) -> None:
    assert shortfall(every_tenth(30), FIELDS, Protocol.parse(protocol)) == missing


def test_steps_are_named_by_the_numbers_that_the_log_prints() -> None:
    assert keys("from_step=20,to_step=40", every_tenth(50)) == ["before", "used", "used", "used", "beyond"]
    assert keys("from_step=35,to_step=44", every_tenth(50)) == ["before"] * 3 + ["used", "beyond"]


def test_the_number_of_a_step_is_as_printed_where_the_first_is_0() -> None:
    records, fields = log([0, 1, 2, 3]), {("step", "step"): FROM_0}
    used, _ = window(records, fields, Protocol.parse("from_step=1,to_step=2"))
    assert used.tolist() == [False, True, True, False]


def test_one_end_alone_may_be_named_and_the_other_counted() -> None:
    assert keys("from_step=20,take_first=2", every_tenth(50)) == ["before", "used", "used", "beyond", "beyond"]
    assert keys("from_step=20,drop_last=1", every_tenth(50)) == ["before", "used", "used", "used", "drop_last"]
    assert keys("skip_records=1,to_step=30", every_tenth(50)) == ["skip_records", "used", "used", "beyond", "beyond"]
    assert keys("to_step=0", log([0, 1])) == ["used", "beyond"]


def test_numbers_that_start_again_name_no_steps() -> None:
    with pytest.raises(NoMeasurement, match="step numbers start again at line 3"):
        keys("from_step=1", log([1, 2, 1, 2]))

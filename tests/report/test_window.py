import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.grammar.field import Field
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measuring.window import one_rank, shortfall, steps_done, window
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


@pytest.mark.parametrize(
    ("steps", "columns", "done"),
    [
        ([10, 20, 10, 20, 5], {}, [10, 20, 30, 40, 45]),
        ([1, 2, 1, 2, 1], {"steps_per_epoch": [np.nan, 8, 8, np.nan, 8]}, [1, 2, 9, 10, 11]),
        ([10, 20, 30], {"epoch": [0, 1, 2], "steps_per_epoch": [10, 10, 10]}, [10, 20, 30]),
        ([5, 10, 12, 17, 17, 22], {"epoch": [1, 1, 2, 2, 3, 3]}, [5, 10, 12, 17, 17, 22]),
    ],
    ids=["no length", "a length on some lines", "steps of the run", "printed again as it resumes"],
)
def test_steps_add_up_over_epochs(steps: list[float], columns: dict[str, list[float]], done: list[float]) -> None:
    assert steps_done(log(steps, **columns), FROM_1).tolist() == done


@given(st.integers(1, 50), st.integers(1, 5), st.integers(1, 60), st.sampled_from([0, 1]))
def test_steps_done_are_those_of_a_loop_that_prints_every_so_often(
    length: int, epochs: int, every: int, first: int
) -> None:
    loop = [(epoch, step) for epoch in range(epochs) for step in range(length) if step % every == 0]
    records = log([step + first for _, step in loop], steps_per_epoch=[length] * len(loop))
    done = steps_done(records, Field("step", "INTEGER", first=first))
    assert done.tolist() == [epoch * length + step + 1 for epoch, step in loop]


@pytest.mark.parametrize(("steps", "line"), [([1, 1, 2], 2), ([1, np.nan], 2), ([1, 1.5], 2)])
def test_a_step_that_cannot_be_counted_is_named_by_its_line(steps: list[float], line: int) -> None:
    with pytest.raises(NoMeasurement, match=f"ine {line}"):
        steps_done(log(steps, epoch=[0.0] * len(steps)), FROM_1)


def test_records_that_carry_no_step_number_cannot_be_skipped_by_steps() -> None:
    with pytest.raises(NoMeasurement, match="The epoch records of this log do not contain step numbers"):
        window(log([1, 2]), FIELDS, Protocol(records="epoch", skip_steps=1))


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([3, 1, 1, 2], [False, True, True, False]),
        ([np.nan, 0], [False, True]),
        ([np.nan, np.nan], [True, True]),
    ],
)
def test_the_records_of_the_lowest_rank_stay(ranks: list[float], expected: list[bool]) -> None:
    assert one_rank(log([1.0] * len(ranks), rank=ranks)).tolist() == expected


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
    ],
)
def test_a_window_says_of_each_record_why_it_is_used_or_not(protocol: str, steps: int, expected: str) -> None:
    assert keys(protocol, every_tenth(steps)) == expected.split()


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


def test_the_number_of_a_step_is_as_printed_where_the_first_is_0() -> None:
    records, fields = log([0, 1, 2, 3]), {("step", "step"): FROM_0}
    used, _ = window(records, fields, Protocol.parse("from_step=1,to_step=2"))
    assert used.tolist() == [False, True, True, False]


def test_numbers_that_start_again_name_no_steps() -> None:
    with pytest.raises(NoMeasurement, match="step numbers start again at line 3"):
        keys("from_step=1", log([1, 2, 1, 2]))

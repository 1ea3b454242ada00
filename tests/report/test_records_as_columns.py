"""Columns: the same as the DataFrame that they are made of."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.measuring.record_columns import Columns

RECORDS = pd.DataFrame(
    {
        "line": [1, 2, 4],
        "record": pd.Categorical(["step", "epoch", "step"], categories=["step", "epoch", "summary"]),
        "step": pd.array([1, None, 2], dtype="Int64"),
        "throughput": [10.0, np.nan, np.inf],
        "time": np.array(["2031-05-17T09:30:00", "NaT", "2031-05-17T09:30:02"], dtype="datetime64[us]"),
    }
)


def test_a_number_that_may_be_missing_is_not_a_number_there() -> None:
    np.testing.assert_array_equal(Columns(RECORDS).numbers("step"), [1.0, np.nan, 2.0])


@pytest.mark.parametrize(("name", "finite"), [("throughput", [True, False, False]), ("time", [True, False, True])])
def test_what_is_missing_or_endless_is_not_finite(name: str, finite: list[bool]) -> None:
    assert Columns(RECORDS).finite(name).tolist() == finite


@given(st.lists(st.booleans(), min_size=3, max_size=3), st.lists(st.booleans(), min_size=3, max_size=3))
def test_rows_of_rows_are_those_of_the_table(first: list[bool], second: list[bool]) -> None:
    rest = np.array(second)[np.array(first)]
    cut = Columns(RECORDS).rows(np.array(first)).rows(rest)
    whole = RECORDS[first][rest]
    assert (len(cut), cut["line"].tolist()) == (len(whole), whole["line"].tolist())
    pd.testing.assert_frame_equal(cut.frame(("line", "step")), whole[["line", "step"]])

"""Columns hold exactly what was printed: floats to the last bit, times to the microsecond."""

import math
from datetime import datetime, timedelta
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.grammar.timestamps import COLUMNS, run_on, times
from parsers.scanning.columns import numbers

printed = st.one_of(
    st.floats(allow_nan=False).map(repr), st.from_regex(r"[-+]?[0-9]{1,20}(\.[0-9]{0,20})?", fullmatch=True)
)


@given(printed)
def test_a_number_is_exactly_the_float_that_its_digits_say(text: str) -> None:
    assert numbers([text.encode("ascii")]).tolist() == [float(text)]


@pytest.mark.parametrize("missing", ["", "1,234.5"])
def test_numbers_of_a_large_log_are_exact_to_the_last_bit(missing: str) -> None:
    # Readers of tables, which are made for many numbers, round one of ten with 17 digits to a neighbour.
    texts = [repr(number / 7) for number in range(1, 100_000)]
    column = numbers([text.encode("ascii") for text in (*texts, missing)])
    assert column[:-1].tolist() == [float(text) for text in texts]


@pytest.mark.parametrize("text", [b"nan", b"NaN", b"-nan", b"+NaN", b"NAN", b""])
def test_every_spelling_of_not_a_number_is_nan(text: bytes) -> None:
    assert math.isnan(numbers([text, b"1"])[0])


@pytest.mark.parametrize("text", [b"inf", b"Inf", b"+inf", b"INFINITY", b"Infinity"])
def test_every_spelling_of_infinity_is_infinite(text: bytes) -> None:
    assert numbers([b"1", text]).tolist() == [1.0, math.inf]


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_missing_number_is_nan_wherever_it_stands(missing: int) -> None:
    column = [b"1", b"2", b"3"]
    column[missing] = b""
    assert np.isnan(numbers(column)).tolist() == [i == missing for i in range(3)]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (b"2031-05-17 09:30:00", "2031-05-17T09:30:00.000000"),
        (b"2031/05/17 09:30:00", "2031-05-17T09:30:00.000000"),
        (b"2031-05-17T09:30:00.5", "2031-05-17T09:30:00.500000"),
        (b"2031-05-17 09:30:00,123", "2031-05-17T09:30:00.123000"),
        (b"2031-05-17 09:30:00.123456789", "2031-05-17T09:30:00.123456"),
        (b"2031-13-17 09:30:00", "NaT"),
        (b"2031-02-30 09:30:00", "NaT"),
        (b"2031-05-17 25:30:00", "NaT"),
        (b"", "NaT"),
    ],
)
def test_a_stamp_is_its_time_or_none(text: bytes, time: str) -> None:
    assert times([text]).astype(str).tolist() == [time]


def yearless(*stamps: str) -> "np.ndarray[tuple[int], np.dtype[np.datetime64]]":
    return run_on(COLUMNS["YEARLESS_STAMP"]([stamp.encode() for stamp in stamps]), "YEARLESS_STAMP")


@given(
    st.datetimes(datetime(2030, 1, 1), datetime(2040, 1, 1)),
    st.lists(st.timedeltas(timedelta(0), timedelta(days=180)), min_size=1, max_size=20),
)
def test_stamps_without_a_year_run_on_over_new_year_and_err_by_the_leap_day_at_most(
    start: datetime, gaps: list[timedelta]
) -> None:
    real = list(accumulate(gaps, initial=start))
    read = yearless(*(f"{moment:%m-%d %H:%M:%S.%f}" for moment in real))
    errors = np.diff(read) - np.diff(np.array(real, dtype="datetime64[us]"))
    assert set(errors.astype("timedelta64[us]").astype(int).tolist()) <= {0, 86_400_000_000}


def test_a_rank_that_lags_behind_at_new_year_is_still_in_the_old_one() -> None:
    read = yearless("1231 23:59:58", "0101 00:00:01", "1231 23:59:59", "0101 00:00:02")
    assert np.diff(read).astype("timedelta64[s]").astype(int).tolist() == [3, -2, 3]


def test_stamps_without_a_date_run_on_over_midnight() -> None:
    stamps = [b"23:59:58", b"00:00:01.5", b"23:59:59", b"11:00:00"]
    read = run_on(COLUMNS["TIME_OF_DAY"](stamps), "TIME_OF_DAY")
    assert np.diff(read).astype("timedelta64[ms]").astype(int).tolist() == [3500, -2500, 39_601_000]


@pytest.mark.parametrize(
    ("stamp", "hour"),
    [("02/03 12:00:00 AM", 0), ("2031-02-03 1:00:00am", 1), ("12:00:00 PM", 12), ("03-Feb-31 11:00:00 pm", 23)],
)
def test_twelve_is_the_first_hour_of_each_half_of_a_day(stamp: str, hour: int) -> None:
    (read,) = COLUMNS["TWELVE_HOUR_STAMP"]([stamp.encode()])
    assert read == np.datetime64("2000-01-01T00:00:00") + np.timedelta64(hour, "h")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("first", [b"2031-05", b"2031", b"", b"2031-05-17 09:30:00"])
def test_a_zone_west_of_greenwich_is_seen_beside_any_other_time(first: bytes) -> None:
    zoned = [b"2031-05-17 09:30:00-05:00", b"2031/05/17 09:30:00,5 -0500", b"2031-05-17T09-05"]
    assert [str(time)[11:19] for time in times([first, *zoned])[1:]] == ["14:30:00", "14:30:00", "14:00:00"]

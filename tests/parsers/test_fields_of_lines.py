"""The numbers and times at places of lines: those of shapes.c and of numpy are equal, and right."""

import math
import re
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parsers.scanning.kernel import LEFT, NO_STAMP, NUMBER, STAMP, fields
from tests.parsers.shapes import NUMBERS, TIMES, Fields, both, lines_of_fields, needs_c

ONE = np.zeros(1, np.int64)


@needs_c
@given(lines_of_fields())
def test_c_and_numpy_read_the_same_numbers_and_times(given: Fields) -> None:
    assert given.read(compiled=True) == given.read(compiled=False)


INSIDE = [(0, 0, 0, 4), (3, 0, 1, 0), (4, 0, 0, 0), (1, 1, 2, 1), (0, 1, 3, 1)]
OUTSIDE = [
    (-1, 0, 1, 1),
    (5, 0, 0, 0),
    (0, 0, -1, 2),
    (2, 0, -1, 1),
    (0, 0, 0, 5),
    (2, 0, 2, 1),
    (2, 0, 1, -1),
    (2, -1, 0, 1),
    (2, 2, 0, 1),
    (2**63 - 1, 0, 2**31 - 1, 2**31 - 1),
    (-(2**63), 0, 0, 1),
]


@needs_c
@pytest.mark.parametrize(("place", "inside"), [*((p, True) for p in INSIDE), *((p, False) for p in OUTSIDE)])
@pytest.mark.parametrize("kind", [LEFT, NUMBER, STAMP])
def test_a_place_is_read_only_if_it_is_inside_the_text(
    kind: int, place: tuple[int, int, int, int], inside: bool
) -> None:
    at, shape, *span = place
    spans = np.array([[span]] * 4, np.int32)[1:3]  # what lies beside them would do as well
    arrays = (np.array([at]), np.array([shape], np.int32), spans, np.array([kind], np.uint8))
    if inside:
        assert fields(b"1234", *arrays, compiled=True)[0].shape == (1, 1)
    else:
        with pytest.raises(ValueError, match="a place is not inside the text"):
            fields(b"1234", *arrays, compiled=True)


def read_one(text: bytes, kind: int) -> tuple[float, int, bool]:
    """The number and the stamp of the cell of a field, and whether it is odd."""
    spans = np.array([[[1, len(text)]]], np.int32)
    cells, odd = fields(b"=" + text, ONE, np.zeros(1, np.int32), spans, np.array([kind], np.uint8), compiled=True)
    return float(cells[0, 0]), int(cells.view(np.int64)[0, 0]), odd is not None and bool(odd[0, 0])


@needs_c
@given(NUMBERS.filter(bool))
@example(b"9007199254740991")
@example(b"0.0000000000000000000001")
@example(b"-0.0")
@example(b"+.5")
@example(b"5.")
@example(b"000000000000000000000000000000.1")
@example(b"9.65e-06")
@example(b"1.E+22")
@example(b"1e23")
@example(b"0.1e-22")
@example(b"1e-+5")
@example(b"1e")
@example(b"1e99999999999999999999")
def test_a_number_is_that_of_float_to_the_last_bit(text: bytes) -> None:
    number, _, odd = read_one(text, NUMBER)
    assert odd is not plain(text)
    assert number.hex() == (math.nan if odd else float(text)).hex()


def plain(text: bytes) -> bool:
    """Whether a text is a whole number times or over a power of ten that are doubles, or a larger one, but not much."""
    found = re.fullmatch(rb"[-+]?([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]+))?", text)
    if not found or not found[1] + found[2] or (whole := int(found[1] + found[2])) >= 2**59:
        return False
    power = int(found[3] or 0) - len(found[2])
    return abs(power) <= 22 if whole < 2**53 else -27 <= power <= 0


@needs_c
@given(st.integers(2**53, 2**59 - 1), st.integers(0, 27))
@example(2**53 + 1, 0)
@example(2**59 - 1, 27)
@example(9007199254740993, 1)
def test_a_number_of_17_digits_is_the_double_nearest_to_it(whole: int, decimals: int) -> None:
    number, _, odd = read_one(f"{whole}e-{decimals}".encode(), NUMBER)
    assert (number.hex(), odd) == (float(f"{whole}e-{decimals}").hex(), False)


@needs_c
@given(TIMES)
@example(b"2024-02-29 23:59:59.999999")
@example(b"2023-02-29 00:00:00")
@example(b"1900-02-29 00:00:00")
@example(b"2000-02-29 00:00:00")
@example(b"2024-00-10 00:00:00")
@example(b"2024-13-10 00:00:00")
@example(b"2024-04-31 00:00:00")
@example(b"2024-04-00 00:00:00")
@example(b"2024-01-01 24:00:00")
@example(b"2024-01-01 00:60:00")
@example(b"0001-01-01T00:00:00")
@example(b"0000-01-01 00:00:00")
@example(b"2024-01-01 00:00:60")
@example(b"2024-01-01 00:00:00.")
def test_a_time_is_that_of_the_calendar_or_odd(text: bytes) -> None:
    _, stamp, odd = read_one(text, STAMP)
    assert (stamp, odd) == ((NO_STAMP, True) if (expected := microseconds(text)) is None else (expected, False))


def microseconds(text: bytes) -> int | None:
    """Since 1970, by Python's own calendar; None for what is no plain time."""
    form = rb"([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})[ T]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]{1,6}))?"
    if not (found := re.fullmatch(form, text)):
        return None
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    fraction = int((found[7] or b"0").ljust(6, b"0"))
    try:
        moment = datetime(year, month, day, hour, minute, second, fraction)
    except ValueError:
        return None
    return (moment - datetime(1970, 1, 1)) // timedelta(microseconds=1)


@both
def test_a_field_that_a_shape_does_not_have_is_missing_and_not_odd(compiled: bool) -> None:
    spans, kinds = np.zeros((1, 3, 2), np.int32), np.array([LEFT, NUMBER, STAMP], np.uint8)
    cells, odd = fields(b"1\n", ONE, np.zeros(1, np.int32), spans, kinds, compiled=compiled)
    assert np.isnan(cells[:2]).all()
    assert cells.view(np.int64)[2].tolist() == [NO_STAMP]
    assert odd is None


@both
def test_arrays_of_other_sizes_are_refused(compiled: bool) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        fields(
            b"1\n", ONE, np.zeros(2, np.int32), np.zeros((1, 1, 2), np.int32), np.ones(1, np.uint8), compiled=compiled
        )

"""The shapes of lines and the numbers of them: the C of shapes.c and numpy are equal, and right."""

import math
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parsers.scanning.kernel import LEFT, NO_STAMP, NUMBER, STAMP, Shapes, fields, without_escapes
from parsers.scanning.source import clean
from tests.parsers.golden_logs import LOGS, name
from tests.parsers.shapes import (
    LIMITS,
    NUMBERS,
    TIMES,
    TOLD,
    Fields,
    Told,
    any_fields,
    assert_alike,
    lines_of_fields,
    needs_c,
    said,
    texts,
)

both = pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_c, id="c"), pytest.param(False, id="numpy")])
ONE = np.zeros(1, np.int64)


@needs_c
@given(st.lists(texts(), max_size=3), LIMITS, TOLD)
def test_c_and_numpy_give_lines_the_same_shapes(data: list[bytes], limits: tuple[int, ...], told: Told) -> None:
    assert said(data, limits, compiled=True, told=told) == said(data, limits, compiled=False, told=told)


@both
@given(st.lists(texts(), min_size=1, max_size=3))
def test_lines_have_one_shape_where_they_are_equal_but_for_digits(compiled: bool, data: list[bytes]) -> None:
    shapes = Shapes(compiled=compiled)
    lines = [line for text in data for line in text.split(b"\n")[:-1]]
    ids = [number for text in data for number in shapes.lines(text)[0].tolist()]
    masked = [re.sub(rb"[0-9]", b"0", line) for line in lines]
    first = {line: number for number, line in enumerate(dict.fromkeys(masked))}
    assert ids == [first[line] for line in masked]
    assert len(shapes) == len(first)


@needs_c
@given(
    st.lists(st.sampled_from([b"\x1b", b"[", b"]", b"\\", b"\a", b"\n", b"0;1", b"m", b" /", b"~", b"Z", b"[1m"])).map(
        b"".join
    )
)
def test_c_and_python_take_the_same_escapes_from_a_text(text: bytes) -> None:
    assert without_escapes(text, compiled=True) == without_escapes(text, compiled=False)


@both
def test_colours_titles_and_modes_of_a_terminal_are_taken_from_a_text(compiled: bool) -> None:
    text = b"\x1b[1;32mstep\x1b[0m 1 \x1b]0;title\aloss\x1b]8;;x\x1b\\ 2\x1bM\x1b[\x1b["
    assert without_escapes(text, compiled=compiled) == b"step 1 loss 2\x1b[\x1b["


@both
@pytest.mark.parametrize("length", [0, 7, 8, 15, 16])
def test_only_the_ten_digits_are_alike_wherever_they_stand(compiled: bool, length: int) -> None:
    lines = [b"x" * length + bytes([byte]) + b"\n" for byte in range(256) if byte != ord("\n")]
    ids = Shapes(compiled=compiled).lines(b"".join(lines))[0].tolist()
    assert len({*ids}) == len(lines) - 9
    assert len({*ids[ord("0") - 1 : ord("9")]}) == 1


@both
@given(texts())
def test_each_line_begins_where_it_is_said_to(compiled: bool, text: bytes) -> None:
    _, starts = Shapes(compiled=compiled).lines(text)
    assert starts.tolist() == [0, *(i + 1 for i, byte in enumerate(text) if byte == ord("\n"))][: text.count(b"\n")]


@both
@pytest.mark.parametrize("data", [b"a", b"a\nb"])
def test_a_last_line_without_a_newline_is_refused(compiled: bool, data: bytes) -> None:
    with pytest.raises(ValueError, match="the last line has no end"):
        Shapes(compiled=compiled).lines(data)


@both
def test_a_text_may_be_any_kind_of_bytes(compiled: bool) -> None:
    shapes = Shapes(compiled=compiled)
    for data in (b"a 1\n", bytearray(b"a 2\n"), memoryview(b"a 3\n"), np.frombuffer(b"a 4\n", np.uint8).data):
        assert [part.tolist() for part in shapes.lines(data)] == [[0], [0]]


@both
def test_many_more_lines_than_before_are_all_there(compiled: bool) -> None:
    ids, starts = Shapes(compiled=compiled).lines(b"\n" * 100_000)
    assert (ids.tolist(), starts.tolist()) == ([0] * 100_000, list(range(100_000)))


@both
@pytest.mark.parametrize(
    ("limits", "ids"),
    [
        ((2, 100, 100), [0, 1, -1, 0, -1]),
        ((9, 4, 100), [0, 1, -1, 0, -1]),
        ((9, 100, 3), [0, 1, -1, 0, 2]),
        ((0, 100, 100), [-1] * 5),
    ],
    ids=["shapes", "bytes", "longest", "none"],
)
def test_a_line_that_has_no_place_in_the_table_is_missed(
    compiled: bool, limits: tuple[int, ...], ids: list[int]
) -> None:
    shapes = Shapes(*limits, compiled=compiled)
    assert shapes.lines(b"a1\nb1\nlong1\na2\nc1\n")[0].tolist() == ids
    assert len(shapes) == len(set(ids) - {-1})


@both
def test_lines_are_told_apart_by_the_digits_at_the_places_that_matter(compiled: bool) -> None:
    shapes = Shapes(compiled=compiled)
    assert shapes.lines(b"top1: 12\nx\ntop5: 34\n")[0].tolist() == [0, 1, 0]
    shapes.tell(0, np.array([3], np.int32))
    assert shapes.lines(b"top1: 56\nx\ntop5: 78\ntop1: 90\n")[0].tolist() == [2, 1, 3, 2]


@both
def test_a_shape_has_no_more_parts_than_are_allowed(compiled: bool) -> None:
    shapes = Shapes(most_parts=2, compiled=compiled)
    shapes.lines(b"a0\n")
    shapes.tell(0, np.array([1], np.int32))
    assert shapes.lines(b"a1\na2\na3\na1\n")[0].tolist() == [1, 2, -1, 1]


@both
@pytest.mark.parametrize(("shape", "places"), [(-1, [0]), (3, [0]), (0, []), (0, [-1]), (0, [2]), (1, [1]), (2, [1])])
def test_only_a_shape_that_is_not_told_apart_yet_can_be(compiled: bool, shape: int, places: list[int]) -> None:
    shapes = Shapes(compiled=compiled)
    shapes.lines(b"a0\nb0\n")
    shapes.tell(1, np.array([1], np.int32))
    shapes.lines(b"b1\n")
    with pytest.raises(ValueError, match=f"shape {shape} has no such places, or is told apart already"):
        shapes.tell(shape, np.array(places, np.int32))


@both
@pytest.mark.parametrize(
    "limits", [(-1, 0, 0), (0, -1, 0), (0, 0, -1), (1 << 25, 0, 0), (0, 0, 1 << 21), (0, 1 << 50, 0)]
)
def test_limits_that_no_table_has_are_refused(compiled: bool, limits: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="at most 2\\*\\*24 shapes"):
        Shapes(*limits, compiled=compiled)


@needs_c
@pytest.mark.parametrize("log", LOGS, ids=name)
def test_c_and_numpy_read_a_golden_log_alike(log: Path) -> None:
    assert_alike(clean(log.read_bytes()) + b"\n", (1 << 16, 16 << 20, 4096))


@needs_c
@given(lines_of_fields())
def test_c_and_numpy_read_the_same_numbers_and_times(given: Fields) -> None:
    assert given.read(compiled=True) == given.read(compiled=False)


@needs_c
@given(any_fields())
def test_c_and_numpy_read_the_same_at_any_places(given: Fields) -> None:
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


@both
@pytest.mark.parametrize(("place", "inside"), [*((p, True) for p in INSIDE), *((p, False) for p in OUTSIDE)])
@pytest.mark.parametrize("kind", [LEFT, NUMBER, STAMP])
def test_a_place_is_read_only_if_it_is_inside_the_text(
    compiled: bool, kind: int, place: tuple[int, int, int, int], inside: bool
) -> None:
    at, shape, *span = place
    spans = np.array([[span]] * 4, np.int32)[1:3]  # what lies beside them would do as well
    arrays = (np.array([at]), np.array([shape], np.int32), spans, np.array([kind], np.uint8))
    if inside:
        assert fields(b"1234", *arrays, compiled=compiled)[0].shape == (1, 1)
    else:
        with pytest.raises(ValueError, match="a place is not inside the text"):
            fields(b"1234", *arrays, compiled=compiled)


def read_one(text: bytes, kind: int, compiled: bool) -> tuple[float, int, bool]:
    """The number and the stamp of the cell of a field, and whether it is odd."""
    spans = np.array([[[1, len(text)]]], np.int32)
    cells, odd = fields(b"=" + text, ONE, np.zeros(1, np.int32), spans, np.array([kind], np.uint8), compiled=compiled)
    return float(cells[0, 0]), int(cells.view(np.int64)[0, 0]), odd is not None and bool(odd[0, 0])


@both
@given(NUMBERS.filter(bool))
@example(b"9007199254740991")
@example(b"0.0000000000000000000001")
@example(b"-0.0")
@example(b"+.5")
@example(b"5.")
@example(b"000000000000000000000000000000.1")
def test_a_number_is_that_of_float_to_the_last_bit(compiled: bool, text: bytes) -> None:
    number, _, odd = read_one(text, NUMBER, compiled)
    assert odd is not plain(text)
    assert number.hex() == (math.nan if odd else float(text)).hex()


def plain(text: bytes) -> bool:
    """Whether a text is a whole number below 2**53 over a power of ten that is a double."""
    found = re.fullmatch(rb"[-+]?([0-9]*)\.?([0-9]*)", text)
    return bool(found and found[1] + found[2] and int(found[1] + found[2]) < 2**53 and len(found[2]) <= 22)


@both
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
def test_a_time_is_that_of_the_calendar_or_odd(compiled: bool, text: bytes) -> None:
    _, stamp, odd = read_one(text, STAMP, compiled)
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
@pytest.mark.parametrize("argument", range(4))
def test_an_array_of_another_type_is_refused(compiled: bool, argument: int) -> None:
    arrays: list[Any] = [ONE, np.zeros(1, np.int32), np.zeros((1, 1, 2), np.int32), np.ones(1, np.uint8)]
    arrays[argument] = arrays[argument].astype(np.float32)
    with pytest.raises(ValueError, match="an array of float32 with"):
        fields(b"1\n", *arrays, compiled=compiled)


@both
def test_arrays_of_other_sizes_are_refused(compiled: bool) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        fields(
            b"1\n", ONE, np.zeros(2, np.int32), np.zeros((1, 1, 2), np.int32), np.ones(1, np.uint8), compiled=compiled
        )

"""The kernel: the C of shapes.c and numpy are equal, and right, and what is made of their shapes and cells."""

import math
import re
from datetime import datetime, timedelta
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers.grammar.format import load
from parsers.grammar.timestamps import COLUMNS, run_on, times
from parsers.runs.reading import survey
from parsers.scanning.judging import KnownShapes
from parsers.scanning.kernel import LEFT, NO_STAMP, NUMBER, STAMP, Texts, fields
from parsers.scanning.record_table import numbers
from parsers.scanning.shapes import ALONE, MOST_PARTS
from parsers.scanning.source import without_escapes
from tests.parsers.judging import found_in
from tests.parsers.shapes import (
    LIMITS,
    NUMBERS,
    TIMES,
    TOLD,
    Fields,
    Told,
    both,
    lines_of_fields,
    needs_c,
    said,
    table_of,
    texts,
)
from tests.parsers.toy_logs import step, write


@needs_c
@given(st.lists(texts(), max_size=3), LIMITS, TOLD)
def test_c_and_numpy_give_lines_the_same_shapes(data: list[bytes], limits: tuple[int, ...], told: Told) -> None:
    assert said(data, limits, compiled=True, told=told) == said(data, limits, compiled=False, told=told)


@both
@settings(max_examples=30)
@given(st.lists(texts(), min_size=1, max_size=3))
def test_lines_begin_where_it_is_said_and_have_one_shape_where_they_are_equal_but_for_digits(
    compiled: bool, data: list[bytes]
) -> None:
    shapes = table_of(compiled=compiled)
    data.append(b"\n" * 100_000)
    found = [(text, *shapes.lines(text)) for text in data]
    lines = [line for text in data for line in text.split(b"\n")[:-1]]
    ids = [number for _, numbers, _ in found for number in numbers.tolist()]
    ends = [[i + 1 for i, byte in enumerate(text) if byte == ord("\n")] for text in data]
    assert [starts.tolist() for _, _, starts in found] == [[0, *of][: len(of)] for of in ends]
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
    known = b"\x1b[1;32mstep\x1b[0m 1 \x1b]0;title\aloss\x1b]8;;x\x1b\\ 2\x1bM\x1b[\x1b["
    assert without_escapes(known, compiled=False) == b"step 1 loss 2\x1b[\x1b["
    assert without_escapes(text, compiled=True) == without_escapes(text, compiled=False)


@both
@pytest.mark.parametrize("length", [0, 7, 8, 15, 16])
def test_only_the_ten_digits_are_alike_wherever_they_stand(compiled: bool, length: int) -> None:
    lines = [b"x" * length + bytes([byte]) + b"\n" for byte in range(256) if byte != ord("\n")]
    ids = table_of(compiled=compiled).lines(b"".join(lines))[0].tolist()
    assert len({*ids}) == len(lines) - 9
    assert len({*ids[ord("0") - 1 : ord("9")]}) == 1


@both
@pytest.mark.parametrize(
    ("limits", "ids"),
    [
        ((2, 100, 9), [0, 1, -1, 0, -1]),
        ((9, 3, 9), [0, 1, -1, 0, 2]),
        ((0, 100, 9), [-1] * 5),
    ],
    ids=["shapes", "longest", "none"],
)
def test_a_line_that_has_no_place_in_the_table_is_missed(
    compiled: bool, limits: tuple[int, ...], ids: list[int]
) -> None:
    shapes = table_of(*limits, compiled=compiled)
    assert shapes.lines(b"a1\nb1\nlong1\na2\nc1\n")[0].tolist() == ids
    assert len(shapes) == len(set(ids) - {-1})


@both
def test_lines_are_told_apart_by_the_digits_at_the_places_that_matter(compiled: bool) -> None:
    shapes = table_of(compiled=compiled)
    assert shapes.lines(b"top1: 12\nx\ntop5: 34\n")[0].tolist() == [0, 1, 0]
    shapes.tell(0, [3])
    assert shapes.lines(b"top1: 56\nx\ntop5: 78\ntop1: 90\n")[0].tolist() == [2, 1, 3, 2]
    few = table_of(9, 100, 2, compiled=compiled)  # parts of a shape
    few.lines(b"a0\n")
    few.tell(0, [1])
    assert few.lines(b"a1\na2\na3\na1\n")[0].tolist() == [1, 2, -1, 1]


@given(st.floats(allow_nan=False).map(repr) | st.from_regex(r"[-+]?[0-9]{1,20}(\.[0-9]{0,20})?", fullmatch=True))
def test_a_number_is_exactly_the_float_that_its_digits_say(text: str) -> None:
    assert numbers([text.encode("ascii")]).tolist() == [float(text)]
    assert numbers([b"1", b"inf", b"Inf", b"+inf", b"INFINITY", b"Infinity"]).tolist() == [1, *[math.inf] * 5]
    assert np.isnan(numbers([b"nan", b"NaN", b"-nan", b"+NaN", b"NAN", b"", b"1"])).tolist() == [True] * 6 + [False]


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


@given(
    st.datetimes(datetime(2030, 1, 1), datetime(2040, 1, 1)),
    st.lists(st.timedeltas(timedelta(0), timedelta(days=180)), min_size=1, max_size=20),
)
def test_stamps_without_a_year_run_on_over_new_year_and_err_by_the_leap_day_at_most(
    start: datetime, gaps: list[timedelta]
) -> None:
    real = list(accumulate(gaps, initial=start))
    stamps = [f"{moment:%m-%d %H:%M:%S.%f}".encode() for moment in real]
    read = run_on(COLUMNS["YEARLESS_STAMP"](stamps), "YEARLESS_STAMP")
    errors = np.diff(read) - np.diff(np.array(real, dtype="datetime64[us]"))
    assert set(errors.astype("timedelta64[us]").astype(int).tolist()) <= {0, 86_400_000_000}


@pytest.mark.parametrize(
    ("kind", "stamps", "gaps"),
    [
        # A rank that lags behind is still in the old year, or in the old day.
        (
            "YEARLESS_STAMP",
            [b"1231 23:59:58", b"0101 00:00:01", b"1231 23:59:59", b"0101 00:00:02"],
            [3000, -2000, 3000],
        ),
        ("TIME_OF_DAY", [b"23:59:58", b"00:00:01.5", b"23:59:59", b"11:00:00"], [3500, -2500, 39_601_000]),
    ],
)
def test_stamps_run_on_over_new_year_and_over_midnight(kind: str, stamps: list[bytes], gaps: list[int]) -> None:
    read = run_on(COLUMNS[kind](stamps), kind)
    assert np.diff(read).astype("timedelta64[ms]").astype(int).tolist() == gaps


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


GRAMMAR = """start: step_line

step_line: "step" step{"1"} /[1-4]/ /[1-4]/ /[1-4]/ /[1-4]/ "top" loss

%import .vocabulary (step, loss, INTEGER, NUMBER, BLANK)
%ignore BLANK
"""


def test_a_text_of_too_many_digits_that_matter_is_read_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "toy.lark").write_text(GRAMMAR, encoding="utf-8")
    fmt = load(tmp_path / "toy.lark")
    digits = [f"{a} {b} {c} {d}" for a in range(5) for b in range(5) for c in range(5) for d in range(5)]
    text = "".join(f"step 7 {four} top 0.5\n" for four in digits).encode()
    assert KnownShapes([fmt]).table.lines(text).shapes.tolist().count(ALONE) == 5**4 - MOST_PARTS
    assert len(list(found_in(fmt, text))) == 4**4


@pytest.mark.parametrize("count", [1, 3000])
def test_what_is_left_is_counted_by_sort_with_its_first_line(tmp_path: Path, count: int) -> None:
    noise = b"".join(b"shard %d of host is late\n" % number for number in range(count))
    (sort,) = survey(write(tmp_path, step(1), noise, step(2))).unmatched.shapes
    assert (sort.count, sort.line, sort.text) == (count, 2, "shard 0 of host is late")


def test_what_is_left_is_the_same_after_other_logs_of_these_shapes(tmp_path: Path) -> None:
    text = b"".join((step(1), b"shard 7 is late\n", step(2).replace(b"images/s", b"furlongs"), b"shard 1 is ", step(3)))
    first, again = (survey(write(tmp_path, text)).unmatched for _ in range(2))
    assert [sort.line for sort in first.shapes] == [2, 3]
    assert (first.broken, first.first_broken, [said.line for said in first.breaks]) == (1, 3, [3])
    assert first == again


# Of few different bytes, so that texts overlap, begin alike and end where the block does.
SOUGHT = st.text("ab:", min_size=3, max_size=12).map(str.encode)


@both
@given(texts=st.lists(SOUGHT, max_size=20), block=st.text("ab:", max_size=60).map(str.encode))
def test_those_texts_are_found_that_are_in_a_block(*, compiled: bool, texts: list[bytes], block: bytes) -> None:
    assert Texts(texts, compiled=compiled).found_in(block).tolist() == [text in block for text in texts]


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
    """The number and the stamp of the cell of a field, and whether it is odd.

    It is read where a block begins, where no eight bytes stand before it, and twice further on: each gives the same.
    """
    at = 1 + np.arange(3) * (len(text) + 8)
    spans, kinds = np.array([[[0, len(text)]]], np.int32), np.array([kind], np.uint8)
    cells, odd = fields(b"=" + (text + b"=" * 8) * 3, at, np.zeros(3, np.int32), spans, kinds, compiled=True)
    (bits,), (is_odd,) = (
        {*rows[0].tolist()} for rows in (cells.view(np.int64), np.zeros((1, 3)) if odd is None else odd)
    )
    return float(cells[0, 0]), bits, bool(is_odd)


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
@example(b"9007199254740993")
@example(b"9007199254740993e-1")
@example(b"576460752303423487e-27")
@example(b"2507.2274946")
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

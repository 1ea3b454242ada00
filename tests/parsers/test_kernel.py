"""The kernel: the C of shapes.c and numpy are equal, and right, and what is made of their shapes and cells."""

import math
import re
from datetime import datetime, timedelta
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.grammar.format import load
from parsers.grammar.timestamps import COLUMNS, run_on, times
from parsers.runs.reading import survey
from parsers.scanning.judging import KnownShapes
from parsers.scanning.kernel import Texts
from parsers.scanning.record_table import numbers
from parsers.scanning.shapes import ALONE, MOST_PARTS, ShapeTable
from parsers.scanning.source import clean, without_escapes
from tests.parsers.golden_logs import LOGS
from tests.parsers.shaped import found_in
from tests.parsers.shapes import LIMITS, TOLD, Told, assert_alike, both, needs_c, said, table_of, texts
from tests.parsers.toy_logs import step, write


@needs_c
@given(st.lists(texts(), max_size=3), LIMITS, TOLD)
def test_c_and_numpy_give_lines_the_same_shapes(data: list[bytes], limits: tuple[int, ...], told: Told) -> None:
    assert said(data, limits, compiled=True, told=told) == said(data, limits, compiled=False, told=told)


@both
@given(st.lists(texts(), min_size=1, max_size=3))
def test_lines_have_one_shape_where_they_are_equal_but_for_digits(compiled: bool, data: list[bytes]) -> None:
    shapes = table_of(compiled=compiled)
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
    ids = table_of(compiled=compiled).lines(b"".join(lines))[0].tolist()
    assert len({*ids}) == len(lines) - 9
    assert len({*ids[ord("0") - 1 : ord("9")]}) == 1


@both
@given(texts())
def test_each_line_begins_where_it_is_said_to(compiled: bool, text: bytes) -> None:
    _, starts = table_of(compiled=compiled).lines(text)
    assert starts.tolist() == [0, *(i + 1 for i, byte in enumerate(text) if byte == ord("\n"))][: text.count(b"\n")]


@both
def test_many_more_lines_than_before_are_all_there(compiled: bool) -> None:
    ids, starts = table_of(compiled=compiled).lines(b"\n" * 100_000)
    assert (ids.tolist(), starts.tolist()) == ([0] * 100_000, list(range(100_000)))


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


@both
def test_a_shape_has_no_more_parts_than_are_allowed(compiled: bool) -> None:
    shapes = table_of(9, 100, 2, compiled=compiled)
    shapes.lines(b"a0\n")
    shapes.tell(0, [1])
    assert shapes.lines(b"a1\na2\na3\na1\n")[0].tolist() == [1, 2, -1, 1]


@needs_c
def test_c_and_numpy_read_golden_logs_alike() -> None:
    for log in LOGS:
        assert_alike(clean(log.read_bytes()) + b"\n", (1 << 16, 4096, 64))


printed = st.one_of(
    st.floats(allow_nan=False).map(repr), st.from_regex(r"[-+]?[0-9]{1,20}(\.[0-9]{0,20})?", fullmatch=True)
)


@given(printed)
def test_a_number_is_exactly_the_float_that_its_digits_say(text: str) -> None:
    assert numbers([text.encode("ascii")]).tolist() == [float(text)]


@pytest.mark.parametrize("text", [b"nan", b"NaN", b"-nan", b"+NaN", b"NAN", b""])
def test_every_spelling_of_not_a_number_is_nan(text: bytes) -> None:
    assert math.isnan(numbers([text, b"1"])[0])


@pytest.mark.parametrize("text", [b"inf", b"Inf", b"+inf", b"INFINITY", b"Infinity"])
def test_every_spelling_of_infinity_is_infinite(text: bytes) -> None:
    assert numbers([b"1", text]).tolist() == [1.0, math.inf]


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


GRAMMAR = """// Toy that tells digits apart

start: step_line

step_line: "step" step{"1"} "top1" loss | "step" step{"1"} "top5" throughput{samples, job, instant}

%import .vocabulary (step, loss, throughput, samples, job, instant, INTEGER, NUMBER, BLANK)
%ignore BLANK
"""


def shapes(table: ShapeTable, text: bytes) -> list[int]:
    return [int(shape) for shape in table.lines(text).shapes]


def test_a_text_of_too_many_digits_that_matter_is_read_line_by_line(tmp_path: Path) -> None:
    grammar = GRAMMAR.replace('"top1" loss', '/[1-4]/ /[1-4]/ /[1-4]/ /[1-4]/ "top" loss').partition(" | ")[0]
    (tmp_path / "toy.lark").write_text(grammar + "\n" + GRAMMAR.partition("instant}")[2], encoding="utf-8")
    fmt = load(tmp_path / "toy.lark")
    digits = [f"{a} {b} {c} {d}" for a in range(5) for b in range(5) for c in range(5) for d in range(5)]
    text = "".join(f"step 7 {four} top 0.5\n" for four in digits).encode()
    assert shapes(KnownShapes([fmt]).table, text).count(ALONE) == 5**4 - MOST_PARTS
    assert len(list(found_in(fmt, text))) == 4**4


@pytest.mark.parametrize("count", [1, 3000])
def test_what_is_left_is_counted_by_sort_with_its_first_line(tmp_path: Path, count: int) -> None:
    noise = b"".join(b"shard %d of host is late\n" % number for number in range(count))
    (sort,) = survey(write(tmp_path, step(1), noise, step(2))).leftover.shapes
    assert (sort.count, sort.line, sort.text) == (count, 2, "shard 0 of host is late")


def test_a_broken_line_says_where_it_breaks(tmp_path: Path) -> None:
    broken = step(2).replace(b"images/s", b"furlongs")
    leftover = survey(write(tmp_path, step(1), broken)).leftover
    assert (leftover.broken, leftover.first_broken, [said.line for said in leftover.breaks]) == (1, 2, [2])


def test_what_is_left_is_the_same_after_other_logs_of_these_shapes(tmp_path: Path) -> None:
    text = b"".join((step(1), b"shard 7 is late\n", step(2).replace(b"images/s", b"furlongs"), b"shard 1 is ", step(3)))
    first, again = (survey(write(tmp_path, text)).leftover for _ in range(2))
    assert [sort.line for sort in first.shapes] == [2, 3] and first.broken == 1
    assert first == again


def test_all_records_that_are_torn_in_a_line_are_read_in_their_order(tmp_path: Path) -> None:
    glued = [b"torn " + b" | ".join(step(4 * line + part).rstrip(b"\n") for part in range(4)) for line in range(3)]
    records = survey(write(tmp_path, b"\n".join(glued) + b"\n")).records
    assert records["step"].tolist() == list(range(12))
    assert records["line"].tolist() == [1] * 4 + [2] * 4 + [3] * 4


# Of few different bytes, so that texts overlap, begin alike and end where the block does.
SOUGHT = st.text("ab:", min_size=3, max_size=12).map(str.encode)


@both
@given(texts=st.lists(SOUGHT, max_size=20), block=st.text("ab:", max_size=60).map(str.encode))
def test_those_texts_are_found_that_are_in_a_block(*, compiled: bool, texts: list[bytes], block: bytes) -> None:
    assert Texts(texts, compiled=compiled).found_in(block).tolist() == [text in block for text in texts]

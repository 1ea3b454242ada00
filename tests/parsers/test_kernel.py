"""The shapes of lines: the C of shapes.c and numpy are equal, and right."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.scanning.kernel import Shapes
from parsers.scanning.source import clean, without_escapes
from tests.parsers.golden_logs import LOGS
from tests.parsers.shapes import LIMITS, TOLD, Told, assert_alike, both, needs_c, said, texts


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
def test_c_and_numpy_read_golden_logs_alike() -> None:
    for log in LOGS:
        assert_alike(clean(log.read_bytes()) + b"\n", (1 << 16, 16 << 20, 4096))

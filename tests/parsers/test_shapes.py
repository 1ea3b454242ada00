"""The shapes of lines and the numbers of them: the C of shapes.c and numpy are equal, and right."""

import itertools
import math
import os
import re
import secrets
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parsers.scanning.kernel import LEFT, NO_STAMP, NUMBER, STAMP, Shapes, fields, shapes_of_c
from parsers.scanning.source import clean
from tests.parsers.golden_logs import LOGS, name
from tests.parsers.shapes import LIMITS, NUMBERS, TIMES, Fields, any_fields, lines_of_fields, said, texts

NOT_BUILT = "parsers.scanning._shapes is not built: `pip install -e .` builds it where there is a C compiler"
needs_c = pytest.mark.skipif(shapes_of_c is None, reason=NOT_BUILT)
both = pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_c, id="c"), pytest.param(False, id="numpy")])
PLACES = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8}(?:[.,][0-9]+)?|[-+]?[0-9.,e+-]*[0-9]")
ONE = np.zeros(1, np.int64)


@needs_c
@given(st.lists(texts(), max_size=3), LIMITS)
def test_c_and_numpy_give_lines_the_same_shapes(data: list[bytes], limits: tuple[int, int, int]) -> None:
    assert said(data, limits, compiled=True) == said(data, limits, compiled=False)


@both
@given(st.lists(texts(), min_size=1, max_size=3))
def test_lines_have_one_shape_where_they_are_equal_but_for_digits(compiled: bool, data: list[bytes]) -> None:
    shapes = Shapes(compiled=compiled)
    lines = [line for text in data for line in text.split(b"\n")[:-1]]
    ids = [number for text in data for number in shapes.lines(text)[0].tolist()]
    masked = [re.sub(rb"[0-9]", b"0", line) for line in lines]
    first = {line: number for number, line in enumerate(dict.fromkeys(masked))}
    assert ids == [first[line] for line in masked]
    assert shapes.counts().tolist() == list(Counter(ids).values())
    assert (len(shapes), shapes.missed) == (len(first), 0)


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
    compiled: bool, limits: tuple[int, int, int], ids: list[int]
) -> None:
    shapes = Shapes(*limits, compiled=compiled)
    assert shapes.lines(b"a1\nb1\nlong1\na2\nc1\n")[0].tolist() == ids
    assert (shapes.missed, len(shapes)) == (ids.count(-1), len(set(ids) - {-1}))


@both
@pytest.mark.parametrize(
    "limits", [(-1, 0, 0), (0, -1, 0), (0, 0, -1), (1 << 25, 0, 0), (0, 0, 1 << 21), (0, 1 << 50, 0)]
)
def test_limits_that_no_table_has_are_refused(compiled: bool, limits: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="at most 2\\*\\*24 shapes"):
        Shapes(*limits, compiled=compiled)


@needs_c
@pytest.mark.parametrize("log", LOGS, ids=name)
def test_c_and_numpy_read_a_golden_log_alike(log: Path) -> None:
    data = clean(log.read_bytes()) + b"\n"
    compiled, masked = (said([data], (1 << 16, 16 << 20, 4096), compiled=c) for c in (True, False))
    assert compiled == masked
    given = numbers_of(data)
    assert given.read(compiled=True) == given.read(compiled=False)


def numbers_of(data: bytes) -> Fields:
    """Each line of a log of which there is a shape, with what looks like a number or a time in its first line."""
    shapes = Shapes(compiled=False)
    ids, starts = (part.tolist() for part in shapes.lines(data))
    rows = [(at, number) for at, number in zip(starts, ids, strict=True) if number >= 0]
    firsts = {number: data[at : data.index(b"\n", at)] for at, number in reversed(rows)}
    most = 6
    places = [[(m.start(), m.end() - m.start()) for m in PLACES.finditer(firsts[i])] for i in range(len(firsts))]
    of_shape = [[*places[i // 2][:most], *[(0, 0)] * most][:most] for i in range(2 * len(places))]
    spans = [[*of_shape[i], *of_shape[i]] for i in range(0, len(of_shape), 2)]
    return Fields(data, [at for at, _ in rows], [i for _, i in rows], spans, [NUMBER] * most + [STAMP] * most)


@needs_c
@given(lines_of_fields())
def test_c_and_numpy_read_the_same_numbers_and_times(given: Fields) -> None:
    assert given.read(compiled=True) == given.read(compiled=False)


@needs_c
@given(any_fields())
def test_c_and_numpy_refuse_the_same_places(given: Fields) -> None:
    assert given.read(compiled=True) == given.read(compiled=False)


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


# What shapes.c itself is given: kernel.py checks most of it before.
SIXTEEN = bytes(8 * (6 + 2))


@needs_c
@pytest.mark.parametrize(
    "arguments", [(1, 1, 16, b""), (-1, 1, 16, SIXTEEN), (1, -1, 16, SIXTEEN), (1, 1, -1, b""), (1, 1, 1 << 40, b"")]
)
def test_a_table_of_c_that_cannot_be_is_refused(arguments: tuple[int, int, int, bytes]) -> None:
    assert shapes_of_c is not None
    with pytest.raises(ValueError, match=r"most is up to|the key has"):
        shapes_of_c.Table(*arguments)


@needs_c
@pytest.mark.parametrize(
    ("at", "ids", "starts", "known"),
    [
        (0, "i4", "i4", 0),
        (3, "i4", "i8", 0),
        (-1, "i4", "i8", 0),
        (0, "i4", "i8", 3),
        (0, "i4", "i8", -1),
        (0, "u1", "i8", 0),
    ],
)
def test_arrays_that_do_not_fit_are_refused_by_c(at: int, ids: str, starts: str, known: int) -> None:
    assert shapes_of_c is not None
    table = shapes_of_c.Table(1, 1, 16, SIXTEEN)
    with pytest.raises(ValueError, match=r"do not fit|is not one of elements"):
        table.lines(b"a\n", at, np.zeros(2, ids), np.zeros(2, starts), known)


FIRST = b"step of "
"""What the first word of the known key takes to zero, and with it the product that is hashed."""
KNOWN = bytes(range(1, 49)) + (-int.from_bytes(FIRST, "little") % 2**64).to_bytes(8, "little") + bytes(range(8))
WORDS = [bytes(word) for word in itertools.islice(itertools.product(b"abcd", repeat=8), 1 << 13)]
HOSTILE = b"".join(FIRST + word + b"\n" for word in WORDS)
HARMLESS = b"".join(word + FIRST + b"\n" for word in WORDS)


def cost(key: bytes, text: bytes) -> float:
    """The least CPU time of three to read a text of lines of 16 bytes into a table of this key."""
    assert shapes_of_c is not None
    ids, starts, costs = np.empty(1 << 13, np.int32), np.empty(1 << 13, np.int64), []
    for _ in range(3):
        table = shapes_of_c.Table(1 << 16, 1 << 20, 16, key)
        before = time.process_time()
        table.lines(text, 0, ids, starts, 0)
        costs.append(time.process_time() - before)
        assert len(table) == 1 << 13
    return min(costs)


@needs_c
def test_lines_made_to_share_a_bucket_cost_no_more_than_others_where_the_key_is_secret() -> None:
    assert cost(KNOWN, HOSTILE) > 10 * cost(KNOWN, HARMLESS)
    assert cost(os.urandom(len(KNOWN)), HOSTILE) < 5 * cost(os.urandom(len(KNOWN)), HARMLESS)


@needs_c
def test_every_table_has_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[bytes] = []

    def noted(size: int) -> bytes:
        keys.append(secrets.token_bytes(size))
        return keys[-1]

    monkeypatch.setattr(os, "urandom", noted)
    for _ in range(2):
        Shapes(compiled=True)
    assert len(set(keys)) == 2

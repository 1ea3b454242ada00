"""Texts and fields that hypothesis makes for the kernel, and what both ways of it say of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from parsers.grammar.timestamps import times
from parsers.scanning.kernel import LEFT, LIBRARY, NUMBER, PART, STAMP, CompiledShapes, MaskedShapes, fields

NOT_BUILT = "shapes.c is not built: `pip install -e .` builds it where there is a C compiler"
needs_c = pytest.mark.skipif(LIBRARY is None, reason=NOT_BUILT)
both = pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_c, id="c"), pytest.param(False, id="numpy")])
PLACES = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:]{8}(?:[.,][0-9]+)?|[-+]?[0-9.,e+-]*[0-9]")
MOST_PLACES = 6
ALPHABET = [b"0", b"7", b"9", b"/", b":", b"a", b"\xb0", b"\xb7", b"\x00", b"\r", b"\xff", b"0123456789", b"word " * 3]
"""Bytes beside the digits and 128 above them, NUL, no UTF-8; long enough to be over one step of 16 bytes."""
LINES = st.one_of(
    st.lists(st.sampled_from(ALPHABET), max_size=12).map(b"".join),
    st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")),
    st.integers(0, 70).map(lambda length: b"x" * length),
)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A text of some lines, many of them equal but for their digits."""
    lines = draw(st.lists(LINES, min_size=1, max_size=6))
    chosen = draw(st.lists(st.sampled_from(lines), max_size=30))
    digits = draw(st.binary(min_size=1, max_size=8))
    return b"".join(_with_digits(line, digits, i) + b"\n" for i, line in enumerate(chosen))


def _with_digits(line: bytes, digits: bytes, number: int) -> bytes:
    """The line with other digits in place of its own."""
    places = enumerate(line, number)
    return bytes(48 + digits[i % len(digits)] % 10 if chr(byte) in "0123456789" else byte for i, byte in places)


LIMITS = st.tuples(
    st.sampled_from([0, 1, 3, 1 << 16]),
    st.sampled_from([0, 15, 16, 17, 4096]),
    st.sampled_from([0, 1, 64]),
)
Told = Sequence[tuple[int, list[int]]]
TOLD = st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 20), min_size=1, max_size=3)), max_size=2)


def table_of(*limits: int, compiled: bool) -> CompiledShapes | MaskedShapes:
    """A table of shapes, by default of as many as there may be."""
    return (CompiledShapes if compiled else MaskedShapes)(*(limits or (1 << 16, 4096, 64)))


def said(data: list[bytes], limits: tuple[int, ...], *, compiled: bool, told: Told = ()) -> list[Any]:
    """Everything that a table says of texts; after each, a shape is told apart by the digits at some of its places."""
    shapes, masked = table_of(*limits, compiled=compiled), table_of(*limits, compiled=False)
    found: list[Any] = []
    apart = set[int]()
    for number, text in enumerate(data):
        ids, starts = shapes.lines(text)
        masked.lines(text)
        found += [ids.dtype, ids.tolist(), starts.dtype, starts.tolist()]
        for shape, asked in told[number : number + 1]:
            line = [*masked][shape] if shape < len(masked) else PART  # type: ignore[misc]
            places = sorted({place for place in asked if place < len(line)})
            if places and not line.endswith(PART) and shape not in apart:
                apart.add(shape)
                shapes.tell(shape, places)
                masked.tell(shape, places)
    return [*found, len(shapes)]


@dataclass(frozen=True)
class Fields:
    """What a call of ``fields`` is given."""

    data: bytes
    at: list[int]
    shape: list[int]
    spans: list[list[tuple[int, int]]]
    kinds: list[int]

    def read(self, *, compiled: bool) -> list[Any]:
        """The bits of the cells, those that are odd read from their texts as a column does; or the error."""
        spans = np.array(self.spans, np.int32).reshape(len(self.spans), len(self.kinds), 2)
        arrays = (np.array(self.at, np.int64), np.array(self.shape, np.int32), spans, np.array(self.kinds, np.uint8))
        try:
            cells, odd = fields(self.data, *arrays, compiled=compiled)
        except ValueError as error:
            return [str(error)]
        for field, row in [] if odd is None else np.argwhere(odd).tolist():
            offset, width = self.spans[self.shape[row]][field]
            text = self.data[self.at[row] + offset :][:width]
            try:
                number = self.kinds[field] == NUMBER
                cells[field, row] = float(text) if number else times([text]).view(np.float64)[0]
            except (ValueError, UserWarning):
                pass  # no spelling of a number or a time, which no grammar finds
        bits = np.where(np.isnan(cells) & (arrays[3] != STAMP)[:, None], np.nan, cells).view(np.int64)
        return [bits.tolist()]


def numbers_of(data: bytes) -> Fields:
    """Each line that has a shape, with what looks like a number in the first line of the shape, or like a time."""
    shapes = table_of(compiled=False)
    ids, starts = (part.tolist() for part in shapes.lines(data))
    rows = [(at, number) for at, number in zip(starts, ids, strict=True) if number >= 0]
    firsts = {number: data[at : data.index(b"\n", at)] for at, number in reversed(rows)}
    spans = []
    for number in range(len(shapes)):
        found = [(place.start(), place.end() - place.start()) for place in PLACES.finditer(firsts[number])]
        spans.append([*found, *[(0, 0)] * MOST_PLACES][:MOST_PLACES] * 2)
    kinds = [NUMBER] * MOST_PLACES + [STAMP] * MOST_PLACES
    return Fields(data, [at for at, _ in rows], [number for _, number in rows], spans, kinds)


def assert_alike(text: bytes, limits: tuple[int, ...]) -> None:
    """What C and numpy say of the lines of a text and of the numbers in them is the same; of C only if it is built."""
    compiled, given = LIBRARY is not None, numbers_of(text)
    assert said([text], limits, compiled=compiled) == said([text], limits, compiled=False)
    assert given.read(compiled=compiled) == given.read(compiled=False)


NUMBERS = st.one_of(
    st.text("0123456789", max_size=25).map(str.encode),
    st.from_regex(rb"[-+]?[0-9]{0,18}\.?[0-9]{0,24}", fullmatch=True),
    st.floats().map(lambda number: repr(number).encode()),
    st.decimals(allow_nan=False, allow_infinity=False, places=5).map(lambda number: str(number).encode()),
    st.text("0123456789.+-eE,_ x", max_size=12).map(str.encode),
    st.integers(2**53 - 3, 2**53 + 3).map(lambda number: b"%d" % number),
    st.builds(lambda whole, places: b"%de-%d" % (whole, places), st.integers(2**53, 2**59 - 1), st.integers(0, 27)),
)
TIMES = st.one_of(
    st.datetimes().map(lambda time: time.isoformat(" ").encode()),
    st.from_regex(
        rb"[0-2][0-9]{3}[-/][01][0-9][-/][0-3][0-9][ T][0-2][0-9]:[0-6][0-9]:[0-6][0-9]([.,][0-9]{0,7})?",
        fullmatch=True,
    ),
    st.tuples(st.datetimes(), st.integers(0, 25), st.sampled_from(b"0/:-T ,.;x\xff")).map(
        lambda parts: _with_byte(parts[0].isoformat(" ").encode(), *parts[1:])
    ),
)


def _with_byte(text: bytes, at: int, byte: int) -> bytes:
    return text[:at] + bytes([byte]) + text[at + 1 :]


@st.composite
def lines_of_fields(draw: st.DrawFn) -> Fields:
    """Lines of as many texts as there are fields; of one shape are those of the same widths."""
    kinds = draw(st.lists(st.sampled_from([LEFT, NUMBER, STAMP]), min_size=1, max_size=4))
    rows = draw(st.lists(st.tuples(*(NUMBERS if kind == NUMBER else TIMES for kind in kinds)), max_size=8))
    data, at, shape, places = b"", [], [], []
    for row in rows:
        at.append(len(data))
        ends = np.cumsum([len(text) + 1 for text in row]).tolist()
        spans = [(end - 1 - len(text), len(text)) for end, text in zip(ends, row, strict=True)]
        if spans not in places:
            places.append(spans)
        shape.append(places.index(spans))
        data += b"".join(text + b" " for text in row)
    return Fields(data, at, shape, places, kinds)

"""The records of a log: typed columns of many lines, block by block, and the table of all of them in file order."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..grammar.field import IN_SECONDS, Field, computed
from ..grammar.format import METRICS
from ..grammar.timestamps import COLUMNS, TURNS, length_of_time, run_on, times
from ..grammar.variant import Variant
from ..io.cache import pd
from . import kernel
from .kernel import LEFT, NUMBER, STAMP, WORD, Bytes, Flags, Floats, Ids, Integers
from .prefix import RANK
from .shapes import Rows

Array = NDArray[Any]
MOST_REPEATED = 1024  # a log holds fewer runs, but may label each of its lines with the rank


FEW = 64


class Growing:
    """A column that grows at its end: a list of parts would be in memory twice when it is put together."""

    def __init__(self, type_: np.dtype[Any]) -> None:
        self._cells, self._length = np.empty(0, type_), 0

    def add(self, part: Array) -> None:
        """Add what a block has."""
        start, self._length = self._length, self._length + len(part)
        if self._length > len(self._cells):
            cells = np.empty(2 * self._length, self._cells.dtype)  # what is not written to takes no memory
            cells[:start] = self._cells[:start]
            self._cells = cells
        self._cells[start : self._length] = part

    def __len__(self) -> int:
        return self._length

    def whole(self) -> Array:
        """The column."""
        return self._cells[: self._length]


@dataclass(frozen=True)
class Places:
    """Where the fields of some lines stand: a line begins ``at`` a place of ``data``, its ``shape`` has ``spans``."""

    data: bytes
    at: Integers
    shape: Ids
    spans: Ids

    def those(self, which: slice | Flags) -> Places:
        """Some of the lines."""
        return replace(self, at=self.at[which], shape=self.shape[which])

    def widths(self, field: int) -> Ids:
        """How many bytes each line has of a field."""
        widths: Ids = self.spans[self.shape, field, 1]
        return widths

    def digit(self, field: int) -> float:
        """One unit of the last digit of a field, the finest of all shapes; lines of one differ in their digits only."""
        shapes, firsts = self.firsts
        texts = self.texts(field, firsts[self.spans[shapes, field, 1] > 0])
        return min(map(last_digit, texts), default=math.inf)

    @cached_property
    def firsts(self) -> tuple[Rows, Rows]:
        """The shapes, and the first line of each: where several lines are written to one place, the last one stays."""
        firsts = np.full(len(self.spans), -1)
        firsts[self.shape[::-1]] = np.arange(len(self.shape))[::-1]
        shapes = np.flatnonzero(firsts >= 0)
        return shapes, firsts[shapes]

    def alike(self, fields: Sequence[int]) -> list[list[int]]:
        """Groups of lines, each of lines that have the same texts of some fields, in the order of their first lines."""
        words, odd = None, None
        if len(self.at) >= FEW:
            kinds = np.full(len(fields), WORD, np.uint8)
            words, odd = kernel.fields(self.data, self.at, self.shape, self.spans[:, fields], kinds)
        if words is None or odd is not None:
            groups: dict[tuple[bytes, ...], list[int]] = {}
            for row, texts in enumerate(zip(*map(self.texts, fields), strict=True)):
                groups.setdefault(texts, []).append(row)
            return list(groups.values())
        said = words.view(np.int64)
        order = np.lexsort(said)
        ends = np.flatnonzero((np.diff(said[:, order]) != 0).any(axis=0)) + 1
        rows = order.tolist()
        return sorted(rows[start:end] for start, end in pairwise([0, *ends.tolist(), len(rows)]))

    def texts(self, field: int, rows: Rows | slice = slice(None)) -> list[bytes]:
        """The texts that lines, or some of them, have of a field."""
        spans = self.spans[self.shape[rows], field]
        starts = self.at[rows] + spans[:, 0]
        return [self.data[a:b] for a, b in zip(starts.tolist(), (starts + spans[:, 1]).tolist(), strict=True)]


def numbers(texts: Sequence[bytes]) -> Array:
    """float64 of the printed digits, exact to the last bit; NaN where the line does not have the field."""
    return np.array([_number(text) for text in texts])


_DIGITS = frozenset(b"0123456789")
_MOST_POWER = 300  # of ten
_SCALES = {b"K": 1e3, b"k": 1e3, b"M": 1e6}


def _number(text: bytes) -> float:
    """The number of a text such as ``12,345.6`` or ``12.3K``, of ``2:28`` or ``2m 28s`` the seconds; NaN of none."""
    if text[-1:].isdigit() and b":" not in text:
        return float(text.replace(b",", b""))
    if (scale := _SCALES.get(text[-1:])) is not None:
        return float(text[:-1].replace(b",", b"")) * scale
    return length_of_time(text.decode("utf-8", "replace"))


def last_digit(text: bytes) -> float:
    """One unit of the last digit of a number as printed: 0.01 of ``2.50``, 100 of ``12.3K``, 1 of ``2:28``.

    Infinite of ``nan``, and of what no float holds.
    """
    scale = _SCALES.get(text[-1:], 1.0)
    mantissa, _, power = text.rstrip(b"KkM").lower().partition(b"e")
    exponent = (int(power[:9]) if power.lstrip(b"+-").isdigit() else 0) - len(mantissa.partition(b".")[2])
    return scale * 10.0**exponent if _DIGITS.intersection(text) and abs(exponent) <= _MOST_POWER else math.inf


def strings(texts: Sequence[bytes]) -> Array:
    """Python strings; a byte that is no UTF-8 becomes a replacement character."""
    return np.array([text.decode("utf-8", "replace") for text in texts], dtype=object)


def missing(length: int, like: Array) -> Array:
    """A column of so many lines that lack the field of another column."""
    nothing = np.datetime64("NaT", "us") if like.dtype.kind == "M" else None if like.dtype.kind == "O" else np.nan
    return np.full(length, nothing, dtype=like.dtype)


def whole(column: Array) -> Array:
    """A column of counts as int64, or as it is when some lines lack the field or a count is 2**53 or more.

    It is changed in place, and is of no use afterwards: a large log is in memory once.
    """
    if not len(column) or not -(2**53) < column.min() <= column.max() < 2**53:  # NaN is neither
        return column if len(column) else column.astype(np.int64)
    counts = column.view(np.int64)
    np.copyto(counts, column, casting="unsafe")
    return counts


KINDS = {"NUMBER": NUMBER, "INTEGER": NUMBER, "STAMP": STAMP}


class VariantLines:
    """The lines of one variant: physical line numbers and one typed column a field.

    ``digits``: one unit of the last printed digit of each column of numbers, the finest of all lines.
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self._fields = tuple(dict.fromkeys((RANK, *variant.fields)))
        self._kinds = np.array([KINDS.get(field.type, LEFT) for field in self._fields], np.uint8)
        self._numbers = Growing(np.dtype(np.int64))
        self._columns: dict[str, Growing] = {}
        self._not_numbers = array("q")
        self.digits: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, numbers: Integers, places: Places) -> None:
        """Add some lines, and where their fields stand."""
        cells, odd = kernel.fields(places.data, places.at, places.shape, places.spans, self._kinds)
        for index, field in enumerate(self._fields):
            if field is not RANK or RANK.name in self._columns or places.spans[places.firsts[0], index, 1].any():
                self._grow(field, self._column(index, places, cells[index], None if odd is None else odd[index]))
            if field.type == "NUMBER" and (digit := places.digit(index)) < self.digits.get(field.name, math.inf):
                self.digits[field.name] = digit
        self._numbers.add(numbers)

    def _column(self, index: int, places: Places, cells: Floats, odd: Bytes | None) -> Array:
        """One column; what is spelled in no plain way is read as text."""
        field, kind = self._fields[index], self._kinds[index]
        if kind == LEFT:
            return COLUMNS.get(field.type, strings)(places.texts(index))
        column: Array = cells if kind == NUMBER else cells.view("datetime64[us]")
        if odd is not None and len(rows := np.flatnonzero(odd)):
            column[rows] = (numbers if kind == NUMBER else times)(places.texts(index, rows))
        if field.name == "loss" and kind == NUMBER:
            # One that is printed, but is no number, looks in its column as one that is missing.
            rows = np.flatnonzero(np.isnan(column))
            self._not_numbers.extend((len(self) + rows[places.widths(index)[rows] > 0]).tolist())
        return column

    def _grow(self, field: Field, column: Array) -> None:
        grown = self._columns.get(field.name)
        if grown is None:
            grown = self._columns[field.name] = Growing(column.dtype)
        if lacking := len(self) - len(grown):
            grown.add(missing(lacking, column))
        grown.add(column)

    def numbers(self) -> Integers:
        """Physical line numbers from 1."""
        return self._numbers.whole()

    def not_numbers(self) -> Integers:
        """The lines among ``numbers`` whose loss is printed, but is not a number."""
        return self.numbers()[np.frombuffer(self._not_numbers, np.int64)]

    def take(self, column: str) -> Array | None:
        """One column, which is given up here: a large log is in memory once. None for a column that others have."""
        grown = self._columns.pop(column, None)
        return grown.whole() if grown else None


class FactLines:
    """The lines of one variant that states facts, which many lines repeat.

    ``places``: by the texts of ``fields`` the lines that have them, each with the place in it; of what very many lines
    repeat only some: that is no configuration of one run.
    """

    def __init__(self, variant: Variant) -> None:
        every = tuple(dict.fromkeys((RANK, *variant.fields)))
        self.fields = tuple(field for field in variant.facts if field is not RANK)
        self._columns = [every.index(field) for field in self.fields]
        self.places: dict[tuple[bytes, ...], list[tuple[int, int]]] = {}
        self.is_event = variant.record == "event"

    def add(self, numbers: Integers, places: Places) -> None:
        """Add some lines, in their order, and where their fields stand."""
        if not self._columns or not len(numbers):
            return
        groups, lines = places.alike(self._columns), numbers.tolist()
        offsets = places.spans[places.shape, self._columns[0], 0].tolist()
        firsts = np.array([group[0] for group in groups])
        texts = zip(*(places.texts(column, firsts) for column in self._columns), strict=True)
        for row, group in zip(texts, groups, strict=True):
            known = self.places.setdefault(row, [])
            # Of an event each line counts, for a later start may repeat what one before it said.
            if self.is_event or len(known) <= MOST_REPEATED:
                known += [(lines[number], offsets[number]) for number in group]


# ---- the table of all records

RECORD = "record"
FEWEST_LEFT = 20
FEWEST_WHOLE = 20  # seconds, minutes or hours, of which one more or less is little

Order = NDArray[np.int64] | None
Digits = Mapping[tuple[str, str], float]


class RecordTable:
    """The records of a log in file order, a column an array; to make a DataFrame of them takes longer than to read few.

    ``columns``: by name; ``record`` is int8, the place of each record's kind in METRICS. ``digits``: one unit of the
    last digit that records of a kind print in a column of numbers, the finest of all lines.
    """

    def __init__(self, columns: Mapping[str, Array], digits: Digits | None = None) -> None:
        self._columns = columns
        self.digits = digits or {}

    def __len__(self) -> int:
        return len(self._columns[RECORD])

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __getitem__(self, name: str) -> Array:
        return self._columns[name]

    def __reduce__(self) -> tuple[type[RecordTable], tuple[Mapping[str, Array], Digits]]:
        return RecordTable, (self._columns, self.digits)  # without the DataFrame: it can be made anew

    def are(self, kind: str) -> NDArray[np.bool_]:
        """Which records are of a kind (bool): step, epoch or summary."""
        found: NDArray[np.bool_] = self._columns[RECORD] == METRICS.index(kind)
        return found

    def rows(self, which: slice | Array) -> RecordTable:
        """Some of the records, by a slice, a mask or row numbers; those that lie side by side without a copy."""
        if not isinstance(which, slice) and len(which) and which.dtype == np.bool_:
            first, last = int(which.argmax()), len(which) - int(which[::-1].argmax())
            which = slice(first, last) if which[first:last].all() else which
        return RecordTable({name: column[which] for name, column in self._columns.items()}, self.digits)

    def columns(self, names: Iterable[str]) -> RecordTable:
        """The records with these columns only, and their kind."""
        return RecordTable({name: self._columns[name] for name in (RECORD, *names)}, self.digits)

    def having(self, name: str, column: Array) -> RecordTable:
        """The same records with one column more, or another one of that name."""
        others = {key: digit for key, digit in self.digits.items() if key[1] != name}
        return RecordTable({**self._columns, name: column}, others)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The same as a DataFrame, in which ``record`` is a category."""
        kinds = pd.Categorical.from_codes(self._columns[RECORD], categories=pd.Index(METRICS))
        return pd.DataFrame({**self._columns, RECORD: kinds}, copy=False)


def table(found: Sequence[VariantLines]) -> RecordTable:
    """Records of all metric lines, ascending by line: ``line``, ``record``, ``rank`` where told, then the fields.

    Built a column at a time, so that a large log is in memory once.
    """
    fields = {f.name: f for lines in found for f in (RANK, *lines.variant.fields)}
    numbers = _joined([lines.numbers() for lines in found], np.int64)
    order = None if (numbers[1:] >= numbers[:-1]).all() else np.argsort(numbers, kind="stable")
    codes = [np.full(len(lines), METRICS.index(lines.variant.record), np.int8) for lines in found]
    columns = {"line": _ordered(numbers, order), RECORD: _ordered(_joined(codes, np.int8), order)}
    for name, field in fields.items():
        if (column := _column(found, name, order)) is not None:
            # Some types are known only as a whole, in file order.
            column = run_on(column, field.type) if field.type in TURNS else column
            columns[name] = whole(column) if field.type == "INTEGER" else column
    return RecordTable(
        {**columns, **_computed(found, columns, order)},
        finest({(lines.variant.record, name): digit for name, digit in lines.digits.items()} for lines in found),
    )


def finest(each: Iterable[Digits]) -> Digits:
    """The digits of several tables put together."""
    found: dict[tuple[str, str], float] = {}
    for digits in each:
        for column, digit in digits.items():
            found[column] = min(digit, found.get(column, math.inf))
    return found


def _computed(found: Sequence[VariantLines], columns: Mapping[str, Array], order: Order) -> dict[str, Array]:
    """The columns that are computed of those that are printed; of each record by the fields of its own line."""
    made: dict[str, Array] = {}
    for lines in found:
        fields = {field.name: field for field in lines.variant.fields}
        if len(lines) and (field := computed(fields.values())):
            is_own = _ordered(_joined([np.full(len(other), other is lines) for other in found], np.bool_), order)
            own = {name: columns[name][is_own] for name in fields}
            times = _expected(own, fields) if field.is_expected else own["work_time"] + own["reader_time"]
            column = made.get(field.name, columns.get(field.name, np.full(len(is_own), np.nan))).copy()
            column[is_own] = np.where(np.isnan(column[is_own]), times, column[is_own])
            made[field.name] = column
    return made


def _expected(columns: Mapping[str, Array], fields: Mapping[str, Field]) -> Array:
    """The seconds that each step that is left is expected to take, or each epoch where lines count no steps.

    NaN of the last, of which programs count one more or less, and of the last minutes where whole ones are printed:
    that would be much of the few that are left.
    """
    left, remaining = _left(columns, fields), columns["remaining"]
    seconds = remaining * IN_SECONDS[fields["remaining"].unit or "seconds"]
    known = remaining[np.isfinite(remaining)]
    is_known = (left >= FEWEST_LEFT) & (remaining >= (FEWEST_WHOLE if (known == np.round(known)).all() else 0))
    return np.where(is_known, seconds / np.maximum(left, 1), np.nan)


def _left(columns: Mapping[str, Array], fields: Mapping[str, Field]) -> Array:
    """How many steps are left of the run, or of the epoch where lines do not tell how many epochs there are."""
    if "step" not in fields:
        return np.asarray(columns["epochs"] - _done(columns["epoch"], fields["epoch"]), np.float64)
    total = "steps_per_epoch" if "steps_per_epoch" in fields else "steps"
    left = columns[total] - _done(columns["step"], fields["step"])
    if total == "steps_per_epoch" and {"epoch", "epochs"} <= fields.keys():
        left = left + (columns["epochs"] - _done(columns["epoch"], fields["epoch"])) * columns[total]
    return np.asarray(left, np.float64)


def _done(counted: Array, field: Field) -> Array:
    """How many there are up to the one that a line counts, from the number of the first one."""
    return counted - (1.0 if field.first is None else field.first) + 1


def _column(found: Sequence[VariantLines], name: str, order: Order) -> Array | None:
    parts = [lines.take(name) for lines in found]
    present = next((part for part in parts if part is not None), None)
    if present is None:
        return None
    filled = [missing(len(lines), present) if p is None else p for lines, p in zip(found, parts, strict=True)]
    return _ordered(_joined(filled, present.dtype), order)


def _joined(parts: Sequence[Array], type_: DTypeLike) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate([*parts, np.zeros(0, type_)])


def _ordered(column: Array, order: Order) -> Array:
    return column if order is None else column[order]

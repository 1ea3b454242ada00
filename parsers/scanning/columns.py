"""Typed columns: what the fields of many lines become, block by block."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import Field
from ..grammar.timestamps import COLUMNS
from ..grammar.variant import Variant
from .matches import Found, Row

Array = NDArray[Any]


class Growing:
    """A column that grows at its end, in place: a list of parts would be in memory twice when it is put together."""

    def __init__(self, nothing: Array) -> None:
        self._type = nothing.dtype
        self._texts: list[str] = []
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self._texts) or len(self._bytes) // self._type.itemsize

    def add(self, part: Array) -> None:
        """Add what a block has."""
        if self._type.kind == "O":
            self._texts += part.tolist()
        else:
            self._bytes += part.tobytes()

    def whole(self) -> Array:
        """The column; it cannot grow any more."""
        if self._type.kind == "O":
            return np.array(self._texts, dtype=object)
        return np.frombuffer(self._bytes, self._type)


def typed(texts: Mapping[Field, Sequence[bytes]]) -> dict[str, Array]:
    """One typed column a field."""
    return {field.name: _column(field, column) for field, column in texts.items()}


def untyped(texts: Mapping[Field, Sequence[bytes]]) -> dict[str, Array]:
    """The texts of each field as they are: facts are few, and what they mean depends on their names."""
    return {field.name: strings(column) for field, column in texts.items()}


def _column(field: Field, texts: Sequence[bytes]) -> Array:
    if field.type not in ("NUMBER", "INTEGER"):
        return COLUMNS.get(field.type, strings)(texts)
    return numbers(texts) if any(texts) else np.full(len(texts), np.nan)


def numbers(texts: Sequence[bytes]) -> Array:
    """float64 of the printed digits, exact to the last bit; NaN where the line does not have the field.

    Python rounds every number of digits correctly, and is as fast as the readers of tables that do not.
    """
    try:
        return np.array(list(map(float, texts)))
    except ValueError:  # one that is missing, or has thousands set apart
        return np.array([float(text.replace(b",", b"") or "nan") for text in texts])


def strings(texts: Sequence[bytes]) -> Array:
    """Python strings; a byte that is no UTF-8 becomes a replacement character."""
    return np.array([text.decode("utf-8", "replace") for text in texts], dtype=object)


def missing(length: int, like: Array) -> Array:
    """A column of so many lines that lack the field of another column."""
    nothing = np.datetime64("NaT") if like.dtype.kind == "M" else None if like.dtype.kind == "O" else np.nan
    return np.full(length, nothing, dtype=like.dtype)


def whole(column: Array) -> Array:
    """A column of counts as int64, or as it is when some lines lack the field or a count is 2**53 or more."""
    if np.isfinite(column).all() and (np.abs(column) < 2**53).all():
        return column.astype(np.int64)
    return column


RANK = Field("rank", "INTEGER")
LOSS = "loss"
MANY_ROWS = 8192


class VariantLines:
    """The lines of one variant: physical line numbers and one typed column a field."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self._rows: list[Row] = []
        self._numbers = Growing(np.zeros(0, np.int64))
        self._further = Growing(np.zeros(0, np.int64))
        self._columns: dict[str, Growing] = {}
        self._converted = 0
        self._not_numbers = array("q")

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, found: Found) -> None:
        """Add the lines of the next block; many rows are turned into columns at once, because each time has a price."""
        self._numbers.add(found.numbers)
        if found.further is not None:
            self._further.add(found.further)
        self._rows += found.rows
        if len(self._rows) >= MANY_ROWS:
            self._convert()

    def _convert(self) -> None:
        if not self._rows:
            return
        texts = self._texts()
        if RANK in texts and RANK.name not in self._columns and not any(texts[RANK]):
            del texts[RANK]
        kinds = untyped if self.variant.record == "fact" else typed
        for (field, text), column in zip(texts.items(), kinds(texts).values(), strict=True):
            grown = self._columns.setdefault(field.name, Growing(column[:0]))
            grown.add(missing(self._converted - len(grown), column))
            grown.add(column)
            if field.name == LOSS:
                self._note_not_numbers(text, column)
        self._converted += len(self._rows)
        self._rows.clear()

    def _note_not_numbers(self, texts: Sequence[bytes], column: Array) -> None:
        """Remember the rows whose loss is printed, but is no number: in its column a missing one looks the same."""
        rows = np.flatnonzero(np.isnan(column)) if column.dtype.kind == "f" else column[:0]
        self._not_numbers.extend(self._converted + row for row in rows.tolist() if texts[row])

    def _texts(self) -> dict[Field, Sequence[bytes]]:
        """The text of each field; of several groups of one field the first that took part."""
        texts: dict[Field, Sequence[bytes]] = {}
        for field, group in zip((RANK, *self.variant.groups), zip(*self._rows, strict=True), strict=True):
            if field not in texts:
                texts[field] = group
            elif any(group):
                texts[field] = [a or b for a, b in zip(texts[field], group, strict=True)]
        return texts

    def numbers(self) -> NDArray[np.int64]:
        """Physical line numbers from 1, ascending."""
        return self._numbers.whole()

    def not_numbers(self) -> NDArray[np.int64]:
        """The lines among ``numbers`` whose loss is printed, but is not a number."""
        self._convert()
        return self.numbers()[np.frombuffer(self._not_numbers, np.int64)]

    def all_numbers(self) -> NDArray[np.int64]:
        """As ``numbers``, with those of all further lines that records of several lines have."""
        return np.concatenate([self._numbers.whole(), self._further.whole()])

    def take(self, column: str) -> Array | None:
        """One column, which is given up here: a large log is in memory once. None for a column that others have."""
        self._convert()
        grown = self._columns.pop(column, None)
        return grown.whole() if grown else None

"""Typed columns: what the fields of many lines become, block by block."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .field import Field
from .lazy import pd
from .stamps import COLUMNS

Array = NDArray[Any]

# Calling pandas' reader takes as long as reading so many numbers without it.
FEW_NUMBERS = 4096


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
    """One typed column a field; those of numbers are read together, for a call costs more than many numbers do."""
    present = [field for field, column in texts.items() if _is_number(field) and any(column)]
    parts = iter(numbers([texts[field] for field in present]) if present else ())
    return {f.name: next(parts) if f in present else _column(f, column) for f, column in texts.items()}


def untyped(texts: Mapping[Field, Sequence[bytes]]) -> dict[str, Array]:
    """The texts of each field as they are: facts are few, and what they mean depends on their names."""
    return {field.name: strings(column) for field, column in texts.items()}


def _is_number(field: Field) -> bool:
    return field.type in ("NUMBER", "INTEGER")


def _column(field: Field, texts: Sequence[bytes]) -> Array:
    if _is_number(field):
        return np.full(len(texts), np.nan)
    return COLUMNS.get(field.type, strings)(texts)


def numbers(columns: Sequence[Sequence[bytes]]) -> list[Array]:
    """float64 of the printed digits, exact to the last bit; NaN where the line does not have the field."""
    if len(columns) * len(columns[0]) < FEW_NUMBERS:
        return _floats(columns)
    lines = BytesIO(b"\n".join(map(b";".join, zip(*columns, strict=True))) + b"\n")
    names = range(len(columns))
    try:
        table = pd.read_csv(lines, sep=";", thousands=",", names=names, dtype="float64", skip_blank_lines=False)
    except ValueError:  # a spelling of NaN or infinity that pandas does not know
        return _floats(columns)
    return [table[name].to_numpy(dtype=np.float64) for name in table]


def _floats(columns: Sequence[Sequence[bytes]]) -> list[Array]:
    return [_floats_of(column) for column in columns]


def _floats_of(column: Sequence[bytes]) -> Array:
    try:
        return np.array(list(map(float, column)))
    except ValueError:  # one that is missing, or has thousands set apart
        return np.array([float(text.replace(b",", b"") or "nan") for text in column])


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

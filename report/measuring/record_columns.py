"""Columns: some records of a table as arrays, which are read and cut many times faster than a DataFrame."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from parsers.io.lazy import pd
from parsers.scanning.record_table import RecordTable

Array = NDArray[Any]


class Columns:
    """The columns of some records in file order; each becomes an array when it is read for the first time.

    ``source``: the table of a log, a DataFrame with the columns of ``parsers.part.Part.records``, or other columns; it
    must not change afterwards. ``rows``: which of its records are taken (bool, or int64 places); all of them by
    default. ``kind``: that of the records, where all are of one.
    """

    def __init__(self, source: Records, rows: Array | None = None, kind: str | None = None) -> None:
        self._source, self._rows, self._kind = source, rows, kind
        self._length = len(source) if rows is None else _length(rows)
        self._known: dict[str, Array] = {}
        self._of_kind: dict[str, Columns] = {}

    def __len__(self) -> int:
        return self._length

    def __contains__(self, name: object) -> bool:
        return name in self._source

    def __getitem__(self, name: str) -> Array:
        if name not in self._known:
            found = self._source[name]
            array = found if isinstance(found, np.ndarray) else _array(found)
            self._known[name] = array if self._rows is None else taken(array, self._rows)
        return self._known[name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column as numbers (float64), NaN where a record has none."""
        return np.asarray(self.counts(name), dtype=np.float64)

    def counts(self, name: str) -> Array:
        """The same without a copy where it holds whole numbers."""
        found = self[name]
        if found.dtype.kind in "iuf":
            return found
        return np.asarray(pd.Series(found).to_numpy(dtype=np.float64, na_value=np.nan))

    def printed(self, name: str) -> NDArray[np.bool_]:
        """Which records have a value in a column (bool)."""
        found = self[name]
        if found.dtype.kind in "iuf":
            return ~np.isnan(found)
        return ~np.isnat(found) if found.dtype.kind == "M" else np.asarray(pd.notna(found), dtype=np.bool_)

    def finite(self, name: str) -> NDArray[np.bool_]:
        """Which records have a value in a column of numbers or times, and a finite one (bool)."""
        return self.printed(name) if self[name].dtype.kind == "M" else np.isfinite(self.numbers(name))

    def rows(self, which: Array) -> Columns:
        """Some of the records (bool, or int64 places)."""
        # Without a copy where that is all of them: a large log is in memory once.
        return self if which.dtype == np.bool_ and which.all() else Columns(self, which, self._kind)

    def of_kind(self, kind: str) -> Columns:
        """The records of a kind: step, epoch or summary."""
        if kind == self._kind:
            return self
        if kind not in self._of_kind:
            are_so = self.are(kind)
            self._of_kind[kind] = Columns(self, None if are_so.all() else are_so, kind)
        return self._of_kind[kind]

    def are(self, kind: str) -> NDArray[np.bool_]:
        """Which records are of a kind (bool)."""
        if isinstance(self._source, RecordTable | Columns):
            found = self._source.are(kind)
        else:
            found = (self._source["record"] == kind).to_numpy()
        return found if self._rows is None else taken(found, self._rows)

    def frame(self, names: tuple[str, ...]) -> pd.DataFrame:
        """The records as a DataFrame with those of some columns that they have; its index is that of the source."""
        if isinstance(self._source, Columns):
            whole = self._source.frame(names)
        else:
            source = self._source.frame if isinstance(self._source, RecordTable) else self._source
            whole = source[[name for name in names if name in source]]
        return whole if self._rows is None else whole.iloc[self._rows]


def taken(values: Array, rows: Array) -> Array:
    """Some of the values (bool, or int64 places), without a copy where a mask takes those that follow each other."""
    if rows.dtype == np.bool_:
        first, count = int(np.argmax(rows)), _length(rows)
        if rows[first : first + count].all():
            return values[first : first + count]
    return values[rows]


def _length(rows: Array) -> int:
    return int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else len(rows)


Records: TypeAlias = "pd.DataFrame | RecordTable | Columns"


def columns(records: Records) -> Columns:
    """Records as columns, whichever they are."""
    return records if isinstance(records, Columns) else Columns(records)


def _array(column: pd.Series[Any]) -> Array:
    """A column without a copy where it is an array already; numbers that may be missing become float64."""
    if pd.api.types.is_extension_array_dtype(column.dtype) and pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    return column.to_numpy()

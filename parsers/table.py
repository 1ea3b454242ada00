"""The table of records: columns of several line kinds put together in file order."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike, NDArray

from .columns import Array, missing, whole
from .field import Field
from .format import METRICS
from .lines import RANK, Lines
from .stamps import WITHOUT_YEAR, over_new_year

RECORDS = pd.Index(METRICS)

Order = NDArray[np.int64] | None


def table(found: Sequence[Lines], after: np.datetime64 | None = None) -> pd.DataFrame:
    """Records of all metric lines, ascending by line: ``line``, ``record``, ``rank`` where told, then the fields.

    ``after``: the last ``time`` of the records before these, which tells the year of stamps that have none. Built a
    column at a time, so that a large log is in memory once.
    """
    fields = {f.name: f for lines in found for f in (RANK, *lines.variant.fields)}
    numbers = _joined([lines.numbers() for lines in found], np.int64)
    order = None if (numbers[1:] >= numbers[:-1]).all() else np.argsort(numbers, kind="stable")
    columns: dict[str, Array | pd.Categorical[str]] = {
        "line": _ordered(numbers, order),
        "record": _records(found, order),
    }
    for name, field in fields.items():
        column = _column(found, name, order)
        if column is not None:
            columns[name] = _finished(column, field, after)
    return pd.DataFrame(columns, copy=False)


def _finished(column: Array, field: Field, after: np.datetime64 | None) -> Array:
    """A column of all records in file order, by which some types are known only as a whole."""
    if field.type == WITHOUT_YEAR:
        return over_new_year(column, after)
    return whole(column) if field.type == "INTEGER" else column


def _records(found: Sequence[Lines], order: Order) -> "pd.Categorical[str]":
    codes = [np.full(len(lines), METRICS.index(lines.variant.record), np.int8) for lines in found]
    return pd.Categorical.from_codes(_ordered(_joined(codes, np.int8), order), categories=RECORDS)


def _column(found: Sequence[Lines], name: str, order: Order) -> Array | None:
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

"""Stacking tables of records one below the other, each column with what all of them have."""

from collections.abc import Sequence

import numpy as np

from ..scanning.columns import Array, missing
from ..scanning.record_table import RecordTable


def stacked(tables: Sequence[RecordTable]) -> RecordTable:
    """The records of some tables, in their order; what a table lacks is missing in its rows."""
    names = dict.fromkeys(name for table in tables for name in table)
    return RecordTable({name: _column(name, tables) for name in names})


def _column(name: str, tables: Sequence[RecordTable]) -> Array:
    likes = [table[name] for table in tables if name in table]
    # A count that some rows lack cannot be a whole number.
    like = likes[0] if len(likes) == len(tables) or likes[0].dtype.kind not in "iu" else likes[0].astype(np.float64)
    return np.concatenate([table[name] if name in table else missing(len(table), like) for table in tables])

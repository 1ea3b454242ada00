"""The table of records: columns of several line kinds put together in file order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..grammar.field import IN_SECONDS, Field, computed
from ..grammar.format import METRICS
from ..grammar.timestamps import TURNS, run_on
from ..io.cache import pd
from .columns import Array, VariantLines, missing, whole
from .prefix import RANK

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
            found[column] = min(digit, found.get(column, inf))
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

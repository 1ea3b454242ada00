"""What a log holds of one kind of line: texts first, then typed columns."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .columns import Array, Growing, missing, typed, untyped
from .field import Field
from .found import Found, Row
from .variant import Variant

RANK = Field("rank", "INTEGER")
LOSS = "loss"
MANY_ROWS = 8192


class Lines:
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

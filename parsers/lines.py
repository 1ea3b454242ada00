"""What a log holds of one kind of line: texts first, then typed columns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .columns import Array, Growing, missing, typed, untyped
from .field import Field
from .found import Found, Row
from .variant import Variant

RANK = Field("rank", "INTEGER")
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
        texts = self._texts()
        if RANK in texts and RANK.name not in self._columns and not any(texts[RANK]):
            del texts[RANK]
        kinds = untyped if self.variant.record == "fact" else typed
        for name, column in kinds(texts).items():
            grown = self._columns.setdefault(name, Growing(column[:0]))
            grown.add(missing(self._converted - len(grown), column))
            grown.add(column)
        self._converted += len(self._rows)
        self._rows.clear()

    def _texts(self) -> dict[Field, Sequence[bytes]]:
        """The text of each field, if there are rows; of several groups of one field the first that took part."""
        if not self._rows:
            return {}
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

    def all_numbers(self) -> NDArray[np.int64]:
        """As ``numbers``, with those of all further lines that records of several lines have."""
        return np.concatenate([self._numbers.whole(), self._further.whole()])

    def take(self, column: str) -> Array | None:
        """One column, which is given up here: a large log is in memory once. None for a column that others have."""
        self._convert()
        grown = self._columns.pop(column, None)
        return grown.whole() if grown else None

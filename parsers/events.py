"""Events: what happened at a line of a log, such as a checkpoint or a failure."""

from collections.abc import Iterable, Iterator

import pandas as pd

from .lines import Lines
from .stamps import TIMES

COLUMNS = {"line": "int64", "event": "str", "text": "str", "time": "datetime64[us]"}


def events(found: Iterable[Lines]) -> pd.DataFrame:
    """One row an event, in file order.

    ``line`` (int64, physical number from 1), ``event`` (its name in the vocabulary), ``text`` (what the line says of
    it) and ``time`` (datetime64[us]; NaT where the line has none).
    """
    rows = sorted((row for lines in found for row in _rows(lines)), key=lambda row: row[:2])
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _rows(lines: Lines) -> Iterator[tuple[int, str, object, object]]:
    numbers = lines.numbers().tolist()
    columns = {field: lines.take(field.name) for field in lines.variant.fields}
    times = next((column for field, column in columns.items() if field.type in TIMES), None)
    stamps = [pd.NaT] * len(numbers) if times is None else list(times)
    for name, column in ((f.name, c) for f, c in columns.items() if f.type not in TIMES):
        if column is not None:
            yield from zip(numbers, [name] * len(numbers), column.tolist(), stamps, strict=True)

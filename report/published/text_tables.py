"""Tables of plain text: columns that tabs, two blanks or bars part, as programs print them, and sheets of values."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from .table_size import check_cells

TextRow = tuple[int, tuple[str, ...]]

_RULE = re.compile(r"[\s|+:=_-]*")
_BARS = re.compile(r"\s*\|\s*")
_BLANKS = re.compile(r"\t+| {2,}")
_NUMBER = re.compile(r"[~+]?\d[\d,.]*\s?[%a-zA-Z/]*")
LONGEST = 2_000  # characters of a line of a table


def text_tables(lines: Sequence[str]) -> Iterator[list[TextRow]]:
    """The tables in lines of text, each row with its line (from 0): a head without numbers, and rows with some.

    Lines that only draw are passed over; all rows of a table have as many cells as its head.
    """
    rows = [(number, _cells(line)) for number, line in enumerate(lines) if not (line.strip() and _is_rule(line))]
    for count, some in groupby(rows, key=lambda row: len(row[1])):
        table = list(some)
        if count > 1 and len(table) > 1 and not any(map(_NUMBER.fullmatch, table[0][1])):
            body = [row for row in table[1:] if any(map(_NUMBER.fullmatch, row[1]))]
            if len(body) == len(table) - 1:
                yield table


def sheet(text: str, delimiter: str) -> list[TextRow]:
    """The rows of a sheet of values, each with its line (from 0) and as many cells as the first; none where it is none.

    Raises TooManyCellsError.
    """
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        rows = [(reader.line_num - 1, row) for row in reader if row]
    except csv.Error:  # what cannot be read is no table
        return []
    width = len(rows[0][1]) if rows else 0
    check_cells(len(rows), width)
    return [(line, (*row, *[""] * width)[:width]) for line, row in rows]


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line[:LONGEST]) is not None


def _cells(line: str) -> tuple[str, ...]:
    text = line[:LONGEST].strip()
    if "|" in text:
        return tuple(_BARS.split(text.strip("|").strip()))
    return tuple(_BLANKS.split(text))

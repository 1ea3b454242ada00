"""Tables of plain text: columns that tabs, two blanks or bars part, as programs print them, and sheets of values."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from parsers.io.errors import ParserError

MOST_CELLS = 1 << 20  # of a table, with what its cells span and what its short rows lack
TOO_MANY = "has a table of more than {most} cells; smaller ones can be read."
TextRow = tuple[int, tuple[str, ...]]

_RULE = re.compile(r"[\s|+:=_-]*")
_BARS = re.compile(r"\s*\|\s*")
_BLANKS = re.compile(r"\t+| {2,}")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_NUMBER = re.compile(r"[~+]?\d[\d,.]*\s?[%a-zA-Z/]*")
_NUMBERS_ROWS = re.compile(
    r"(?:(?:global|training|train)[ _]?)?(?:step|iter|iteration|epoch)s?(?:[ _](?:id|index|number))?"
    r"|(?:(?:wall|relative|elapsed)[ _]?)?time(?:[ _]?stamp)?|date(?:[ _]?time)?",
    re.IGNORECASE,
)
MOST_RESULTS = 200  # rows of a sheet of results; a log that was exported has more
LONGEST = 2_000  # characters of a line of a table


class TooManyCellsError(ParserError):
    """A table has more cells than anybody reads."""


def check_cells(rows: int, columns: int) -> None:
    """Raise TooManyCellsError for a table of so many rows and columns where these make too many cells."""
    if rows * columns > MOST_CELLS:
        raise TooManyCellsError(TOO_MANY, most=MOST_CELLS)


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


def are_results(rows: Sequence[TextRow]) -> bool:
    """Whether the rows of a sheet are results, numbers below a head, rather than the records of a run.

    Those have a step or a time that rises from row to row, or they are very many.
    """
    columns = [[cell.strip() for cell in column] for column in zip(*(cells for _, cells in rows), strict=True)]
    if not 1 < len(rows) <= MOST_RESULTS + 1 or any(_PLAIN.fullmatch(head) for head, *_ in columns):
        return False
    has_numbers = any(_PLAIN.fullmatch(cell) for column in columns for cell in column[1:])
    return has_numbers and not any(_NUMBERS_ROWS.fullmatch(head) and _rises(column) for head, *column in columns)


def _rises(cells: Sequence[str]) -> bool:
    """Whether the cells of a column rise and nowhere fall, as numbers or, of dates, as texts; a single one does."""
    plain = all(map(_PLAIN.fullmatch, cells))
    order = sorted(cells, key=float) if plain else sorted(cells)
    return len(cells) == 1 or (cells[0] != cells[-1] and order == [*cells])


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line[:LONGEST]) is not None


def _cells(line: str) -> tuple[str, ...]:
    text = line[:LONGEST].strip()
    if "|" in text:
        return tuple(_BARS.split(text.strip("|").strip()))
    return tuple(_BLANKS.split(text))

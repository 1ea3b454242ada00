"""Sizes of tables: a few bytes of a hostile page can make more cells than memory holds."""

from parsers.io.errors import ParserError

MOST_CELLS = 1 << 20  # of a table, with what its cells span and what its short rows lack
TOO_MANY = "has a table of more than {most} cells; smaller ones can be read."


class TooManyCellsError(ParserError):
    """A table has more cells than anybody reads."""


def check_cells(rows: int, columns: int) -> None:
    """Raise TooManyCellsError for a table of so many rows and columns where these make too many cells."""
    if rows * columns > MOST_CELLS:
        raise TooManyCellsError(TOO_MANY, most=MOST_CELLS)

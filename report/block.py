"""Blocks: what the sections of a page are made of, beside its tables of results."""

from pydantic import model_validator

from .part import Part


class Code(Part):
    """A command or program that a reader copies; it is not translated."""

    code: str
    """The lines as they are copied."""
    language: str = "bash"
    """What its colours are of: the word after the fence in Markdown."""


class Grid(Part):
    """A table of words, such as versions side by side; every row has as many values as there are columns."""

    columns: list[str]
    """Titles of the columns."""
    rows: list[list[str]]
    """The values of each row."""

    @model_validator(mode="after")
    def _is_rectangular(self) -> "Grid":
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"the row {row[0]!r} has {len(row)} values for {len(self.columns)} columns")
        return self


Block = str | Code | Grid

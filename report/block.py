"""Blocks: what the sections of a page are made of, beside its tables of results."""

from pydantic import model_validator

from .part import Part


class Code(Part):
    """A command or program that a reader copies; it is not translated."""

    code: str
    language: str = "bash"


class Grid(Part):
    """A table of words, such as versions side by side; every row has as many values as there are columns."""

    columns: list[str]
    rows: list[list[str]]

    @model_validator(mode="after")
    def _is_rectangular(self) -> "Grid":
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"the row {row[0]!r} has {len(row)} values for {len(self.columns)} columns")
        return self


Block = str | Code | Grid

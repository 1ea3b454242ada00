"""Aligned rows: texts in columns of a terminal, as fast for a hundred thousand rows as for ten."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import zip_longest

from rich.cells import cell_len

from parsers.io.console import Console, Text

GAP = "  "


def aligned(rows: Sequence[Sequence[str]], right: Sequence[bool], width: int) -> Iterator[list[list[str]]]:
    """The lines of each row, each a list of its padded cells; several where the cells do not fit on one.

    ``rows``: printable texts, as many each as there are columns. ``right``: which columns are aligned to the right.
    ``width``: of a line, with two blanks between cells.
    """
    natural = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    widths = _fitted(natural, width - len(GAP) * (len(natural) - 1))
    wrapped = cache(partial(_wrapped, Console(None, width=width)))
    for row in rows:
        cells = [wrapped(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        lines = zip_longest(*cells, fillvalue="")
        yield [[_padded(*one) for one in zip(texts, widths, right, strict=True)] for texts in lines]


def _fitted(widths: Sequence[int], width: int) -> list[int]:
    """The widths of columns, the widest of them cut until all fit, as far as every column has a character left."""
    found = list(widths)
    while (excess := sum(found) - width) > 0 and max(found) > 1:
        widest = max(found)
        next_widest = max((one for one in found if one < widest), default=1)
        widest_columns = [number for number, one in enumerate(found) if one == widest]
        cut = min(widest - next_widest, -(-excess // len(widest_columns)))
        for number in widest_columns:
            found[number] -= cut
    return found


def _wrapped(console: Console, cell: str, width: int) -> list[str]:
    """A text in lines that fit."""
    if cell_len(cell) <= width:
        return [cell]
    return [line.plain.rstrip() for line in Text(cell).wrap(console, width, overflow="fold")]


def _padded(text: str, width: int, right: bool) -> str:
    text = text.rstrip()
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks

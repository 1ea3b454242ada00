"""Anchors: the names by which a page, its evidence file and its links call what stands in a cell."""

from collections.abc import Mapping, Sequence
from itertools import count

from .cell import Cell

# By the identity of a cell; two cells of a page may be equal.
Anchors = Mapping[int, str]


def anchors(cells: Sequence[Cell]) -> Anchors:
    """The anchors of the cells that are not empty, in their order: e1, e2 … of numbers, q1, q2 … of quoted figures."""
    numbers, figures = count(1), count(1)
    return {id(cell): f"q{next(figures)}" if cell.quoted else f"e{next(numbers)}" for cell in cells if cell.digits}


def number_of(anchor: str) -> int:
    """The number N of an anchor eN or qN."""
    return int(anchor[1:])

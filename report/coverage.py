"""Coverage: how many of the planned cells of a page are measured, how many are quoted, and how many are missing."""

from collections.abc import Iterable
from dataclasses import dataclass

from .cell import Cell
from .spread import SPREADS


@dataclass(frozen=True)
class Coverage:
    """How many cells have a number from logs, and how many a quoted one, of those that are planned."""

    measured: int
    quoted: int
    planned: int

    @property
    def missing(self) -> int:
        """How many cells have neither."""
        return self.planned - self.measured - self.quoted


def coverage(cells: Iterable[Cell]) -> Coverage:
    """The coverage of cells: what is computed from others, and what repeats their runs, counts with these alone."""
    own = [cell for cell in cells if not cell.shown.is_quotient and cell.shown.quantity not in SPREADS]
    return Coverage(sum(bool(cell.proofs) for cell in own), sum(bool(cell.quoted) for cell in own), len(own))

"""What a scanner finds: lines of one variant, with the texts of their fields."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .variant import Variant

Row = tuple[bytes, ...]


@dataclass(frozen=True)
class Found:
    """The lines of one variant in a block, ascending: physical numbers from 1, and the texts of each line.

    The first text of a row is the rank that its prefix names; the others are those of the variant's groups. A text is
    empty where the line does not have it. ``further``: the numbers of all other lines, where records have several.
    """

    variant: Variant
    numbers: NDArray[np.int64]
    rows: list[Row]
    further: NDArray[np.int64] | None = None

"""Matches: the lines of one variant that a block holds, while it is searched."""

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..grammar.format import METRICS
from ..grammar.variant import Variant
from .block import Block, Places, positions
from .prefix import sweep_pattern

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


_NOWHERE = np.zeros(0, np.int64)


@dataclass
class Matches:
    """What a block holds of one variant, while it is searched: rows of texts, and the places of their lines.

    ``absent``: whether a sweep found no line of it, and it has none amid others.
    """

    variant: Variant
    whole_only: bool
    swept: Places = field(default_factory=lambda: _NOWHERE)
    places: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    absent: bool = False

    @cached_property
    def may_be_torn(self) -> bool:
        """Whether such lines are looked for amid others: numbers between mere signs stand in many of these."""
        return not self.whole_only and self.variant.record in METRICS and bool(self.variant.telling)

    def keep(self, place: int, rank: bytes, found: re.Match[bytes]) -> None:
        """Keep one line, by the place of the newline before it; of a torn one what may stand before it is not known."""
        texts = found.groups(b"")
        unknown = (b"",) * (len(self.variant.groups) - len(texts))
        self.places.append(place)
        self.rows.append((rank, *unknown, *texts))

    def sweep(self, block: Block, mark: bytes) -> tuple[Places, bool]:
        """Keep all lines of a block at once; returns their places, and whether these are all places of the mark.

        One call gives the texts of all lines, but not where they are. A literal tells that which stands in the block as
        often as there are such lines: each of them holds it, so none of it stands elsewhere. Without one, none is kept.
        """
        rows = sweep_pattern(self.variant).findall(block.text) if self.variant.groups else []
        self.absent = bool(self.variant.groups) and not (rows or self.may_be_torn)
        for text in (mark, *self.variant.texts) if rows else ():
            places = positions(block.text, text)
            if len(places) == len(rows):
                self.rows, self.swept = rows, block.line_starts(places)
                return self.swept, text == mark
        return block.breaks[:0], False

    def settle(self, block: Block) -> Found:
        """What was kept, in the order of the lines; nothing is kept any more."""
        places, rows = np.concatenate([self.swept, np.array(self.places, np.int64)]), self.rows
        if (places[1:] < places[:-1]).any():
            order = np.argsort(places, kind="stable")
            places, rows = places[order], [rows[i] for i in order.tolist()]
        self.swept, self.places, self.rows = self.swept[:0], [], []
        return Found(self.variant, block.numbers(block.rows(places)), rows)

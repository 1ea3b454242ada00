"""A cascade: several formats read one log, each the lines that those before it left."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..grammar.format import Format
from .block import Block, Places
from .columns import VariantLines
from .scan import Scanner


class FormatLines:
    """One format of a cascade: the ``lines`` that were found of its variants, and the numbers of the ``torn`` ones."""

    def __init__(self, fmt: Format) -> None:
        self.format = fmt
        self._found: dict[int, VariantLines] = {}
        self._scanner = Scanner(fmt.variants)

    @property
    def lines(self) -> list[VariantLines]:
        """What was found, in the order of the variants."""
        return [self._found[id(variant)] for variant in self.format.variants if id(variant) in self._found]

    @property
    def torn(self) -> list[int]:
        """The numbers of the lines that hold a metric line amid other output."""
        return self._scanner.torn

    def may_read(self, block: Block) -> bool:
        """Whether a block may hold lines of the format."""
        return self._scanner.may_find(block)

    def feed(self, block: Block) -> Places:
        """Read a block; returns the numbers of the lines that are known now."""
        torn, known = len(self.torn), [np.zeros(0, np.int64)]
        for found in self._scanner.scan(block):
            self._found.setdefault(id(found.variant), VariantLines(found.variant)).add(found)
            known += [found.numbers] if found.further is None else [found.numbers, found.further]
        numbers = np.concatenate(known)
        # What stands in a torn line beside ours may be another format's.
        return np.setdiff1d(numbers, self.torn[torn:]) if self.torn[torn:] else numbers


class Cascade:
    """Reads the blocks of one log, in order, as several formats. ``total``: physical lines so far."""

    def __init__(self, formats: Iterable[Format]) -> None:
        self.levels = [FormatLines(fmt) for fmt in formats]
        self.total = 0
        self._block = Block.after(0, b"")
        self._known = np.zeros(0, np.int64)

    def feed(self, block: Block) -> None:
        """Read the next block, whose lines are numbered from those before it on."""
        self._block, self._known = block, self._known[:0]
        self.total += self._block.lines
        for level in self.levels:
            # What is left is put together for a format that may be in it, and not for each one.
            if level.may_read(self._block):
                self._known = level.feed(self.left())

    def left(self) -> Block:
        """The lines of the last block that no format knows."""
        if len(self._known):
            self._block, self._known = self._block.without(self._known), self._known[:0]
        return self._block


def of_kinds(levels: Sequence[FormatLines], kinds: Sequence[str]) -> list[VariantLines]:
    """The lines of these kinds that were found, format by format."""
    return [x for level in levels for x in level.lines if x.variant.record in kinds and len(x)]

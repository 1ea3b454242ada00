"""A cascade: several formats read one log, each the lines that those before it left."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from .block import Block, Places
from .format import Format
from .found import Found
from .lines import Lines
from .scan import Scanner


class Level:
    """One format of a cascade: its ``lines`` by variant, and the numbers of the ``torn`` ones."""

    def __init__(self, fmt: Format) -> None:
        self.format = fmt
        self.lines = [Lines(variant) for variant in fmt.variants]
        self.torn: list[int] = []
        self._by_variant = {id(lines.variant): lines for lines in self.lines}
        self._scanner = Scanner(fmt.variants)

    def feed(self, text: bytes, numbers: Places) -> tuple[bytes, Places]:
        """Read the lines of a text, which have these physical numbers; returns those that are left, and theirs."""
        block, torn = Block(text, self._scanner.total), len(self._scanner.torn)
        numbers_of = _Numbers(numbers, self._scanner.total)
        known = []
        for found in map(numbers_of.physical, self._scanner.scan(block)):
            self._by_variant[id(found.variant)].add(found)
            known += [found.numbers] if found.further is None else [found.numbers, found.further]
        torn_here = numbers_of.of(np.array(self._scanner.torn[torn:], np.int64))
        self.torn += torn_here.tolist()
        if not known:
            return text, numbers
        # What stands in a torn line beside ours may be another format's.
        rest, rows = block.without(numbers_of.rows(np.setdiff1d(np.concatenate(known), torn_here)))
        return rest, numbers_of.of(rows)


class _Numbers:
    """Physical numbers of the lines of a text, and the numbers that a scanner gives them, which has read ``before``."""

    def __init__(self, numbers: Places, before: int) -> None:
        self._numbers, self._before = numbers, before

    def of(self, counted: Places) -> Places:
        return self._numbers[counted - self._before - 1]

    def rows(self, physical: Places) -> Places:
        return np.searchsorted(self._numbers, physical) + self._before + 1

    def physical(self, found: Found) -> Found:
        further = None if found.further is None else self.of(found.further)
        return replace(found, numbers=self.of(found.numbers), further=further)


class Cascade:
    """Reads the blocks of one log, in order, as several formats. ``total``: physical lines so far."""

    def __init__(self, formats: Iterable[Format]) -> None:
        self.levels = [Level(fmt) for fmt in formats]
        self.total = 0

    def feed(self, block: bytes) -> tuple[bytes, Places]:
        """Read the next block, which ends with a whole line; returns the lines that are left, and their numbers."""
        count = block.count(b"\n") + (not block.endswith(b"\n"))
        text, numbers = block, np.arange(self.total + 1, self.total + count + 1)
        self.total += count
        for level in self.levels:
            if text:
                text, numbers = level.feed(text, numbers)
        return text, numbers


def of_kinds(levels: Sequence[Level], kinds: Sequence[str]) -> list[Lines]:
    """The lines of these kinds that were found, format by format."""
    return [x for level in levels for x in level.lines if x.variant.record in kinds and len(x)]

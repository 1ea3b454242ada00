"""A cascade: several formats read one log, each the lines that those before it left, and every line is accounted for.

A physical line is matched, ignored by rule, or unrecognised.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import Field
from ..grammar.format import METRICS, Format
from ..grammar.variant import Variant
from .columns import FactLines, Places, VariantLines
from .format_shapes import FormatShapes, KnownShapes
from .kernel import Ids, Integers
from .leftover import Unrecognised
from .shapes import Rows, ShapedLines

# Without its own number nobody knows where in the run a record belongs.
NUMBERS = ("step", "epoch")


class CutValue(NamedTuple):
    """The value with which a log ends, without a newline, so that its rest may be missing: it is not used.

    ``line``: its physical number from 1. ``column``: the name of the field; of a step or an epoch the whole record is
    not used.
    """

    line: int
    column: str


@dataclass(frozen=True)
class Account:
    """Counts of physical lines; ``matched + ignored + unrecognised = total``, and ``total`` is what ``wc -l`` says.

    A last line without newline counts. ``known``: of each block of a log a bit a line,
    whether a rule knows it, and how many lines there are.
    """

    total: int
    matched: int
    ignored: int
    known: Sequence[tuple[NDArray[np.uint8], int]] = field(repr=False)

    @property
    def unrecognised(self) -> int:
        """Lines that no rule of the format knows."""
        return self.total - self.matched - self.ignored

    @property
    def recognised(self) -> NDArray[np.bool_]:
        """Whether a rule knows each line, by its number from 1."""
        of_blocks = (np.unpackbits(bits, count=count) for bits, count in self.known)
        return np.concatenate([np.zeros(1, np.uint8), *of_blocks]).view(np.bool_)


NOTHING, IGNORED, MATCHED = range(3)


class Verdicts:
    """What is known of each of some lines: matched, ignored or nothing; whether it is torn, and whether it is left.

    What stands beside ours in a torn line is left for others.
    """

    def __init__(self, count: int) -> None:
        self.known = np.full(count, NOTHING, np.int8)
        self.torn = np.zeros(count, np.bool_)
        self.left = np.ones(count, np.bool_)

    def note(self, rows: Rows, *, is_matched: bool, is_torn: bool = False) -> None:
        """Note what some lines are to a format; what is ignored by one may be matched by another."""
        self.known[rows] = np.maximum(self.known[rows], MATCHED if is_matched else IGNORED)
        self.left[rows] = is_torn
        if is_torn:
            self.torn[rows] = True


class LineAccount:
    """The account of a log while it is read.

    ``torn``: how many lines hold a metric line amid other output, from ``first_torn`` on.
    """

    def __init__(self, formats: Sequence[Format], known: KnownShapes) -> None:
        self.torn = self.first_torn = 0
        self._counts = np.zeros(3, np.int64)
        self._known: list[tuple[NDArray[np.uint8], int]] = []
        self.unrecognised = Unrecognised(formats, known)

    @property
    def total(self) -> int:
        """How many lines there were so far."""
        return int(self._counts.sum())

    def add(self, lines: ShapedLines, verdicts: Verdicts) -> None:
        """Add lines that follow those before."""
        recognised = verdicts.known > NOTHING
        matched, known = np.count_nonzero(verdicts.known == MATCHED), np.count_nonzero(recognised)
        self._counts += (len(lines) - known, known - matched, matched)
        self._known.append((np.packbits(recognised), len(recognised)))
        if verdicts.torn.any():
            torn = np.flatnonzero(verdicts.torn)
            self.first_torn = self.first_torn or int(lines.numbers(torn[:1])[0])
            self.torn += len(torn)
        self.unrecognised.add(lines, np.flatnonzero(~recognised))

    def whole(self) -> Account:
        """The account of all lines; no more are added."""
        counts = self._counts.tolist()
        return Account(self.total, counts[MATCHED], counts[IGNORED], self._known)


class FormatLines:
    """One format of a cascade: the ``lines`` that were found of its variants, and the ``facts`` that some state.

    ``cut``: the value that may be cut at the end of the log.
    """

    def __init__(self, fmt: Format, shapes: FormatShapes) -> None:
        self.format = fmt
        self.cut: CutValue | None = None
        self._shapes = shapes
        self._found: dict[int, VariantLines] = {}
        self._facts: dict[int, FactLines] = {}

    @property
    def lines(self) -> list[VariantLines]:
        """What was found, in the order of the variants."""
        return [self._found[id(variant)] for variant in self.format.variants if id(variant) in self._found]

    @property
    def facts(self) -> list[FactLines]:
        """The facts that were found, in the order of the variants."""
        return [self._facts[id(variant)] for variant in self.format.variants if id(variant) in self._facts]

    def read(self, lines: ShapedLines, verdicts: Verdicts) -> None:
        """Read the lines that are left, and note what they are."""
        self._read_records(lines, verdicts)
        for meaning, mine, shape in self._shapes.groups(lines, verdicts.left):
            verdicts.note(mine, is_matched=meaning.is_matched, is_torn=meaning.is_torn)
            for number, (variant, times) in enumerate(meaning.variants):
                if variant.record != "noise":
                    rows, which = (mine, shape) if times == 1 else _each_of(mine, shape, times)
                    places = Places(lines.data, lines.starts[rows], which, meaning.spans(number))
                    self._add(variant, lines.numbers(rows), places, _cut(lines, meaning.cuts.get(variant)))

    def _read_records(self, lines: ShapedLines, verdicts: Verdicts) -> None:
        """Read the records of several lines; a line in one is nothing else."""
        for found in self._shapes.records(lines, np.flatnonzero(verdicts.left)):
            is_matched = found.variant.record != "noise"
            verdicts.note(found.all, is_matched=is_matched)
            if is_matched:
                self._add(found.variant, lines.numbers(found.first), found.places, _cut(lines, found.cut))

    def _add(self, variant: Variant, numbers: Integers, places: Places, cut: CutValue | None) -> None:
        """Add lines of a variant, of which the last may be cut; the start of a run may state facts, too."""
        if cut:
            self.cut = self.cut or cut
            if variant.record in METRICS and cut.column in NUMBERS:
                numbers, places = numbers[:-1], places.up_to(len(numbers) - 1)
        if variant.facts:
            if id(variant) not in self._facts:
                self._facts[id(variant)] = FactLines(variant)
            self._facts[id(variant)].add(numbers, places)
        if variant.record != "fact":
            if id(variant) not in self._found:
                self._found[id(variant)] = VariantLines(variant)
            self._found[id(variant)].add(numbers, places)


def _cut(lines: ShapedLines, field: Field | None) -> CutValue | None:
    """The value of a field with which the last line is cut."""
    return CutValue(lines.before + len(lines), field.name) if field else None


def _each_of(rows: Rows, shape: Ids, times: int) -> tuple[Rows, Ids]:
    """Lines so many times each, and which of the places of their shapes it is."""
    every = np.arange(times, dtype=np.int32)
    return np.repeat(rows, times), (shape[:, None] * np.int32(times) + every).reshape(-1)


class Cascade:
    """Reads the lines of one log, in order, as several formats, and keeps account of each line.

    ``found``: the lines (ascending, from 1) that hold records of no format; these are matched, too.
    """

    def __init__(self, formats: Sequence[Format], known: KnownShapes, found: Integers | None = None) -> None:
        self.levels = [FormatLines(fmt, known.of(fmt)) for fmt in formats]
        self.account = LineAccount(formats, known)
        self._found = np.zeros(0, np.int64) if found is None else found

    def feed(self, lines: ShapedLines) -> Verdicts:
        """Read the next lines; returns what is known of each."""
        verdicts = Verdicts(len(lines))
        for level in self.levels:
            level.read(lines, verdicts)
        first, end = np.searchsorted(self._found, (lines.before + 1, lines.before + len(lines) + 1))
        verdicts.note(self._found[first:end] - lines.before - 1, is_matched=True)
        self.account.add(lines, verdicts)
        return verdicts


def of_kinds(levels: Sequence[FormatLines], kinds: Sequence[str]) -> list[VariantLines]:
    """The lines of these kinds that were found, format by format."""
    return [x for level in levels for x in level.lines if x.variant.record in kinds and len(x)]

"""A cascade: several formats read one log, each the lines that those before it left, and every line is accounted for.

A physical line is matched, ignored by rule, or unmatched; of the last kind it is kept what they are like.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import Field
from ..grammar.format import METRICS, Format
from ..grammar.variant import Variant
from ..io.box import LimitError, boxed
from .judging import KnownShapes
from .kernel import Integers
from .record_table import FactLines, Places, VariantLines
from .shapes import ALONE, MOST, Rows, ShapedLines

if TYPE_CHECKING:
    from lark.lexer import TerminalDef

# Without its own number nobody knows where in the run a record belongs.
NUMBERS = ("step", "epoch")
NOTHING, IGNORED, MATCHED = range(3)


class CutValue(NamedTuple):
    """The value with which a log ends, without a newline, so that its rest may be missing: it is not used.

    ``line``: its physical number from 1. ``column``: the name of the field; of a step or an epoch the whole record is
    not used.
    """

    line: int
    column: str


@dataclass(frozen=True)
class Account:
    """Counts of physical lines; ``matched + ignored + unmatched = total``, and ``total`` is what ``wc -l`` says.

    A last line without newline counts. ``known``: of each block of a log a bit a line,
    whether a rule knows it, and how many lines there are.
    """

    total: int
    matched: int
    ignored: int
    known: Sequence[tuple[NDArray[np.uint8], int]] = field(repr=False)

    @property
    def unmatched(self) -> int:
        """Lines that no rule of the format knows."""
        return self.total - self.matched - self.ignored

    @property
    def recognised(self) -> NDArray[np.bool_]:
        """Whether a rule knows each line, by its number from 1."""
        of_blocks = (np.unpackbits(bits, count=count) for bits, count in self.known)
        return np.concatenate([np.zeros(1, np.uint8), *of_blocks]).view(np.bool_)


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


class FormatLines:
    """One format of a cascade: what was found of its variants, and the facts that some state.

    ``cut``: the value that may be cut at the end of the log.
    """

    def __init__(self, fmt: Format, known: KnownShapes) -> None:
        self.format = fmt
        self.cut: CutValue | None = None
        self._shapes = known.of(fmt)
        self._found: dict[Variant, VariantLines] = {}
        self._facts: dict[Variant, FactLines] = {}

    @property
    def lines(self) -> list[VariantLines]:
        """What was found, in the order of the variants."""
        return [self._found[variant] for variant in self.format.variants if variant in self._found]

    @property
    def facts(self) -> list[FactLines]:
        """The facts that were found, in the order of the variants."""
        return [self._facts[variant] for variant in self.format.variants if variant in self._facts]

    def read(self, lines: ShapedLines, verdicts: Verdicts) -> None:
        """Read the lines that are left, and note what they are; a line in a record of several is nothing else."""
        for found in self._shapes.records(lines, verdicts.left):
            verdicts.note(found.rows, is_matched=found.variant.record != "noise")
            self._add(found.variant, lines, found.first, found.places, found.cut)
        for meaning, mine, shape in self._shapes.groups(lines, verdicts.left):
            verdicts.note(mine, is_matched=meaning.is_matched, is_torn=meaning.is_torn)
            for number, (variant, times) in enumerate(meaning.variants):
                rows, which = mine, shape
                if times > 1:  # a line holds it several times, each with places of its own
                    every = np.arange(times, dtype=np.int32)
                    rows, which = np.repeat(mine, times), (shape[:, None] * np.int32(times) + every).reshape(-1)
                places = Places(lines.data, lines.starts[rows], which, meaning.spans(number))
                self._add(variant, lines, rows, places, meaning.cuts.get(variant))

    def _add(self, variant: Variant, lines: ShapedLines, rows: Rows, places: Places, cut: Field | None) -> None:
        """Add lines of a variant, of which the last may be cut; the start of a run may state facts, too."""
        numbers = lines.numbers(rows)
        if cut:
            self.cut = self.cut or CutValue(lines.before + len(lines), cut.name)
            if variant.record in METRICS and cut.name in NUMBERS:
                numbers, places = numbers[:-1], places.those(slice(-1))
        if variant.facts:
            if variant not in self._facts:
                self._facts[variant] = FactLines(variant)
            self._facts[variant].add(numbers, places)
        if variant.record not in ("fact", "noise"):
            if variant not in self._found:
                self._found[variant] = VariantLines(variant)
            self._found[variant].add(numbers, places)


class Cascade:
    """Reads the lines of one log, in order, as several formats, and keeps account of each line.

    ``found``: the lines (ascending, from 1) that hold records of no format; these are matched, too. ``torn``: how many
    lines hold a metric line amid other output, from ``first_torn`` on.
    """

    def __init__(self, formats: Sequence[Format], known: KnownShapes, found: Integers | None = None) -> None:
        self.levels = [FormatLines(fmt, known) for fmt in formats]
        self.torn = self.first_torn = 0
        self._found = np.zeros(0, np.int64) if found is None else found
        self._counts = np.zeros(3, np.int64)
        self._known: list[tuple[NDArray[np.uint8], int]] = []
        self.unmatched = UnmatchedLines(formats)

    def feed(self, lines: ShapedLines) -> Verdicts:
        """Read the next lines; returns what is known of each."""
        verdicts = Verdicts(len(lines))
        for level in self.levels:
            level.read(lines, verdicts)
        first, end = np.searchsorted(self._found, (lines.before + 1, lines.before + len(lines) + 1))
        verdicts.note(self._found[first:end] - lines.before - 1, is_matched=True)
        self._counts += np.bincount(verdicts.known, minlength=3)
        self._known.append((np.packbits(verdicts.known > NOTHING), len(lines)))
        if len(torn := np.flatnonzero(verdicts.torn)):
            self.first_torn = self.first_torn or int(lines.numbers(torn)[0])
            self.torn += len(torn)
        self.unmatched.add(lines, np.flatnonzero(verdicts.known == NOTHING))
        return verdicts

    def account(self) -> Account:
        """The account of all lines; no more are added."""
        counts = self._counts.tolist()
        return Account(sum(counts), counts[MATCHED], counts[IGNORED], self._known)


def of_kinds(levels: Sequence[FormatLines], kinds: Sequence[str]) -> list[VariantLines]:
    """The lines of these kinds that were found, format by format."""
    return [x for level in levels for x in level.lines if x.variant.record in kinds and len(x)]


# ---- what no rule knows

TEXT_LENGTH = 200
KEY_LENGTH = 60
MOST_SORTS = 5000
MOST_BREAKS = 3
EXPLAINING = 10  # seconds that a grammar from elsewhere may take of them
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
# What is like a metric line and yet whole: it tells of an evaluation, or of the speed without loading (compute_ips).
_OTHER = re.compile(
    rb"(?i)(?<![a-z])(?:eval(?:uat\w*+)?|val(?:id(?:at\w*+)?)?|test(?:ing)?|infer\w*+|compute_ips)(?![a-z])"
)


@dataclass(frozen=True)
class Break:
    """A line (physical number from 1), the column (from 1) where it breaks, and what could have stood there."""

    line: int
    column: int
    text: str
    expected: tuple[str, ...]

    def __str__(self) -> str:
        """Three lines: where, the text around, and a caret."""
        start = max(0, self.column - 41)
        text = self.text[start : self.column + 39].replace("\t", " ")
        shown = "".join(c if c.isprintable() else "\ufffd" for c in text)
        caret = " " * (self.column - 1 - start) + "^"
        return f"line {self.line}, column {self.column}: expected {' or '.join(self.expected)}\n{shown}\n{caret}"


@dataclass(slots=True)
class Sort:
    """Unmatched lines that begin alike, digits aside: how many, and the first with its physical number."""

    count: int
    line: int
    text: str


@dataclass(frozen=True)
class Unmatched:
    """The unmatched lines of a log.

    ``shapes``: the most frequent first. ``more``: lines of shapes that came when there were thousands already.
    ``broken``: how many resemble a metric line of the ``format``; ``broken_lines``: the first few of different shapes,
    each with its physical number.
    """

    shapes: Sequence[Sort] = ()
    more: int = 0
    format: Format | None = None
    broken: int = 0
    broken_lines: Sequence[tuple[int, bytes]] = ()

    @property
    def first_broken(self) -> int:
        """The number of the first line that resembles a metric line; 0 where none does."""
        return self.broken_lines[0][0] if self.broken_lines else 0

    @cached_property
    def breaks(self) -> list[Break]:
        """Where the first few broken lines break, as far as Lark can say."""
        if (fmt := self.format) is None:
            return []

        def found() -> list[Break]:
            return [said for number, line in self.broken_lines if (said := _explained(fmt, number, line))]

        try:
            return found() if fmt.is_ours or not self.broken_lines else boxed(found, EXPLAINING)
        except LimitError:
            return []


class UnmatchedLines:
    """Gathers the lines of a log that no rule knows; memory is bounded, however many sorts they are of."""

    def __init__(self, formats: Sequence[Format]) -> None:
        self._metric = [(fmt, v) for fmt in formats for v in fmt.variants if v.record in METRICS]
        self._sorts: dict[bytes, Sort] = {}
        self._counts = np.zeros(MOST + 1, np.int64)  # of each shape, after that of the lines alone
        self._of_shape: dict[int, tuple[Sort, set[Format]]] = {}  # and the formats that have lines like it
        self._total = 0
        self._broken = Counter[Format]()
        self._broken_lines: dict[Format, dict[bytes, int]] = {}

    def add(self, lines: ShapedLines, rows: Rows) -> None:
        """Add some lines."""
        if not len(rows):
            return
        shapes = lines.shapes[rows] - ALONE
        counts = np.bincount(shapes)
        is_new = (counts > 0) & (self._counts[: len(counts)] == 0)
        is_new[:1] = counts[:1] > 0
        self._counts[: len(counts)] += counts
        self._total += len(rows)
        if is_new.any():
            new = rows[is_new[shapes]]
            self._look(lines, np.sort(np.append(lines.firsts(new), new[lines.shapes[new] == ALONE][1:])))

    def _look(self, lines: ShapedLines, rows: Rows) -> None:
        """Find the sorts of new shapes, by a line of each, and of lines alone."""
        every, _ = lines.joined(rows)
        like = [(fmt, variant) for fmt, variant in self._metric if variant.resembles(every)]
        while len(rows) and (room := len(rows) if like else max(0, MOST_SORTS - len(self._sorts))):
            some, rows = rows[:room], rows[room:]
            texts = lines.printed(some)
            told = zip(lines.shapes[some].tolist(), lines.numbers(some).tolist(), texts, _keys(texts), strict=True)
            for shape, number, text, key in told:
                if (sort := self._sorts.get(key)) is None:
                    sort = self._sorts[key] = Sort(0, number, text[:TEXT_LENGTH].decode("utf-8", "replace"))
                resembled = {fmt for fmt, variant in like if variant.resembles(text) and not _OTHER.search(text)}
                for fmt in resembled:
                    if len(own := self._broken_lines.setdefault(fmt, {})) < MOST_BREAKS:
                        own.setdefault(text, number)
                if shape == ALONE:
                    sort.count += 1
                    self._broken.update(resembled)
                else:
                    self._of_shape[shape] = sort, resembled

    def whole(self, fmt: Format | None) -> Unmatched:
        """All that there was, and what of it resembles lines of a format; no more is added."""
        for shape, (sort, resembled) in self._of_shape.items():
            count = int(self._counts[shape + 1])
            sort.count += count
            self._broken.update(dict.fromkeys(resembled, count))
        shown = sorted(self._sorts.values(), key=lambda sort: (-sort.count, sort.line))
        more, broken = self._total - sum(sort.count for sort in shown), self._broken[fmt] if fmt else 0
        lines = [(number, text) for text, number in self._broken_lines[fmt].items()] if fmt and broken else []
        return Unmatched(shown, more, fmt, broken, lines)


def _keys(texts: Sequence[bytes]) -> list[bytes]:
    """What lines have in common with others of their sort: how they begin, with one zero for each number."""
    text = b"\n".join(text[:KEY_LENGTH] for text in texts).translate(_ZEROS)
    while b"00" in text:
        text = text.replace(b"00", b"0")
    return text.split(b"\n") if texts else []


def _explained(fmt: Format, number: int, line: bytes) -> Break | None:
    """Where a line that resembles a metric line of the format breaks; None when Lark has nothing against it."""
    from lark.exceptions import UnexpectedInput  # Lark takes longer to import than to read fifty logs

    text = line.decode("utf-8", "replace")
    try:
        fmt.judge.parse(text)
    except UnexpectedInput as error:
        column = error.column if isinstance(error.column, int) and error.column > 0 else len(text.rstrip()) + 1
        names: Iterable[object] = getattr(error, "allowed", None) or getattr(error, "expected", None) or ()
        terminals = {terminal.name: terminal for terminal in fmt.judge.terminals}
        wanted = sorted(_shown(terminals.get(str(name)), str(name)) for name in names)
        return Break(number, column, text, tuple(wanted) or ("something else",))
    return None


def _shown(terminal: "TerminalDef | None", name: str) -> str:
    """A literal as it is printed, any other terminal by its name."""
    from lark.lexer import PatternStr

    if terminal is not None and isinstance(terminal.pattern, PatternStr):
        return f'"{terminal.pattern.value}"'
    return "the end of the line" if name == "$END" else name.removeprefix("vocabulary__").strip("_")

"""What is left of a log: the lines that no rule knows, by what they are like, and broken metric lines among them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..grammar.format import Format
from ..io.box import LimitError, boxed
from .format_shapes import FormatShapes, KnownShapes
from .kernel import Ids
from .prefix import without_prefix
from .shapes import ALONE, Rows, ShapedLines

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedInput
    from lark.lexer import TerminalDef

TEXT_LENGTH = 200
MOST_SORTS = 5000
MOST_BREAKS = 3
EXPLAINING = 10  # seconds that a grammar from elsewhere may take of them
LOOKED_AT = 64  # of the broken lines of a block: many may be equal


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
        shown = "".join(
            c if c.isprintable() else "\ufffd" for c in self.text[start : self.column + 39].replace("\t", " ")
        )
        caret = " " * (self.column - 1 - start) + "^"
        return f"line {self.line}, column {self.column}: expected {' or '.join(self.expected)}\n{shown}\n{caret}"


@dataclass(slots=True)
class Sort:
    """Unrecognised lines that begin alike, digits aside: how many, and the first with its physical number."""

    count: int
    line: int
    text: str


@dataclass(frozen=True)
class Leftover:
    """The unrecognised lines of a log.

    ``shapes``: the most frequent first. ``more``: lines of still other shapes, when there are thousands. ``broken``:
    how many resemble a metric line of the format; line ``first_broken`` is the first of them.
    """

    shapes: Sequence[Sort] = ()
    more: int = 0
    format: Format | None = None
    broken: int = 0
    first_broken: int = 0
    broken_lines: Sequence[tuple[int, bytes]] = ()

    @cached_property
    def breaks(self) -> list[Break]:
        """Where the first few broken lines break, as far as Lark can say."""
        if self.format is None or not self.broken_lines:
            return []
        fmt, lines = self.format, [(number, without_prefix(line)) for number, line in self.broken_lines]

        def found() -> list[Break]:
            return [said for number, line in lines if (said := explain(fmt, number, line))]

        try:
            return found() if fmt.is_ours else boxed(found, EXPLAINING)
        except LimitError:
            return []


class _Broken:
    """The lines that resemble a metric line of a format: how many, and the first few that differ."""

    def __init__(self, known: FormatShapes) -> None:
        self.format, self._known = known.format, known
        self.count = 0
        self.lines: dict[bytes, int] = {}

    def add(self, lines: ShapedLines, rows: Rows) -> None:
        """Add those of some lines that are broken."""
        rows = self._known.broken(lines, rows)
        self.count += len(rows)
        if len(rows) and len(self.lines) < MOST_BREAKS:
            rows = rows[:LOOKED_AT]
            for number, line in zip(lines.numbers(rows).tolist(), lines.texts(rows), strict=True):
                if len(self.lines) < MOST_BREAKS:
                    self.lines.setdefault(line.removesuffix(b"\n"), number)


class Unrecognised:
    """Gathers the lines of a log that no rule knows; memory is bounded, however many sorts they are of."""

    def __init__(self, formats: Sequence[Format], known: KnownShapes) -> None:
        self._broken = [_Broken(known.of(fmt)) for fmt in formats]
        self._known = known.sorts
        self._sorts: dict[bytes, Sort] = {}
        self._further = Sort(0, 0, "")
        self._sort_of: dict[int, Sort] = {}
        self._counts = np.zeros(0, np.int64)  # of each sort that is known, after that of the lines alone

    def add(self, lines: ShapedLines, rows: Rows) -> None:
        """Add some lines."""
        if not len(rows):
            return
        sorts = self._known.of(lines, rows) - ALONE
        counts = np.bincount(sorts, minlength=len(self._known.keys) - ALONE)
        is_new = counts > 0
        is_new[1 : len(self._counts)] &= self._counts[1:] == 0
        counts[: len(self._counts)] += self._counts
        self._counts = counts
        if is_new.any():
            self._look_at(lines, rows, sorts, is_new)
        for of_format in self._broken:
            of_format.add(lines, rows)

    def _look_at(self, lines: ShapedLines, rows: Rows, sorts: Ids, is_new: NDArray[np.bool_]) -> None:
        """Look at the first line of each new sort, and at the lines alone."""
        first = np.empty(len(is_new), np.intp)
        first[sorts[::-1]] = np.arange(len(rows))[::-1]  # of several the last that is assigned stays
        at = np.sort(first[1:][is_new[1:]])
        alone = rows[sorts == 0] if is_new[0] else rows[:0]
        if len(self._sorts) < MOST_SORTS:
            self._add_sorts(lines, rows[at], (sorts[at] + ALONE).tolist(), alone)
        else:
            self._count((sorts[at] + ALONE).tolist(), lines.sort_keys(alone))

    def _add_sorts(self, lines: ShapedLines, rows: Rows, known: Sequence[int], alone: Rows) -> None:
        keys, texts = map(self._known.keys.__getitem__, known), self._known.printed(lines, rows, known)
        new = list(zip(lines.numbers(rows).tolist(), keys, texts, known, strict=True))
        if len(alone):
            own = zip(lines.sort_keys(alone), lines.printed(alone), strict=True)
            numbers = lines.numbers(alone).tolist()
            new += ((number, key, text, ALONE) for number, (key, text) in zip(numbers, own, strict=True))
            new.sort()
        for number, key, text, known_sort in new:
            sort = self._sort(key, number, text)
            if known_sort == ALONE:
                sort.count += 1
            else:
                self._sort_of[known_sort - ALONE] = sort

    def _count(self, known: Sequence[int], of_alone: Sequence[bytes]) -> None:
        """Count lines where there is no room for new sorts: of sorts that are known, and alone, by their keys."""
        own = zip(known, map(self._known.keys.__getitem__, known), strict=True)
        self._sort_of.update({sort - ALONE: self._sorts.get(key, self._further) for sort, key in own})
        counts = Counter(of_alone)
        self._further.count += len(of_alone)
        for key in self._sorts.keys() & counts.keys():
            self._sorts[key].count += counts[key]
            self._further.count -= counts[key]

    def _sort(self, key: bytes, number: int, text: bytes) -> Sort:
        found = self._sorts.get(key)
        if found is None:
            if len(self._sorts) >= MOST_SORTS:
                return self._further
            found = self._sorts[key] = Sort(0, number, text[:TEXT_LENGTH].decode("utf-8", "replace"))
        return found

    def leftover(self, fmt: Format | None) -> Leftover:
        """All that there was, and what of it resembles lines of a format."""
        counts = self._counts.tolist()
        for known, sort in self._sort_of.items():
            sort.count += counts[known]
        self._counts[:] = 0
        sorts = sorted(self._sorts.values(), key=lambda sort: (-sort.count, sort.line))
        for broken in (broken for broken in self._broken if fmt and broken.format.name == fmt.name):
            lines = [(number, line) for line, number in broken.lines.items()]
            first = lines[0][0] if lines else 0
            return Leftover(sorts, self._further.count, broken.format, broken.count, first, lines)
        return Leftover(sorts, self._further.count)


def explain(fmt: Format, number: int, line: bytes) -> Break | None:
    """Where a line that resembles a metric line of the format breaks; None when Lark has nothing against it."""
    from lark.exceptions import UnexpectedInput  # Lark takes longer to import than to read fifty logs

    text = line.decode("utf-8", "replace")
    try:
        fmt.judge.parse(text)
    except UnexpectedInput as error:
        return _break(fmt, number, text, error)
    return None


def _break(fmt: Format, number: int, text: str, error: "UnexpectedInput") -> Break:
    column = error.column if isinstance(error.column, int) and error.column > 0 else len(text.rstrip()) + 1
    names: Iterable[object] = getattr(error, "allowed", None) or getattr(error, "expected", None) or ()
    terminals = {terminal.name: terminal for terminal in fmt.judge.terminals}
    wanted = sorted(_shown(terminals.get(str(name)), str(name)) for name in names)
    return Break(number, column, text, tuple(wanted) or ("something else",))


def _shown(terminal: "TerminalDef | None", name: str) -> str:
    """A literal as it is printed, any other terminal by its name."""
    from lark.lexer import PatternStr

    if terminal is not None and isinstance(terminal.pattern, PatternStr):
        return f'"{terminal.pattern.value}"'
    return "the end of the line" if name == "$END" else name.removeprefix("vocabulary__").strip("_")

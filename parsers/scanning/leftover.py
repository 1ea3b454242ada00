"""What is left of a log: the lines that no rule knows, by what they are like, and broken metric lines among them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..grammar.format import Format
from ..io.box import LimitError, boxed
from .format_shapes import FormatShapes, KnownShapes
from .prefix import without_prefix
from .shapes import ALONE, Rows, ShapedLines

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedInput
    from lark.lexer import TerminalDef

TEXT_LENGTH = 200
KEY_LENGTH = 60
MOST_SORTS = 5000
MOST_BREAKS = 3
EXPLAINING = 10  # seconds that a grammar from elsewhere may take of them
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
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

    ``shapes``: the most frequent first. ``more``: lines of shapes that came when there were thousands already.
    ``broken``: how many resemble a metric line of the format; line ``first_broken`` is the first of them.
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
        self._counts = np.zeros(1, np.int64)  # of each shape, after that of the lines alone
        self._sorts: dict[bytes, Sort] = {}
        self._sort_of: dict[int, Sort] = {}  # by shape
        self._further = 0  # lines alone

    def add(self, lines: ShapedLines, rows: Rows) -> None:
        """Add some lines."""
        if not len(rows):
            return
        shapes = lines.shapes[rows] - ALONE
        counts = np.bincount(shapes, minlength=max(lines.known - ALONE, len(self._counts)))
        is_new = counts > 0
        is_new[: len(self._counts)] &= self._counts == 0
        is_new[0] = False
        counts[: len(self._counts)] += self._counts
        self._counts = counts
        new = np.sort(np.concatenate([lines.firsts(rows[is_new[shapes]]), rows[shapes == 0]]))
        while len(new) and (room := MOST_SORTS - len(self._sorts)):
            self._sort(lines, new[:room])
            new = new[room:]
        self._further += int((lines.shapes[new] == ALONE).sum())
        for of_format in self._broken:
            of_format.add(lines, rows)

    def _sort(self, lines: ShapedLines, rows: Rows) -> None:
        """Find the sorts of the first lines of new shapes, and of lines alone."""
        texts = lines.printed(rows)
        told = zip(lines.shapes[rows].tolist(), lines.numbers(rows).tolist(), texts, _keys(texts), strict=True)
        for shape, number, text, key in told:
            if (sort := self._sorts.get(key)) is None:
                sort = self._sorts[key] = Sort(0, number, text[:TEXT_LENGTH].decode("utf-8", "replace"))
            if shape == ALONE:
                sort.count += 1
            else:
                self._sort_of[shape] = sort

    def leftover(self, fmt: Format | None) -> Leftover:
        """All that there was, and what of it resembles lines of a format; no more is added."""
        shapes = np.fromiter(self._sort_of, np.intp, len(self._sort_of)) - ALONE
        for sort, count in zip(self._sort_of.values(), self._counts[shapes].tolist(), strict=True):
            sort.count += count
        shown = sorted(self._sorts.values(), key=lambda sort: (-sort.count, sort.line))
        further = self._further + int(self._counts[1:].sum() - self._counts[shapes].sum())
        for broken in (broken for broken in self._broken if fmt and broken.format.name == fmt.name):
            lines = [(number, line) for line, number in broken.lines.items()]
            return Leftover(shown, further, broken.format, broken.count, lines[0][0] if lines else 0, lines)
        return Leftover(shown, further)


def _keys(texts: Sequence[bytes]) -> list[bytes]:
    """What lines have in common with others of their sort: how they begin, with one zero for each number."""
    text = b"\n".join(text[:KEY_LENGTH] for text in texts).translate(_ZEROS)
    while b"00" in text:
        text = text.replace(b"00", b"0")
    return text.split(b"\n") if texts else []


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

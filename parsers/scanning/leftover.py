"""What is left of a log: the lines that no rule knows, by what they are like, and broken metric lines among them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..grammar.format import METRICS, Format
from .kernel import Ids, Integers
from .prefix import has_prefix, without_prefix
from .shapes import ALONE, NEW, ByShape, Rows, ShapedLines

if TYPE_CHECKING:
    from ..grammar.explain import Break

_ZEROS = bytes.maketrans(b"123456789", b"000000000")
KEY_LENGTH = 60
TEXT_LENGTH = 200
MOST_SORTS = 5000
MOST_BREAKS = 3
LOOKED_AT = 64  # of the broken lines of a block: many may be equal
# What is like a metric line and yet whole: it tells of an evaluation, or of the speed without loading (compute_ips).
_OTHER = re.compile(
    rb"(?i)(?<![a-z])(?:eval(?:uat\w*+)?|val(?:id(?:at\w*+)?)?|test(?:ing)?|infer\w*+|compute_ips)(?![a-z])"
)
FURTHER = 0  # the sort of all lines when there are thousands


@dataclass
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
    def breaks(self) -> "list[Break]":
        """Where the first few broken lines break, as far as Lark can say."""
        if self.format is None or not self.broken_lines:
            return []
        from ..grammar.explain import explain  # Lark takes longer to import than to read fifty logs

        found = [explain(self.format, number, without_prefix(line)) for number, line in self.broken_lines]
        return [explained for explained in found if explained]


@dataclass
class _Broken:
    """The lines that resemble a metric line of a format: how many, and the first few that differ."""

    format: Format
    count: int = 0
    lines: dict[bytes, int] = field(default_factory=dict)

    def add(self, lines: ShapedLines, rows: Rows) -> None:
        """Add some lines."""
        self.count += len(rows)
        if len(rows) and len(self.lines) < MOST_BREAKS:
            rows = rows[:LOOKED_AT]
            for number, line in zip(lines.numbers(rows).tolist(), lines.texts(rows), strict=True):
                if len(self.lines) < MOST_BREAKS:
                    self.lines.setdefault(line.removesuffix(b"\n"), number)

    def is_like(self, texts: Sequence[bytes]) -> list[bool]:
        """Whether each of some lines is broken."""
        every = b"\n".join(texts)
        metric = [v for v in self.format.variants if v.record in METRICS and v.resembles(every)]
        if not metric:
            return [False] * len(texts)
        return [any(v.resembles(text) for v in metric) and not _OTHER.search(text) for text in texts]


class Unrecognised:
    """Gathers the lines of a log that no rule knows; memory is bounded, however many sorts they are of."""

    def __init__(self, formats: Sequence[Format]) -> None:
        self._broken = [_Broken(fmt) for fmt in formats]
        self._sorts: list[Sort] = [Sort(0, 0, "")]
        self._by_key: dict[bytes, int] = {}
        self._sort_of = ByShape(np.int32, NEW, ALONE)
        self._broken_as = ByShape(np.int32, 0, 0)

    def add(self, lines: ShapedLines, rows: Rows) -> None:
        """Add some lines."""
        if not len(rows):
            return
        self._sort_of.grow(lines.known)
        self._broken_as.grow(lines.known)
        shapes = lines.shapes[rows]
        sorts, broken = self._sort_of[shapes], self._broken_as[shapes]
        if (sorts < FURTHER).any():
            at, some_sorts, some_broken = self._look_at(lines, rows, shapes, sorts)
            sorts, broken = self._sort_of[shapes], self._broken_as[shapes]
            sorts[at], broken[at] = some_sorts, some_broken
        for sort, count in enumerate(np.bincount(sorts).tolist()):
            self._sorts[sort].count += count
        for number, of_format in enumerate(self._broken if broken.any() else ()):
            of_format.add(lines, rows[broken >> number & 1 == 1])

    def leftover(self, fmt: Format | None) -> Leftover:
        """All that there was, and what of it resembles lines of a format."""
        further, *sorts = self._sorts
        sorts.sort(key=lambda sort: (-sort.count, sort.line))
        for broken in (broken for broken in self._broken if fmt and broken.format.name == fmt.name):
            lines = [(number, line) for line, number in broken.lines.items()]
            first = lines[0][0] if lines else 0
            return Leftover(sorts, further.count, broken.format, broken.count, first, lines)
        return Leftover(sorts, further.count)

    def _look_at(self, lines: ShapedLines, rows: Rows, shapes: Ids, sorts: Ids) -> tuple[Rows, Ids, Ids]:
        """Look at the first lines of new shapes, and at those without: which they are, their sorts, how broken."""
        new = np.flatnonzero(sorts == NEW)
        first = new[np.unique(shapes[new], return_index=True)[1]]
        at = np.sort(np.concatenate([first, np.flatnonzero(sorts == ALONE)]))
        texts = _texts(lines, rows[at])
        found = self._sorted(lines.numbers(rows[at]), texts)
        broken = np.zeros(len(at), np.int32)
        for number, of_format in enumerate(self._broken):
            broken |= np.array(of_format.is_like(texts), np.int32) << number
        shaped = shapes[at] != ALONE
        self._sort_of[shapes[at[shaped]]] = found[shaped]
        self._broken_as[shapes[at[shaped]]] = broken[shaped]
        return at, found, broken

    def _sorted(self, numbers: Integers, texts: Sequence[bytes]) -> Ids:
        keys = _without_digits(b"\n".join([text[:KEY_LENGTH] for text in texts])).split(b"\n")
        if len(self._by_key) < MOST_SORTS:
            for number, key, text in zip(numbers.tolist(), keys, texts, strict=False):
                self._note(number, key, text)
        return np.array([self._by_key.get(key, FURTHER) for key in keys[: len(texts)]], np.int32)

    def _note(self, number: int, key: bytes, text: bytes) -> None:
        if key not in self._by_key and len(self._by_key) < MOST_SORTS:
            self._by_key[key] = len(self._sorts)
            self._sorts.append(Sort(0, number, text[:TEXT_LENGTH].decode("utf-8", "replace")))


def _without_digits(text: bytes) -> bytes:
    """A text with one zero for each of its numbers."""
    text = text.translate(_ZEROS)
    while b"00" in text:
        text = text.replace(b"00", b"0")
    return text


def _texts(lines: ShapedLines, rows: Rows) -> list[bytes]:
    """Some lines without newlines and prefixes."""
    texts = [text.removesuffix(b"\n") for text in lines.texts(rows)]
    return list(map(without_prefix, texts)) if has_prefix(b"\n" + b"\n".join(texts)) else texts

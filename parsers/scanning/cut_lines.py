"""Lines that may have been cut at one width: how long they are, what they begin with, and what each says alone."""

import re
from collections import defaultdict
from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..grammar.digits import masked, telling_places, tells_digits
from ..grammar.format import METRICS
from ..grammar.variant import Variant
from .judging import VariantSieve
from .kernel import Integers
from .prefix import after_prefix, line_pattern, without_prefix
from .shapes import ALONE, LONGEST, NEW, ByShape, Rows, ShapedLines
from .source import clean

# What begins a line of its own: a timestamp, a progress bar.
_BEGINS = re.compile(
    rb"[\[(<]?+(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{1,2}:[0-9]{2}:[0-9]{2}|[0-9]{4}(?:[0-9]{4})? [0-9]{2}:[0-9]{2}"
    rb"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) )|[ 0-9]{0,3}%\|"
)
_ALONE, _ID = np.int32(ALONE).tobytes(), np.int32().itemsize
_WORD = re.compile(rb"\t|[ ]*+[^ \t]*+")

BYTES, COLUMNS = "bytes", "columns"  # what a width is of

MOST_KEPT = 1 << 16
FEW_ALONE = 2  # the last one without its newline

Row = tuple[bytes, ...]
Key = bytes | str


class Verdict(NamedTuple):
    """What a line and those after it say together.

    ``pieces``: how many of those are of it, until it says more than one line alone; 0 where it never does.
    ``has_grown``: whether it has more fields than any of them. ``tries``: how often they were put together.
    """

    pieces: int
    has_grown: bool
    tries: int


def _of_shapes() -> ByShape:
    return ByShape(np.int32, NEW, ALONE)


@dataclass
class SaidOfShapes:
    """What was found of lines by the shapes of a table: it is so of all lines of them, in other blocks and logs, too.

    The key of a line, or of several, is the bytes of their shapes; where a shape is missing it is their masked text,
    which means nothing beyond its block. ``seen``: the shapes below this number were looked at.
    """

    alone: ByShape = field(default_factory=_of_shapes)
    columns: ByShape = field(default_factory=_of_shapes)
    first_word: ByShape = field(default_factory=_of_shapes)
    telling: dict[Key, list[int]] = field(default_factory=dict)
    verdicts: dict[tuple[bool, Key, bytes], Verdict] = field(default_factory=dict)
    beginning: dict[Key, bool] = field(default_factory=dict)
    resembling: dict[tuple[bool, Key], bool] = field(default_factory=dict)
    seen: int = 0

    @property
    def is_large(self) -> bool:
        """Whether it is better forgotten."""
        kept: tuple[Sized, ...] = (self.telling, self.verdicts, self.beginning, self.resembling)
        return sum(map(len, kept)) > MOST_KEPT


@dataclass
class CutLines:
    """The lines of a block as they stand in the log, as they may have been cut; ``shaped``: the same with shapes.

    ``known``: what was found of lines of these shapes before.
    """

    data: bytes
    shaped: ShapedLines
    every: VariantSieve
    known: SaidOfShapes
    _without_shape: defaultdict[str, dict[Key, int]] = field(default_factory=lambda: defaultdict(dict))

    @cached_property
    def _here(self) -> SaidOfShapes:
        return SaidOfShapes()

    @cached_property
    def lines(self) -> list[bytes]:
        """What the line ends stand between."""
        return self._text.removesuffix(b"\n").split(b"\n")

    @cached_property
    def _text(self) -> bytes:
        text = self.data if self.data.endswith(b"\n") else self.data + b"\n"
        return text.replace(b"\r\n", b"\n") if b"\r" in text else text

    @cached_property
    def _ends(self) -> Rows:
        if b"\r" not in self.data:
            return self.shaped.ends - 1
        return np.flatnonzero(np.frombuffer(self._text, np.uint8) == ord("\n"))

    @cached_property
    def variants(self) -> list[Variant]:
        """The lines of any kind whose texts are in the block, wherever it was cut."""
        text = clean(b"".join(self._different()))
        return self.every.possible(text)

    def _different(self) -> list[bytes]:
        """The lines, but for those of two shapes that follow each other elsewhere as well."""
        shapes = self.shaped.shapes
        if len(shapes) < 2:
            return self.lines
        differ = shapes == ALONE
        first = np.unique(shapes[:-1].astype(np.int64) << 32 | shapes[1:], return_index=True)[1]
        differ[first] = differ[first + 1] = True
        return list(compress(self.lines, differ.tolist()))

    @cached_property
    def metrics(self) -> list[Variant]:
        """The metric lines among them."""
        return [variant for variant in self.variants if variant.record in METRICS]

    @cached_property
    def facts(self) -> list[Variant]:
        """Those among them that state facts."""
        return [variant for variant in self.variants if variant.record == "fact"]

    @cached_property
    def measures(self) -> dict[str, Integers]:
        """How long the lines are, in bytes and in columns; of a block without metric lines and facts nothing.

        Of shapes that were looked at all is known as a rule: it takes longer to find which variants there are.
        """
        if not (self._is_seen or self.metrics or self.facts):
            return {}
        return {BYTES: self._lengths} | ({} if self._is_plain else {COLUMNS: self._columns})

    @cached_property
    def _is_plain(self) -> bool:
        return _is_plain(self.data)

    @cached_property
    def _lengths(self) -> Integers:
        lengths = self._ends.copy()
        lengths[1:] -= self._ends[:-1] + 1
        return lengths

    @cached_property
    def _columns(self) -> Integers:
        """How many columns each line has."""
        if self._is_plain:
            return self._lengths
        return self._each(np.arange(len(self._ends)), "columns", lambda row: _columns(self.lines[row]))

    @cached_property
    def room_needed(self) -> Integers:
        """How many columns a line would have had with the first word of the next.

        That may not have had room where a blank stands before it, or it is a tab; elsewhere 0.
        """
        text = np.frombuffer(self._text, np.uint8)
        ends, needed = self._ends[:-1], np.zeros(len(self._ends), np.int64)
        last, is_tab = text[ends - 1], text[ends + 1] == ord("\t")
        early = np.flatnonzero((last == ord(" ")) | (last == ord("\t")) | is_tab)
        words = self._each(early + 1, "first_word", lambda row: _columns(_first_word(self.lines[row])))
        needed[early] = self._columns[early] + words
        for row in np.flatnonzero(is_tab).tolist():
            needed[row] = _columns(self.lines[row] + b"\t")
        return needed

    def _each(self, rows: Rows, kind: str, say: Callable[[int], int]) -> Integers:
        """What is said of each of some lines, once of those that are equal but for digits."""
        of_shape: ByShape = getattr(self.known, kind)
        found = of_shape.judged(self.shaped, rows, lambda _, first: list(map(say, first.tolist())))
        of_key = self._without_shape[kind]
        for place in np.flatnonzero(found == ALONE).tolist():
            row = int(rows[place])
            if (key := self.key(row, 1)) not in of_key:
                of_key[key] = say(row)
            found[place] = of_key[key]
        return found.astype(np.int64)

    def key(self, row: int, count: int) -> Key:
        """What is equal for lines, of which so many follow one, that are equal but for digits."""
        shapes = self._shapes[row * _ID : (row + count) * _ID]
        if _ALONE not in shapes:
            return shapes
        return masked(b"\n".join(self.lines[row : row + count])).decode("latin-1")

    def said_of(self, key: Key) -> SaidOfShapes:
        """Where what is found of lines is remembered."""
        return self._here if isinstance(key, str) else self.known

    @cached_property
    def _is_seen(self) -> bool:
        shapes = self.shaped.shapes  # a line that is too long to have one is too long to be cut
        alone = np.count_nonzero((shapes == ALONE) & (self._lengths <= LONGEST))
        return bool(alone < FEW_ALONE and shapes.max() < self.known.seen)

    def remember(self) -> None:
        """Note that these shapes were looked at."""
        self.known.seen = max(self.known.seen, int(self.shaped.shapes.max()) + 1)

    @cached_property
    def _shapes(self) -> bytes:
        return self.shaped.shapes.tobytes()

    def telling_places(self, text: bytes) -> list[int]:
        """The places of digits in a text that a metric line, or one of a fact, tells apart."""
        text = masked(text)
        return sorted({place for variant in self._telling for place in telling_places(variant, text)})

    @cached_property
    def _telling(self) -> list[Variant]:
        return [variant for variant in (*self.metrics, *self.facts) if tells_digits(variant)]

    def stand_alone(self, rows: Rows) -> NDArray[np.bool_]:
        """Which lines go on with none: those that begin with a prefix or a timestamp, or are a whole metric line."""
        return np.asarray(self._each(rows, "alone", self._stands_alone) > 0)

    def stands_alone(self, row: int) -> bool:
        """Whether a line goes on with none."""
        return bool(self.stand_alone(np.array([row])).all())

    def _stands_alone(self, row: int) -> bool:
        line, is_more, _ = clean(self.lines[row]).partition(b"\r")
        if is_more and not line:
            return True
        own = cleaned(line)
        begins = after_prefix(line, 0, len(line))[0] or _BEGINS.match(line) or (own[:1], own[-1:]) == (b"{", b"}")
        return bool(begins) or any(texts(v, own) for v in self.metrics)

    def begins(self, row: int) -> bool:
        """Whether a line begins anew: it is empty, stands alone, or is one of any kind that is known."""
        known = self.said_of(key := self.key(row, 1)).beginning
        if key not in known:
            own = cleaned(self.lines[row])
            known[key] = not own or self.stands_alone(row) or any(_is_whole(v, own) for v in self.variants)
        return known[key]

    def resembles(self, row: int, *, of_facts: bool) -> bool:
        """Whether a line holds all the texts of any of the metrics, or of the facts."""
        of_line = self.key(row, 1)
        known, key = self.said_of(of_line).resembling, (of_facts, of_line)
        if key not in known:
            own = cleaned(self.lines[row])
            known[key] = any(v.may_stand_in(own) for v in (self.facts if of_facts else self.metrics))
        return known[key]


def _first_word(line: bytes) -> bytes:
    found = _WORD.match(line)
    return found[0] if found else b""


def _columns(line: bytes) -> int:
    return len(line) if _is_plain(line) else len(line.decode("utf-8", "replace").expandtabs())


def _is_plain(text: bytes) -> bool:
    """Whether each byte of a text is one column."""
    return text.isascii() and b"\t" not in text


def cleaned(line: bytes) -> bytes:
    """What a line shows at last, without prefixes."""
    return without_prefix(clean(line).rpartition(b"\r")[2])


def _is_whole(variant: Variant, line: bytes) -> bool:
    return variant.may_stand_in(line) and bool(line_pattern(variant).fullmatch(line))


def texts(variant: Variant, line: bytes) -> Row:
    """The texts of the groups of a line that is of a variant; none for another."""
    found = line_pattern(variant).fullmatch(line) if variant.may_stand_in(line) else None
    return found.groups(b"") if found else ()

"""Lines that may have been cut at one width: how long they are, what they begin with, and what each says alone."""

import re
from collections.abc import Sized
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np

from ..grammar.digits import masked, telling_places, tells_digits
from ..grammar.format import METRICS
from ..grammar.variant import Variant
from .judging import VariantSieve, fours
from .kernel import Ids, Integers
from .prefix import after_prefix, line_pattern, without_prefix
from .shapes import ALONE, Rows
from .source import clean

# What begins a line of its own: a timestamp, a progress bar.
_BEGINS = re.compile(
    rb"[\[(<]?+(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{1,2}:[0-9]{2}:[0-9]{2}|[0-9]{4}(?:[0-9]{4})? [0-9]{2}:[0-9]{2}"
    rb"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) )|[ 0-9]{0,3}%\|"
)
_ALONE, _ID = np.int32(ALONE).tobytes(), np.int32().itemsize
_WORD = re.compile(rb"\t|[ ]*+[^ \t]*+")

MOST_ASCII = 127
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


@dataclass
class SaidOfShapes:
    """What was found of lines by the shapes of a table: it is so of all lines of them, in other blocks and logs, too.

    The key of a line, or of several, is the bytes of their shapes; where a shape is missing it is their masked text,
    which means nothing beyond its block. ``seen``: the shapes below this number were looked at.
    """

    telling: dict[Key, list[int]] = field(default_factory=dict)
    verdicts: dict[tuple[bool, Key, bytes], Verdict] = field(default_factory=dict)
    alone: dict[Key, bool] = field(default_factory=dict)
    beginning: dict[Key, bool] = field(default_factory=dict)
    resembling: dict[tuple[bool, Key], bool] = field(default_factory=dict)
    with_word: dict[Key, int] = field(default_factory=dict)
    seen: int = 0

    @property
    def is_large(self) -> bool:
        """Whether it is better forgotten."""
        kept: tuple[Sized, ...] = (
            self.telling,
            self.verdicts,
            self.alone,
            self.beginning,
            self.resembling,
            self.with_word,
        )
        return sum(map(len, kept)) > MOST_KEPT


@dataclass
class CutLines:
    """The lines of a block, as they may have been cut; ``shapes``: those of the lines, where all of it is seen.

    ``known``: what was found of lines of these shapes before.
    """

    data: bytes
    shapes: Ids | None
    every: VariantSieve
    known: SaidOfShapes = field(default_factory=SaidOfShapes)
    _here: SaidOfShapes = field(default_factory=SaidOfShapes)

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
        return np.flatnonzero(np.frombuffer(self._text, np.uint8) == ord("\n"))

    @cached_property
    def variants(self) -> list[Variant]:
        """The lines of any kind whose texts are in the block, wherever it was cut."""
        text = clean(b"".join(self._different()))
        return self.every.possible(text, fours(text))

    def _different(self) -> list[bytes]:
        """The lines, but for those of two shapes that follow each other elsewhere as well."""
        shapes = self.shapes
        if shapes is None or len(shapes) < 2:
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
        in_bytes = {BYTES: np.diff(self._ends, prepend=-1) - 1}
        return in_bytes if _is_plain(self.data) else in_bytes | {COLUMNS: self._columns(in_bytes[BYTES])}

    def _columns(self, in_bytes: Integers) -> Integers:
        """How many columns each line has; lines that are equal but for digits have as many."""
        text = np.frombuffer(self._text, np.uint8)
        odd = np.unique(np.searchsorted(self._ends, np.flatnonzero((text > MOST_ASCII) | (text == ord("\t")))))
        of_key: dict[Key, int] = {}
        columns = in_bytes.copy()
        for row in odd.tolist():
            if (key := self.key(row, 1)) not in of_key:
                of_key[key] = _columns(self.lines[row])
            columns[row] = of_key[key]
        return columns

    @cached_property
    def room_needed(self) -> Integers:
        """How many columns a line would have had with the first word of the next.

        That may not have had room where a blank stands before it, or it is a tab; elsewhere 0.
        """
        text = np.frombuffer(self._text, np.uint8)
        ends = self._ends[:-1]
        last = text[ends - 1]
        early = np.flatnonzero((last == ord(" ")) | (last == ord("\t")) | (text[ends + 1] == ord("\t")))
        needed = np.zeros(len(self._ends), np.int64)
        needed[early] = [self._columns_with_word(row) for row in early.tolist()]
        return needed

    def _columns_with_word(self, row: int) -> int:
        known = self.said_of(key := self.key(row, 2)).with_word
        if key not in known:
            following = _WORD.match(self.lines[row + 1])
            known[key] = _columns(self.lines[row] + (following[0] if following else b""))
        return known[key]

    def key(self, row: int, count: int) -> Key:
        """What is equal for lines, of which so many follow one, that are equal but for digits."""
        shapes = self._of_shapes[row * _ID : (row + count) * _ID]
        is_known = bool(shapes) and (not self._has_alone or _ALONE not in shapes)
        return shapes if is_known else masked(b"\n".join(self.lines[row : row + count])).decode("latin-1")

    def said_of(self, key: Key) -> SaidOfShapes:
        """Where what is found of lines is remembered."""
        return self._here if isinstance(key, str) else self.known

    @cached_property
    def _is_seen(self) -> bool:
        if self.shapes is None or np.count_nonzero(self.shapes == ALONE) >= FEW_ALONE:
            return False
        return int(self.shapes.max()) < self.known.seen

    def remember(self) -> None:
        """Note that these shapes were looked at."""
        if self.shapes is not None:
            self.known.seen = max(self.known.seen, int(self.shapes.max()) + 1)

    @cached_property
    def _of_shapes(self) -> bytes:
        return b"" if self.shapes is None else self.shapes.tobytes()

    @cached_property
    def _has_alone(self) -> bool:
        return _ALONE in self._of_shapes

    def telling_places(self, text: bytes) -> list[int]:
        """The places of digits in a text that a metric line, or one of a fact, tells apart."""
        text = masked(text)
        return sorted({place for variant in self._telling for place in telling_places(variant, text)})

    @cached_property
    def _telling(self) -> list[Variant]:
        return [variant for variant in (*self.metrics, *self.facts) if tells_digits(variant)]

    def stands_alone(self, row: int) -> bool:
        """Whether a line goes on with none: it begins with a prefix or a timestamp, or is a whole metric line."""
        known = self.said_of(key := self.key(row, 1)).alone
        if key not in known:
            line = clean(self.lines[row])
            own = cleaned(line)
            begins = after_prefix(line, 0, len(line))[0] or _BEGINS.match(line) or (own[:1], own[-1:]) == (b"{", b"}")
            known[key] = bool(begins) or any(texts(v, own) for v in self.metrics)
        return known[key]

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

"""Logs that were wrapped: a terminal or `fold` cut their long lines at one width, and numbers with them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import compress, pairwise

import numpy as np
from numpy.typing import NDArray

from ..grammar.digits import masked, telling_places, tells_digits
from ..grammar.format import METRICS, Format
from ..grammar.variant import Variant
from ..io.errors import WrappedError
from .kernel import Integers
from .prefix import after_prefix, line_pattern, without_prefix
from .sieve import Sieve, fours
from .source import clean
from .text import LogText

WRAPPED = (
    "its lines were cut at {width} {unit}, first in line {line}, and numbers with them; "
    "read the log as it was before `fold` or a terminal wrapped it."
)
WIDEST = 4096  # no terminal is wider
MOST_PIECES = 64
TRIED = 2048  # joins that hold all the texts of a metric line, of one width
LONGER = 2  # lines that another program printed into a wrapped log; of many lines one in SHARE
SHARE = 4

# What begins a line of its own: a timestamp, a progress bar.
_BEGINS = re.compile(
    rb"[\[(<]?+(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{1,2}:[0-9]{2}:[0-9]{2}|[0-9]{4}(?:[0-9]{4})? [0-9]{2}:[0-9]{2}"
    rb"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) )|[ 0-9]{0,3}%\|"
)
_BLANKS = (b" ", b"\t")
_EARLY_ENDS = (b" \n", b"\t\n", b" \r\n", b"\t\r\n", b"\n\t")
_WORD = re.compile(rb"\t|[ ]*+[^ \t]*+")

Row = tuple[bytes, ...]
Try = tuple[int, bool | None]


def refuse_wrapped(text: LogText, known: Sequence[Format]) -> None:
    """Raise WrappedError where lines of a log were cut at one width: half a number looks like a whole one.

    Looked at are metric lines, and those that state facts, as far as the first block that may hold a metric line. One
    was cut where it is one, or says more, with what follows its cut added.
    """
    for data in text.data():
        block = CutLines(data, tuple(known))
        for unit, lengths in block.measures.items():
            for cuts in _cuts(block, lengths):
                if line := cuts.first():
                    raise WrappedError.at(text.source.path, WRAPPED, width=cuts.width, unit=unit, line=line)
        if block.metrics:
            return


def _cuts(block: "CutLines", lengths: Integers) -> "Iterator[Cuts]":
    """The widths at which lines may have been cut: metric lines at any, a line that states facts at the greatest."""
    yield from (Cuts(block, lengths, width, block.metrics) for width in _widths(lengths))
    if (widest := int(lengths.max())) <= WIDEST:
        yield Cuts(block, lengths, widest, block.facts)


@dataclass
class CutLines:
    """The lines of a block, as they may have been cut."""

    data: bytes
    known: tuple[Format, ...]
    tries: dict[tuple[bool, bytes], list[Try]] = field(default_factory=dict)
    _alone: dict[bytes, bool] = field(default_factory=dict)

    @cached_property
    def lines(self) -> list[bytes]:
        """What the line ends stand between."""
        return (self.data.removesuffix(b"\n") + b"\n").replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")

    @cached_property
    def variants(self) -> list[Variant]:
        """The lines of any kind whose texts are in the block, wherever it was cut."""
        variants, sieve = _sieved(self.known)
        text = clean(b"".join(self.lines))
        return [v for v in compress(variants, sieve.passes(fours(text)).tolist()) if v.may_stand_in(text)]

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
        """How long the lines are, in bytes and in columns; of a block without metric lines and facts nothing."""
        if not (self.metrics or self.facts):
            return {}
        in_bytes = {"bytes": np.array(list(map(len, self.lines)))}
        is_plain = self.data.isascii() and b"\t" not in self.data
        return in_bytes if is_plain else in_bytes | {"columns": np.array(list(map(_columns, self.lines)))}

    @cached_property
    def may_end_early(self) -> NDArray[np.bool_]:
        """Whether a line may have been cut before the width: it ends with a blank, or a tab follows."""
        lines = self.lines
        if not any(end in self.data for end in _EARLY_ENDS):
            return np.zeros(len(lines), np.bool_)
        return np.array([a[-1:] in _BLANKS or b[:1] == b"\t" for a, b in pairwise([*lines, b""])], np.bool_)

    def tells_digits(self, text: bytes) -> bool:
        """Whether a metric line, or one of a fact, tells digits apart in a masked text."""
        return bool(self._telling) and any(True for v in self._telling for _ in telling_places(v, text))

    @cached_property
    def _telling(self) -> list[Variant]:
        return [variant for variant in (*self.metrics, *self.facts) if tells_digits(variant)]

    def stands_alone(self, line: bytes) -> bool:
        """Whether a line goes on with none: it begins with a prefix or a timestamp, or is a whole metric line."""
        if line not in self._alone:
            self._alone[line] = self._is_whole(clean(line))
        return self._alone[line]

    def _is_whole(self, line: bytes) -> bool:
        if after_prefix(line, 0, len(line))[0] or _BEGINS.match(line):
            return True
        own = _cleaned(line)
        return (own[:1] == b"{" and own[-1:] == b"}") or any(_texts(v, own) for v in self.metrics)

    def begins(self, line: bytes) -> bool:
        """Whether a line begins anew: it is empty, stands alone, or is one of any kind that is known."""
        own = _cleaned(line)
        return not own or self.stands_alone(line) or any(_is_whole(v, own) for v in self.variants)


@lru_cache(8)
def _sieved(known: tuple[Format, ...]) -> tuple[list[Variant], Sieve]:
    variants = [v for fmt in known for v in fmt.variants if not v.spans]
    return variants, Sieve([variant.needs for variant in variants])


def _columns(line: bytes) -> int:
    return len(line.decode("utf-8", "replace").expandtabs())


def _widths(lengths: Integers) -> Iterator[int]:
    """The widths at which lines may have been cut: few are longer."""
    longer = 0
    widths, counts = np.unique(lengths, return_counts=True)
    for width, count in zip(widths[::-1].tolist(), counts[::-1].tolist(), strict=True):
        if 0 < width <= WIDEST and longer <= max(LONGER, count // SHARE):
            yield width
        longer += count


@dataclass
class Cuts:
    """The lines of some variants in a block, by a measure of lengths, that were cut at one width if any were."""

    block: CutLines
    lengths: Integers
    width: int
    variants: Sequence[Variant]

    def first(self) -> int | None:
        """The number of the first line that was cut, where most that may have been were, or most of all lines.

        One line that is followed by a number was not, for many a program begins its lines with one; but for where all
        that are as long seem to be cut.
        """
        may_be, cut, grew, following, tried = 0, list[int](), False, 0, 0
        for number in [number for number, goes_on in enumerate(self._goes_on) if goes_on]:
            if tried >= TRIED:
                break
            if number >= following:
                tries = self._known_tries(number)
                end, grown = next(((end, grown) for end, grown in tries if grown is not None), (0, False))
                cut += [number + 1] * (end > 0)
                may_be, grew, tried = may_be + bool(tries), grew or bool(grown), tried + len(tries)
                following = number + end + 1
        if not cut:
            return None
        is_more, are_most = grew or len(cut) > 1, 2 * len(cut) >= may_be
        return cut[0] if (is_more and are_most) or self._share_going_on() > (0.5 if is_more else 0.99) else None

    def _share_going_on(self) -> float:
        """Of several lines of the width, and none is longer, the share of which the next line begins nothing."""
        following = (np.flatnonzero(self.lengths[:-1] == self.width) + 1).tolist()
        if self.lengths.max() > self.width or len(following) < 2:
            return 0.0
        return sum(not self.block.begins(self.block.lines[number]) for number in following) / len(following)

    @cached_property
    def _goes_on(self) -> list[bool]:
        """Whether a line may have been cut, and what follows it is no longer than the width."""
        cut = self.lengths == self.width
        early = np.flatnonzero((self.lengths < self.width) & self.block.may_end_early)
        cut[early] = [self._had_no_room(number) for number in early.tolist()]
        found: list[bool] = (cut[:-1] & (self.lengths[1:] <= self.width)).tolist()
        return [*found, False]

    def _had_no_room(self, number: int) -> bool:
        """Whether what follows a line had no room in it: a tab, or a word after a blank."""
        following = b"".join(self.block.lines[number + 1 : number + 2])
        return _columns(self.block.lines[number] + (_WORD.match(following) or [b""])[0]) > self.width

    def _known_tries(self, first: int) -> list[Try]:
        """As ``_tries``, which are the same for lines that are equal but for digits that nothing tells apart."""
        more = [*self._goes_on[first : first + MOST_PIECES - 1], False].index(False)
        pieces = self.block.lines[first : first + more + 1]
        text = masked(b"\n".join(pieces))
        key = (self.variants is self.block.facts, text)
        if key not in self.block.tries:
            tries = list(self._tries(pieces))
            if any(map(self.block.tells_digits, (text.replace(b"\n", b""), *text.split(b"\n")))):
                return tries
            self.block.tries[key] = tries
        return self.block.tries[key]

    def _tries(self, pieces: Sequence[bytes]) -> Iterator[Try]:
        """How many lines more a line of these variants may have had, each with what ``_grown`` says of the pieces."""
        whole = _cleaned(b"".join(pieces))
        possible = [variant for variant in self.variants if variant.may_stand_in(whole)]
        for more in range(1, len(pieces)) if possible else ():
            if self.block.stands_alone(pieces[more]):
                yield 0, None
                return
            grown = _grown(pieces[: more + 1], possible)
            yield more, grown
            if grown is not None:
                return


def _grown(pieces: Sequence[bytes], variants: Sequence[Variant]) -> bool | None:
    """Whether pieces, as one metric line, have more fields than one of them alone; None where they say no more."""
    whole = _cleaned(b"".join(pieces))
    alone = [_cleaned(piece) for piece in pieces]
    for variant in variants:
        said = _texts(variant, whole)
        parts = [_texts(variant, piece) for piece in alone] if said else []
        if said and said not in parts:
            return sum(map(bool, said)) > max(sum(map(bool, part)) for part in parts)
    return None


def _cleaned(line: bytes) -> bytes:
    return without_prefix(clean(line).rpartition(b"\r")[2])


def _is_whole(variant: Variant, line: bytes) -> bool:
    return variant.may_stand_in(line) and bool(line_pattern(variant).fullmatch(line))


def _texts(variant: Variant, line: bytes) -> Row:
    found = line_pattern(variant).fullmatch(line) if variant.may_stand_in(line) else None
    return found.groups(b"") if found else ()

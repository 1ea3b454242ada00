"""The scanner: finds the lines of a format in blocks of a log, and the texts of their fields."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, compress

import numpy as np

from .apart import told_apart
from .block import Block, Places, positions
from .format import METRICS
from .found import Found, Row
from .marks import marks
from .prefix import after_prefix, line_pattern, rank_before, sweep_pattern, torn_pattern
from .records import RecordSearch, outside
from .sieve import Sieve
from .variant import Variant

# A sweep over a block looks at every line of it, but looking at one line alone takes about so many times as long.
SWEEP_GAIN = 8
# Marks are chosen by this part of a block.
SAMPLED = 16
SMALLEST_SAMPLE = 1 << 12
SMALL = 1 << 17


class Scanner:
    """Scans the blocks of one log, in order, for the variants of a format.

    ``whole_only``: metric lines amid other output are not looked for. ``total``: physical lines so far. ``torn``: the
    numbers of those that hold such a line.
    """

    def __init__(self, variants: Iterable[Variant], *, whole_only: bool = False) -> None:
        self.total = 0
        self.whole_only = whole_only
        self.torn: list[int] = []
        self._variants = tuple(variants)
        self._records = [RecordSearch(variant) for variant in self._variants if variant.spans]
        self._searches: list[_Search] = []
        self._sweeps = True

    def feed(self, data: bytes) -> list[Found]:
        """Scan the next block, which ends with a whole line; returns what was found of each variant."""
        return self.scan(Block.after(self.total, data))

    def may_find(self, block: Block) -> bool:
        """Whether a look at a block leaves it open that there are lines in it."""
        return bool(self._open(block))

    def first(self, block: Block) -> list[Found]:
        """A line or some of a first block, where there are any: what the first search that finds some has found."""
        self._begin(block)
        by_search = chain(
            (search.run(block, sweeps=self._sweeps, one=True) for search in self._searches),
            (search.run(block) for search in self._records),
        )
        return next(filter(None, map(list, by_search)), [])

    def scan(self, block: Block) -> list[Found]:
        """As ``feed``, for a block that was made of the text."""
        if not self.total:
            self._begin(block)
        variants = self._open(block)
        searches = [search for search in self._searches if not variants.isdisjoint(search.variants)]
        by_search = [list(search.run(block, sweeps=self._sweeps)) for search in searches]
        torn = [search.torn_numbers(block) for search in searches]
        found = list(told_apart(by_search, torn))
        self.torn += sorted(set().union(*torn))
        self.total += block.lines
        records = [found for search in self._records for found in search.run(block)]
        return [*(outside(lines, records) for lines in found), *records] if records else found

    def _begin(self, block: Block) -> None:
        """Choose by the first block how lines are searched for."""
        sample = block.text[-max(SMALLEST_SAMPLE, len(block.text) // SAMPLED) :]
        chosen = marks([variant for variant in self._variants if not variant.spans], sample)
        self._searches = [_search(mark, variants, self.whole_only) for mark, variants in chosen.items()]
        self._sweeps = not block.has_prefix

    def _open(self, block: Block) -> frozenset[Variant]:
        """The variants whose texts may all be in a block; a small one is searched sooner than it is sieved."""
        if len(block.data) < SMALL:
            return self._all
        return frozenset(compress(self._variants, _sieve(self._variants).passes(block.triples).tolist()))

    @cached_property
    def _all(self) -> frozenset[Variant]:
        return frozenset(self._variants)


@lru_cache(256)
def _sieve(variants: tuple[Variant, ...]) -> Sieve:
    return Sieve([variant.texts for variant in variants])


@dataclass
class _Matches:
    """What a block holds of one variant, while it is searched: rows of texts, and the places of their lines.

    ``absent``: whether a sweep found no line of it, and it has none amid others.
    """

    variant: Variant
    whole_only: bool
    swept: Places = field(default_factory=lambda: np.zeros(0, np.int64))
    places: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    absent: bool = False

    @cached_property
    def may_be_torn(self) -> bool:
        """Whether such lines are looked for amid others: numbers between mere signs stand in many of these."""
        return not self.whole_only and self.variant.record in METRICS and bool(self.variant.telling)

    def keep(self, place: int, rank: bytes, found: re.Match[bytes]) -> None:
        """Keep one line, by the place of the newline before it; of a torn one what may stand before it is not known."""
        texts = found.groups(b"")
        unknown = (b"",) * (len(self.variant.groups) - len(texts))
        self.places.append(place)
        self.rows.append((rank, *unknown, *texts))

    def sweep(self, block: Block, mark: bytes) -> tuple[Places, bool]:
        """Keep all lines of a block at once; returns their places, and whether these are all places of the mark.

        One call gives the texts of all lines, but not where they are. A literal tells that which stands in the block as
        often as there are such lines: each of them holds it, so none of it stands elsewhere. Without one, none is kept.
        """
        rows = sweep_pattern(self.variant).findall(block.text) if self.variant.groups else []
        self.absent = bool(self.variant.groups) and not (rows or self.may_be_torn)
        for text in (mark, *self.variant.texts) if rows else ():
            places = positions(block.text, text)
            if len(places) == len(rows):
                self.rows, self.swept = rows, block.line_starts(places)
                return self.swept, text == mark
        return block.breaks[:0], False

    def settle(self, block: Block) -> Found:
        """What was kept, in the order of the lines; nothing is kept any more."""
        places, rows = np.concatenate([self.swept, np.array(self.places, np.int64)]), self.rows
        if (places[1:] < places[:-1]).any():
            order = np.argsort(places, kind="stable")
            places, rows = places[order], [rows[i] for i in order.tolist()]
        self.swept, self.places, self.rows = self.swept[:0], [], []
        return Found(self.variant, block.numbers(block.rows(places)), rows)


@dataclass
class _Search:
    """A mark, the variants whose lines hold it, and whether it stood on many lines of the block before."""

    mark: bytes
    candidates: list[_Matches]
    frequent: bool = False
    torn: list[int] = field(default_factory=list)

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """Those of the candidates."""
        return tuple(matches.variant for matches in self.candidates)

    def run(self, block: Block, *, sweeps: bool, one: bool = False) -> Iterator[Found]:
        """Find the lines of a block that hold the mark: in one sweep where they are many, the rest one by one.

        ``one``: a line that is found one by one is enough.
        """
        self.torn = []
        taken: set[int] = set()
        swept = sweeps and self.frequent and self._sweep(block, taken)
        hits = sum(len(matches.rows) for matches in self.candidates) if swept else self._walk(block, taken, one=one)
        if hits or not swept:
            self.frequent = hits * SWEEP_GAIN > block.lines * len(self.candidates)
        return (matches.settle(block) for matches in self.candidates if matches.rows)

    def torn_numbers(self, block: Block) -> set[int]:
        """The numbers of the lines of a block that hold a metric line amid other output."""
        return set(block.numbers(block.rows(np.array(self.torn))).tolist()) if self.torn else set()

    def _sweep(self, block: Block, taken: set[int]) -> bool:
        """Sweep for one variant after the other, adding to ``taken``; returns whether no line with the mark is left."""
        for matches in self.candidates:
            places, complete = matches.sweep(block, self.mark)
            if complete:
                return True
            taken.update(places.tolist())
        # A sweep passes over lines with a prefix, and over one that is cut off.
        is_plain = all(matches.absent for matches in self.candidates) and block.data.endswith(b"\n")
        return is_plain and not block.has_prefix

    def _walk(self, block: Block, taken: set[int], *, one: bool) -> int:
        """Try every line that holds the mark and is not taken; the loop is plain because it runs once a line."""
        mark, text, hits = self.mark, block.text, 0
        hit = text.find(mark)
        if hit < 0:
            return 0
        has_prefix = block.has_prefix
        tries = [(line_pattern(m.variant).fullmatch, m.keep, m.variant.record != "fact") for m in self.candidates]
        may_be_torn = any(m.may_be_torn for m in self.candidates)
        while hit >= 0:
            hits += 1
            place = text.rfind(b"\n", 0, hit)
            end = text.find(b"\n", hit)
            end = len(text) if end < 0 else end
            if place not in taken:
                start, rank = after_prefix(text, place + 1, end) if has_prefix else (place + 1, b"")
                known = False
                for match, keep, is_all in tries:  # a line may state several facts, but is of one kind
                    if found := match(text, start, end):
                        known = True
                        if end < len(text) or not _may_go_on(found):
                            keep(place, rank, found)
                        if is_all:
                            break
                if known and one:
                    break
                if may_be_torn and not known:
                    self.torn += [place] * self._find_torn(place, rank, text[start : end + 1])
            hit = text.find(mark, end)
        return hits

    def _find_torn(self, place: int, rank: bytes, line: bytes) -> bool:
        """Several processes that write one log run their lines together: find what is whole amid the rest."""
        any_found = False
        for matches in (m for m in self.candidates if m.may_be_torn and m.variant.may_stand_in(line)):
            last = 0
            for found in torn_pattern(matches.variant).finditer(line):
                if not _may_go_on(found) or (found.end() == len(line) - 1 and line.endswith(b"\n")):
                    named = rank_before(line, last, found.start()) if found.start() else rank
                    matches.keep(place, named, found)
                    any_found = True
                last = found.end()
        return any_found


def _search(mark: bytes, variants: Sequence[Variant], whole_only: bool) -> _Search:
    """The search for a mark; mere signs stand on many lines, hardly any of which is ours."""
    return _Search(mark, [_Matches(v, whole_only) for v in variants], frequent=not any(v.telling for v in variants))


def _may_go_on(found: re.Match[bytes]) -> bool:
    """Whether a match ends with a field, so that it holds half a number when it was cut off or torn there."""
    return bool(found.lastindex) and found.end(found.lastindex or 0) == found.end()

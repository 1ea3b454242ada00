"""The scanner: finds the lines of a format in blocks of a log, and the texts of their fields."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from .block import Block, Places, positions
from .format import METRICS
from .found import Found, Row
from .marks import marks
from .prefix import after_prefix, has_prefix, line_pattern, sweep_pattern, torn_pattern
from .records import RecordSearch, outside
from .variant import Variant

# A sweep over a block looks at every line of it, but looking at one line alone takes about so many times as long.
SWEEP_GAIN = 8
SAMPLE = 1 << 16


class Scanner:
    """Scans the blocks of one log, in order, for the variants of a format.

    ``total``: physical lines so far. ``torn``: numbers of those that hold a metric line amid other output.
    """

    def __init__(self, variants: Iterable[Variant]) -> None:
        self.total = 0
        self.torn: list[int] = []
        variants = tuple(variants)
        self._lines = tuple(variant for variant in variants if not variant.spans)
        self._records = [RecordSearch(variant) for variant in variants if variant.spans]
        self._searches: list[_Search] = []
        self._sweeps = True

    def feed(self, data: bytes) -> list[Found]:
        """Scan the next block, which ends with a whole line; returns what was found of each variant."""
        return self.scan(Block(data, self.total))

    def scan(self, block: Block) -> list[Found]:
        """As ``feed``, for a block that was made of the text."""
        if not self.total:
            chosen = marks(self._lines, block.text[-SAMPLE:])
            self._searches = [_Search(mark, [_Matches(v) for v in variants]) for mark, variants in chosen.items()]
            self._sweeps = not has_prefix(block.text)
        found = [found for search in self._searches for found in search.run(block, sweeps=self._sweeps)]
        self.torn += [number for search in self._searches for number in block.numbers(search.torn).tolist()]
        self.total += block.lines
        records = [found for search in self._records for found in search.run(block)]
        return [*(outside(lines, records) for lines in found), *records] if records else found


@dataclass
class _Matches:
    """What a block holds of one variant, while it is searched: rows of texts, and the places of their lines."""

    variant: Variant
    swept: Places = field(default_factory=lambda: np.zeros(0, np.int64))
    places: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def keep(self, place: int, rank: bytes, found: re.Match[bytes]) -> None:
        """Keep one line, by the place of the newline before it; a rank that the match itself names goes before."""
        texts = found.groups(b"")
        prefixes = len(texts) - len(self.variant.groups)
        self.places.append(place)
        self.rows.append((next(filter(None, texts[:prefixes]), rank), *texts[prefixes:]))

    def sweep(self, block: Block, mark: bytes) -> tuple[Places, bool]:
        """Keep all lines of a block at once; returns their places, and whether these are all places of the mark.

        One call gives the texts of all lines, but not where they are. A literal tells that which stands in the block as
        often as there are such lines: each of them holds it, so none of it stands elsewhere. Without one, none is kept.
        """
        rows = sweep_pattern(self.variant).findall(block.text) if self.variant.groups else []
        for text in (mark, *map(str.encode, self.variant.literals)) if rows else ():
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
        return Found(self.variant, block.numbers(places), rows)


@dataclass
class _Search:
    """A mark, the variants whose lines hold it, and whether it stood on many lines of the block before."""

    mark: bytes
    candidates: list[_Matches]
    frequent: bool = False
    torn: Places = field(default_factory=lambda: np.zeros(0, np.int64))

    def run(self, block: Block, *, sweeps: bool) -> Iterator[Found]:
        """Find the lines of a block that hold the mark: in one sweep where they are many, the rest one by one."""
        self.torn = block.breaks[:0]
        taken: set[int] = set()
        swept = sweeps and self.frequent and self._sweep(block, taken)
        hits = sum(len(matches.rows) for matches in self.candidates) if swept else self._walk(block, taken)
        self.frequent = hits * SWEEP_GAIN > block.lines * len(self.candidates)
        return (matches.settle(block) for matches in self.candidates if matches.rows)

    def _sweep(self, block: Block, taken: set[int]) -> bool:
        """Sweep for one variant after the other, adding to ``taken``; returns whether no line with the mark is left."""
        for matches in self.candidates:
            places, complete = matches.sweep(block, self.mark)
            if complete:
                return True
            taken.update(places.tolist())
        return False

    def _walk(self, block: Block, taken: set[int]) -> int:
        """Try every line that holds the mark and is not taken; the loop is plain because it runs once a line."""
        tries = [(line_pattern(m.variant).fullmatch, m.keep, m.variant.record != "fact") for m in self.candidates]
        mark, text, hits, torn = self.mark, block.text, 0, []
        hit = text.find(mark)
        while hit >= 0:
            hits += 1
            place = text.rfind(b"\n", 0, hit)
            end = text.find(b"\n", hit)
            end = len(text) if end < 0 else end
            if place not in taken:
                start, rank = after_prefix(text, place + 1, end)
                known = False
                for match, keep, is_all in tries:  # a line may state several facts, but is of one kind
                    if found := match(text, start, end):
                        known = True
                        if end < len(text) or not _may_go_on(found):
                            keep(place, rank, found)
                        if is_all:
                            break
                if not known:
                    torn += [place] * self._find_torn(place, rank, text[start : end + 1])
            hit = text.find(mark, end)
        self.torn = np.array(torn, dtype=np.int64)
        return hits

    def _find_torn(self, place: int, rank: bytes, line: bytes) -> bool:
        """Several processes that write one log run their lines together: find what is whole amid the rest."""
        any_found = False
        for matches in (m for m in self.candidates if m.variant.record in METRICS and m.variant.may_stand_in(line)):
            for found in torn_pattern(matches.variant).finditer(line):
                if not _may_go_on(found) or (found.end() == len(line) - 1 and line.endswith(b"\n")):
                    matches.keep(place, b"" if found.start() else rank, found)
                    any_found = True
        return any_found


def _may_go_on(found: re.Match[bytes]) -> bool:
    """Whether a match ends with a field, so that it holds half a number when it was cut off or torn there."""
    return bool(found.lastindex) and found.end(found.lastindex or 0) == found.end()

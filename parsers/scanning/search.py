"""A search: it finds the lines of variants that share a mark."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from ..grammar.format import METRICS
from ..grammar.variant import Variant
from .block import Block
from .matches import Found, Matches
from .prefix import after_prefix, line_pattern, rank_before, torn_pattern

# A sweep over a block looks at every line of it, but looking at one line alone takes about so many times as long.
SWEEP_GAIN = 8


@dataclass
class Search:
    """A mark, the variants whose lines hold it, and whether it stands on many lines."""

    mark: bytes
    candidates: list[Matches]
    frequent: bool = False
    torn: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, mark: bytes, variants: Sequence[Variant], sample: bytes, *, whole_only: bool) -> Self:
        """The search for a mark; it is frequent where it stands on many lines of a sample that may be metric lines."""
        search = cls(mark, [Matches(variant, whole_only) for variant in variants])
        is_on_many = sample.count(mark) * SWEEP_GAIN > sample.count(b"\n") * len(variants)
        search.frequent = search._is_of_signs or (search._finds_metrics and is_on_many)
        return search

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """Those of the candidates."""
        return tuple(matches.variant for matches in self.candidates)

    @cached_property
    def _is_of_signs(self) -> bool:
        """Whether no variant has a telling text: mere signs stand on many lines, hardly any of which is ours."""
        return not any(variant.telling for variant in self.variants)

    @cached_property
    def _finds_metrics(self) -> bool:
        return any(variant.record in METRICS for variant in self.variants)

    @cached_property
    def _may_share(self) -> bool:
        """Whether a line of these variants may be a metric line as well: an event or noise is none."""
        return self._finds_metrics or any(variant.record == "fact" for variant in self.variants)

    def run(self, block: Block, known: set[int], *, sweeps: bool, one: bool = False) -> Iterator[Found]:
        """Find the lines of a block that hold the mark: in one sweep where they are many, the rest one by one.

        ``known``: the places of the metric lines that other searches found; those of this one are added. ``one``: a
        line that is found one by one is enough, so there is no sweep but for lines that are hardly there.
        """
        self.torn = []
        taken = set() if self._may_share else set(known)
        is_frequent = self._is_of_signs if one else self.frequent
        is_done = sweeps and is_frequent and self._sweep(block, taken)
        hits = sum(len(matches.rows) for matches in self.candidates)
        if not is_done:
            hits += self._walk(block, taken, one=one)
        if hits or not is_done:
            self.frequent = hits * SWEEP_GAIN > block.lines * len(self.candidates)
        if self._finds_metrics:
            known.update(self._whole())
        return (matches.settle(block) for matches in self.candidates if matches.rows)

    def _whole(self) -> set[int]:
        """The places of the metric lines that were found with nothing else in them."""
        found = [matches for matches in self.candidates if matches.variant.record in METRICS]
        places = {place for matches in found for place in (*matches.places, *matches.swept.tolist())}
        return places.difference(self.torn)

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
        """Try every line that holds the mark and is not taken, and count them; plain, because it runs once a line."""
        mark, text, tried = self.mark, block.text, 0
        hit = text.find(mark)
        if hit < 0:
            return 0
        has_prefix = block.has_prefix
        tries = [(line_pattern(m.variant).fullmatch, m.keep, m.variant.record != "fact") for m in self.candidates]
        may_be_torn = any(m.may_be_torn for m in self.candidates)
        while hit >= 0:
            place = text.rfind(b"\n", 0, hit)
            end = text.find(b"\n", hit)
            end = len(text) if end < 0 else end
            if place not in taken:
                tried += 1
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
        return tried

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


def _may_go_on(found: re.Match[bytes]) -> bool:
    """Whether a match ends with a field, so that it holds half a number when it was cut off or torn there."""
    return bool(found.lastindex) and found.end(found.lastindex or 0) == found.end()

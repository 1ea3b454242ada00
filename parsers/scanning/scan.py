"""The scanner: finds the lines of a format in blocks of a log, and the texts of their fields.

To try an expression on every line costs more than all else, and few lines are of the format. So a line is tried only
where it holds a *mark*, a literal that every line of the variant has: bytes are searched for a literal at memory speed.
Which literal is rare differs from log to log ("loss:" may stand in every line), so marks are chosen by a sample of each
log. The choice decides speed only: whatever the mark, the same expression judges the same lines.

Blocks come in order and end with a whole line, so memory does not grow with the log, and line numbers are those of the
file. Real logs run lines of several processes together; a metric line amid other output is kept as *torn*, and only if
no search matches its whole line, lest one line be counted twice.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, compress

from ..grammar.format import METRICS
from ..grammar.variant import Variant
from .block import Block
from .matches import Found
from .multiline import RecordSearch, outside
from .search import Search
from .sieve import Sieve

# Trying a line costs about as much as searching this many bytes for each letter of a mark: long ones are found faster.
BYTES_PER_LETTER = 230


def marks(variants: Sequence[Variant], sample: bytes) -> dict[bytes, list[Variant]]:
    """Choose for each variant the literal by which its lines are found at least cost, judged by a sample of the log.

    A rare literal wins over a frequent one; one that another variant uses already costs no search of its own.
    Which one is chosen decides speed only, never what is found.
    """
    chosen: dict[bytes, list[Variant]] = {}
    counts: dict[bytes, int] = {}  # Many variants share a literal.

    def cost(mark: bytes) -> tuple[float, int]:
        if mark not in counts:
            counts[mark] = sample.count(mark)
        search = 0 if mark in chosen else len(sample) / (BYTES_PER_LETTER * len(mark))
        return counts[mark] + search, -len(mark)

    for variant in variants:
        texts = variant.texts
        chosen.setdefault(min(texts, key=cost) if len(texts) > 1 else texts[0], []).append(variant)
    return chosen


def told_apart(by_search: list[list[Found]], torn: list[set[int]]) -> Iterator[Found]:
    """What the searches of a block found; of a line that is whole for one of them no other one keeps a part.

    ``torn``: for each search the numbers of the lines that hold a metric line amid other output; whole ones are taken
    out.
    """
    whole = set(_whole(by_search, torn)) if any(torn) else set()
    for lines, parts in zip(by_search, torn, strict=True):
        known = parts & whole
        parts.difference_update(known)
        yield from (_without(found, known) for found in lines) if known else lines


def _whole(by_search: list[list[Found]], torn: list[set[int]]) -> Iterator[int]:
    """The numbers of whole metric lines."""
    for lines, parts in zip(by_search, torn, strict=True):
        for found in (found for found in lines if found.variant.record in METRICS):
            yield from (number for number in found.numbers.tolist() if number not in parts)


def _without(found: Found, numbers: set[int]) -> Found:
    stays = [number not in numbers for number in found.numbers.tolist()]
    return replace(found, numbers=found.numbers[stays], rows=list(compress(found.rows, stays)))


# Marks are chosen by this part of a block.
SAMPLED = 16
SMALLEST_SAMPLE = 1 << 12


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
        self._searches: list[Search] = []
        self._looked_for = frozenset[Variant]()
        self._sweeps = True

    def feed(self, data: bytes) -> list[Found]:
        """Scan the next block, which ends with a whole line; returns what was found of each variant."""
        return self.scan(Block.after(self.total, data))

    def may_find(self, block: Block) -> bool:
        """Whether a look at a block leaves it open that there are lines in it."""
        return bool(self._open(block))

    def first(self, block: Block) -> list[Found]:
        """A line or some of a first block, where there are any: what the first search that finds some has found."""
        self._choose(frozenset(self._variants), block)
        by_search = chain(
            (search.run(block, set(), sweeps=not block.has_prefix, one=True) for search in self._searches),
            (search.run(block) for search in self._records),
        )
        return next(filter(None, map(list, by_search)), [])

    def scan(self, block: Block) -> list[Found]:
        """As ``feed``, for a block that was made of the text."""
        if not self.total:
            self._sweeps = not block.has_prefix
        variants = self._open(block)
        if not variants <= self._looked_for:
            self._choose(self._looked_for | variants, block)
        searches = [search for search in self._searches if not variants.isdisjoint(search.variants)]
        known: set[int] = set()
        by_search = [list(search.run(block, known, sweeps=self._sweeps)) for search in searches]
        torn = [search.torn_numbers(block) for search in searches]
        found = list(told_apart(by_search, torn))
        self.torn += sorted(set().union(*torn))
        self.total += block.lines
        records = [found for search in self._records for found in search.run(block)]
        return [*(outside(lines, records) for lines in found), *records] if records else found

    def _choose(self, variants: frozenset[Variant], block: Block) -> None:
        """Choose by a block how the lines of variants are searched for."""
        self._looked_for = variants
        sample = block.text[-max(SMALLEST_SAMPLE, len(block.text) // SAMPLED) :]
        chosen = marks([v for v in self._variants if v in variants and not v.spans], sample)
        self._searches = [
            Search.of(mark, of_mark, sample, whole_only=self.whole_only) for mark, of_mark in chosen.items()
        ]

    def _open(self, block: Block) -> frozenset[Variant]:
        """The variants whose texts may all be in a block."""
        return frozenset(compress(self._variants, _sieve(self._variants).passes(block.fours).tolist()))


@lru_cache(256)
def _sieve(variants: tuple[Variant, ...]) -> Sieve:
    return Sieve([variant.needs for variant in variants])

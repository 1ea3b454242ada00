"""Records of several lines, such as the objects of a document in JSON."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from ..grammar.variant import Variant
from .block import Block
from .matches import Found

# A log that goes on for so long without the end of a record has none that began before.
LONGEST_RECORD = 1 << 20


@cache
def _pattern(variant: Variant) -> re.Pattern[bytes]:
    """A whole record in a text, from the newline before it; the group of the rank is empty."""
    return re.compile(f"\n(){variant.source}(?=\n|\\Z)".encode())


class RecordSearch:
    """Finds the records of one variant that has several lines."""

    def __init__(self, variant: Variant) -> None:
        self._variant = variant

    def run(self, block: Block) -> Iterator[Found]:
        """The records that lie in a block whole."""
        if not self._variant.may_stand_in(block.text):
            return
        matches = list(_pattern(self._variant).finditer(block.text))
        if matches:
            firsts = block.rows(np.array([match.start() for match in matches]))
            lasts = block.rows(np.array([match.end() - 1 for match in matches]))
            further = np.concatenate([np.arange(a + 1, b + 1) for a, b in zip(firsts, lasts, strict=True)])
            rows = [match.groups(b"") for match in matches]
            yield Found(self._variant, block.numbers(firsts), rows, block.numbers(further))


def outside(found: Found, records: Sequence[Found]) -> Found:
    """The lines that are of no record of several lines."""
    inside = np.concatenate([numbers for x in records for numbers in (x.numbers, x.further) if numbers is not None])
    left = ~np.isin(found.numbers, inside)
    rows = [row for row, stays in zip(found.rows, left.tolist(), strict=True) if stays]
    return replace(found, numbers=found.numbers[left], rows=rows)


def whole_records(blocks: Iterable[bytes], variants: Sequence[Variant]) -> Iterator[bytes]:
    """The same text in blocks that end where a record of several lines does, so that none is cut in two."""
    spanning = [variant for variant in variants if variant.spans]
    rest = b""
    for block in blocks:
        rest += block
        end = _last_end(rest, spanning) if spanning else len(rest)
        end = max(end, rest.rfind(b"\n", 0, max(len(rest) - LONGEST_RECORD, 0)) + 1)
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _last_end(text: bytes, variants: Sequence[Variant]) -> int:
    """Where the line ends that ends the last record; 0 where there is none."""
    ends = [match.end() for v in variants if v.may_stand_in(text) for match in _pattern(v).finditer(b"\n" + text)]
    return text.find(b"\n", max(ends) - 1) + 1 if ends else 0

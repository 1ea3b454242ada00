"""What formats find in the lines of blocks of text."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from parsers.grammar.format import Format
from parsers.grammar.variant import Variant
from parsers.scanning.judging import Hit, KnownShapes, LineJudge, spans_of


def some_format(variants: Sequence[Variant]) -> Format:
    """A format of these variants."""
    return Format("some", Path("some.lark"), "", tuple(variants))


def found_in(fmt: Format, *blocks: bytes) -> Iterator[tuple[int, Variant]]:
    """The physical number and the variant of each line that a format knows, or that begins a record of several."""
    known, before = KnownShapes([fmt]), 0
    for block in blocks:
        lines = known.table.lines(block, before)
        for records in known.of(fmt).records(lines):
            yield from ((number, records.variant) for number in lines.numbers(records.first).tolist())
        for meaning, rows, _ in known.of(fmt).groups(lines, np.ones(len(lines), np.bool_)):
            every = [variant for variant, times in meaning.variants for _ in range(times)]
            yield from ((number, variant) for variant in every for number in lines.numbers(rows).tolist())
        before += len(lines)


def judge(*lines: bytes) -> LineJudge:
    """The judge of some lines, which end with newlines."""
    return LineJudge(b"".join(lines), np.cumsum([0, *map(len, lines)])[:-1])


def told(hits: Iterable[Hit]) -> list[tuple[Variant, bool, list[list[int]]]]:
    """What hits say of a line: variants, and where the fields stand in it."""
    return [(hit.variant, hit.is_torn, spans_of(hit.variant, [hit])[0].tolist()) for hit in hits]

"""The text of one log, block by block, read as often as it is asked for."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from ..grammar.format import Format
from ..io.errors import LogError
from .format_shapes import FormatShapes, KnownShapes
from .shapes import ShapedLines
from .source import Source, is_text, what_it_is

# A log that goes on for so long without the end of a record has none that began before.
LONGEST_RECORD = 1 << 20
_HEAD = 1 << 16  # by so many bytes a binary file is told


class LogText:
    """The text of a log; its first blocks, all of a small one, are read once and looked at as the same lines each time.

    ``source``: what the bytes were read from, which describes the file after its blocks were read.
    """

    def __init__(self, path: Path) -> None:
        self.source = Source(path)
        self._first: list[bytes] = []
        self._rest: Iterator[bytes] = iter(())
        self._is_passed = True
        self._shaped: tuple[KnownShapes, ShapedLines] | None = None

    @property
    def first_block(self) -> bytes:
        """The first block; raises LogError as ``blocks`` does."""
        if not self._first:
            self._open()
        return self._first[0]

    def blocks(self, known: KnownShapes, formats: Sequence[Format] = ()) -> Iterator[ShapedLines]:
        """The lines, block by block, in which no record of several lines that these formats know is cut in two.

        Raises LogError as ``Source.blocks`` does, and for a binary file.
        """
        spanning = [known.of(fmt) for fmt in formats if any(variant.spans for variant in fmt.variants)]
        blocks = self._shaped_blocks(known)
        yield from whole_records(blocks, spanning) if spanning else blocks

    def _shaped_blocks(self, known: KnownShapes) -> Iterator[ShapedLines]:
        total = 0
        for data in self.data():
            lines = self.shaped(data, known, total)
            total += len(lines)
            yield lines

    def shaped(self, data: bytes, known: KnownShapes, before: int = 0) -> ShapedLines:
        """The lines of a block that follows so many others."""
        if data is not self._first[0]:
            return known.table.lines(data, before)
        if self._shaped is None or self._shaped[0] is not known:
            self._shaped = known, known.table.lines(data)
        return self._shaped[1]

    def data(self) -> Iterator[bytes]:
        """The bytes of blocks of whole lines as they stand in the log, unpacked; raises LogError as ``blocks`` does."""
        if self._is_passed:
            self._open()
        yield from self._first
        if len(self._first) > 1:
            self._is_passed = True
            yield from self._rest

    def _open(self) -> None:
        self.source = Source(self.source.path)
        self._rest = self.source.blocks()
        self._first = list(islice(self._rest, 2))
        if not is_text(self._first[0][:_HEAD]):
            raise LogError.at(self.source.path, what_it_is(self._first[0]))
        self._is_passed = False


def whole_records(blocks: Iterable[ShapedLines], formats: Sequence[FormatShapes]) -> Iterator[ShapedLines]:
    """The same lines in blocks that end where a record of several lines does, or before the next that may begin one."""
    rest: ShapedLines | None = None
    for block in blocks:
        lines = rest.followed_by(block) if rest else block
        end = _end_of_records(lines, formats)
        whole, rest = lines.parted(end) if end < len(lines) else (lines, None)
        if end:
            yield whole
    if rest:
        yield rest


def _end_of_records(lines: ShapedLines, formats: Sequence[FormatShapes]) -> int:
    """How many lines there are before the first record that may go on behind the last line."""
    every = np.arange(len(lines))
    begins = np.flatnonzero(np.any([fmt.begins(lines, every) for fmt in formats], axis=0))
    if not len(begins):
        return len(lines)
    found = [records for fmt in formats for records in fmt.records(lines, every)]
    # One that ends with the last line may go on as well.
    last = max((int(x.first[-1] - 1 if x.all[-1] == every[-1] else x.all[-1]) for x in found), default=-1)
    may_go_on = int(np.append(begins[begins > last], len(lines))[0])
    too_far = int(np.searchsorted(lines.starts, len(lines.data) - LONGEST_RECORD, side="right")) - 1
    return max(may_go_on, too_far)

"""The text of one log, block by block, read as often as it is asked for."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from ..grammar.variant import Variant
from ..io.errors import LogError
from .format_shapes import KnownShapes
from .multiline import whole_records
from .shapes import ShapedLines
from .source import Source, is_text, what_it_is

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

    def blocks(self, known: KnownShapes, variants: Sequence[Variant] = ()) -> Iterator[ShapedLines]:
        """The lines, block by block, in which no record of several lines that ``variants`` know is cut in two.

        Raises LogError as ``Source.blocks`` does, and for a binary file.
        """
        total = 0
        for data in whole_records(self.data(), variants):
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

"""The text of one log, block by block, read as often as it is asked for."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..grammar.variant import Variant
from ..io.errors import LogError
from .format_shapes import KnownShapes
from .multiline import whole_records
from .shapes import ShapedLines
from .source import BINARY, Source, is_text

_HEAD = 1 << 16  # by so many bytes a binary file is told


class LogText:
    """The text of a log; a small one, of a single block, is read once and looked at as the same lines each time.

    ``source``: what the bytes were read from, which describes the file after its blocks were read.
    """

    def __init__(self, path: Path) -> None:
        self.source = Source(path)
        self._only: bytes | None = None
        self._lines: tuple[KnownShapes, ShapedLines] | None = None

    def blocks(self, known: KnownShapes, variants: Sequence[Variant] = ()) -> Iterator[ShapedLines]:
        """The lines, block by block, in which no record of several lines that ``variants`` know is cut in two.

        Raises LogError as ``Source.blocks`` does, and for a binary file.
        """
        total = 0
        for data in whole_records(self.data(), variants):
            lines = self._shaped(data, known, total)
            total += len(lines)
            yield lines

    def _shaped(self, data: bytes, known: KnownShapes, before: int) -> ShapedLines:
        if data is not self._only:
            return known.table.lines(data, before)
        if self._lines is None or self._lines[0] is not known:
            self._lines = known, known.table.lines(data)
        return self._lines[1]

    def data(self) -> Iterator[bytes]:
        """The bytes of blocks of whole lines as they stand in the log, unpacked; raises LogError as ``blocks`` does."""
        if self._only is not None:
            yield self._only
            return
        self.source = Source(self.source.path)
        data = self.source.blocks()
        first, second = next(data), next(data, None)
        if not is_text(first[:_HEAD]):
            raise LogError.at(self.source.path, BINARY)
        if second is None:
            self._only = first
        yield first
        if second is not None:
            yield second
            yield from data

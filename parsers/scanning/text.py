"""The text of one log, block by block, read as often as it is asked for."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..grammar.format import Format
from ..io.errors import CANNOT_BE_READ, LogError, reason_of
from ..io.files import ERRORS, opened, unpacked
from .judging import FormatShapes, KnownShapes
from .shapes import ShapedLines
from .source import BINARY, clean, is_text

BLOCK = 1 << 21
BUFFER = 1 << 16  # less than a block, which is read past it
LONGEST_LINE = 64 << 20
TOO_LONG_A_LINE = "has a line longer than {size} MiB and is not a text log."
# A log that goes on for so long without the end of a record has none that began before.
LONGEST_RECORD = 1 << 20
_HEAD = 1 << 16  # by so many bytes a binary file is told
# The C library gives memory of this size back at once, and clearing it anew for each block takes a fifth of the time to
# read a log, until it has seen something larger come and go.
bytes(4 * BLOCK)


class LogText:
    """The text of a log, opened plain or compressed, and handed out in blocks of whole lines, as often as is asked for.

    Its first blocks, all of a small log, are read once and looked at as the same lines each time. ``sha256`` and
    ``size`` are of the file as it lies on disk, and ``cut`` is whether its last line has no newline; all of these
    after its blocks were read.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.cut = path, False
        self._counted = _Counted(io.BytesIO())
        self._first: list[bytes] = []
        self._rest: Iterator[bytes] = iter(())
        self._is_passed = True
        self._shaped: tuple[KnownShapes, ShapedLines] | None = None

    @property
    def sha256(self) -> str:
        """Hexadecimal digest of the bytes read so far."""
        return self._counted.hash.hexdigest()

    @property
    def size(self) -> int:
        """How many these are."""
        return self._counted.size

    @property
    def first_block(self) -> bytes:
        """The first block; raises LogError as ``data`` does."""
        if not self._first:
            self._begin()
        return self._first[0]

    def blocks(self, known: KnownShapes, formats: Sequence[Format] = ()) -> Iterator[ShapedLines]:
        """The lines, block by block, in which no record of several lines that these formats know is cut in two.

        Raises LogError as ``data`` does.
        """
        spanning = [known.of(fmt) for fmt in formats if known.of(fmt).spanning]
        rest, before = b"", 0
        for data in self.data():
            if before or rest or data is not self.first_block:
                lines = known.table.lines(rest + data, before)
            else:
                if self._shaped is None or self._shaped[0] is not known:
                    self._shaped = known, known.table.lines(data)
                lines = self._shaped[1]
            end = _end_of_records(lines, spanning) if spanning else len(lines)
            rest = b""
            if end < len(lines):
                rest, lines = lines.data[lines.starts[end] : lines.ends[-1]], lines.up_to(end)
            before += end
            if end:
                yield lines
        if rest:
            yield known.table.lines(rest, before)

    def data(self) -> Iterator[bytes]:
        """The bytes of blocks of whole lines as they stand in the log, unpacked, about two MiB each.

        Raises LogError for what is missing, a folder, empty, binary, broken, or holds a line of more than 64 MiB.
        """
        if self._is_passed:
            self._begin()
        yield from self._first
        if len(self._first) > 1:
            self._is_passed = True
            yield from self._rest

    def _begin(self) -> None:
        self.cut = False
        self._rest = self._read()
        self._first = list(islice(self._rest, 2))
        if not self._first:
            raise LogError.at(self.path, "is empty.")
        if not is_text(self._first[0][:_HEAD]):
            raise LogError.at(self.path, BINARY)
        self._is_passed = False

    def _read(self) -> Iterator[bytes]:
        try:
            with opened(self.path) as file:
                self._counted = _Counted(file)
                yield from self._whole_lines(unpacked(io.BufferedReader(self._counted, BUFFER)))
        except IsADirectoryError as error:
            raise LogError.at(self.path, "is a folder; pass a log file.") from error
        except FileNotFoundError as error:
            raise LogError.at(self.path, "file not found.") from error
        except (OSError, *ERRORS) as error:
            raise LogError.at(self.path, CANNOT_BE_READ, reason=reason_of(error)) from error

    def _whole_lines(self, stream: io.BufferedReader) -> Iterator[bytes]:
        """The blocks of a stream; a small log is one."""
        again, size = _Again(stream), BLOCK
        reader = io.BufferedReader(again, BUFFER)
        while True:
            # To copy a block takes as long as to look at its lines; BytesIO cuts bytes that nobody else holds in place.
            block = io.BytesIO(reader.read(size))
            length, end = len(block.getvalue()), block.getvalue().rfind(b"\n") + 1
            if length < size:
                break
            if not end and length >= LONGEST_LINE:
                raise LogError.at(self.path, TOO_LONG_A_LINE, size=LONGEST_LINE >> 20)
            again.rest, size = block.getvalue()[end:], BLOCK if end else 2 * size
            if end:
                block.truncate(end)
                yield block.getvalue()
        # What no eye sees is no line: UTF-16 ends with a NUL byte, a file that was laid out in advance with many, and
        # colours with an escape. An order mark is one at the start of a log only.
        rest = block.getvalue()
        self.cut = end < length and clean(rest[max(end - 1, 0) :]) not in (b"", b"\n")
        if rest := rest if self.cut else rest[:end]:
            yield rest


class _Again(io.RawIOBase):
    """A stream of which the ``rest`` is read again first."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream, self.rest = stream, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        kept, self.rest = self.rest, b""
        buffer[: len(kept)] = kept
        return len(kept) + self._stream.readinto(buffer[len(kept) :])


class _Counted(io.RawIOBase):
    """A file whose bytes are counted as they are read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.hash, self.size = file, hashlib.sha256(), 0

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        size = self._file.readinto(buffer)  # type: ignore[attr-defined]
        self.hash.update(memoryview(buffer)[:size])
        self.size += size
        return int(size)


def _end_of_records(lines: ShapedLines, formats: Sequence[FormatShapes]) -> int:
    """How many lines there are before the first record that may go on behind the last line."""
    begins = np.unique(np.concatenate([fmt.begins(lines) for fmt in formats]))
    if not len(begins):
        return len(lines)
    # One that ends with the last line may go on as well.
    ends = np.concatenate([np.zeros(0, np.intp), *(found.last for fmt in formats for found in fmt.records(lines))])
    last = max(ends[ends < len(lines) - 1].tolist(), default=-1)
    may_go_on = int(np.append(begins[begins > last], len(lines))[0])
    too_far = int(np.searchsorted(lines.starts, len(lines.data) - LONGEST_RECORD, side="right")) - 1
    return max(may_go_on, too_far)

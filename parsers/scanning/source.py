"""The bytes of a log: opened plain or compressed, hashed as they lie on disk, handed out in blocks of whole lines."""

import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..io.errors import CANNOT_BE_READ, LogError, reason_of
from ..io.files import opened
from ..io.message import Message
from ..io.packed import ERRORS, unpacked
from .kernel import COMPILED, LIBRARY

BLOCK = 1 << 21
BUFFER = 1 << 16  # less than a block, which is read past it
LONGEST_LINE = 64 << 20
TOO_LONG_A_LINE = "has a line longer than {size} MiB and is not a text log."
BINARY = "is a binary file, not a text log."
EVENT_FILE = (
    "is an event file of TensorBoard: run `pip install tbparse`, write its scalars as CSV with "
    "`tbparse.SummaryReader(FILE, extra_columns={'wall_time'}).scalars.to_csv('scalars.csv')`, and pass that."
)
_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_NOT_TEXT = bytes(set(range(32)) - set(b"\0\a\b\t\n\v\f\r\x1b")) + b"\x7f"
# What a terminal takes for colours, places, titles and modes (ECMA-48): a control sequence, a string, or two bytes.
ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\-_])")


class Source:
    """One log. After its blocks were read, ``sha256`` and ``bytes`` describe the file as it lies on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cut = False
        self._hash = hashlib.sha256()
        self.bytes = 0

    @property
    def sha256(self) -> str:
        """Hexadecimal digest of the bytes read so far."""
        return self._hash.hexdigest()

    def blocks(self) -> Iterator[bytes]:
        """Blocks of whole lines, about a MiB each; ``cut`` is set when the last line has no newline.

        Raises LogError for what is missing, a folder, empty, binary, broken, or holds a line of more than 64 MiB.
        """
        empty = True
        with self._open() as stream:
            for block in self._whole_lines(stream):
                empty = False
                yield block
        if empty:
            raise LogError.at(self.path, "is empty.")

    def _whole_lines(self, stream: io.BufferedIOBase) -> Iterator[bytes]:
        """The same, of a stream; a small log is one block."""
        block, wanted = stream.read(BLOCK), BLOCK
        while len(block) == wanted:
            end = block.rfind(b"\n") + 1
            if end:
                yield block[:end]
            elif wanted > LONGEST_LINE:
                raise LogError.at(self.path, TOO_LONG_A_LINE, size=LONGEST_LINE >> 20)
            wanted = len(block) - end + BLOCK
            block = block[end:] + stream.read(BLOCK)
        if rest := self._without_tail(block):
            yield rest

    def _without_tail(self, block: bytes) -> bytes:
        """What follows the last newline, if any; what no eye sees is no line.

        UTF-16 ends with a NUL byte, a file that was laid out in advance with many, and colours with an escape.
        """
        end = block.rfind(b"\n") + 1
        # An order mark is one at the start of a log only.
        self.cut = end < len(block) and clean(block[max(end - 1, 0) :]) not in (b"", b"\n")
        return block if self.cut else block[:end]

    @contextmanager
    def _open(self) -> Iterator[io.BufferedIOBase]:
        try:
            with opened(self.path) as file:
                yield unpacked(io.BufferedReader(_Counted(file, self), BUFFER))
        except (OSError, *ERRORS) as error:
            raise LogError.at(self.path, _reason(error)) from error

    def count(self, data: memoryview) -> None:
        """Take note of bytes as they lie on disk."""
        self._hash.update(data)
        self.bytes += len(data)


class _Counted(io.RawIOBase):
    """A file whose bytes are counted and hashed as they are read."""

    def __init__(self, file: BinaryIO, source: Source) -> None:
        self._file, self._source = file, source

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        size = self._file.readinto(buffer)  # type: ignore[attr-defined]
        self._source.count(memoryview(buffer)[:size])
        return int(size)


def _reason(error: Exception) -> Message:
    if isinstance(error, IsADirectoryError):
        return Message("is a folder; pass a log file.")
    if isinstance(error, FileNotFoundError):
        return Message("file not found.")
    return Message(CANNOT_BE_READ, reason=reason_of(error))


def is_text(block: bytes) -> bool:
    """Whether a block of a file looks like text: hardly any control characters that no terminal prints."""
    return len(block) - len(block.translate(None, _NOT_TEXT)) <= len(block) // 50


def what_it_is(block: bytes) -> str:
    """What a file is that is no text, by its first bytes, as a sentence."""
    return EVENT_FILE if b"brain.Event:" in block[:64] else BINARY


def clean(block: bytes) -> bytes:
    """A block without NUL bytes, ANSI escapes and the byte order mark. Newlines, and so line numbers, stay."""
    if b"\0" in block:
        block = block.replace(b"\0", b"")
    if b"\x1b" in block:
        block = without_escapes(block)
    for mark in _ORDER_MARKS:
        block = block.removeprefix(mark)
    return block


def without_escapes(data: bytes, *, compiled: bool = COMPILED) -> bytes:
    """A text without the escapes of terminals."""
    if compiled and LIBRARY is not None:
        rest = np.empty(len(data), np.uint8)
        return rest[: LIBRARY.without_escapes(data, len(data), rest.ctypes.data)].tobytes()
    return ESCAPE.sub(b"", data)

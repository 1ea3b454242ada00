"""Rewriting a log: its text in blocks of whole lines, and a copy in the same packing and encoding."""

import bz2
import codecs
import gzip
import io
import lzma
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from ..io.errors import CANNOT_BE_READ, LogError, reason_of
from ..io.files import opened
from ..io.packed import ERRORS, ending, unpacked

BLOCK = 1 << 20
_PACKED: dict[str, Callable[[BinaryIO], AbstractContextManager[Any]]] = {
    ".gz": lambda file: gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0),
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115 - whoever asks for it closes it
    ".zst": lambda file: zstandard.ZstdCompressor().stream_writer(file, closefd=False),
}
_WIDE = 1 << 12  # bytes that tell whether every other one is NUL


def text_blocks(path: Path) -> Iterator[bytes]:
    """The text of a log, plain or packed, about a MiB of whole lines each; UTF-16 as UTF-8.

    Raises LogError when it cannot be read.
    """
    with _opened(path) as text:
        yield from text.lines()


def rewrite(path: Path, copy: Path, changed: Callable[[bytes], bytes]) -> None:
    """Write a copy of a log in which ``changed`` was made of every block of whole lines.

    It is packed and encoded as the log is. Raises LogError when the log cannot be read, OSError when the copy cannot
    be written.
    """
    with _opened(path) as text, _packed_like(path, copy) as target:
        for block in text.lines():
            target.write(text.encoded(changed(block)))
        target.write(text.rest())


class _Text:
    """A stream of bytes as text that is made of ASCII and bytes that are passed on as they are."""

    def __init__(self, path: Path, stream: io.BufferedReader) -> None:
        self._path, self._stream = path, stream
        with _reading(path):
            self._codec = _wide(stream.peek(_WIDE)[:_WIDE])
        self._decoder = codecs.getincrementaldecoder(self._codec)("surrogatepass") if self._codec else None

    def lines(self) -> Iterator[bytes]:
        """Blocks of whole lines."""
        begun: list[bytes] = []
        while data := self._read():
            head, newline, tail = self._decoded(data).rpartition(b"\n")
            if newline:
                yield b"".join([*begun, head, newline])
                begun.clear()
            begun.append(tail)
        if last := b"".join(begun):
            yield last

    def encoded(self, text: bytes) -> bytes:
        """A text as it stands in the stream."""
        return text.decode("utf-8", "surrogatepass").encode(self._codec, "surrogatepass") if self._codec else text

    def rest(self) -> bytes:
        """Bytes at the end of the stream that are half a letter."""
        return self._decoder.getstate()[0] if self._decoder else b""

    def _read(self) -> bytes:
        with _reading(self._path):
            return self._stream.read(BLOCK)

    def _decoded(self, data: bytes) -> bytes:
        return self._decoder.decode(data).encode("utf-8", "surrogatepass") if self._decoder else data


def _wide(head: bytes) -> str:
    """The name of UTF-16, if a stream begins so: with its mark, or as ASCII of which every other byte is NUL."""
    low, high = (head[first::2].count(0) * 8 > len(head) * 3 for first in (1, 0))
    if head.startswith(codecs.BOM_UTF16_LE) or (low and not high):
        return "utf-16-le"
    return "utf-16-be" if head.startswith(codecs.BOM_UTF16_BE) or (high and not low) else ""


@contextmanager
def _opened(path: Path) -> Iterator["_Text"]:
    with _reading(path):
        file = opened(path)
    with file:
        yield _Text(path, io.BufferedReader(cast(io.RawIOBase, unpacked(file)), BLOCK))


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, *ERRORS) as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error


@contextmanager
def _packed_like(path: Path, copy: Path) -> Iterator[BinaryIO]:
    """A file to be written in the packing of another; what a gzip file says of its time and name is left out."""
    with opened(path) as like, copy.open("wb") as file:
        packed = _PACKED.get(ending(like.read(16)))
        if packed is None:
            yield file
            return
        with packed(file) as target:
            yield target

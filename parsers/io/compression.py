"""Packed logs: gzip, bzip2, xz and zstandard files are unpacked as they are read, and no further than they may.

One that is cut short is an error.
"""

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator

import zstandard

from .limits import Allowance, TooLargeError, unpacking

# How a file is packed is told by its first bytes; its name ends so.
ENDINGS = {
    b"\x1f\x8b": ".gz",
    b"\xfd7zXZ\0": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
    **{b"BZh%d1AY&SY" % level: ".bz2" for level in range(1, 10)},
}
SUFFIXES = tuple(dict.fromkeys(ENDINGS.values()))
ERRORS = (EOFError, lzma.LZMAError, zlib.error, zstandard.ZstdError, TooLargeError)
# So few bytes at a time because a log packs well: they may become a thousand times as many.
PACKED = 1 << 14
PIECE = 1 << 16
_LONGEST_MAGIC = max(map(len, ENDINGS))


def ending(head: bytes) -> str:
    """The ending that belongs to a file with these first bytes; none where it is not packed."""
    return next((ending for magic, ending in ENDINGS.items() if head.startswith(magic)), "")


def unpacked(file: io.BufferedReader) -> io.BufferedReader:
    """The stream of a file itself, or what is packed in it.

    Reading it raises one of ``ERRORS``, or OSError, where it is broken or becomes more than it may.
    """
    found = ending(file.peek(_LONGEST_MAGIC)[:_LONGEST_MAGIC])
    if not found:
        return file
    pieces = _frames(file) if found == ".zst" else _pieces(_opened(file, found))
    allowance = unpacking(os.fstat(file.fileno()).st_size)
    return io.BufferedReader(_Chunks(_allowed(pieces, allowance)), PIECE)


def _opened(file: io.BufferedReader, ending_: str) -> gzip.GzipFile | lzma.LZMAFile | bz2.BZ2File:
    if ending_ == ".gz":
        return gzip.GzipFile(fileobj=file)
    return lzma.LZMAFile(file) if ending_ == ".xz" else bz2.BZ2File(file)


def _pieces(stream: gzip.GzipFile | lzma.LZMAFile | bz2.BZ2File) -> Iterator[bytes]:
    while data := stream.read(PIECE):
        yield data


def _allowed(pieces: Iterator[bytes], allowance: Allowance) -> Iterator[bytes]:
    """The same pieces, as far as they may come."""
    for piece in pieces:
        allowance.take(len(piece))
        yield piece


def _frames(file: io.BufferedReader) -> Iterator[bytes]:
    """The texts of all frames of a zstandard file; its own stream reader does not tell when the last one is cut."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    while data := file.read(PACKED):
        while data:
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(data)
            data = frame.unused_data
    if not frame.eof:
        raise EOFError("Compressed file ended before the end of its last frame")


class _Chunks(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = chunk
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

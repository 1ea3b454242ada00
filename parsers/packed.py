"""Packed logs: gzip, xz and zstandard files are unpacked as they are read, and one that is cut short is an error."""

import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import zstandard

# How a file is packed is told by its first bytes; its name ends so.
ENDINGS = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
SUFFIXES = tuple(ENDINGS.values())
ERRORS = (EOFError, lzma.LZMAError, zlib.error, zstandard.ZstdError)
# So few bytes at a time because a log packs well: they may become a thousand times as many.
PACKED = 1 << 14


def ending(head: bytes) -> str:
    """The ending that belongs to a file with these first bytes; none where it is not packed."""
    return next((ending for magic, ending in ENDINGS.items() if head.startswith(magic)), "")


def unpacked(file: io.BufferedReader) -> BinaryIO:
    """The stream itself, or what is packed in it; reading it raises one of ``ERRORS`` where it is broken."""
    match ending(file.peek(8)):
        case ".gz":
            return gzip.GzipFile(fileobj=file)  # type: ignore[return-value]
        case ".xz":
            return lzma.LZMAFile(file)  # type: ignore[return-value]
        case ".zst":
            return io.BufferedReader(_Chunks(_frames(file)))
    return file


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

"""Packed files: gzip, bzip2, xz and zstandard are unpacked as they are read, and no further than they may.

What they, archives and downloads may become is limited wherever they are read, so that none fills the disk or takes
for ever. A packed file in a packed file is not opened. One that is cut short is an error.
"""

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from .errors import ExtraError, TachographError, extra
from .lazy import zstandard
from .message import Message

MIB, GIB = 1 << 20, 1 << 30
LEAST = 64 * MIB
# Logs repeat themselves and pack well, to a hundredth at times; what is made to fill disks packs to a thousandth.
TIMES = 250
MOST_MEMBERS = 1 << 16
LARGEST_DOWNLOAD = 64 * GIB
VARIABLE = "TACHOGRAPH_UNPACKED_GIB"
UNPACKS_TO_MORE = "it unpacks to more than {size} MiB; set {variable}=1 to allow 1 GiB, or unpack it first"
LARGER_DOWNLOAD = "it is larger than {size} GiB; download it, then pass the file"
TOO_MANY_MEMBERS = "it has more than {count} members; unpack it, then pass the folder"
NEEDS_ZSTANDARD = "Files ending in .zst need"
NO_NUMBER_OF_GIB = "${variable} is {said}; expected a number of GiB"


class TooLargeError(TachographError):
    """Something becomes more than it may; the message goes on from "cannot be read"."""


class Allowance:
    """So many bytes may still come; ``told`` is what is said when there are more."""

    def __init__(self, most: int, told: Message) -> None:
        self._left, self._told = most, told

    def take(self, size: int) -> None:
        """Use up some bytes; raises TooLargeError when they are more than is left."""
        self._left -= size
        if self._left < 0:
            raise TooLargeError(self._told)


def unpacking(packed: int) -> Allowance:
    """What so many packed bytes may unpack to: 250 times as many, or 64 MiB or what the user allows if that is more.

    Raises TooLargeError where $TACHOGRAPH_UNPACKED_GIB is not a number.
    """
    said = os.environ.get(VARIABLE, "0")
    try:
        most = max(LEAST, TIMES * packed, int(float(said) * GIB))
    except (ValueError, OverflowError) as error:
        raise TooLargeError(NO_NUMBER_OF_GIB, variable=VARIABLE, said=repr(said)) from error
    return Allowance(most, Message(UNPACKS_TO_MORE, size=f"{most / MIB:,.0f}", variable=VARIABLE))


def downloading() -> Allowance:
    """What a file may have that comes over a network."""
    return Allowance(LARGEST_DOWNLOAD, Message(LARGER_DOWNLOAD, size=LARGEST_DOWNLOAD // GIB))


def check_members(count: int) -> None:
    """Raise TooLargeError where an archive has more members than any of logs has."""
    if count > MOST_MEMBERS:
        raise TooLargeError(TOO_MANY_MEMBERS, count=f"{MOST_MEMBERS:,}")


# How a file is packed is told by its first bytes; its name ends so.
ENDINGS = {
    b"\x1f\x8b": ".gz",
    b"\xfd7zXZ\0": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
    **{b"BZh%d1AY&SY" % level: ".bz2" for level in range(1, 10)},
}
SUFFIXES = tuple(dict.fromkeys(ENDINGS.values()))
ERRORS = (EOFError, lzma.LZMAError, zlib.error, TooLargeError, ExtraError)
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
    return io.BufferedReader(_Pieces(_UNPACK[found](file), unpacking(os.fstat(file.fileno()).st_size)), PIECE)


def _read(stream: Any) -> Iterator[bytes]:
    while data := stream.read(PIECE):
        yield data


def _frames(file: io.BufferedReader) -> Iterator[bytes]:
    """The texts of all frames of a zstandard file; its own stream reader does not tell when the last one is cut."""
    with extra("zstd", NEEDS_ZSTANDARD):
        frame = zstandard.ZstdDecompressor().decompressobj()
    while data := file.read(PACKED):
        while data:
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
            try:
                text = frame.decompress(data)
            except zstandard.ZstdError as error:
                raise EOFError(str(error)) from error
            yield text
            data = frame.unused_data
    if not frame.eof:
        raise EOFError("Compressed file ended before the end of its last frame")


_UNPACK: dict[str, Callable[[io.BufferedReader], Iterator[bytes]]] = {
    ".gz": lambda file: _read(gzip.GzipFile(fileobj=file)),
    ".bz2": lambda file: _read(bz2.BZ2File(file)),
    ".xz": lambda file: _read(lzma.LZMAFile(file)),  # noqa: SIM115 - whoever asks for it closes it
    ".zst": _frames,
}


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file, as far as they may come."""

    def __init__(self, pieces: Iterator[bytes], allowance: Allowance) -> None:
        self._pieces, self._allowance, self._rest = pieces, allowance, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._allowance.take(len(piece))
            self._rest = piece
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

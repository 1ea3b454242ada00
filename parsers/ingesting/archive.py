"""Archives: tar and zip files are unpacked under names of our own, and none can write elsewhere or fill the disk.

The files of a folder and of an archive are told alike, and so are those that are left out.
"""

import io
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import IO, BinaryIO, Self

from ..io import files
from ..io.files import write_pieces
from ..io.packed import ERRORS, Allowance, TooLargeError, check_members, ending, unpacked, unpacking
from ..scanning.source import is_text

IS_LINK = "is a symbolic link."
IS_HARD_LINK = "is a hard link."
IS_IRREGULAR = "is not a regular file."
IS_HIDDEN = "is hidden: its name or its folder's name begins with a dot."
ARCHIVE_NAME = re.compile(r"\.(zip|tar|tar\.\w+|tgz|tbz2?|txz|tzst)$", re.IGNORECASE)
BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    struct.error,
    OSError,
    ValueError,
    LookupError,
    RuntimeError,  # encrypted, a method of packing that is not known, or headers without end
    *ERRORS,
)
_PIECE = 1 << 16
_LONGEST_HEADER = 1 << 20
_ZIP = (b"PK\3\4", b"PK\5\6")
# The module unpacks all it has read of other methods at once: a few KiB of bzip2 become as many GiB.
IS_ENCRYPTED = "is encrypted."
OTHER_METHOD = "uses an unsupported compression method; supported: deflate and none."


@dataclass(frozen=True)
class File:
    """A file of a source: its ``path`` in the source, the ``place`` where its bytes are, its ``size`` if known."""

    path: str
    place: str
    size: int


class LeftOut(Exception):  # noqa: N818 - what is left out is told; it stops nothing
    """A file, folder or source that is not taken: the ``reason``, to go on with its ``name``: "is empty".

    ``is_unreadable``: whether a log may have been lost; otherwise the file is not a log.
    """

    def __init__(self, reason: str, name: str = "", *, is_unreadable: bool = False) -> None:
        super().__init__(reason, name)
        self.reason, self.name, self.is_unreadable = reason, name, is_unreadable

    def of(self, name: str) -> Self:
        """The same of the file of this name."""
        self.name = name
        return self


def names(path: str) -> list[str]:
    """The names of a path, without those that only lead somewhere else: ``..``, ``.`` and the root."""
    return [name for name in path.split("/") if name not in ("", ".", "..")]


def is_hidden(path: str) -> bool:
    """Whether a name of a path begins with a dot."""
    return any(name.startswith(".") for name in names(path))


Entry = tuple[str, Iterator[bytes]] | LeftOut


def is_archive(path: Path) -> bool:
    """Whether a file is a tar archive, packed or not, or a zip archive; its bytes say so, not its name."""
    with files.opened(path) as file:
        if file.peek(4).startswith(_ZIP):
            return True
        try:
            _Member.frombuf(unpacked(file).read(tarfile.BLOCKSIZE), "utf-8", "surrogateescape")
        except (tarfile.TarError, OSError, *ERRORS):
            return False
    return True


def unpack(archive: Path, into: Path) -> Iterator[File | LeftOut]:
    """The files of an archive that may be logs, each in a numbered file of the folder ``into``.

    Hidden files, links, devices and binary files are left out. Where the archive is broken, or unpacks to more than it
    may, what comes before is taken and the rest is left out. The ``name`` of what is left out is its path in the
    archive, empty for the archive as a whole.
    """
    try:
        with files.opened(archive) as file:
            entries = of_zip if file.peek(4).startswith(_ZIP) else _of_tar
        for number, entry in enumerate(entries(archive, unpacking(archive.stat().st_size))):
            path = entry.name if isinstance(entry, LeftOut) else entry[0]
            if is_hidden(path):
                yield LeftOut(IS_HIDDEN, path)
            else:
                yield entry if isinstance(entry, LeftOut) else _spooled(*entry, into / str(number))
    except BROKEN as error:
        yield LeftOut(f"cannot be read completely: {broken_because(error)}.", is_unreadable=True)


def _spooled(path: str, pieces: Iterator[bytes], place: Path) -> File | LeftOut:
    """Keep what is text, or a packed file that may hold one."""
    try:
        if not (head := next(pieces, b"")):
            return LeftOut("is empty.", path)
        if not (ending(head) or is_text(head)):
            return LeftOut("is a binary file.", path)
        return File(path, str(place), write_pieces(place, chain([head], pieces)))
    except TooLargeError:
        raise
    except BROKEN as error:
        return LeftOut(f"cannot be read: {broken_because(error)}.", path, is_unreadable=True)


def broken_because(error: Exception) -> str:
    """Why one of ``BROKEN`` was raised, without a full stop."""
    return str(getattr(error, "strerror", None) or error).rstrip(".")


def _pieces(open_: Callable[[], IO[bytes]], allowance: Allowance) -> Iterator[bytes]:
    """The data of an entry, as far as the archive is allowed to unpack; it is opened when it is read."""
    with open_() as stream:
        while data := stream.read(_PIECE):
            allowance.take(len(data))
            yield data


def of_zip(archive: Path, allowance: Allowance) -> Iterator[Entry]:
    """The files of a zip archive with their data, piece by piece, which is read before the next one is asked for.

    Links, devices and what cannot be unpacked are left out. Raises TooLargeError, or another of ``BROKEN``.
    """
    with zipfile.ZipFile(archive) as packed:
        check_members(len(packed.infolist()))
        for entry in (entry for entry in packed.infolist() if not entry.is_dir()):
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                yield LeftOut(IS_LINK if stat.S_ISLNK(kind) else IS_IRREGULAR, entry.filename)
            elif entry.flag_bits & 1:
                yield LeftOut(IS_ENCRYPTED, entry.filename, is_unreadable=True)
            elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                yield LeftOut(OTHER_METHOD, entry.filename, is_unreadable=True)
            else:
                yield entry.filename, _pieces(partial(packed.open, entry), allowance)


def _of_tar(archive: Path, allowance: Allowance) -> Iterator[Entry]:
    with files.opened(archive) as file:
        headers = _Headers(unpacked(file))
        with tarfile.open(fileobj=headers, mode="r|", tarinfo=_Member) as tar:
            for number in count(1):
                headers.begin()
                if (member := tar.next()) is None:
                    return
                tar.members = []  # type: ignore[attr-defined]  # it would remember all of them
                headers.end()
                check_members(number)
                if member.issym() or member.islnk():
                    yield LeftOut(IS_LINK if member.issym() else IS_HARD_LINK, member.name)
                    continue
                stream = tar.extractfile(member)
                data = iter(()) if stream is None else _pieces(lambda own=stream: own, allowance)  # type: ignore[misc]
                if member.isreg() and stream is not None:
                    yield member.name, data
                elif not member.isdir():
                    yield LeftOut(IS_IRREGULAR, member.name)
                for _ in data:  # what is left of it is no header
                    pass


class _Headers(io.RawIOBase):
    """A tar archive as a stream in which no header may be longer than a MiB: all of it would be in memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._left, self._counts = stream, _LONGEST_HEADER, True

    def begin(self) -> None:
        """What is read next is a header."""
        self._left, self._counts = _LONGEST_HEADER, True

    def end(self) -> None:
        """What is read next is data."""
        self._counts = False

    def read(self, size: int = -1, /) -> bytes:
        """As many bytes as there are, up to ``size``."""
        data = self._stream.read(size)
        self._left -= len(data) if self._counts else 0
        if self._left < 0:
            raise tarfile.ReadError("a header is longer than 1 MiB")
        return data


class _Member(tarfile.TarInfo):
    """A member of a tar archive; the module takes a broken header for the end of the archive, this one does not."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Member":
        """The member that a header describes; raises HeaderError at the end of the archive, ReadError for no header."""
        try:
            member = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                raise
            raise tarfile.ReadError("a header is truncated or corrupt") from error
        if member.size < 0:
            raise tarfile.ReadError("a header states a negative size")
        return member

"""Archives: tar and zip files are unpacked under names of our own, and none can write elsewhere or fill the disk."""

import io
import re
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain, count
from pathlib import Path
from typing import IO, BinaryIO, Protocol

from ..io import files
from ..io.files import write_pieces
from ..io.packed import ERRORS, Allowance, TooLargeError, check_members, ending, unpacked, unpacking
from ..scanning.source import is_text
from .found_file import IS_HARD_LINK, IS_HIDDEN, IS_IRREGULAR, IS_LINK, File, LeftOut, is_hidden

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


class Readable(Protocol):
    """What a piece of bytes can be read from."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""


Entry = tuple[str, Readable] | LeftOut


def is_archive(path: Path) -> bool:
    """Whether a file is a tar archive, packed or not, or a zip archive; its bytes say so, not its name."""
    with files.opened(path) as file:
        head = file.read(tarfile.BLOCKSIZE)
    return begins_archive(head) or _is_packed_tar(path)


def begins_archive(head: bytes) -> bool:
    """Whether a file whose first 512 bytes or more these are is a zip archive, or a tar archive that is not packed."""
    # The bytes of a packed file may add up as those of a tar header do.
    return head.startswith(_ZIP) or (not ending(head) and _begins_tar(head))


def unpack(archive: Path, into: Path, allowance: Allowance | None = None) -> Iterator[File | LeftOut]:
    """The files of an archive that may be logs, each in a numbered file of the folder ``into``.

    Hidden files, links, devices and binary files are left out. Where the archive is broken, or unpacks
    to more than its allowance, what comes before is taken and the rest is left out. The ``name`` of what is left out
    is its path in the archive, empty for the archive as a whole. ``allowance``: that of several archives, if it is not
    to be the archive's own.
    """
    try:
        allowed = allowance or unpacking(archive.stat().st_size)
        for number, entry in enumerate(_entries(archive, allowed)):
            path = entry.name if isinstance(entry, LeftOut) else entry[0]
            if is_hidden(path):
                yield LeftOut(path, IS_HIDDEN)
            else:
                yield entry if isinstance(entry, LeftOut) else _spooled(*entry, into / str(number))
    except BROKEN as error:
        yield LeftOut("", f"cannot be read completely: {broken_because(error)}.", is_unreadable=True)


def _entries(archive: Path, allowance: Allowance) -> Iterator[Entry]:
    with files.opened(archive) as file:
        is_zip = file.read(4).startswith(_ZIP)
    yield from of_zip(archive, allowance) if is_zip else _of_tar(archive, allowance)


def _spooled(path: str, stream: Readable, place: Path) -> File | LeftOut:
    """Keep what is text, or a packed file that may hold one."""
    try:
        if not (head := stream.read(_PIECE)):
            return LeftOut(path, "is empty.")
        if not (ending(head) or is_text(head)):
            return LeftOut(path, "is a binary file.")
        return File(path, str(place), write_pieces(place, chain([head], pieces_of(stream))))
    except TooLargeError:
        raise
    except BROKEN as error:
        return LeftOut(path, f"cannot be read: {broken_because(error)}.", is_unreadable=True)


def pieces_of(stream: Readable) -> Iterator[bytes]:
    """What is left of a stream, some at a time."""
    return iter(lambda: stream.read(_PIECE), b"")


def broken_because(error: Exception) -> str:
    """Why one of ``BROKEN`` was raised, without a full stop."""
    return str(getattr(error, "strerror", None) or error).rstrip(".")


class _Allowed:
    """The data of an entry, as far as the archive is allowed to unpack; it is opened when it is read."""

    def __init__(self, open_: Callable[[], IO[bytes]], allowance: Allowance) -> None:
        self._open, self._allowance = cache(open_), allowance

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end only."""
        data = self._open().read(size)
        self._allowance.take(len(data))
        return data


def of_zip(archive: Path, allowance: Allowance) -> Iterator[Entry]:
    """The files of a zip archive with their data, which is read before the next one is asked for.

    Links, devices and what cannot be unpacked are left out. Raises TooLargeError, or another of ``BROKEN``.
    """
    with zipfile.ZipFile(archive) as packed:
        check_members(len(packed.infolist()))
        for entry in (entry for entry in packed.infolist() if not entry.is_dir()):
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                yield LeftOut(entry.filename, IS_LINK if stat.S_ISLNK(kind) else IS_IRREGULAR)
            elif entry.flag_bits & 1:
                yield LeftOut(entry.filename, IS_ENCRYPTED, is_unreadable=True)
            elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                yield LeftOut(entry.filename, OTHER_METHOD, is_unreadable=True)
            else:
                yield entry.filename, _Allowed(partial(packed.open, entry), allowance)


def _is_packed_tar(path: Path) -> bool:
    try:
        with opened(path) as stream:
            return _begins_tar(stream.read(tarfile.BLOCKSIZE))
    except (OSError, *ERRORS):
        return False


def _begins_tar(head: bytes) -> bool:
    try:
        _Member.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def _of_tar(archive: Path, allowance: Allowance) -> Iterator[Entry]:
    with opened(archive) as stream:
        headers = _Headers(stream)
        members = count(1)
        with tarfile.open(fileobj=headers, mode="r|", tarinfo=_Member) as tar:
            while headers.begin() and (member := tar.next()):
                tar.members = []  # type: ignore[attr-defined]  # it would remember all of them
                headers.end()
                check_members(next(members))
                yield from _member(tar, member, allowance)


def _member(tar: tarfile.TarFile, member: tarfile.TarInfo, allowance: Allowance) -> Iterator[Entry]:
    if member.issym() or member.islnk():
        yield LeftOut(member.name, IS_LINK if member.issym() else IS_HARD_LINK)
        return
    stream = tar.extractfile(member)
    data = None if stream is None else _Allowed(lambda: stream, allowance)
    if member.isreg() and data is not None:
        yield member.name, data
    elif not member.isdir():
        yield LeftOut(member.name, IS_IRREGULAR)
    while data is not None and data.read(_PIECE):  # what is left of it is no header
        pass


class _Headers(io.RawIOBase):
    """A tar archive as a stream in which no header may be longer than a MiB: all of it would be in memory."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._left, self._counts = stream, _LONGEST_HEADER, True

    def begin(self) -> bool:
        """What is read next is a header."""
        self._left, self._counts = _LONGEST_HEADER, True
        return True

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


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file, unpacked where it is packed; reading it raises one of ``BROKEN`` where it is broken."""
    with files.opened(path) as file:
        yield unpacked(file)

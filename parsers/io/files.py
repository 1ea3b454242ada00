"""Files: only regular ones are opened, and they are written whole or not at all, below the folder where they belong.

Packed files are unpacked as they are read. What they, archives and downloads may become is limited, so that none fills
the disk or takes for ever. A packed file in a packed file is not opened, and one that is cut short is an error.
"""

import bz2
import errno
import fcntl
import gzip
import hashlib
import io
import lzma
import os
import re
import shutil
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from tempfile import mkdtemp
from typing import Any

from .cache import zstandard
from .errors import ExtraError, TachographError, WriteError, extra
from .message import Message

PREFIX = ".tachograph-"  # of what is not finished
OUTSIDE = "it is outside the output folder"
LEADS_OUT = "a link leads out of the output folder"
# To read or write any of these may block, or go on, for ever.
_OTHERS = {
    stat.S_IFIFO: "it is a pipe, not a file; write its output to a file first",
    stat.S_IFCHR: "it is a device, not a file",
    stat.S_IFBLK: "it is a device, not a file",
    stat.S_IFSOCK: "it is a socket, not a file",
}
CHUNK = 1 << 20


def opened(path: Path) -> io.BufferedReader:
    """Open a file to read its bytes.

    Raises OSError as ``open`` does, and one whose ``strerror`` says what it is instead: a pipe, a device, a socket.
    """
    return open(path, "rb", opener=opener)


def data_of(path: Path) -> bytes:
    """All bytes of a file; raises as ``opened`` does."""
    with opened(path) as file:
        return file.read()


def text_of(path: Path, errors: str = "strict") -> str:
    """The text of a file in UTF-8, its line ends as newlines, without the mark that some editors put before it.

    Raises as ``opened`` does, and UnicodeDecodeError.
    """
    return data_of(path).decode("utf-8-sig", errors).replace("\r\n", "\n").replace("\r", "\n")


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file as it lies there, in hexadecimal; raises as ``opened`` does."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def opener(path: str, flags: int) -> int:
    """Open a file as ``open`` asks its ``opener`` to, to read or to write; raises as ``opened`` does."""

    def refuse(mode: int) -> None:
        if what := _OTHERS.get(stat.S_IFMT(mode)):
            raise OSError(errno.EINVAL, what, path)

    with suppress(FileNotFoundError):
        refuse(os.stat(path).st_mode)  # noqa: PTH116 - some devices do things when they are only opened
    # Something else may stand there by now; a pipe is opened without waiting for whoever is at its other end.
    descriptor = os.open(path, flags | os.O_NONBLOCK, 0o666)
    try:
        refuse(os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def is_spelt_inside(path: str) -> bool:
    """Whether a path is spelt as one below a folder: with no root, no ``..`` and no NUL; links are not looked at."""
    spelt = PurePath(path)
    return not (spelt.anchor or ".." in spelt.parts or "\0" in path)


def leading_out(files: Iterable[Path], folder: Path) -> Path | None:
    """The first of some files that does not lie below a folder when all links are followed; None where all do."""
    root = os.path.realpath(folder)  # Path.resolve() raises where links go round in a circle
    return next((file for file in files if os.path.commonpath([root, os.path.realpath(file)]) != root), None)


# ---- writing


def locked(path: Path, descriptor: int) -> bool:
    """Lock what was opened at a path, until it is closed; False where another process holds it."""
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Who held it before may have removed it after it was opened here: then nothing is held.
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    return False


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an OSError into WriteError, which names the file: that of a full disk names none."""
    try:
        yield
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error


@contextmanager
def unfinished(folder: Path, named: Path | None = None) -> Iterator[Path]:
    """A hidden folder in ``folder`` for what is not finished; at the end it is removed with all that is still in it.

    What processes that were killed left of such folders is removed first. A WriteError for a file in it names the
    place in ``folder`` that the file was to have; where nothing can be written, of ``named`` or of ``folder`` itself.
    """
    with writing(named or folder):
        for left in folder.glob(f"{PREFIX}*/"):
            with suppress(OSError):  # it is a link, is gone, or of a file system without locks
                lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    if locked(left, lock) and os.fstat(lock).st_uid == os.getuid():
                        shutil.rmtree(left)
                finally:
                    os.close(lock)
        made, lock = _begun(folder)
    try:
        yield made
    except WriteError as error:
        raise error.moved(made, folder) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def _begun(folder: Path) -> tuple[Path, int]:
    """A new hidden folder, and what holds it."""
    while True:
        made = Path(mkdtemp(prefix=PREFIX, dir=folder))
        lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if locked(made, lock):
                return made, lock
        except OSError:  # some file systems have no locks, and what is left there stays
            return made, lock
        os.close(lock)  # another process took it for one that was left


def write_pieces(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a new file piece by piece, and return its size.

    Raises WriteError where it cannot be written, and whatever reading a piece raises: that is not of this file.
    """
    size = 0
    with writing(path):
        file = io.FileIO(path, "wb")
    with file:
        for piece in pieces:
            left = memoryview(piece)
            size += len(left)
            with writing(path):
                while left:
                    left = left[file.write(left) :]
    return size


def write(folder: Path, name: str, data: bytes) -> Path:
    """Write a file below an unfinished folder, and the folders on its way; raises WriteError."""
    path = below(folder, name)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_pieces(path, [data])
    return path


def below(folder: Path, name: str) -> Path:
    """The path of a file below a folder; raises WriteError where its name leads out of it."""
    if not is_spelt_inside(name):
        raise WriteError(folder / name, Message(OUTSIDE))
    return folder / name


def move(names: Iterable[str], made: Path, folder: Path) -> list[Path]:
    """Give files of an unfinished folder their places in ``folder``, when all are on the disk and may stand there.

    A link in such a place is replaced, and not followed. Returns the places; raises WriteError.
    """
    places = {made / name: below(folder, name) for name in names}
    for file, place in places.items():
        if leading_out([place.parent], folder):
            raise WriteError(place, Message(LEADS_OUT))
        with writing(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.is_symlink() and place.exists():
                place.open("r+b").close()  # what cannot be written is not replaced: a folder, a file that is read-only
                file.chmod(stat.S_IMODE(place.stat().st_mode))
            _flush(file)
    for file, place in places.items():
        with writing(place):
            file.replace(place)
    for parent in {place.parent for place in places.values()}:
        with suppress(OSError):  # some file systems cannot, for a folder
            _flush(parent)
    return list(places.values())


def _flush(path: Path) -> None:
    """Wait until a file, or what a folder names, is on the disk; raises OSError."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def write_whole(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write files that belong together below a folder: all of them, or none. Returns their paths; raises WriteError."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with unfinished(folder) as made:
        for name, data in contents.items():
            write(made, name, data)
        return move(contents, made, folder)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where one file is to be written so that it becomes ``path`` when it is whole; raises WriteError.

    The user names it, so that a link there is followed.
    """
    # A pipe, or a device such as /dev/stdout, which is a link to what has no path of its own, cannot be replaced.
    if path.parent == Path("/dev") or (path.exists() and not path.is_file() and not path.is_dir()):
        with writing(path):
            yield path
        return
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    with unfinished(path.parent, path) as made:
        with writing(path):
            yield made / path.name
        move([path.name], made, path.parent)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file under another name beside it, wait until it is on the disk, and give it its name.

    For a folder that several machines write into at once, whose locks they may not see of each other. Raises OSError
    that names the file; what was there before stays then.
    """
    half = path.with_name(f".{path.name[:200]}.{os.getpid()}.half")
    try:
        if path.exists():
            # What cannot be written is not replaced: a folder, a pipe, a file that is read-only.
            open(path, "r+b", opener=opener).close()
        half.unlink(missing_ok=True)
        with half.open("xb") as file:
            file.write(data)
        _flush(half)
        half.replace(path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


# ---- packed files

MIB = 1 << 20
LEAST = 64 * MIB
# Logs repeat themselves and pack well, to a hundredth at times; what is made to fill disks packs to a thousandth.
TIMES = 250
MOST_MEMBERS = 1 << 16
UNPACKS_TO_MORE = "it unpacks to more than {size} MiB; unpack it first"
TOO_MANY_MEMBERS = "it has more than {count} members; unpack it, then pass the folder"
NEEDS_ZSTANDARD = "Files ending in .zst need"
# So few bytes at a time because a log packs well: they may become a thousand times as many.
PACKED, PIECE = 1 << 14, 1 << 16


class TooLargeError(TachographError):
    """Something becomes more than it may; the message goes on from "cannot be read"."""


class Allowance:
    """So many bytes may still come; ``told`` is what is said when there are more."""

    def __init__(self, most: int, told: Message) -> None:
        self._left, self._told = most, told

    def of(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Some pieces of bytes; raises TooLargeError when they are more than is left."""
        for piece in pieces:
            self._left -= len(piece)
            if self._left < 0:
                raise TooLargeError(self._told)
            yield piece


def unpacking(packed: int) -> Allowance:
    """What so many packed bytes may unpack to: 250 times as many, or 64 MiB if that is more."""
    most = max(LEAST, TIMES * packed)
    return Allowance(most, Message(UNPACKS_TO_MORE, size=f"{most / MIB:,.0f}"))


def check_members(count: int) -> None:
    """Raise TooLargeError where an archive has more members than any of logs has."""
    if count > MOST_MEMBERS:
        raise TooLargeError(TOO_MANY_MEMBERS, count=f"{MOST_MEMBERS:,}")


def pieces_of(stream: Any, size: int = PIECE) -> Iterator[bytes]:
    """The bytes of a stream, so many at a time."""
    return iter(lambda: stream.read(size), b"")


def _frames(file: io.BufferedReader) -> Iterator[bytes]:
    """The texts of all frames of a zstandard file; its own stream reader does not tell when the last one is cut."""
    with extra("zstd", NEEDS_ZSTANDARD):
        frame = zstandard.ZstdDecompressor().decompressobj()
    for data in pieces_of(file, PACKED):
        while data:
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
            try:
                text = frame.decompress(data)
            except zstandard.ZstdError as error:
                raise EOFError(str(error)) from error
            yield text
            data = frame.unused_data  # noqa: PLW2901 - what is left of it
    if not frame.eof:
        raise EOFError("Compressed file ended before the end of its last frame")


# How a file is packed is told by its first bytes; its name ends so.
_MAGIC = re.compile(rb"(?P<gz>\x1f\x8b)|(?P<bz2>BZh[1-9]1AY&SY)|(?P<xz>\xfd7zXZ\0)|(?P<zst>\x28\xb5\x2f\xfd)")
SUFFIXES = tuple(f".{name}" for name in _MAGIC.groupindex)
ERRORS = (EOFError, lzma.LZMAError, zlib.error, TooLargeError, ExtraError)
_UNPACK: dict[str, Callable[[io.BufferedReader], Iterator[bytes]]] = {
    ".gz": lambda file: pieces_of(gzip.GzipFile(fileobj=file)),
    ".bz2": lambda file: pieces_of(bz2.BZ2File(file)),
    ".xz": lambda file: pieces_of(lzma.LZMAFile(file)),  # noqa: SIM115 - whoever asks for it closes it
    ".zst": _frames,
}


def ending(head: bytes) -> str:
    """The ending that belongs to a file with these first bytes; none where it is not packed."""
    found = _MAGIC.match(head)
    return f".{found.lastgroup}" if found else ""


def unpacked(file: io.BufferedReader) -> io.BufferedReader:
    """The stream of a file itself, or what is packed in it.

    Reading it raises one of ``ERRORS``, or OSError, where it is broken or becomes more than it may.
    """
    if not (found := ending(file.peek(16)[:16])):
        return file
    allowance = unpacking(os.fstat(file.fileno()).st_size)
    return io.BufferedReader(_Pieces(allowance.of(_UNPACK[found](file))), PIECE)


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            if (piece := next(self._pieces, None)) is None:
                return 0
            self._rest = piece
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

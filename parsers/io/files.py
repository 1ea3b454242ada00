"""Files: only regular ones are opened, and they are written whole or not at all, below the folder where they belong."""

import errno
import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import BufferedReader, FileIO
from pathlib import Path, PurePath
from tempfile import mkdtemp

from .errors import WriteError
from .message import Message

PREFIX = ".tachograph-"
OUTSIDE = "it is outside the output folder"
LEADS_OUT = "a link leads out of the output folder"
# To read or write any of these may block, or go on, for ever.
_OTHERS = {
    stat.S_IFIFO: "it is a pipe, not a file; write its output to a file first",
    stat.S_IFCHR: "it is a device, not a file",
    stat.S_IFBLK: "it is a device, not a file",
    stat.S_IFSOCK: "it is a socket, not a file",
}
_held: set[int] = set()


def opened(path: Path) -> BufferedReader:
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
    try:
        _refuse(path, os.stat(path).st_mode)  # noqa: PTH116 - some devices do things when they are only opened
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    # Something else may stand there by now; a pipe is opened without waiting for whoever is at its other end.
    descriptor = os.open(path, flags | os.O_NONBLOCK, 0o666)
    try:
        _refuse(path, os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _refuse(path: str, mode: int) -> None:
    if what := _OTHERS.get(stat.S_IFMT(mode)):
        raise OSError(errno.EINVAL, what, path)


def is_spelt_inside(path: str) -> bool:
    """Whether a path is spelt as one below a folder: with no root, no ``..`` and no NUL; links are not looked at."""
    spelt = PurePath(path)
    return not (spelt.anchor or ".." in spelt.parts or "\0" in path)


def leading_out(files: Iterable[Path], folder: Path) -> Path | None:
    """The first of some files that does not lie below a folder when all links are followed; None where all do."""
    # Path.resolve() raises where links go round in a circle.
    root = os.path.realpath(folder)
    return next((file for file in files if os.path.commonpath([root, os.path.realpath(file)]) != root), None)


def locked(path: Path, descriptor: int) -> bool:
    """Lock what was opened at a path, until the last process that inherits it has ended.

    False where another process holds it.
    """
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
            if not left.is_symlink():
                _remove_unless_held(left)
        made, lock = _begun(folder)
    _held.add(lock)
    try:
        yield made
    except WriteError as error:
        raise error.moved(made, folder) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
        _held.discard(lock)
        os.close(lock)


def _begun(folder: Path) -> tuple[Path, int]:
    while True:
        made = Path(mkdtemp(prefix=PREFIX, dir=folder))
        lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        try:
            is_held = locked(made, lock)
        except OSError:  # some file systems have no locks, and what is left there stays
            return made, lock
        if is_held:
            return made, lock
        os.close(lock)  # another process took it for one that was left


def _remove_unless_held(left: Path) -> None:
    """Remove an unfinished folder of this user's that no process holds any more."""
    with suppress(OSError):  # it is gone, or of a file system without locks
        lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if locked(left, lock) and os.fstat(lock).st_uid == os.getuid():
                shutil.rmtree(left)
        finally:
            os.close(lock)


def _let_go() -> None:
    """A process that was forked must not hold what its parent holds: it may live longer."""
    for lock in _held:
        os.close(lock)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)


def write(folder: Path, name: str, data: bytes) -> Path:
    """Write a file below an unfinished folder, and the folders on its way; raises WriteError."""
    path = below(folder, name)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return path


def write_pieces(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a new file piece by piece, and return its size.

    Raises WriteError where it cannot be written, and whatever reading a piece raises: that is not of this file.
    """
    size = 0
    with writing(path):
        file = FileIO(path, "wb")
    with file:
        for piece in pieces:
            left = memoryview(piece)
            size += len(left)
            with writing(path):
                while left:
                    left = left[file.write(left) :]
    return size


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


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not exist yet; raises WriteError, also where somebody else just made it."""
    with unfinished(path.parent, path) as made:
        whole_file = write(made, path.name, data)
        _flush(whole_file)
        with writing(path):
            path.touch(exist_ok=False)  # to rename a file would replace one that is there
            whole_file.replace(path)


def write_texts(texts: Mapping[Path | None, Callable[[], str]]) -> None:
    """Write texts, each whole, into the files that are named; one without a file is not made. Raises WriteError."""
    for path, text in texts.items():
        if path:
            with whole(path) as unfinished:
                unfinished.write_text(text(), encoding="utf-8")


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

"""Atomic writes: a file is there whole or not at all, and only below the folder where it belongs."""

import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from tempfile import mkdtemp

from .containment import is_spelt_inside, leading_out
from .errors import WriteError
from .input_file import opener
from .message import Message

PREFIX = ".tachograph-"
OUTSIDE = "it is outside the output folder"
LEADS_OUT = "a link leads out of the output folder"
_locks: set[int] = set()


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
        _remove_left(folder)
        made, lock = _begun(folder)
    try:
        yield made
    except WriteError as error:
        raise error.moved(made, folder) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
        _locks.discard(lock)
        os.close(lock)


def _begun(folder: Path) -> tuple[Path, int]:
    while True:
        made = Path(mkdtemp(prefix=PREFIX, dir=folder))
        lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        with suppress(OSError):  # some file systems have no locks, and what is left there stays
            fcntl.flock(lock, fcntl.LOCK_EX)
        # Another process may have removed it before it was locked.
        if made.exists():
            _locks.add(lock)
            return made, lock
        os.close(lock)


def _remove_left(folder: Path) -> None:
    """Remove the unfinished folders of this user that no process holds any more."""
    with os.scandir(folder) as entries:
        left = [entry for entry in entries if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False)]
    for entry in left:
        with suppress(OSError):  # it is held, or gone
            lock = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(lock).st_uid == os.getuid():
                    shutil.rmtree(entry.path)
            finally:
                os.close(lock)


def _let_go() -> None:
    """A process that was forked must not hold what its parent holds: it may live longer."""
    for lock in _locks:
        os.close(lock)
    _locks.clear()


os.register_at_fork(after_in_child=_let_go)


def write(folder: Path, name: str, data: bytes) -> Path:
    """Write a file below an unfinished folder, and the folders on its way; raises WriteError."""
    path = below(folder, name)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return path


def begun(path: Path) -> FileIO:
    """A new file, for ``put``; raises WriteError."""
    with writing(path):
        return FileIO(path, "wb")


def put(data: bytes, file: FileIO) -> int:
    """Write all of some bytes into a file that was begun, and return how many; raises WriteError, which names it.

    What is not read before it is written can fail on both sides: an OSError is then one of reading.
    """
    left = memoryview(data)
    with writing(Path(file.name)):
        while left:
            left = left[file.write(left) :]
    return len(data)


def below(folder: Path, name: str) -> Path:
    """The path of a file below a folder; raises WriteError where its name leads out of it."""
    if not is_spelt_inside(name):
        raise WriteError(folder / name, Message(OUTSIDE))
    return folder / name


def move(names: Iterable[str], made: Path, folder: Path) -> list[Path]:
    """Give files of an unfinished folder their places in ``folder``, when all are on the disk and may stand there.

    A link in such a place is replaced, and not followed. Returns the places; raises WriteError.
    """
    places = {made / name: _place(folder, name) for name in names}
    for file, place in places.items():
        with writing(place):
            _take_mode(file, place)
            flush(file)
    for file, place in places.items():
        with writing(place):
            file.replace(place)
    for parent in {place.parent for place in places.values()}:
        with suppress(OSError):  # some file systems cannot, for a folder
            flush(parent)
    return list(places.values())


def _place(folder: Path, name: str) -> Path:
    """The place of a file, with the folders on its way; raises WriteError where nothing can be put."""
    place = below(folder, name)
    if leading_out([place.parent], folder):
        raise WriteError(place, Message(LEADS_OUT))
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_symlink() and place.exists():
            place.open("r+b").close()  # what cannot be written is not replaced: a folder, a file that is read-only
    return place


def _take_mode(file: Path, place: Path) -> None:
    with suppress(FileNotFoundError):
        if stat.S_ISREG(mode := place.lstat().st_mode):
            file.chmod(stat.S_IMODE(mode))


def flush(path: Path) -> None:
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
        flush(half)
        half.replace(path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where one file is to be written so that it becomes ``path`` when it is whole; raises WriteError.

    The user names it, so that a link there is followed.
    """
    # /dev/stdout is a link to what has no path of its own, so that it is asked for before links are followed.
    if _is_stream(path):
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
        flush(whole_file)
        with writing(path):
            path.touch(exist_ok=False)  # to rename a file would replace one that is there
            whole_file.replace(path)


def _is_stream(path: Path) -> bool:
    """Whether a path is not a file that another one can replace: a pipe, or a device such as /dev/stdout."""
    return path.parent == Path("/dev") or (path.exists() and not path.is_file() and not path.is_dir())


def write_texts(texts: Mapping[Path | None, Callable[[], str]]) -> None:
    """Write texts, each whole, into the files that are named; one without a file is not made. Raises WriteError."""
    for path, text in texts.items():
        if path:
            with whole(path) as unfinished:
                unfinished.write_text(text(), encoding="utf-8")

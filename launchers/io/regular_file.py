"""Regular files: the only ones that are read, and what is written is there whole or not at all.

A pipe or a device of others may be waited for, or give bytes, for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

_OTHERS = {
    stat.S_IFIFO: "it is a pipe, not a file",
    stat.S_IFCHR: "it is a device, not a file",
    stat.S_IFBLK: "it is a device, not a file",
    stat.S_IFSOCK: "it is a socket, not a file",
}


def opened(path: Path) -> BufferedReader:
    """Open a file to read its bytes.

    Raises OSError as ``open`` does, and one whose ``strerror`` tells what else stands there.
    """
    return open(path, "rb", opener=opener)


def data_of(path: Path) -> bytes:
    """All bytes of a file; raises as ``opened`` does."""
    with opened(path) as file:
        return file.read()


def text_of(path: Path, errors: str = "strict") -> str:
    """The text of a file in UTF-8, its line ends as newlines; raises as ``opened`` does, and UnicodeDecodeError."""
    with open(path, encoding="utf-8", errors=errors, opener=opener) as file:
        return file.read()


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


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name, wait until it is on the disk, and give it its name.

    Raises OSError that names the file; what was there before stays then.
    """
    half = path.with_name(f".{path.name[:200]}.{os.getpid()}.half")
    try:
        if path.exists():
            # What cannot be written is not replaced: a folder, a pipe, a file that is read-only.
            open(path, "r+b", opener=opener).close()
        half.unlink(missing_ok=True)
        with half.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    except OSError as error:
        half.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error

"""Regular files: nothing else is opened, for reading or writing a pipe or a device may block, or go on, for ever."""

import errno
import hashlib
import os
import stat
from io import BufferedReader
from pathlib import Path

_OTHERS = {
    stat.S_IFIFO: "it is a pipe, not a file; write its output to a file first",
    stat.S_IFCHR: "it is a device, not a file",
    stat.S_IFBLK: "it is a device, not a file",
    stat.S_IFSOCK: "it is a socket, not a file",
}


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

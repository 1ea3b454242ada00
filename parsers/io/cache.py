"""Caches: what takes long to work out, kept for one call of a command, or on disk from one call to the next.

Nobody else can put anything into the folder on disk: it and its files are the user's own, others may not write to them,
and no link is followed to either. Each file begins with the hash of its name and of what it holds, because disks damage
files and a user may copy one over another.
"""

import errno
import functools
import hashlib
import os
import stat
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

Kept = TypeVar("Kept")

MOST_FILES = 512  # the formats of a few versions; the oldest go
_HASH_SIZE = hashlib.sha256().digest_size
_last_call = deque[str](maxlen=1)
_forgetting: list[Callable[[], None]] = []


def kept(function: Callable[..., Kept]) -> "functools._lru_cache_wrapper[Kept]":
    """As ``functools.cache``, until ``keep_for`` names another call: a file of the user's may have changed by then."""
    cached = functools.cache(function)
    _forgetting.append(cached.cache_clear)
    return cached


def keep_for(call: str) -> None:
    """Let go of all that was kept for any other call than the one of this name."""
    if call not in _last_call:
        _last_call.append(call)
        for forget in _forgetting:
            forget()


def name_of(*made_of: bytes) -> str:
    """The name under which something is kept: the hash of all that it is made of."""
    made = hashlib.sha256(b"with its hash")  # before, files were kept without one
    for part in made_of:
        made.update(hashlib.sha256(part).digest())
    return made.hexdigest()


def found(name: str) -> bytes:
    """What is kept under a name; raises OSError where nothing is, it was damaged, or others can write it."""
    with _folder() as folder:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with os.fdopen(file, "rb") as stream:
            _refuse_others(file, name)
            bound, data = stream.read(_HASH_SIZE), stream.read()
    if bound != _bound(data, name):
        raise OSError(errno.EIO, "its contents have changed", name)
    return data


def keep(data: bytes, name: str) -> None:
    """Keep something, whole or not at all; where nothing can be written nothing is kept."""
    unfinished = f"{name}.{os.getpid()}"
    with suppress(OSError):
        _place().mkdir(mode=0o700, parents=True, exist_ok=True)
        with _folder() as folder:
            new = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
            with os.fdopen(new, "wb") as file:
                file.write(_bound(data, name) + data)
            os.replace(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
            _prune(folder)


def _bound(data: bytes, name: str) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + data).digest()


def caches() -> Path:
    """The folder of caches of the user, as the XDG base directory specification has it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{os.environ.get('HOME', '/nonexistent')}/.cache")


def _place() -> Path:
    return caches() / "tachograph"


@contextmanager
def _folder() -> Iterator[int]:
    """The folder, open; raises OSError where it is missing, a link, or others may write to it."""
    folder = os.open(_place(), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _refuse_others(folder, str(_place()))
        yield folder
    finally:
        os.close(folder)


def _refuse_others(file: int, name: str) -> None:
    found = os.fstat(file)
    is_expected = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
    if not is_expected or found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{name} is not owned by this user")


def _prune(folder: int) -> None:
    """Remove the oldest files when there are too many, half of them at once."""
    names = os.listdir(folder)
    if len(names) > MOST_FILES:
        names.sort(key=lambda name: os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime)
        for name in names[: -MOST_FILES // 2]:
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)

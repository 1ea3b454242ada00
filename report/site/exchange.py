"""An exchange: a folder that is complete takes the place of the one before it, in one step."""

import ctypes
import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from parsers.io.errors import WriteError
from parsers.io.regular import data_of
from parsers.io.whole import PREFIX, write, writing

# The names that the site has at the first level of its folder; all else there is somebody else's.
CONTENTS = "assets/contents.json"
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


def refuse_others(made: Sequence[str], out: Path) -> None:
    """Raise WriteError where a folder must not be replaced: what is in it is not of a site, or it cannot be renamed."""
    if Path.cwd().is_relative_to(out) or os.path.ismount(out):
        what = "a mount point" if os.path.ismount(out) else "in use as the working directory"
        raise WriteError(out, f"it is {what}, and a site takes the place of a whole folder; name a folder below it")
    if taken := sorted({*made} & {path.name for path in _foreign(out)}):
        raise WriteError(out / taken[0], "it is there and of no site that was made here; name another folder")


def take_place(made: Path, out: Path, *, is_kept: bool) -> None:
    """Give a complete folder the place of ``out``, which then lies where the complete one was; raises WriteError.

    What is in ``out`` and of no site comes along. A site that is kept is on the disk before: there is one wait for all
    that was written to its file system, because a site has thousands of small files.
    """
    write(made, CONTENTS, json.dumps(sorted(path.name for path in made.iterdir())).encode())
    for path in _foreign(out):
        _bring(path, made / path.name)
    with writing(out):
        if is_kept:
            _flush_all(made)
        if out.exists():
            shutil.copymode(out, made)
            _exchange(made, out)
        else:
            made.rename(out)


def _foreign(out: Path) -> list[Path]:
    """What lies in a folder and is of no site."""
    with suppress(FileNotFoundError):
        own = _contents(out)
        return [path for path in out.iterdir() if path.name not in own and not path.name.startswith(PREFIX)]
    return []


def _contents(out: Path) -> list[str]:
    """The names that a site in a folder has by its own account; none where there is no such account."""
    with suppress(OSError, ValueError, RecursionError):
        said = json.loads(data_of(out / CONTENTS))
        return [name for name in said if isinstance(name, str)] if isinstance(said, list) else []
    return []


def _bring(path: Path, place: Path) -> None:
    """A second name for a file, or for all files of a folder: until the exchange the first one stays."""
    with writing(place):
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, place, symlinks=True, copy_function=_link)
        else:
            _link(path, place)


def _link(path: str | Path, place: str | Path) -> None:
    try:
        os.link(path, place, follow_symlinks=False)
    except OSError:  # a file of another user, or a file system without links
        shutil.copy2(path, place, follow_symlinks=False)


def _exchange(made: Path, out: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2") or libc.renameat2(_HERE, bytes(made), _HERE, bytes(out), _EXCHANGE):
        # A file system that cannot exchange names: for a moment there is no folder of this name.
        before = out.rename(made.with_name(f"{made.name}.before"))
        try:
            made.rename(out)
        except OSError:
            before.rename(out)
            raise


def _flush_all(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(file):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(file)

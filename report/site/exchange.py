"""An exchange: a folder that is complete takes the place of the one before it, in one step."""

import ctypes
import json
import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePath

from parsers.io.atomic_write import PREFIX, write, writing
from parsers.io.containment import is_spelt_inside
from parsers.io.errors import WriteError
from parsers.io.input_file import data_of, sha256_of
from parsers.io.message import Message

# The files that the site has, each with the SHA-256 of what is in it; all else in its folder is somebody else's.
CONTENTS = "assets/contents.json"
_OWN = re.compile(r"(?!.*/\.)(?:[^./][^/]*\.html|(?:assets|data|evidence|logs)/.+)", re.DOTALL)
IS_MOUNTED = "it is a mount point, and a site replaces a whole folder; choose a folder below it"
IS_IN_USE = "it is in use as the working directory, and a site replaces a whole folder; choose a folder below it"
IS_FOREIGN = "it already exists and is not part of a generated site; choose another folder"
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


def refuse_others(made: Iterable[str], out: Path) -> None:
    """Raise WriteError where a folder must not be replaced: it cannot be renamed, or what is in it is in the way.

    ``made``: the names of files that a site is to have, or of their folders.
    """
    if Path.cwd().is_relative_to(out) or os.path.ismount(out):
        raise WriteError(out, Message(IS_MOUNTED if os.path.ismount(out) else IS_IN_USE))
    files = set(made)
    folders = {str(folder) for name in files for folder in PurePath(name).parents}
    for path in _foreign(out):
        if path.relative_to(out).as_posix() in files | folders:
            raise WriteError(path, Message(IS_FOREIGN))


def names_of(folder: Path) -> list[str]:
    """The names of all files below a folder, in order."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def take_place(made: Path, out: Path, *, is_kept: bool) -> None:
    """Give a complete folder the place of ``out``, which then lies where the complete one was; raises WriteError.

    What is in ``out`` and of no site comes along. A site that is kept is on the disk before: there is one wait for all
    that was written to its file system, because a site has thousands of small files.
    """
    contents = {name: _hash(made / name) for name in names_of(made)}
    write(made, CONTENTS, json.dumps(contents, indent=0).encode())
    for path in _foreign(out):
        _bring(path, made / path.relative_to(out))
    with writing(out):
        if is_kept:
            _flush_all(made)
        if out.exists():
            shutil.copymode(out, made)
            _exchange(made, out)
        else:
            made.rename(out)


def _foreign(out: Path) -> list[Path]:
    """What lies in a folder and is of no site: files, and folders without any file of a site."""
    own = _own(out)
    shared = {folder for path in own for folder in path.parents} | {out}
    found: list[Path] = []
    folders = [out] if out.is_dir() else []
    while folders:
        for path in folders.pop().iterdir():
            if path in shared:
                folders.append(path)
            elif path not in own and not (path.parent == out and path.name.startswith(PREFIX)):
                found.append(path)
    return sorted(found)


def _own(out: Path) -> set[Path]:
    """The files of a site in a folder: its account names them, and they are as they were when it was written.

    Whoever made the folder may have written the account, so that it is believed for what only a site has.
    """
    own = {out / name for name, digest in _contents(out).items() if _is_as_made(out / name, digest)}
    return own | {out / CONTENTS} if own else own


def _contents(out: Path) -> dict[str, str]:
    with suppress(OSError, ValueError, RecursionError):
        said = json.loads(data_of(out / CONTENTS))
        if isinstance(said, dict):
            return {name: digest for name, digest in said.items() if is_spelt_inside(name) and _OWN.fullmatch(name)}
    return {}


def _is_as_made(path: Path, digest: object) -> bool:
    with suppress(OSError, WriteError):
        # A link, or a file behind one, is somebody else's.
        return Path(os.path.realpath(path)) == path and path.is_file() and _hash(path) == digest
    return False


def _hash(path: Path) -> str:
    with writing(path):
        return sha256_of(path)


def _bring(path: Path, place: Path) -> None:
    """A second name for a file, or for all files of a folder: until the exchange the first one stays."""
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
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

"""Builds: pages as a folder of HTML, which takes the place of the site before it once it is complete.

A folder is replaced as a whole, and what is in it and of no site comes along.
"""

import ctypes
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath

from parsers.io.errors import WriteError
from parsers.io.files import PREFIX, data_of, is_spelt_inside, opened, sha256_of, unfinished, write, writing
from parsers.io.message import Message
from parsers.sharing.workers import ALL_CORES, Workers

from ..results.model import SUFFIX, Report
from ..views.html import ASSETS, TEMPLATES, copy_of, page_file, texts
from ..views.publish import LOGS, PublishedPage, publish
from ..wording.words import languages as all_languages

# The files that the site has, each with the SHA-256 of what is in it; all else in its folder is somebody else's.
CONTENTS = "assets/contents.json"
# Changes with every build of a site that is served; its pages ask for it.
BUILD = "build.txt"
_OWN = re.compile(r"(?!.*/\.)(?:[^./][^/]*\.html|(?:assets|data|logs)/.+)", re.DOTALL)
IS_MOUNTED = "it is a mount point, and a site replaces a whole folder; choose a folder below it"
IS_IN_USE = "it is in use as the working directory, and a site replaces a whole folder; choose a folder below it"
IS_FOREIGN = "it already exists and is not part of a generated site; choose another folder"
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


def publish_site(
    pages: Sequence[str],
    logs: Path | None,
    languages: Sequence[str],
    out: Path,
    workers: Workers = ALL_CORES,
    *,
    reloads: bool = False,
) -> Iterator[PublishedPage]:
    """Write pages as a site into ``out``; all that have a log or quote a figure, in all languages, when none is named.

    The site is made beside ``out`` and takes its place when it is complete: until then, and when anything fails, what
    is there stays as it is, as it does where no page is written. ``reloads``: pages come again when the site is built
    anew and served. The same pages and logs give the same bytes. Raises as ``publish`` does, WriteError where ``out``
    holds what is of no site.
    """
    place, languages = out.resolve(), languages or all_languages()
    refuse_others([], place)
    with writing(out):
        place.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(place.parent, out) as folder:
        made, reports = folder / place.name, list[Report]()

        def add(published: PublishedPage, report: Report, languages: Sequence[str]) -> list[Path]:
            reports.append(report)
            for path in report.logs:
                with opened((logs or LOGS) / path) as source:
                    copy = write(made, copy_of(path), b"")
                    with writing(copy), copy.open("wb") as file:
                        shutil.copyfileobj(source, file, 1 << 20)
            return [out / page_file(published.name, language) for language in languages]

        found = list(publish(pages, logs, languages, out, add, workers))
        if reports:
            _write(made, reports, languages, reloads=reloads)
            _take_place(made, place, is_kept=not reloads)
    yield from found


def _write(made: Path, reports: Sequence[Report], languages: Sequence[str], *, reloads: bool) -> None:
    # A site has copies of the logs; where they were is nobody's business.
    alone = [replace(report, logs_folder=None) for report in reports]
    files = {f"data/{report.page.name}{SUFFIX}": report.to_json().encode() for report in alone}
    files |= {name: text.encode() for name, text in texts(reports, languages, reloads=reloads).items()}
    files |= {f"assets/{name}": (TEMPLATES / name).read_bytes() for name in ASSETS}
    if reloads:
        files[BUILD] = made.name.encode()
    for name, data in files.items():
        write(made, name, data)


def refuse_others(made: Iterable[str], out: Path) -> None:
    """Raise WriteError where a folder must not be replaced: it cannot be renamed, or what is in it is in the way.

    ``made``: the names of the files, or of their folders, that a site is to have.
    """
    if Path.cwd().is_relative_to(out) or os.path.ismount(out):
        raise WriteError(out, Message(IS_MOUNTED if os.path.ismount(out) else IS_IN_USE))
    files = set(made)
    names = files | {str(folder) for name in files for folder in PurePath(name).parents}
    for path in _foreign(out) if files else ():
        if path.relative_to(out).as_posix() in names:
            raise WriteError(path, Message(IS_FOREIGN))


def _take_place(made: Path, out: Path, *, is_kept: bool) -> None:
    """Give a complete folder the place of ``out``, which then lies where the complete one was; raises WriteError.

    ``is_kept``: whether it is to outlive a crash of the machine. There is one wait for all that was written, because a
    site has thousands of small files.
    """
    names = sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
    refuse_others(names, out)
    contents = {name: _hash(made / name) for name in names}
    write(made, CONTENTS, json.dumps(contents, indent=0).encode())
    for path in _foreign(out):
        _bring(path, made / path.relative_to(out))
    with writing(out):
        if is_kept:
            os.sync()
        if out.exists():
            shutil.copymode(out, made)
            _exchange(made, out)
        else:
            made.rename(out)


def _foreign(out: Path) -> Iterator[Path]:
    """What lies in a folder and is of no site: files, and folders without any file of a site."""
    own = _own(out)
    shared = {folder for path in own for folder in path.parents} | {out}

    def below(folder: Path) -> Iterator[Path]:
        for path in sorted(folder.iterdir()):
            if path in shared:
                yield from below(path)
            elif path not in own and not (folder == out and path.name.startswith(PREFIX)):
                yield path

    if out.is_dir():
        yield from below(out)


def _own(out: Path) -> set[Path]:
    """The files of a site in a folder: its account names them, and they are as they were when it was written.

    Whoever made the folder may have written the account, so that it is believed for what only a site has.
    """
    with suppress(OSError, ValueError, RecursionError):
        said = json.loads(data_of(out / CONTENTS))
        named = said.items() if isinstance(said, dict) else ()
        sites = {out / name: digest for name, digest in named if is_spelt_inside(name) and _OWN.fullmatch(name)}
        own = {path for path, digest in sites.items() if _is_as_made(path, digest)}
        return own | {out / CONTENTS} if own else own
    return set()


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

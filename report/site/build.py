"""Builds: which site is made of which files, and making it in a process of its own."""

import multiprocessing
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from parsers.io.atomic_write import unfinished, write, writing
from parsers.sharing.workers import ALL_CORES, KILLED, Workers

from ..pagefile.page_file import FOLDER as PAGES
from ..pagefile.page_file import PageError, find
from ..pagefile.prose import is_text
from ..rendering.publish import LOGS
from ..wording.words import FOLDER as WORDS
from .drawing import ChartProcess
from .exchange import names_of, refuse_others, take_place
from .templating import FOLDER as TEMPLATES

if TYPE_CHECKING:
    from ..rendering.publish import PublishedPage


NO_PAGE_BUILT = "No page was built. {said}"
FOLDERS = ("assets", "data", "evidence", "logs")


def publish_site(
    pages: Sequence[str],
    logs: Path | None,
    languages: Sequence[str],
    out: Path,
    workers: Workers = ALL_CORES,
    *,
    reloads: bool = False,
    is_kept: bool = True,
) -> "Iterator[PublishedPage]":
    """Write pages as a site into ``out``; all that have a log or quote a figure, in all languages, when none is named.

    The site is made beside ``out`` and takes its place when it is complete: until then, and when anything fails, what
    is there stays as it is, as it does where no page is written. ``reloads``: pages come again when the site is built
    anew and served. ``is_kept``: whether it is to outlive a crash of the machine. The same pages and logs give the same
    bytes. Raises as ``publish`` does, WriteError where ``out`` holds what is of no site, and LogError when a log
    changes while it is read.
    """
    place = out.resolve()
    refuse_others(FOLDERS, place)
    with writing(out):
        place.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(place.parent, out) as folder:
        made = folder / place.name
        found = _made(pages, logs, languages, (made, out), workers, reloads=reloads)
        if any(page.files for page in found):
            refuse_others(names_of(made), place)
            take_place(made, place, is_kept=is_kept)
    yield from found


def _made(
    pages: Sequence[str],
    logs: Path | None,
    languages: Sequence[str],
    folders: tuple[Path, Path],
    workers: Workers,
    *,
    reloads: bool,
) -> "list[PublishedPage]":
    """Make a site in the first of two folders, which is to become the second, and return its pages."""
    with ChartProcess() as chart_process:
        # The process gets ready while all else is imported.
        from ..rendering.publish import publish
        from ..wording.words import languages as all_languages
        from .site_folder import SiteFolder

        site = SiteFolder(languages or all_languages(), folders[0], chart_process, workers, reloads=reloads)
        found = list(publish(pages, logs, languages, folders[1], write=site.add, workers=workers))
        site.finish()
        return found


@dataclass(frozen=True)
class Build:
    """What is built, from a folder of logs and in all languages.

    ``pages``: all that have a log or quote a figure, when none is named. ``reloads``: whether a page that is served
    comes again after the next build.
    """

    pages: tuple[str, ...]
    logs: Path | None
    reloads: bool

    def write(self, out: Path) -> str:
        """Write the site into ``out`` and say so in a sentence; raises as ``publish_site`` does.

        A process keeps what it read of logs, catalogues and templates, so that each build has one of its own.
        """
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            return pool.submit(_written, self, out).result()

    def watched(self) -> list[Path]:
        """The folders in which a change matters; folders, because an editor may put a new file in a page's place."""
        folders = {page.parent for page in self._page_files()}
        return sorted(folder for folder in {*folders, *self._whole_folders()} if folder.is_dir())

    def concerns(self, _: object, path: str) -> bool:
        """Whether a file that changed is one that the site is made of."""
        changed = Path(path).resolve()
        inside = any(changed.is_relative_to(folder.resolve()) for folder in self._whole_folders())
        pages = [page.resolve() for page in self._page_files()]
        is_prose = is_text(changed.name) and changed.parent.parent in {page.parent for page in pages}
        return inside or is_prose or changed in pages

    def _page_files(self) -> list[Path]:
        return [find(page) for page in self.pages] or sorted(PAGES.glob("*.toml"))

    def _whole_folders(self) -> tuple[Path, ...]:
        return (self.logs or LOGS, WORDS, TEMPLATES)


def _written(build: Build, out: Path) -> str:
    # Its own processes end with it when it is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(KILLED))
    published = list(publish_site(build.pages, build.logs, [], out, reloads=build.reloads, is_kept=False))
    names = [page.name for page in published if page.files]
    if not names:
        raise PageError(NO_PAGE_BUILT, said=" ".join(str(page.done()) for page in published))
    # What a served page asks for: it changes with every build.
    write(out, "build.txt", out.name.encode())
    return f"Built {', '.join(names)}."

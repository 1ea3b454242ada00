"""Builds: which site is made of which files, and making it in a process of its own."""

import multiprocessing
import shutil
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from parsers.io.atomic_write import unfinished, write, writing
from parsers.io.input_file import opened
from parsers.sharing.workers import ALL_CORES, KILLED, Workers

from ..pagefile.page_file import FOLDER as PAGES
from ..pagefile.page_file import PageError, find
from ..pagefile.prose import is_text
from ..results.model import SUFFIX, Report
from ..views.html import ASSETS, TEMPLATES, copy_of, page_file, texts
from ..views.publish import LOGS, PublishedPage, publish
from ..wording.words import FOLDER as WORDS
from ..wording.words import languages as all_languages
from .exchange import names_of, refuse_others, take_place

NO_PAGE_BUILT = "No page was built. {said}"
FOLDERS = ("assets", "data", "logs")


def publish_site(
    pages: Sequence[str],
    logs: Path | None,
    languages: Sequence[str],
    out: Path,
    workers: Workers = ALL_CORES,
    *,
    reloads: bool = False,
    is_kept: bool = True,
) -> Iterator[PublishedPage]:
    """Write pages as a site into ``out``; all that have a log or quote a figure, in all languages, when none is named.

    The site is made beside ``out`` and takes its place when it is complete: until then, and when anything fails, what
    is there stays as it is, as it does where no page is written. ``reloads``: pages come again when the site is built
    anew and served. ``is_kept``: whether it is to outlive a crash of the machine. The same pages and logs give the same
    bytes. Raises as ``publish`` does, WriteError where ``out`` holds what is of no site.
    """
    place, folder_of_logs, languages = out.resolve(), logs or LOGS, languages or all_languages()
    refuse_others(FOLDERS, place)
    with writing(out):
        place.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(place.parent, out) as folder:
        made, reports = folder / place.name, list[Report]()

        def add(published: PublishedPage, report: Report, languages: Sequence[str]) -> list[Path]:
            reports.append(report)
            copies = [(folder_of_logs / path, made, copy_of(path)) for path in report.logs]
            with workers.each(_copy, copies, _bytes) as written:
                deque(written, maxlen=0)
            return [out / page_file(published.name, language) for language in languages]

        found = list(publish(pages, logs, languages, out, add, workers))
        if reports:
            _write(made, reports, languages, reloads=reloads)
            refuse_others(names_of(made), place)
            take_place(made, place, is_kept=is_kept)
    yield from found


def _write(folder: Path, reports: Sequence[Report], languages: Sequence[str], *, reloads: bool) -> None:
    for report in reports:
        write(folder, f"data/{report.page.name}{SUFFIX}", report.to_json().encode())
    for name, text in texts(reports, languages, reloads=reloads).items():
        write(folder, name, text.encode())
    for name in ASSETS:
        write(folder, f"assets/{name}", (TEMPLATES / name).read_bytes())


def _copy(task: tuple[Path, Path, str]) -> None:
    """Copy a log into a site under the name of its copy; raises LogError and WriteError."""
    log, folder, name = task
    with opened(log) as source:
        copy = write(folder, name, b"")
        with writing(copy), copy.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)


def _bytes(task: tuple[Path, Path, str]) -> int:
    return task[0].stat().st_size


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

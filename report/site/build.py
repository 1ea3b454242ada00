"""Builds: which site is made of which files, and making it in a process of its own."""

import multiprocessing
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from parsers.whole import write

from ..pagefile import FOLDER as PAGES
from ..pagefile import find
from ..pool import KILLED
from ..publish import LOGS
from ..words import FOLDER as WORDS
from .publishing import publish_site
from .templating import FOLDER as TEMPLATES


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
        return inside or changed in [page.resolve() for page in self._page_files()]

    def _page_files(self) -> list[Path]:
        return [find(page) for page in self.pages] or sorted(PAGES.glob("*.toml"))

    def _whole_folders(self) -> tuple[Path, ...]:
        return (self.logs or LOGS, WORDS, TEMPLATES)


def _written(build: Build, out: Path) -> str:
    # Its own processes end with it when it is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(KILLED))
    published = publish_site(build.pages, build.logs, [], out, reloads=build.reloads, is_kept=False)
    names = [page.name for page in published if page.files]
    # What a served page asks for: it changes with every build.
    write(out, "build.txt", out.name.encode())
    return f"Built {', '.join(names)}." if names else "Built no page: none has a log or quotes a figure."

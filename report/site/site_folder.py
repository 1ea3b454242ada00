"""The site: pages, evidence, raw logs and an index in one folder that works without a server."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from parsers.io import atomic_write
from parsers.io.printable import printable_lines
from parsers.sharing.workers import ALL_CORES, Workers

from ..rendering.publish import PublishedPage
from .derivation_steps import DerivationSteps, derivations
from .drawing import ChartProcess, drawings
from .index import index
from .log_excerpts import LogFiles, write
from .panel import excerpts, panel
from .templating import ASSETS, FOLDER
from .web_page import WebPage, copy_of, file_name, index_name, proofs_name

EVIDENCE = "evidence"


class SiteFolder:
    """A site in some languages that grows by whole pages in ``folder``, where it is not yet seen."""

    def __init__(
        self,
        languages: Sequence[str],
        folder: Path,
        process: ChartProcess,
        workers: Workers = ALL_CORES,
        *,
        reloads: bool = False,
    ) -> None:
        self.languages, self.folder, self.workers, self.reloads = list(languages), folder, workers, reloads
        self._chart_process = process
        self._pages: list[WebPage] = []
        self._written: dict[str, set[int]] = {}

    def add(self, published: PublishedPage, languages: Sequence[str], logs: Path, out: Path) -> list[Path]:
        """Write a page in all languages with its evidence; raises LogError, OSError and WriteError.

        Returns its files, as they are called when the site has its place at ``out``.
        """
        shown = [self._log_files(logs, path, *wanted) for path, wanted in excerpts(published.cells).items()]
        # What other processes do comes first, and what waits for it last; a page is there when all is that it links to.
        with self.workers.each(LogFiles.write, shown, _bytes) as written:
            pages = [self._web_page(published, languages, logs, language) for language in languages]
            self._write_panels(pages, derivations(published.cells))
            texts = {name: text for page in pages for name, text in _texts(page)} | dict(pages[0].data())
            deque(written, maxlen=0)
        for name, text in texts.items():
            self._write(name, text)
        self._pages += pages
        return [out / file_name(page.name, page.language) for page in pages]

    def _web_page(self, published: PublishedPage, languages: Sequence[str], logs: Path, language: str) -> WebPage:
        charts = drawings(published.page, published.cells, language, self._chart_process)
        return WebPage(published, languages, logs, language, *charts, reloads=self.reloads)

    def _write_panels(self, pages: Sequence[WebPage], derived: Mapping[int, DerivationSteps]) -> None:
        for page, cell in product(pages, pages[0].cells):
            if anchor := page.anchor_of(cell):
                write(self.folder / EVIDENCE, f"{page.name}.{page.language}/{anchor}", panel(page, cell, derived))

    def _log_files(self, logs: Path, path: str, sha256: str, wanted: set[int]) -> LogFiles:
        written = self._written.setdefault(sha256, set())
        missing = frozenset(wanted - written)
        written |= wanted
        return LogFiles(logs / path, self.folder, str(copy_of(path)), EVIDENCE, f"lines/{sha256}", missing)

    def finish(self) -> None:
        """Write what the pages share, the index and the scripts; raises WriteError."""
        for language in self.languages:
            pages = [page for page in self._pages if page.language == language]
            text = index(pages, language, self.languages, reloads=self.reloads)
            self._write(index_name(language, self.languages), text)
        for name in ASSETS:
            atomic_write.write(self.folder, f"assets/{name}", (FOLDER / name).read_bytes())

    def _write(self, name: str, text: str) -> None:
        atomic_write.write(self.folder, name, printable_lines(text).encode("utf-8"))


def _bytes(files: LogFiles) -> int:
    return files.log.stat().st_size


def _texts(page: WebPage) -> Iterator[tuple[str, str]]:
    """A page, that of its evidence and its charts, by the names of their files."""
    yield file_name(page.name, page.language), page.html()
    yield proofs_name(page.name, page.language), page.proofs_html()
    yield from page.drawn_files()

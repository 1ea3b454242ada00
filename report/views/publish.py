"""Publishing: page files in, reports and their pages out."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from parsers.io.files import write_whole
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.diagnostics import Diagnostic
from ..pagefile.page import Page
from ..pagefile.page_file import PageError, find, names, parse, read_text
from ..results.build import build
from ..results.model import SUFFIX, Report, Result
from ..results.remarks import Remark
from ..results.store import LogStore
from ..wording.words import english
from ..wording.words import languages as all_languages
from .markdown import page_name, texts

LOGS = Path("logs")
MOST_REASONS = 12


@dataclass(frozen=True)
class PublishedPage:
    """One page with its report and its files; no files where it is left out.

    ``called``: what a command calls it. ``is_asked``: whether it was named.
    ``is_searched``: whether it was named with the folder of its logs.
    """

    name: str
    page: Page
    report: Report
    files: list[Path]
    called: str = ""
    is_asked: bool = False
    is_searched: bool = False

    def covered(self, origin: str) -> int:
        """How many of its numbers are measured, or quoted; what is computed from others counts with these alone."""
        return sum(result.origin == origin for result in self.report.own)

    @property
    def is_wanted(self) -> bool:
        """Whether it is to be rendered: it has a log, or quotes figures and has no logs elsewhere, or it was named."""
        has_numbers = self.covered("measured") > 0 or (self.covered("quoted") > 0 and not self.page.source)
        return has_numbers or (self.is_asked and not self.page.source)

    def done(self, *, is_fetched: bool = False) -> str:
        """What was done, in one sentence; ``is_fetched``: whether its logs were fetched."""
        if self.files:
            counts = f"{self.covered('measured')} of {len(self.report.own)} cells measured;"
            quoted = f" {found} quoted;" if (found := self.covered("quoted")) else ""
            return f"{self.name}: {counts}{quoted} wrote {', '.join(map(str, self.files))}."
        if not self.page.source:
            return f"{self.name}: skipped because it has no logs; pass the page name to render it anyway."
        where = self.page.source.repository
        if is_fetched:
            return f"{self.name}: skipped because no log from {where} gives one of its numbers."
        command = f"tachograph report {shlex.quote(self.called)} --fetch"
        return f"{self.name}: skipped because its logs are in {where}: {command} fetches them and renders it."

    @property
    def why_empty(self) -> list[str]:
        """Why cells are empty that are, a line for each reason; not for what others lack.

        Of a page that is left out none, unless it was named with the folder of its logs.
        """
        return why_empty(self.report) if self.files or self.is_searched else []

    @property
    def is_empty(self) -> bool:
        """Whether it was rendered without a single number, or left out although it was named."""
        return not any(result.digits for result in self.report.results) if self.files else self.is_asked


Write = Callable[[PublishedPage, Report, Sequence[str]], list[Path]]


def publish(
    pages: Sequence[str],
    logs: Path | None,
    languages: Sequence[str],
    out: Path,
    write: Write | None = None,
    workers: Workers = ALL_CORES,
) -> Iterator[PublishedPage]:
    """Render pages in languages; all that have a log, or quoted figures and no logs to fetch, in all languages, when
    none is named. A page whose logs others published is left out where it has none of them.

    Where none is named and none has a log, nobody asked for a page: PageError, too.

    ``write``: writes a page and its report, and returns its files; Markdown into ``out`` if None.
    ``workers`` read the logs. Raises PageError for a page with a mistake and for two pages that would be one file,
    WordsError for a language without catalogue, WriteError when a file cannot be written: the files of its page are
    then as they were.
    """
    folder, logs = logs, logs or LOGS
    for found in read_pages(pages, logs, out, workers) if pages else _with_logs(logs, out, workers):
        rendered = replace(found, is_asked=bool(pages), is_searched=bool(pages) and folder is not None)
        if rendered.is_wanted:
            written = write or partial(_write_markdown, out)
            rendered.files.extend(written(rendered, rendered.report, languages or all_languages()))
        yield rendered


def read_pages(pages: Sequence[str], logs: Path, out: Path, workers: Workers = ALL_CORES) -> Iterator[PublishedPage]:
    """Pages with their reports, before anything is written into ``out``; raises PageError."""
    store = LogStore(logs, workers)
    for path, called in _files(pages).items():
        stated = read_text(path)
        page = parse(stated, path)
        yield PublishedPage(path.stem, page, build(path.stem, page, stated, store, out), [], called)


def _with_logs(logs: Path, out: Path, workers: Workers) -> list[PublishedPage]:
    """All pages, if one of them has a log; else quoted figures would be all that there is. Raises PageError."""
    found = list(read_pages(names(), logs, out, workers))
    if not any(rendered.report.runs for rendered in found):
        known = ", ".join(names())
        raise PageError(f"No page has a log in {logs}; pass a page ({known}) or a path ending in .toml.")
    return found


def _files(pages: Sequence[str]) -> dict[Path, str]:
    """The files of the pages, once each, and what they are called; raises PageError when two of them have one name."""
    files: dict[str, tuple[Path, str]] = {}
    for path, called in zip(map(find, pages), pages, strict=True):
        other, _ = files.setdefault(path.stem, (path, called))
        if other.resolve() != path.resolve():
            raise PageError(f"{other} and {path} would both be rendered as {path.stem}; render them separately.")
    return dict(files.values())


def _write_markdown(out: Path, published: PublishedPage, report: Report, languages: Sequence[str]) -> list[Path]:
    there = (one for one in all_languages() if (out / page_name(published.name, one)).exists())
    linked = sorted({*languages, *there})
    files: dict[str, str] = {}
    for language in languages:
        files |= texts(report, language, linked)
    files[published.name + SUFFIX] = report.to_json()
    return write_whole(out, {name: text.encode() for name, text in files.items()})


# ---- cells without a number


def why_empty(report: Report) -> list[str]:
    """A sentence for each reason why cells of a page are empty; not for cells that lack what others do."""
    found: dict[object, list[tuple[Result, Diagnostic]]] = {}
    for result in report.results:
        if (reason := result.reason) and not result.digits and reason.code != Remark.MISSING_PART:
            # Of the logs that a table lacks one is told.
            table = report.places[result.id][0].name
            kind = (table, reason.code) if reason.code == Remark.NOT_FOUND else reason
            found.setdefault(kind, []).append((result, reason))
    name, each = report.page.name, list[str]()
    for (first, reason), *others in list(found.values())[:MOST_REASONS]:
        which = f"{first.id} and {len(others)} more are empty" if others else f"{first.id} is empty"
        each.append(f"{name}: {which}: {english(reason.message)}")
    if more := len(found) - len(each):
        each.append(f"{name}: more reasons for empty cells: {more}; the report of the page lists them.")
    return each

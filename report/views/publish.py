"""Publishing: page files in, reports and their pages out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parsers.io.files import write_whole
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.diagnostics import Diagnostic, Remark
from ..pagefile.page import Page
from ..pagefile.page_file import PageError, find, names, parse, read_text
from ..results.build import build
from ..results.model import SUFFIX, Report, Result
from ..results.store import LogStore
from ..wording.words import english
from ..wording.words import languages as all_languages
from .markdown import page_name, texts

LOGS = Path("logs")


@dataclass(frozen=True)
class PublishedPage:
    """One page with its report, and its files, none where it is left out."""

    name: str
    page: Page
    report: Report
    files: list[Path] = field(default_factory=list)

    def covered(self, origin: str) -> int:
        """How many of its numbers are measured, or quoted; what is computed from others counts with these alone."""
        return sum(result.origin == origin for result in self.report.own)

    @property
    def is_wanted(self) -> bool:
        """Whether it is to be rendered: it has a log, or quotes figures and has no logs elsewhere."""
        return self.covered("measured") > 0 or (self.covered("quoted") > 0 and not self.page.source)

    @property
    def done(self) -> str:
        """What was done, in one sentence."""
        if self.files:
            counts = f"{self.covered('measured')} of {len(self.report.own)} cells measured;"
            quoted = f" {found} quoted;" if (found := self.covered("quoted")) else ""
            return f"{self.name}: {counts}{quoted} wrote {', '.join(map(str, self.files))}."
        if not self.page.source:
            return f"{self.name}: skipped because it has no numbers."
        where = f"{self.page.source.repository} at {self.page.source.commit}"
        return f"{self.name}: skipped because no number is measured; its logs are in {where}; --logs names a checkout."


def publish(
    pages: Sequence[str], logs: Path | None, languages: Sequence[str], out: Path, workers: Workers = ALL_CORES
) -> Iterator[PublishedPage]:
    """Render ``chosen`` pages as Markdown into ``out``, in all languages where none is named.

    A page without any number is left out, and one whose logs others published where it has none of them. Raises
    WordsError for a language without catalogue, WriteError when a file cannot be written: the files of its page are
    then as they were.
    """
    for found in chosen(pages, logs or LOGS, out, workers):
        if found.is_wanted:
            found.files.extend(_write(out, found.report, languages or all_languages()))
        yield found


def chosen(pages: Sequence[str], logs: Path, out: Path, workers: Workers) -> Iterator[PublishedPage]:
    """Pages as ``read_pages`` has them; all of ours where none is named.

    Where then none has a log, nobody asked for what is only quoted: PageError, too.
    """
    if pages:
        yield from read_pages(pages, logs, out, workers)
        return
    found = list(read_pages(names(), logs, out, workers))
    if not any(one.report.runs for one in found):
        known = ", ".join(names())
        raise PageError(f"No page has a log in {logs}; pass a page ({known}) or a path ending in .toml.")
    yield from found


def read_pages(pages: Sequence[str], logs: Path, out: Path, workers: Workers = ALL_CORES) -> Iterator[PublishedPage]:
    """Pages with their reports, before anything is written into ``out``; ``workers`` read the logs.

    Raises PageError for a page with a mistake and for two pages that would be one file.
    """
    store = LogStore(logs, workers)
    for path in _files(pages):
        stated = read_text(path)
        page = parse(stated, path)
        yield PublishedPage(path.stem, page, build(path.stem, page, stated, store, out))


def _files(pages: Sequence[str]) -> list[Path]:
    """The files of the pages, once each; raises PageError when two of them have one name."""
    files: dict[str, Path] = {}
    for path in map(find, pages):
        other = files.setdefault(path.stem, path)
        if other.resolve() != path.resolve():
            raise PageError(f"{other} and {path} would both be rendered as {path.stem}; render them separately.")
    return list(files.values())


def _write(out: Path, report: Report, languages: Sequence[str]) -> list[Path]:
    there = (one for one in all_languages() if (out / page_name(report.page.name, one)).exists())
    linked = sorted({*languages, *there})
    files: dict[str, str] = {}
    for language in languages:
        files |= texts(report, language, linked)
    files[report.page.name + SUFFIX] = report.to_json()
    return write_whole(out, {name: text.encode() for name, text in files.items()})


def why_empty(report: Report) -> list[str]:
    """A sentence for each table and reason for which cells of a page are empty; not for cells that lack others."""
    found: dict[tuple[str, str], list[tuple[Result, Diagnostic]]] = {}
    for result in report.results:
        if (reason := result.reason) and not result.digits and reason.code != Remark.MISSING_PART:
            found.setdefault((report.places[result.id][0].name, reason.code), []).append((result, reason))
    told = list[str]()
    for (first, reason), *others in found.values():
        which = f"{first.id} and {len(others)} more are empty" if others else f"{first.id} is empty"
        told.append(f"{report.page.name}: {which}: {english(reason.message)}")
    return told

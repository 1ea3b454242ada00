"""Publishing: page files in, rendered pages and their evidence files out."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parsers.io.atomic_write import write_whole
from parsers.io.message import Message
from parsers.sharing.workers import ALL_CORES, Workers

from ..evidence import evidence_file
from ..evidence.case_evidence import cells
from ..evidence.cell import Cell, coverage
from ..evidence.comparison import UnlikeNumbers, comparisons
from ..pagefile.page import Page
from ..pagefile.page_file import PageError, find, names, parse, read_text
from ..pagefile.shorthand import ENGLISH
from ..wording.words import languages as all_languages
from ..wording.words import words
from .empty_cells import why_empty
from .markdown_page import MarkdownPage, page_name
from .render import Renderer

if TYPE_CHECKING:
    from ..charts.page_charts import ChartFiles

    Draw = Callable[[str, Page, Sequence[Cell], str], ChartFiles]

LOGS = Path("logs")
NO_PAGE_HAS_A_LOG = "No page has a log in {logs}; pass a page ({known}) or a path ending in .toml."
SKIPPED = "{name}: skipped because it has no logs; pass the page name to render it anyway."
PUBLISHED_ELSEWHERE = (
    "{name}: skipped because its logs are in {repository}: tachograph report {called} --fetch fetches them "
    "and renders it."
)
NONE_FETCHED = "{name}: skipped because no log from {repository} gives one of its numbers."
WROTE = "{name}: {measured} of {planned} cells measured;{quoted}{unlike} wrote {files}."
ALSO_QUOTED = " {count} quoted;"
ALSO_UNLIKE = " {count} rows/columns are not directly comparable;"
UNTRANSLATED = "{name}: no text in language {language} for {texts}; another language stands there."
UNKNOWN_LANGUAGE = "{name}: texts in language {language} are not shown; available: {known}."
ONE_NAME = "{first} and {second} would both be rendered as {name}; render them separately."


@dataclass(frozen=True)
class PublishedPage:
    """One page that is rendered: its cells and its files; no files where it is left out.

    ``stated``: the text of its page file. ``called``: what a command calls it. ``is_asked``: whether it was named.
    ``is_searched``: whether it was named with the folder of its logs.
    """

    name: str
    stated: str
    page: Page
    cells: list[Cell]
    files: list[Path]
    called: str = ""
    is_asked: bool = False
    is_searched: bool = False

    @cached_property
    def unlike(self) -> list[UnlikeNumbers]:
        """The rows and columns of its tables that are not directly comparable."""
        return list(comparisons(self.page, self.cells))

    @property
    def has_its_numbers(self) -> bool:
        """Whether it has a log, or quotes figures whose logs were not published elsewhere."""
        found = coverage(self.cells)
        return bool(found.measured) or (bool(found.quoted) and not self.page.source)

    @property
    def is_wanted(self) -> bool:
        """Whether it is to be rendered: it has its numbers, or it was named and nobody else published its logs."""
        return self.has_its_numbers or (self.is_asked and not self.page.source)

    def done(self, *, is_fetched: bool = False) -> Message:
        """What was done, in one sentence; ``is_fetched``: whether its logs were fetched."""
        if not self.files and self.page.source:
            left_out = NONE_FETCHED if is_fetched else PUBLISHED_ELSEWHERE
            called = shlex.quote(self.called)
            return Message(left_out, name=self.name, called=called, repository=self.page.source.repository)
        if not self.files:
            return Message(SKIPPED, name=self.name)
        covered = coverage(self.cells)
        quoted = Message(ALSO_QUOTED, count=covered.quoted) if covered.quoted else ""
        unlike = Message(ALSO_UNLIKE, count=len(self.unlike)) if self.unlike else ""
        counts = {"measured": covered.measured, "planned": covered.planned, "quoted": quoted, "unlike": unlike}
        return Message(WROTE, name=self.name, **counts, files=", ".join(map(str, self.files)))

    @property
    def why_empty(self) -> list[Message]:
        """Why cells are empty that are, a line for each reason; not for what others lack.

        Of a page that is left out none, unless it was named with the folder of its logs.
        """
        return why_empty(self.name, self.stated, self.page, self.cells) if self.files or self.is_searched else []

    def untranslated(self, languages: Sequence[str]) -> list[Message]:
        """The texts that are missing in a language, or are in one that no page has; a sentence for each language."""
        missing = {language: [*self._untranslated(language)] for language in languages}
        stated = {language for said in self.page.texts.values() for language in said} | self.page.words.keys()
        known = all_languages()
        return [
            Message(UNTRANSLATED, name=self.name, language=language, texts=", ".join(texts))
            for language, texts in missing.items()
            if texts
        ] + [
            Message(UNKNOWN_LANGUAGE, name=self.name, language=language, known=", ".join(known))
            for language in sorted(stated - {*known})
        ]

    def _untranslated(self, language: str) -> Iterator[str]:
        yield from self.page.untranslated(language)
        if language != ENGLISH:
            catalogue = words(language)
            titles = self.page.untranslated_titles(language)
            yield from (repr(title) for title in titles if catalogue.gettext(title) == title)

    @property
    def is_empty(self) -> bool:
        """Whether it was rendered without a single number, or left out although it was named."""
        return not any(cell.digits for cell in self.cells) if self.files else self.is_asked


Write = Callable[[PublishedPage, Sequence[str], Path, Path], list[Path]]


def publish(
    pages: Sequence[str],
    logs: Path | None,
    languages: Sequence[str],
    out: Path,
    draw: "Draw | None" = None,
    write: Write | None = None,
    workers: Workers = ALL_CORES,
) -> Iterator[PublishedPage]:
    """Render pages in languages; all that have a log, or quoted figures and no logs to fetch, in all languages, when
    none is named. A page whose logs others published is left out where it has none of them.

    Where none is named and none has a log, nobody asked for a page: PageError, too.

    ``draw``: what makes the charts that Markdown pages show; None for pages without charts. ``write``: writes a page in
    languages, from a folder of logs into ``out``, and returns its files; Markdown, if None. ``workers`` read the logs.
    Raises PageError for a page with a mistake and for two pages that would be one file, WordsError for a language
    without catalogue, WriteError when a file cannot be written: the files of its page are then as they were.
    """
    folder, logs = logs, logs or LOGS
    for found in _read(pages, logs, workers) if pages else _with_logs(logs, workers):
        rendered = replace(found, is_asked=bool(pages), is_searched=bool(pages) and folder is not None)
        written = write or partial(_write, draw=draw)
        if rendered.is_wanted:
            rendered.files.extend(written(rendered, languages or all_languages(), logs, out))
        yield rendered


def _read(pages: Sequence[str], logs: Path, workers: Workers) -> Iterator[PublishedPage]:
    """The pages with their cells, before anything is written."""
    for path, called in _files(pages).items():
        stated = read_text(path)
        page = parse(stated, path)
        yield PublishedPage(path.stem, stated, page, list(cells(page, logs, workers)), [], called)


def _with_logs(logs: Path, workers: Workers) -> list[PublishedPage]:
    """All pages, if one of them has a log; else quoted figures would be all that there is. Raises PageError."""
    found = list(_read(names(), logs, workers))
    if not any(cell.proofs for rendered in found for cell in rendered.cells):
        raise PageError(NO_PAGE_HAS_A_LOG, logs=logs, known=", ".join(names()))
    return found


def _files(pages: Sequence[str]) -> dict[Path, str]:
    """The files of the pages, once each, and what they are called; raises PageError when two of them have one name."""
    files: dict[str, tuple[Path, str]] = {}
    for path, called in zip(map(find, pages), pages, strict=True):
        other, _ = files.setdefault(path.stem, (path, called))
        if other.resolve() != path.resolve():
            raise PageError(ONE_NAME, first=other, second=path, name=path.stem)
    return dict(files.values())


def _write(
    published: PublishedPage, languages: Sequence[str], logs: Path, out: Path, draw: "Draw | None"
) -> list[Path]:
    drawn = {
        language: draw(published.name, published.page, published.cells, language) for language in languages if draw
    }
    there = (language for language in all_languages() if (out / page_name(published.name, language)).exists())
    linked = sorted({*languages, *there})
    texts: dict[str, str] = {}
    for language in languages:
        texts |= markdown_of(published, language, linked, logs, out, drawn)
    proof = evidence_file.path_of(published.name, out)
    texts[proof.name] = evidence_of(published, logs, out, charts=bool(drawn))
    texts |= {name: text for charts in drawn.values() for name, text in charts.texts().items()}
    return write_whole(out, {name: text.encode() for name, text in texts.items()})


def markdown_of(
    published: PublishedPage,
    language: str,
    languages: Sequence[str],
    logs: Path,
    out: Path,
    drawn: "Mapping[str, ChartFiles]",
) -> dict[str, str]:
    """A page and its evidence in a language, by the names of their files in ``out``; links lead to ``logs``.

    ``languages``: those that it links to, with its own. ``drawn``: its charts by language, empty for a page without
    any.
    """
    parts = Renderer(published.page, published.cells, language, logs, out, published.unlike)
    charts_of = (drawn[language].of,) if drawn else ()
    return dict(MarkdownPage(published.name, languages, parts).texts(*charts_of))


def evidence_of(published: PublishedPage, logs: Path, out: Path, *, charts: bool) -> str:
    """The evidence of a page as its file in ``out`` is to hold it; ``charts``: whether the page shows charts."""
    path = evidence_file.path_of(published.name, out)
    return evidence_file.text(path, published.stated, published.page, published.cells, logs, charts=charts)


def cell_json(cell: Cell) -> dict[str, Any]:
    """A cell as JSON; of several files ``log``, ``sha256``, ``lines`` and ``records_used`` are lists in one order.

    There are several files where there are several repeats, and where power is that of the window of a log.
    """
    place = {"table": cell.table, "row": cell.row, "column": cell.column, "quantity": cell.shown.quantity.name}
    if cell.quotient:
        of, against = cell.quotient.of, cell.quotient.against
        computed = {
            "of": of.digits,
            "against": against.digits,
            "ideal": cell.quotient.ideal,
            "whole": cell.quotient.whole,
        }
        printed = {"value": cell.printed, "number": cell.number, "unit": cell.shown.unit, "computed": computed}
        return {**place, **printed, "rests_on_quotes": cell.rests_on_quotes}
    if cell.printed is None:
        return {**place, "value": None, **_quoted(cell), "reason": str(cell.reason)}
    proofs = [
        {"log": e.path, "sha256": e.sha256, "lines": list(e.lines), "records_used": e.used}
        for proof in cell.proofs
        for e in proof.exhibits
    ]
    evidence = proofs[0] if len(proofs) == 1 else {key: [proof[key] for proof in proofs] for key in proofs[0]}
    printed = {"value": cell.printed, "number": cell.number, "unit": cell.shown.unit, "protocol": cell.words}
    return {**place, **printed, **evidence, "remarks": cell.said}


def _quoted(cell: Cell) -> dict[str, Any]:
    """The figure that stands in place of a number, where there is one."""
    if cell.quoted is None:
        return {}
    return {"quoted": {"value": cell.quoted.digits, "unit": cell.shown.unit, "source": cell.quoted.source}}

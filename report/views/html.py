"""HTML: the pages of reports as a static site, with the evidence of every number in a dialog of its own.

No request leads to anywhere else: style and script are files of the site, whose policy runs nothing of a log. Each
dialog has the address of its number as id, so that a link opens it; without a script the browser shows the one that is
addressed. Logs are published as text under names that no server takes for anything else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from hashlib import sha256
from pathlib import Path

from jinja2 import Template
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from parsers.io.printable import printable_lines

from ..measure.number import thousands
from ..results.model import USED, Finding, Report, Result, Run, Table
from ..wording.markdown import path_address, seen
from ..wording.words import Translator, words
from .view import View, templates

ASSETS = ("icon.svg", "site.css", "site.js")
LONGEST_NAME = 251  # bytes that a file system takes, less those of .txt
CURVE = 400  # points of the curve of a run: more would not be seen
FEWEST_VALUES = 5  # that are drawn
WIDTH, HEIGHT, MARGIN = 520, 96, 18  # of the curve, in its own units


def page_file(name: str, language: str) -> str:
    """The file of a page in a language."""
    return f"{name}.{language}.html"


def index_file(language: str, languages: Sequence[str]) -> str:
    """The file of the index in a language: index.html is English, or the first language where that is left out."""
    # A page has the name of its language after a point, so that none of them is an index.
    return "index.html" if language == ("en" if "en" in languages else languages[0]) else f"index-{language}.html"


def copy_of(log: str) -> str:
    """The file of a log in the site: text, whatever its name ends with; no two logs have the same."""
    *folders, name = Path(log).parts
    inert = name.replace("%", "%25").replace(",", "%2C").replace(".", ",")
    if len(os.fsencode(inert)) > LONGEST_NAME:
        inert = f"{inert[:40]}%{sha256(os.fsencode(name)).hexdigest()}"
    return Path("logs").joinpath(*(re.sub(r"\.txt_*\Z", r"\g<0>_", one) for one in folders), f"{inert}.txt").as_posix()


def texts(reports: Sequence[Report], languages: Sequence[str]) -> dict[str, str]:
    """The HTML files of a site by their names: each page and an index in each language."""
    found: dict[str, str] = {}
    for language in languages:
        views = [HtmlView(report, language) for report in reports]
        shared = {"language": language, "languages": languages, "index": index_file}
        for view in views:
            made = _template("page.html.jinja").render(
                v=view,
                page=view.page,
                say=view.say,
                file_of=lambda one, name=view.page.name: page_file(name, one),
                **shared,
            )
            found[page_file(view.page.name, language)] = printable_lines(made)
        ordered = sorted(views, key=lambda view: view.newest, reverse=True)
        say, files = Translator(language).say, partial(index_file, languages=languages)
        made = _template("index.html.jinja").render(say=say, views=ordered, file_of=files, **shared)
        found[index_file(language, languages)] = printable_lines(made)
    return found


@cache
def _template(name: str) -> Template:
    # What no eye sees, or turns text around, is spelt out wherever it comes from.
    environment = templates(autoescape=True, finalize=lambda value: seen(value) if type(value) is str else value)
    environment.globals |= {"language_name": lambda language: words(language).gettext("language")}
    return environment.get_template(name)


@cache
def _markdown() -> MarkdownIt:
    """For the prose of a page alone; HTML in it is shown as text."""
    made = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    for cell in ("th_open", "td_open"):
        made.add_render_rule(cell, _aligned)
    return made


def _aligned(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    """A cell that says what it heads, and whose alignment is a class: the policy of a page takes no style."""
    cell = tokens[at]
    if said := cell.attrs.pop("style", None):
        cell.attrSet("class", str(said).replace("text-align:", "to-"))
    if cell.tag == "th":
        cell.attrSet("scope", "col")
    return renderer.renderToken(tokens, at, options, env)


@dataclass(frozen=True)
class Curve:
    """The values of all records of a run and of the interval used, as points of lines; the lowest and the highest."""

    all: str
    used: str
    lowest: str
    highest: str


class HtmlView(View):
    """The parts of a page as HTML."""

    @property
    def newest(self) -> tuple[bool, str]:
        """Whether it has measured numbers, and when the newest of them was."""
        begun = [one.begun for one in self.report.results if one.begun]
        return bool(self.report.runs), max(begun, default="")

    def address(self) -> str:
        """The page, as seen from the index."""
        return path_address(page_file(self.page.name, self.language))

    def digits(self, number: str) -> Markup:
        """Digits with gaps in the whole part, which the style sheet makes: who copies them gets digits alone."""
        *gaps, last = thousands(number)
        return Markup("").join(Markup('<span class="t">{}</span>').format(part) for part in gaps) + escape(last)

    def brief(self, result: Result) -> str:
        """Why a ratio is withheld, in two words; empty where its cell is plainly empty."""
        if result.reason is None or "fact" not in result.reason.values:
            return ""
        fact = result.reason.message.values["fact"]
        return self.say("other {fact}", fact=self.worded(fact))  # type: ignore[arg-type]

    def prose(self, block: Mapping[str, str]) -> Markup:
        """Markdown of the page file as HTML; its tables and code scroll."""
        found = _markdown().render(printable_lines(self.text_of(block)))
        scrolled = found.replace("<table>", '<div class="scroll" tabindex="0"><table class="words">')
        scrolled = scrolled.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')
        return Markup(scrolled)  # noqa: S704 - markdown-it escapes, HTML is off

    def inline(self, text: str) -> Markup:
        """A line of Markdown."""
        return Markup(_markdown().renderInline(printable_lines(text)))  # noqa: S704 - as in prose

    def family(self, finding: Finding) -> str:
        """Whose colour a finding has; empty where it is about several."""
        places = (self.report.places[id_] for id_ in finding.first)
        families = {table.columns[at].family or "other" for table, _, at in places}
        return families.pop() if len(families) == 1 else ""

    # ---- panels

    def log_address(self, path: str) -> str:
        """The copy of a log in the site."""
        return path_address(copy_of(path))

    def published(self, run: Run) -> str | None:
        """Where the lines of a run were published, if others did that."""
        url, lines = self.report.logs[run.log].url, run.records.used
        return f"{url}#L{lines[0]}-L{lines[-1]}" if url and lines else url

    def shown_lines(self, run: Run) -> list[tuple[int, str, str, int]]:
        """The lines that a panel shows: number, value read, text, and how many used ones are left out before it."""
        values = dict(run.records.terms)
        order = {line: at for at, line in enumerate(dict.fromkeys(run.records.used))}
        found, before = [], -1
        for line, text in sorted(self.report.logs[run.log].excerpt.items()):
            if line in order:
                value = values.get(line)
                found.append((line, "" if value is None else f"{value:.10g}", text, order[line] - before - 1))
                before = order[line]
        return found

    def curve(self, run: Run) -> Curve | None:
        """The values of the records of a run over their order; None where they are too few."""
        values = run.records.values
        rows = [(at, value) for at, value in enumerate(values) if value is not None]
        if len(rows) < FEWEST_VALUES:
            return None
        low, high = min(value for _, value in rows), max(value for _, value in rows)

        def points(kept: Sequence[tuple[int, float]]) -> str:
            across, down = WIDTH / (len(values) - 1), (HEIGHT - 2 * MARGIN) / (high - low or 1.0)
            shown = kept[:: -(-len(kept) // CURVE) or 1]
            return " ".join(f"{at * across:.1f},{HEIGHT - MARGIN - (value - low) * down:.1f}" for at, value in shown)

        used = [at for at, letter in enumerate(run.records.use) if letter == USED]
        inside = [one for one in rows if used and used[0] <= one[0] <= used[-1]]
        return Curve(points(rows), points(inside), f"{low:.6g}", f"{high:.6g}")

    @cached_property
    def numbers(self) -> list[Result]:
        """All results with a number, in the order of the page."""
        return [result for result in self.report.results if result.digits]

    # ---- the index

    def throughputs(self) -> list[Table]:
        """The tables that the index lists: those of throughputs that have a number."""
        return [
            table
            for table in self.page.tables
            if any(column.quantity == "throughput" for column in table.columns)
            and any(self.result(id_).digits for id_ in table.ids)
        ]

    def found_by(self, table: Table, at: int) -> str:
        """What a row of a table is found by: its numbers, their titles and cases, in small letters."""
        row = table.rows[at]
        told = [self.page.model, self.page.title, self.translate(self.page.title), self.row_title(row), row.title]
        for id_, column in zip(row.results, table.columns, strict=True):
            result = self.result(id_)
            if result.digits:
                told += [result.digits, ",".join(thousands(result.digits)), column.title, self.translate(column.title)]
                told += [column.short, *self.qualifiers(result)]
                told += _case_words(result.labels, self.page.labels)
        return " ".join(dict.fromkeys(told)).casefold()


def _case_words(case: Mapping[str, object], labels: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """The words for a case: its values, as the page labels them, and with their axis (``cards=8``, ``GPU=8``)."""
    for axis, value in case.items():
        yield from (str(value), f"{axis}={value}", labels.get(axis, {}).get(str(value), ""))
        yield from (f"gpu={value}", f"gpus={value}") if axis == "cards" else ()

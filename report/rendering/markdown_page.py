"""Markdown pages: a page in one language, results first, and the evidence of its numbers in a second file beside it."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from parsers.io.printable import printable_lines

from ..evidence import evidence_file
from ..pagefile.page import Block, Table
from ..wording import markdown
from ..wording.words import words
from .render import LOGS, RESULTS, STATED, Renderer

TEMPLATES = Path(__file__).parents[1] / "templates"


def page_name(name: str, language: str) -> str:
    """The file of a page in a language."""
    return f"{name}.{language}.md"


def evidence_name(name: str, language: str) -> str:
    """The file of the evidence of a page in a language."""
    return f"{name}.evidence.{language}.md"


class MarkdownPage:
    """One page and its evidence in one language.

    ``name``: that of the page file. ``languages``: all that the page is written in. ``parts``: what renders its parts.
    """

    def __init__(self, name: str, languages: Sequence[str], parts: Renderer) -> None:
        self.name, self.languages, self.parts = name, languages, parts

    def texts(self, charts_of: Callable[[Table], str] = lambda _: "") -> Iterator[tuple[str, str]]:
        """The names and the texts of the two files; ``charts_of``: what shows the charts of a table, in Markdown."""
        language = self.parts.language
        page = self.parts.leading_to(self._evidence)
        yield page_name(self.name, language), self._rendered("page.md.jinja", page, charts_of=charts_of)
        yield evidence_name(self.name, language), self._rendered("evidence.md.jinja", self.parts)

    @property
    def _evidence(self) -> str:
        """The address of the evidence, as seen from the page."""
        return markdown.path_address(evidence_name(self.name, self.parts.language))

    def _rendered(self, template: str, parts: Renderer, **values: object) -> str:
        said = {"say": parts.say, "translate": parts.translate}
        return printable_lines(_template(template).render(page=parts.page, p=self, r=parts, **said, **values))

    def sections(self) -> list[tuple[str, Sequence[Block]]]:
        """What the page file states besides the results: the title and the blocks of each section that is there."""
        page = self.parts.page
        stated = (page.tested, self.parts.environment(), page.setup, page.steps)
        return [(title, blocks) for title, blocks in zip(STATED, stated, strict=True) if blocks]

    def contents(self) -> str:
        """Links to the sections of the page, on one line."""
        titles = map(self.parts.translate, [RESULTS, *(title for title, _ in self.sections()), LOGS])
        return " · ".join(markdown.link(title, f"#{markdown.anchor(title)}") for title in titles)

    def files(self, *, of_evidence: bool) -> str:
        """Links to the other files of the page, on one line: the same in other languages, page or evidence, JSON."""
        named, other = (evidence_name, page_name) if of_evidence else (page_name, evidence_name)
        own = self.parts.language
        links = [(words(one).gettext("language"), named(self.name, one)) for one in self.languages if one != own]
        links.append((self.parts.say("Page" if of_evidence else "Evidence"), other(self.name, own)))
        links.append(("JSON", f"{self.name}{evidence_file.SUFFIX}"))
        return " · ".join(markdown.link(title, markdown.path_address(name)) for title, name in links)

    def logs_line(self) -> str:
        """How many logs the page is made of and where they are listed, and who published them."""
        return self.parts.logs_line(f"{self._evidence}#{markdown.anchor(self.parts.say(LOGS))}")


@cache
def _template(name: str) -> Template:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        extensions=["jinja2.ext.i18n"],
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown has its own escapes: markdown.text and markdown.code
    )
    environment.filters |= {"text": markdown.text, "anchor": markdown.anchor}
    return environment.get_template(name)

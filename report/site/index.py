"""The index: which pages there are, and a finder over all their numbers."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from babel.support import Translations

from ..evidence.cell import Cell
from ..pagefile.page import Axis, Page, TableColumn
from ..wording.markdown import seen
from ..wording.words import filled, words
from .hypertext import plain
from .result_groups import precision_label, result_groups
from .templating import environment
from .web_page import WebPage, index_name

# What the numbers can be filtered by, in the order of the columns of the finder.
FILTERS: tuple[Axis, ...] = ("model", "framework", "device", "precision")
QUOTED = "‡"
COLUMNS = (
    *("page", "table", "row", "column", *FILTERS),
    *("nodes", "cards", "batch_size", "number", "unit", "quantity", "evidence"),
)


def index(pages: Sequence[WebPage], language: str, languages: Sequence[str], *, reloads: bool = False) -> str:
    """The index in one language over the pages in that language, as HTML; raises WordsError."""
    of_pages = [(page, list(_rows(page))) for page in pages]
    rows = [row for _, found in of_pages for row in found]
    template = environment().get_template("index.html.jinja")
    return template.render(
        groups=result_groups(pages),
        finder=_packed(rows),
        choices={name: _choices(of_pages, name) for name in FILTERS},
        say=partial(_say, words(language)),
        translate=words(language).gettext,
        language=language,
        languages=languages,
        files={other: index_name(other, languages) for other in languages},
        home=index_name(language, languages),
        reloads=reloads,
    )


def _say(catalogue: Translations, message: str, **values: object) -> str:
    return filled(catalogue.gettext(message), values)


def _choices(of_pages: Sequence[tuple[WebPage, Sequence[Sequence[Any]]]], name: Axis) -> list[tuple[str, str]]:
    """What the numbers can be filtered by of an axis: each value, and how the pages that have it write it."""
    column, written = COLUMNS.index(name), dict[str, dict[str, None]]()
    for page, rows in of_pages:
        for value in dict.fromkeys(str(row[column]) for row in rows if row[column]):
            said = precision_label(page, value) if name == "precision" else value
            written.setdefault(value, {})[page.translate(said)] = None
    choices = [(value, ", ".join(said)) for value, said in written.items()]
    return sorted(choices, key=lambda choice: choice[1].casefold())


def _rows(page: WebPage) -> Iterator[list[Any]]:
    """The numbers of a page, with the values of ``COLUMNS``."""
    for cell, column in zip(page.cells, _columns(page.page), strict=True):
        anchor = page.anchor_of(cell)
        if anchor is None:
            continue
        where = [page.translate(page.page.title), *map(plain, page.coordinates(cell))]
        about = [str(_about(page, cell, column)[name] or "") for name in FILTERS]
        scale = [str(cell.stated.get(axis, "")) for axis in ("nodes", "cards", "batch_size")]
        link = f"{page.address(page.language)}#{anchor}"
        mark = QUOTED if cell.rests_on_quotes else ""
        yield [*where, *about, *scale, f"{cell.digits}{mark}", cell.shown.unit, _quantity(page, cell), link]


def _quantity(page: WebPage, cell: Cell) -> str:
    """What a number is, in all words that a reader may look for: speed up, speed-up, speedup."""
    name = cell.shown.quantity.name
    return " ".join([page.translate(name), *(name.replace("_", joint) for joint in (" ", "-", ""))])


def _columns(page: Page) -> Iterator[TableColumn]:
    for table in page.tables:
        for _ in table.rows:
            yield from table.columns


def _about(page: WebPage, cell: Cell, column: TableColumn) -> dict[str, object]:
    """The axes of a number: as its case says, else its page and column, else the facts of its log."""
    told: dict[str, object] = {
        "model": page.page.model,
        "framework": page.page.columns[column.column].title,
    }
    facts = {name: fact.value for proof in cell.proofs[:1] for name, fact in proof.reading.facts.items()}
    return {name: cell.stated.get(name) or told.get(name) or facts.get(name) for name in FILTERS}


def _packed(rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The rows with each text once, and by its number where it stands: the index stays small."""
    texts: dict[str, int] = {}
    packed = [[texts.setdefault(seen(str(text)), len(texts)) for text in row] for row in rows]
    return {"columns": COLUMNS, "texts": list(texts), "rows": packed}

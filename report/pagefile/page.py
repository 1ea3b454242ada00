"""The page file: what is published, where its evidence is, and by which protocol."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from parsers.io.containment import is_spelt_inside
from parsers.io.validation import Mistake

from ..measure.quantity import QUANTITIES, Quantity
from ..measure.work import thing
from .column import Aliases, Column, Quality
from .model_flops import ModelFlops
from .parts import LAUNCHED, MARKED, Axis, Block, Case, Cases, Code, Grid, PagePart, Prose, Value
from .prose import LEAVES_PAGE
from .publications import Caution, LogSource, Quote, QuoteSource
from .shorthand import HAS_BRACES, spelt_out
from .table import Against, OverTime, Table, TableColumn, TableRow

ONE_KIND = "a highlight is one of fastest, highest, scaling and speed_up, with a case."

# What is a word of English and no name: "cards", neither "BERT" nor "nanoGPT".
_WORD = re.compile(r"(?<![\w{.-])[a-z]{3,}(?![\w}.-])")

SEVERAL = ", "  # what separates the names of several models

__all__ = [
    "LAUNCHED",
    "SEVERAL",
    "Against",
    "Axis",
    "Block",
    "Case",
    "CellPlace",
    "Code",
    "Grid",
    "Highlight",
    "LogSource",
    "OverTime",
    "Page",
    "Prose",
    "Quote",
    "QuoteSource",
    "Table",
    "TableColumn",
    "TableRow",
    "Value",
]


def _without_braces(text: str) -> str:
    if "{" in text or "}" in text:
        raise Mistake(HAS_BRACES, text=repr(text))
    return text


def _beside(folder: str) -> str:
    if not is_spelt_inside(folder):
        raise Mistake(LEAVES_PAGE, file=repr(folder))
    return folder


Unformatted = Annotated[str, AfterValidator(_without_braces)]
Folder = Annotated[str, AfterValidator(_beside)]


@dataclass(frozen=True)
class CellPlace:
    """Where a cell stands: its table, its row and its column, and the case that these put together.

    ``aliases``: those of the column of the page.
    """

    table: Table
    row: TableRow
    column: TableColumn
    aliases: Aliases

    @property
    def labels(self) -> Case:
        """The case of the cell as the table states it."""
        return {**self.table.case, **self.row.case, **self.column.case}

    @property
    def case(self) -> Case:
        """The case of the cell, as its column takes it."""
        return {axis: self.aliases.get(axis, {}).get(str(value), value) for axis, value in self.labels.items()}


class Highlight(PagePart):
    """One finding of the page, worded from its numbers: exactly one of its keys."""

    fastest: Cases = Field(default_factory=dict)
    """The case of throughputs that are compared: who is fastest, and how the others compare. A list of values of an
    axis is several cases, which are told together if the same is fastest in all."""
    highest: Case = Field(default_factory=dict)
    """The case of throughputs of which the highest and the lowest are told, with what of their cases it leaves open."""
    scaling: Case = Field(default_factory=dict)
    """The case of scaling efficiencies: from the lowest to the highest."""
    speed_up: Case = Field(default_factory=dict)
    """The case of speed-ups: from the lowest to the highest."""

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> "Highlight":
        if sum(map(bool, (self.fastest, self.highest, self.scaling, self.speed_up))) != 1:
            raise Mistake(ONE_KIND)
        return self

    @property
    def kind(self) -> str:
        """Its key."""
        return next(name for name in type(self).model_fields if getattr(self, name))

    @property
    def quantity(self) -> str:
        """The name of the quantity of the numbers that it is about."""
        return next(name for name, quantity in QUANTITIES.items() if self._is_about(quantity))

    def _is_about(self, quantity: Quantity) -> bool:
        if self.scaling or self.speed_up:
            return quantity.is_over_fewest_cards if self.scaling else quantity.is_over_another
        return quantity.is_throughput

    @property
    def cases(self) -> list[Case]:
        """The cases that it is about; several where it names several values of an axis."""
        stated: Cases = self.fastest or {**self.highest, **self.scaling, **self.speed_up}
        values = [value if isinstance(value, list) else [value] for value in stated.values()]
        return [dict(zip(stated, combination, strict=True)) for combination in product(*values)]

    def is_of(self, place: CellPlace, case: Case) -> bool:
        """Whether a number is one of those that it is about, in one of its cases."""
        return self._is_about(place.column.quantity) and case.items() <= place.labels.items()


class Page(PagePart):
    """One report page: its text, columns and tables. A title may be `{ en = "…", zh = "…" }`, a text for each language;
    other texts are English, which the catalogues translate."""

    title: str
    """Heading of the page."""
    model: str
    """Name of the models in the index of the site."""
    unit: str
    """Unit of throughputs, such as `images/s`, in all tables that set no other."""
    prose: Folder | None = None
    """Folder beside the page file with its text in Markdown: `setup.en.md`, `setup.zh.md` and so on for `tested`,
    `environment`, `setup`, `steps` and `results`, and `table-NAME.en.md` for the text below a table."""
    texts: dict[str, dict[str, str]] = Field(default_factory=dict)
    """What the files of `prose` hold, by section and language; it may stand in the page file instead."""
    words: dict[str, dict[Unformatted, Unformatted]] = Field(default_factory=dict)
    """Translations of texts of the page, by language; titles such as `{ en = "…", zh = "…" }` are put here."""
    tested: list[Block]
    """Section 1, what is tested."""
    environment: list[Block] = Field(default_factory=list)
    """Section 2, the machines and the programs."""
    setup: list[Block] = Field(default_factory=list)
    """Section 3, how to set up the programs."""
    steps: list[Block] = Field(default_factory=list)
    """Section 4, the steps of the test."""
    highlights: list[Highlight] = Field(default_factory=list, max_length=3)
    """What the page finds, in words at the start of the results: at most three findings."""
    results: list[Block] = Field(default_factory=list)
    """Text at the start of section 5, before the tables."""
    labels: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """How values of axes are written in titles, such as `precision = { fp32 = "FP32" }`. Without one, sizes of
    parallelism, batches and sequences are written as `TP2`, `PP4`, `CP1`, `GBS512` and so on."""
    source: LogSource | None = None
    """Where the logs of the page were published, if by others."""
    sources: dict[str, QuoteSource] = Field(default_factory=dict)
    """Where quoted figures were published, by the names that `quotes` use."""
    columns: dict[str, Column]
    """What is compared, by the names that `tables` and `quotes` use."""
    quality: Quality | None = None
    """What the runs of all columns are held against, unless they set another."""
    tables: list[Table]
    """The tables of results of section 5."""
    model_flops: list[ModelFlops] = Field(default_factory=list)
    """The operations that its models need; of several for a case, the first that covers it."""
    quotes: list[Quote] = Field(default_factory=list)
    """Figures for cells without a measurement; they are marked as quoted."""

    cautions: list[Caution] = Field(default_factory=list)
    """What stands beside the numbers of runs that are not comparable for a reason outside their logs."""

    def unit_of(self, table: Table) -> str:
        """The unit of the throughputs of a table."""
        return table.unit or self.unit

    @property
    def units(self) -> list[str]:
        """The units of its throughputs, each once, in the order of its tables."""
        return list(dict.fromkeys(map(self.unit_of, self.tables))) or [self.unit]

    def label(self, axis: Axis, value: Value) -> str:
        """How a value of an axis is written in titles."""
        return self.labels.get(axis, {}).get(str(value)) or f"{MARKED.get(axis, '')}{value}"

    def taken(self, place: CellPlace) -> list[str]:
        """What the column of a place takes its labels for, where that is not what they say, as it is written."""
        column = self.columns[place.column.column]
        labels = place.labels
        taken = [(axis, str(value)) for axis, value in place.case.items() if value != labels[axis]]
        return [column.labels.get(axis, {}).get(value) or self.label(axis, value) for axis, value in taken]

    def of_model(self, case: Case) -> Case:
        """A case as the patterns of logs take it: one that states no model is of that of the page, if this is one."""
        return case if SEVERAL in self.model else {"model": self.model, **case}

    def quality_of(self, column: str) -> Quality | None:
        """What the runs of a column are held against."""
        return self.columns[column].quality or self.quality

    def places(self) -> Iterator[CellPlace]:
        """The places of all cells, table by table and row by row."""
        for table in self.tables:
            for row in table.rows:
                for column in table.columns:
                    aliases = self.columns[column.column].aliases if column.column in self.columns else {}
                    yield CellPlace(table, row, column, aliases)

    def quote_of(self, place: CellPlace) -> Quote | None:
        """The figure that may stand at a place without measurement; only a throughput is quoted."""
        if not place.column.quantity.is_throughput:
            return None
        figure = place.table.figure(place.row, place.column, place.case)
        # Figures of a table are in its unit, all others in that of the page.
        quotes = self.quotes if thing(self.unit_of(place.table)) == thing(self.unit) else []
        return figure or next((quote for quote in quotes if quote.is_of(place.column.column, place.case)), None)

    def caution_of(self, place: CellPlace) -> str:
        """What a reader must know of the throughput at a place and no log says; empty where that is nothing."""
        found = (caution.text for caution in self.cautions if caution.is_of(place.column.column, place.case))
        return next(found, "") if place.column.quantity.is_throughput else ""

    @model_validator(mode="before")
    @classmethod
    def _is_spelt_out(cls, stated: Any) -> Any:
        return spelt_out(stated) if isinstance(stated, dict) else stated

    def untranslated(self, language: str) -> list[str]:
        """The texts of ``texts`` that have none in a language."""
        return [name for name, said in self.texts.items() if language not in said]

    def untranslated_titles(self, language: str) -> list[str]:
        """The titles and labels that its words lack in a language: what it states in others, and plain texts.

        Plain texts count only where the page has any words in the language, and names never.
        """
        known = self.words.get(language, {})
        of_others = [text for said in self.words.values() for text in said]
        plain = [text for text in self._titles() if _WORD.search(text)] if known else []
        return [text for text in dict.fromkeys((*of_others, *plain)) if text and text not in known]

    def _titles(self) -> Iterator[str]:
        yield self.title
        yield from (text for column in self.columns.values() for text in (column.title, column.short))
        yield from (text for table in self.tables for text in (table.title, table.corner))
        yield from (caution.text for caution in self.cautions)
        yield from (text for written in self.labels.values() for text in written.values())

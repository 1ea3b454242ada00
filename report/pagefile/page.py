"""The page file: what is published, where its evidence is, and by which protocol."""

import glob
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from parsers.io.containment import is_spelt_inside
from parsers.io.validation import Mistake

from ..measuring.protocol import Protocol
from .log_source import LogSource
from .parts import LAUNCHED, Axis, Block, Case, Code, Grid, PagePart, Prose, Value, with_only
from .prose import LEAVES_PAGE
from .quotes import Quote, QuoteSource
from .shorthand import HAS_BRACES, spelt_out, with_runs
from .table import Against, OverTime, Table, TableColumn, TableRow

LEAVES_LOGS = "{path} leaves the log folder; use a path below it."
ONE_KIND = "a highlight is one of fastest, highest, scaling and speed_up, with a case."
NO_OPTION = (
    "{name} is not an option; use a variable of the launcher in lower case, such as steps; "
    "the case sets {launched}, --repo the checkout, and the key extra native arguments."
)

__all__ = [
    "LAUNCHED",
    "Against",
    "Axis",
    "Block",
    "Case",
    "CellPlace",
    "Code",
    "Column",
    "Grid",
    "Highlight",
    "LogSource",
    "OverTime",
    "Page",
    "Prose",
    "Quote",
    "QuoteSource",
    "Run",
    "Table",
    "TableColumn",
    "TableRow",
    "Value",
]


def _protocol(stated: object) -> Protocol:
    if isinstance(stated, Protocol):
        return stated
    return Protocol.of(stated) if isinstance(stated, dict) else Protocol.parse(str(stated))


AnyProtocol = Annotated[Protocol, BeforeValidator(_protocol, json_schema_input_type=str | Protocol)]


def _relative(pattern: str) -> str:
    if not is_spelt_inside(pattern):
        raise Mistake(LEAVES_LOGS, path=repr(pattern))
    return pattern


def _without_braces(text: str) -> str:
    if "{" in text or "}" in text:
        raise Mistake(HAS_BRACES, text=repr(text))
    return text


def _beside(folder: str) -> str:
    if not is_spelt_inside(folder):
        raise Mistake(LEAVES_PAGE, file=repr(folder))
    return folder


def _option(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z_]*", name) or name in (*LAUNCHED, "repo", "extra"):
        raise Mistake(NO_OPTION, name=repr(name), launched=", ".join(LAUNCHED))
    return name


Cases = dict[Axis, Value | list[Value]]
Aliases = dict[Axis, dict[str, Value]]
Option = Annotated[str, AfterValidator(_option)]
Pattern = Annotated[str, AfterValidator(_relative), AfterValidator(with_only(get_args(Axis)))]
Unformatted = Annotated[str, AfterValidator(_without_braces)]
Folder = Annotated[str, AfterValidator(_beside)]


class Run(PagePart):
    """One kind of run of a column: the cases it covers, where their logs are, and their protocol."""

    when: dict[Axis, Value | list[Value]] = Field(default_factory=dict)
    """The cases that it covers, by axis; a list allows several values, an omitted axis allows all."""
    logs: Pattern
    """Pattern of the logs in the log folder, with the axes of the case in braces and `*` for repeats."""
    protocol: AnyProtocol
    """How the number is computed: a text such as `"tipc,decimals=2"`, or a table of the same keys."""
    spellings: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """How the values of an axis are spelt in `logs`, if not as in the case."""
    repeats: int = Field(default=1, ge=1)
    """For `launch`: number of runs per case."""
    options: dict[Option, Value] = Field(default_factory=dict)
    """For `launch`: other variables of the launcher, in lower case."""
    extra: list[str] = Field(default_factory=list)
    """For `launch`: further arguments of the native program."""

    def covers(self, case: Case) -> bool:
        """Whether a case is of this kind of run."""
        return all(case.get(axis) in (v if isinstance(v, list) else [v]) for axis, v in self.when.items())

    def spelt(self, axis: Axis, value: Value) -> str:
        """How a value of an axis is spelt in the pattern of the logs."""
        return self.spellings.get(axis, {}).get(str(value), str(value))

    def pattern(self, case: Case) -> str:
        """The pattern of the logs of a case; what the case fills in is taken as it is, only the page may say ``*``.

        Raises KeyError for an axis that the pattern needs and the case does not say.
        """
        return self.logs.format_map({axis: glob.escape(self.spelt(axis, value)) for axis, value in case.items()})


class Column(PagePart):
    """What is compared: a framework with its program."""

    title: str
    """Heading of its columns, unless a table sets another title."""
    short: str = ""
    """The same on narrow screens, such as `"TF"`; default: its title."""
    launcher: str | None = None
    """Name of the recipe that runs missing cases."""
    aliases: Aliases = Field(default_factory=dict)
    """Values of axes that stand for others in this column, such as `precision = { half = "fp16" }`."""
    labels: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """How values of axes are written for this column, if not as for the page."""
    runs: list[Run] = Field(default_factory=list)
    """Where its logs are; for each case, the first run that covers it. Without runs, all figures are quoted."""
    logs: Pattern | None = None
    """`logs` of all its runs, unless they set another; without `runs`, it is one run."""
    protocol: AnyProtocol | None = None
    """`protocol` of all its runs, unless they set another."""
    spellings: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """`spellings` of all its runs, unless they set others."""

    @model_validator(mode="before")
    @classmethod
    def _says_once_what_all_runs_have(cls, stated: Any) -> Any:
        return with_runs(stated) if isinstance(stated, dict) else stated


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
    def cases(self) -> list[Case]:
        """The cases that it is about; several where it names several values of an axis."""
        stated: Cases = self.fastest or {**self.highest, **self.scaling, **self.speed_up}
        values = [value if isinstance(value, list) else [value] for value in stated.values()]
        return [dict(zip(stated, combination, strict=True)) for combination in product(*values)]

    def is_of(self, place: CellPlace, case: Case) -> bool:
        """Whether a number is one of those that it is about, in one of its cases."""
        quantity = place.column.quantity
        is_one = quantity.is_throughput
        if self.scaling or self.speed_up:
            is_one = quantity.is_over_fewest_cards if self.scaling else quantity.is_over_another
        return is_one and case.items() <= place.labels.items()


class Page(PagePart):
    """One report page: its text, columns and tables. A title may be `{ en = "…", zh = "…" }`, a text for each language;
    other texts are English, which the catalogues translate."""

    title: str
    """Heading of the page."""
    model: str
    """Name of the models in the index of the site."""
    unit: str
    """Unit of all throughputs, such as `images/s`."""
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
    highlights: list[Highlight] = Field(default_factory=list)
    """What the page finds, at the start of the results."""
    results: list[Block] = Field(default_factory=list)
    """Text at the start of section 5, before the tables."""
    labels: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """How values of axes are written in titles, such as `precision = { fp32 = "FP32" }`."""
    source: LogSource | None = None
    """Where the logs of the page were published, if by others."""
    sources: dict[str, QuoteSource] = Field(default_factory=dict)
    """Where quoted figures were published, by the names that `quotes` use."""
    columns: dict[str, Column]
    """What is compared, by the names that `tables` and `quotes` use."""
    tables: list[Table]
    """The tables of results of section 5."""
    quotes: list[Quote] = Field(default_factory=list)
    """Figures for cells without a measurement; they are marked as quoted."""

    def label(self, axis: Axis, value: Value) -> str:
        """How a value of an axis is written in titles."""
        return self.labels.get(axis, {}).get(str(value), str(value))

    def taken(self, place: CellPlace) -> list[str]:
        """What the column of a place takes its labels for, where that is not what they say, as it is written."""
        column = self.columns[place.column.column]
        labels = place.labels
        taken = [(axis, str(value)) for axis, value in place.case.items() if value != labels[axis]]
        return [column.labels.get(axis, {}).get(value) or self.label(axis, value) for axis, value in taken]

    def places(self) -> Iterator[CellPlace]:
        """The places of all cells, table by table and row by row."""
        for table in self.tables:
            for row in table.rows:
                for column in table.columns:
                    aliases = self.columns[column.column].aliases if column.column in self.columns else {}
                    yield CellPlace(table, row, column, aliases)

    def quote_of(self, place: CellPlace) -> Quote | None:
        """The figure that may stand at a place without measurement; only a throughput is quoted."""
        if not place.column.quantity.is_quoted:
            return None
        figure = place.table.figure(place.row, place.column, place.case)
        return figure or next((quote for quote in self.quotes if quote.is_of(place.column.column, place.case)), None)

    @model_validator(mode="before")
    @classmethod
    def _is_spelt_out(cls, stated: Any) -> Any:
        return spelt_out(stated) if isinstance(stated, dict) else stated

    def untranslated(self, language: str) -> list[str]:
        """The texts of ``texts`` that have none in a language."""
        return [name for name, said in self.texts.items() if language not in said]

"""The page file: what is published, where its evidence is, and by which protocol."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from .axis import LAUNCHED, Axis, Case, Value
from .block import Block, Code, Grid
from .braces import with_only
from .consistency import mistakes
from .part import Part
from .protocol import Protocol, ProtocolError
from .quantity import OF_TELEMETRY, QUOTIENTS, Quantity
from .quote import Quote, QuoteSource

__all__ = [
    "LAUNCHED",
    "Against",
    "Axis",
    "Block",
    "Case",
    "Code",
    "Column",
    "Grid",
    "Page",
    "Place",
    "Quote",
    "QuoteSource",
    "Run",
    "Source",
    "Table",
    "TableColumn",
    "TableRow",
    "Value",
]


def _protocol(stated: object) -> Protocol:
    if isinstance(stated, Protocol):
        return stated
    try:
        return Protocol.of(stated) if isinstance(stated, dict) else Protocol.parse(str(stated))
    except ProtocolError as error:
        raise ValueError(str(error)) from None


AnyProtocol = Annotated[Protocol, BeforeValidator(_protocol)]


def _relative(pattern: str) -> str:
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise ValueError(f"{pattern!r} leaves the folder of logs; a pattern below it is possible")
    return pattern


def _option(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z_]*", name) or name in (*LAUNCHED, "repo", "extra"):
        told = f"the case says {', '.join(LAUNCHED)}, --repo the checkout, and the key extra the native arguments"
        raise ValueError(f"{name!r} is no option; a launcher's variable in small letters is, such as steps; {told}")
    return name


Option = Annotated[str, AfterValidator(_option)]
Pattern = Annotated[str, AfterValidator(_relative), AfterValidator(with_only(get_args(Axis)))]
RowTitle = Annotated[str, AfterValidator(with_only(get_args(Axis)))]
Address = Annotated[str, AfterValidator(with_only(("commit", "path")))]


class Run(Part):
    """One kind of run of a column: which cases it covers, where their logs are, and the protocol of all of them.

    ``when``: the cases, by axis; a list allows several values. ``logs``: pattern of the logs below the folder of logs,
    with the axes of the case in braces and ``*`` for repeats. ``spellings``: how an axis is spelt in that pattern.

    For ``launch``, which runs what is missing: ``repeats``: how many runs are wanted. ``options``: variables of the
    launcher beyond those of the case, in small letters. ``extra``: arguments of the native program.
    """

    when: dict[Axis, Value | list[Value]] = Field(default_factory=dict)
    logs: Pattern
    protocol: AnyProtocol
    spellings: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    repeats: int = Field(default=1, ge=1)
    options: dict[Option, Value] = Field(default_factory=dict)
    extra: list[str] = Field(default_factory=list)

    def covers(self, case: Case) -> bool:
        """Whether a case is of this kind of run."""
        return all(case.get(axis) in (v if isinstance(v, list) else [v]) for axis, v in self.when.items())

    def spelt(self, axis: Axis, value: Value) -> str:
        """How a value of an axis is spelt in the pattern of the logs."""
        return self.spellings.get(axis, {}).get(str(value), str(value))


class Column(Part):
    """What is compared: a framework with its program. ``launcher`` names the recipe that runs what is missing.

    A column without ``runs`` has only figures that are quoted.
    """

    title: str
    launcher: str | None = None
    runs: list[Run] = Field(default_factory=list)


class Against(Part):
    """What a number is divided by: the throughput of another column of the page, of another case, or of both.

    ``column``: the same column where it is left out. ``case``: the axes that differ; all others are the same.
    """

    column: str | None = None
    case: Case = Field(default_factory=dict)


class TableColumn(Part):
    """One column of a table: a column of the page, for a part of the case; ``protocol`` overrides single keys.

    ``quantity``: what is shown. ``throughput``, in the unit of the page. Of several runs also ``median_of_runs``,
    ``lowest_run``, ``highest_run`` and the ends of the 95 % bootstrap interval, ``interval_low`` and
    ``interval_high``. What gpu.csv tells: ``peak_memory`` (MiB), ``power`` (W), ``samples_per_joule``. What is computed
    from throughputs that the page shows: ``speed_up``, over the one that ``against`` names, and
    ``scaling_efficiency``, the share of ideal scaling from the fewest cards of the same column and case.
    ``decimals`` is for all but throughputs, whose decimals are their protocol's.
    """

    column: str
    title: str | None = None
    case: Case = Field(default_factory=dict)
    protocol: str | None = None
    quantity: Quantity = "throughput"
    against: Against | None = None
    decimals: Annotated[int, Field(ge=0, le=15)] | None = None

    @model_validator(mode="after")
    def _decimals_are_of_no_throughput(self) -> "TableColumn":
        if self.decimals is not None and self.quantity not in (*OF_TELEMETRY, *QUOTIENTS):
            raise ValueError(f"the decimals of a throughput are its protocol's: protocol = 'decimals={self.decimals}'")
        return self

    @model_validator(mode="after")
    def _only_a_speed_up_is_against_something(self) -> "TableColumn":
        if (self.against is not None) != (self.quantity == "speed_up"):
            raise ValueError("a speed_up says against what, and nothing else does: against = { column = 'other' }")
        if self.against is not None and self.title is None:
            raise ValueError("a speed_up is of two numbers and needs a title that says of which")
        return self


class TableRow(Part):
    """One row of a table: its title (the axes of the case may stand in braces) and its part of the case."""

    title: RowTitle
    case: Case = Field(default_factory=dict)


class Table(Part):
    """One table of results. The case of a cell is that of the table, its row and its column put together."""

    name: str
    title: str
    corner: str = ""
    notes: list[Block] = Field(default_factory=list)
    case: Case = Field(default_factory=dict)
    columns: list[TableColumn] = Field(min_length=1)
    rows: list[TableRow] = Field(min_length=1)


class Source(Part):
    """Where logs that others made were published; ``url`` holds ``{path}`` and makes the links to them."""

    repository: str
    commit: str
    licence: str
    url: Address


@dataclass(frozen=True)
class Place:
    """Where a cell stands: its table, its row and its column, and the case that these put together."""

    table: Table
    row: TableRow
    column: TableColumn

    @property
    def case(self) -> Case:
        """The case of the cell."""
        return {**self.table.case, **self.row.case, **self.column.case}


class Page(Part):
    """One report page: its words, its columns and its tables. Texts are English, the catalogues translate them.

    ``source``: where the logs of the page were published by others. ``quotes``: figures that stand in cells without
    a measurement, from the ``sources`` that they name.
    """

    title: str
    model: str
    unit: str
    tested: list[Block]
    environment: list[Block] = Field(default_factory=list)
    setup: list[Block] = Field(default_factory=list)
    steps: list[Block] = Field(default_factory=list)
    results: list[Block] = Field(default_factory=list)
    source: Source | None = None
    sources: dict[str, QuoteSource] = Field(default_factory=dict)
    columns: dict[str, Column]
    tables: list[Table]
    quotes: list[Quote] = Field(default_factory=list)

    @model_validator(mode="after")
    def _fits_together(self) -> "Page":
        if mistake := next(mistakes(self), None):
            raise ValueError(mistake)
        return self

    def places(self) -> Iterator[Place]:
        """The places of all cells, table by table and row by row."""
        for table in self.tables:
            for row in table.rows:
                yield from (Place(table, row, column) for column in table.columns)

    def quote_of(self, place: Place) -> Quote | None:
        """The figure that may stand at a place without measurement; only a throughput is quoted."""
        if place.column.quantity != "throughput":
            return None
        return next((quote for quote in self.quotes if quote.is_of(place.column.column, place.case)), None)

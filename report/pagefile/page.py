"""The page file: what is published, where its evidence is, and by which protocol.

``docs/page-file.md`` says what each key means; the published JSON Schema takes its words from there.
"""

import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, TypeAdapter, model_validator

from parsers.io.files import is_spelt_inside
from parsers.io.validation import Mistake
from parsers.unknown.naming import counted
from parsers.unknown.option import OptionError, parse_option

from ..measure.operations import Formula, evaluate
from ..measure.protocol import Protocol
from ..measure.quantity import THROUGHPUT, AnyQuantity
from ..measure.work import thing
from .parts import (
    MARKED,
    Axis,
    Block,
    Case,
    Cases,
    PagePart,
    Text,
    Value,
    Values,
    handed_on,
    with_only,
    worded,
)
from .toml_lines import Key

MOST_ROWS = 1000
LONGEST = 60  # of a part of an address, in characters: it names a file of the site
SEVERAL = ", "  # what separates the names of several models
DIGITS = r"^[0-9]{1,15}(\.[0-9]{1,15})?$"  # as many as a float holds, and more than any throughput has
_MARKS: dict[Axis, str] = {"batch_size": "bs", "nodes": "n", **MARKED}


# ---- values of keys


def _protocol(stated: object) -> Protocol:
    if isinstance(stated, Protocol):
        return stated
    return Protocol.of(stated) if isinstance(stated, dict) else Protocol.parse(str(stated))


def _option_of_read(text: str) -> str:
    try:
        parse_option(text)
    except OptionError as error:
        raise Mistake(error.message) from None
    return text


def _inside(folder: str) -> AfterValidator:
    """A check that a path leads to something in a folder, which the mistake names."""

    def check(path: str) -> str:
        if not is_spelt_inside(path):
            raise Mistake(f"{path!r} leaves {folder}; use a path below it.")
        return path

    return AfterValidator(check)


def _arithmetic(text: str) -> str:
    evaluate(text, lambda _: 1.0)
    return text


def _percentage(text: str) -> str:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?%", text) or not 0 < float(text[:-1]) < 100:
        raise Mistake(f"expected a percentage such as '2%', above 0% and below 100%, not {text!r}.")
    return text


def _web_address(text: str) -> str:
    if not re.match("https?://", text):
        raise Mistake(f"{text!r} is not a web address; use one that starts with https://.")
    return text


def _unit(unit: str) -> str:
    word, per_second, rest = unit.partition("/s")
    if (known := counted(word.lower())) not in (None, word) and per_second and not rest:
        raise Mistake(f"{unit!r} is no unit that logs are read in; write '{known}/s'.")
    return unit


_OF_AXES = AfterValidator(with_only(get_args(Axis)))
AnyProtocol = Annotated[Protocol, BeforeValidator(_protocol, json_schema_input_type=str | Protocol)]
AnyOption = Annotated[str, AfterValidator(_option_of_read)]
Percentage = Annotated[str, AfterValidator(_percentage)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
Address = Annotated[str, AfterValidator(with_only(("commit", "path")))]
Arithmetic = Annotated[str, AfterValidator(_arithmetic)]
Unit = Annotated[str, AfterValidator(_unit)]
RowTitle = Annotated[Text, _OF_AXES]
Decimals = Annotated[int, Field(ge=0, le=15)]
Pattern = Annotated[str, _inside("the log folder"), _OF_AXES]
Patterns = Annotated[
    list[Pattern],
    Field(min_length=1),
    BeforeValidator(lambda one: [one] if isinstance(one, str) else one, json_schema_input_type=str | list[str]),
]


# ---- what others published


class LogSource(PagePart):
    """Where the logs were published, if by others."""

    repository: str
    commit: str
    licence: str
    url: Address
    folder: str = ""

    def has(self, log: str) -> bool:
        """Whether a log is one of those that were published."""
        return log.startswith(f"{self.folder}/") if self.folder else True


class QuoteSource(PagePart):
    """Where figures without a public log were published."""

    title: Text
    url: WebAddress
    date: Annotated[str, Field(pattern=r"^[0-9]{4}(-[0-9]{2}){0,2}$")]
    commit: str | None = None
    note: Text


class OfCells(PagePart):
    """What is said of the cells of a column that have a case."""

    column: str
    case: Case = Field(default_factory=dict)

    def is_of(self, column: str, case: Case) -> bool:
        """Whether it is of a cell of this column of the page with this case; numbers are compared as text."""
        return column == self.column and all(str(case.get(axis)) == str(value) for axis, value in self.case.items())


class Quote(OfCells):
    """One published figure: a line of the CSV file of quotes."""

    case: dict[Axis, Value] = Field(default_factory=dict)
    value: Annotated[str, Field(pattern=DIGITS)]
    source: str
    unit: Unit | None = None


class Caution(OfCells):
    """What a reader must know of a run and its log does not say: it stands beside the numbers of the run, and findings
    compare none of them."""

    text: Text


# ---- columns of the page


class OfCases(PagePart):
    """What is for some cases: a list allows several values of an axis, an axis that is omitted all."""

    when: Cases = Field(default_factory=dict)

    def covers(self, case: Case) -> bool:
        """Whether it is for a case."""
        allowed = {axis: values if isinstance(values, list) else [values] for axis, values in self.when.items()}
        return all(case.get(axis) in values for axis, values in allowed.items())


class ModelFlops(OfCases):
    """How many floating-point operations a model needs for a token or a sample, forward and backward: what `mfu` and
    `tflops_per_card` are computed from where a log does not print TFLOP/s."""

    per_token: Arithmetic | None = None
    per_sample: Arithmetic | None = None
    numbers: dict[str, float] = Field(default_factory=dict)
    source: WebAddress

    @model_validator(mode="after")
    def _has_one_formula(self) -> "ModelFlops":
        if (self.per_token is None) == (self.per_sample is None):
            raise Mistake("model_flops needs exactly one of per_token and per_sample.")
        return self

    @property
    def formula(self) -> Formula:
        """What is computed of each token or sample."""
        stated = self.per_token or self.per_sample or ""
        return Formula(stated, "sample" if self.per_token is None else "token", self.source, self.numbers)


class Quality(PagePart):
    """What shows whether runs train as they should, however fast they are; a cell that fails says so in its note."""

    reference: Pattern | None = None
    loss: Percentage | None = None
    convergence_points: Pattern | None = None

    @model_validator(mode="after")
    def _says_what_is_held_against_what(self) -> "Quality":
        if (self.reference is None) != (self.loss is None) or not (self.reference or self.convergence_points):
            raise Mistake("quality needs reference with loss, or convergence_points, or all of them.")
        return self


class Name(PagePart):
    """What a value of an axis is called in a column."""

    label: Text | None = None
    case: Value | None = None
    file: str | None = None


Labels = dict[Axis, dict[str, Text]]
Names = dict[Axis, dict[str, Name]]


class Run(OfCases):
    """One kind of run of a column: the cases it covers, where their logs are, and their protocol."""

    logs: Patterns
    protocol: AnyProtocol = Protocol()
    read: AnyOption | None = None
    names: Names = Field(default_factory=dict)

    def spelt(self, axis: Axis, value: Value) -> str:
        """How a value of an axis is spelt in the pattern of the logs."""
        names = self.names.get(axis, {})
        spelt = {str(key if name.case is None else name.case): name.file for key, name in names.items()}
        return spelt.get(str(value)) or str(value)

    def patterns(self, case: Case) -> list[str]:
        """The patterns of the logs of a case, of which the first that finds any counts; only the page may say ``*``.

        Raises KeyError for an axis that a pattern needs and the case does not say.
        """
        values = {str(axis): glob.escape(self.spelt(axis, value)) for axis, value in case.items()}
        return [pattern.format_map(values) for pattern in self.logs]


class Column(PagePart):
    """What is compared: a framework with its program."""

    title: Text
    short: Text = Text("")
    names: Names = Field(default_factory=dict)
    logs: Patterns | None = None
    protocol: AnyProtocol | None = None
    read: AnyOption | None = None
    runs: list[Run] = Field(default_factory=list)
    quality: Quality | None = None

    @model_validator(mode="before")
    @classmethod
    def _says_once_what_all_runs_have(cls, stated: Any) -> Any:
        if isinstance(stated, dict) and "logs" in stated:
            stated = {"runs": [{}], **stated}
        return handed_on(stated, "runs", ("logs", "protocol", "read", "names"))


# ---- tables


class Against(PagePart):
    """What a number is divided by: the throughput of another column of the page, of another case, or of both."""

    column: str | None = None
    case: Case = Field(default_factory=dict)


class TableColumn(PagePart):
    """One column of a table: a column of the page, for a part of the case."""

    column: str
    title: Text | None = None
    case: Case = Field(default_factory=dict)
    protocol: str | None = None
    quantity: AnyQuantity = Field(default=THROUGHPUT.name, validate_default=True)
    against: Against | None = None
    decimals: Decimals | None = None

    @model_validator(mode="after")
    def _has_what_its_quantity_needs(self) -> "TableColumn":
        if self.decimals is not None and self.quantity.is_rate:
            how = f"protocol = 'decimals={self.decimals}'"
            raise Mistake(f"set the decimals of a throughput with its protocol: {how}.")
        if (self.against is not None) != (self.quantity.origin == "ratio"):
            raise Mistake("against is required for a speed_up, and only valid there.")
        if self.against is not None and self.against.column is not None and self.title is None:
            raise Mistake("a speed_up over another column needs a title that says which two numbers it compares.")
        return self


class TableRow(PagePart):
    """One row of a table."""

    title: RowTitle
    case: Case = Field(default_factory=dict)
    group: RowTitle = Text("")


def each_case(cases: Mapping[Axis, Value | list[Value]]) -> list[Case]:
    """The cases that are stated together: one for each combination of the values that axes are given."""
    values = [value if isinstance(value, list) else [value] for value in cases.values()]
    return [dict(zip(cases, combination, strict=True)) for combination in product(*values)]


_AxisOrExcept: Any = Literal[(*get_args(Axis), "except")]
_AXES: TypeAdapter[dict[Axis, list[Value]]] = TypeAdapter(Values)


class _Except(PagePart):
    left_out: list[Case] = Field(default_factory=list, alias="except")


def _rows(stated: Any) -> Any:
    """The rows of a table that states the values of axes: the last axis titles rows, those before it groups."""
    if not isinstance(stated, dict):
        return stated
    axes = _AXES.validate_python({axis: values for axis, values in stated.items() if axis != "except"})
    left_out = _Except.model_validate({"except": stated.get("except", [])}).left_out
    if prod(max(len(values), 1) for values in axes.values()) > MOST_ROWS:
        raise Mistake(f"the values of its axes make more than {MOST_ROWS} rows.")
    for axis, values in axes.items():
        if twice := [value for at, value in enumerate(values) if value in values[:at]]:
            raise Mistake(f"{axis} has {twice[0]} twice; state each value once.")
    cases = each_case(axes) if axes else []
    for case in left_out:
        if not any(case.items() <= one.items() for one in cases):
            raise Mistake(f"except: no row has {worded(case)}.")
    *groups, title = (f"{{{axis}}}" for axis in axes or ("",))
    shared = {"title": title, **({"group": " · ".join(groups)} if groups else {})}
    kept = (case for case in cases if not any(other.items() <= case.items() for other in left_out))
    return [{**shared, "case": case} for case in kept]


def _different(rows: list[TableRow]) -> list[TableRow]:
    """The rows, no two of which have one case."""
    for number, row in enumerate(rows, 1):
        if first := next((at for at, other in enumerate(rows[: number - 1], 1) if other.case == row.case), 0):
            raise Mistake(f"the rows {first} and {number} have the same case; keep one.")
    return rows


Rows = Annotated[
    list[TableRow],
    Field(min_length=1),
    BeforeValidator(_rows, json_schema_input_type=list[TableRow] | dict[_AxisOrExcept, list[Value] | list[Case]]),
    AfterValidator(_different),
]
ColumnOrName = Annotated[TableColumn, BeforeValidator(lambda one: one, json_schema_input_type=str | TableColumn)]


class Table(PagePart):
    """One table of results. The case of a cell combines those of its table, row and column."""

    name: str
    title: Text
    corner: Text = Text("")
    notes: list[Block] = Field(default_factory=list)
    case: Case = Field(default_factory=dict)
    unit: Unit | None = None
    quantity: AnyQuantity = Field(default=THROUGHPUT.name, validate_default=True)
    against: Against | None = None
    decimals: Decimals | None = None
    columns: Annotated[list[ColumnOrName], Field(min_length=1)]
    rows: Rows
    tables: "list[Table]" = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _hands_on_what_it_states_once(cls, stated: Any) -> Any:
        stated = handed_on(stated, "tables", ("corner", "case", "unit", "rows", "columns"))
        if isinstance(stated, dict) and isinstance(columns := stated.get("columns"), list):
            stated = {**stated, "columns": [{"column": one} if isinstance(one, str) else one for one in columns]}
        return handed_on(stated, "columns", ("quantity", "against", "decimals"))


def _stated(tables: Sequence[Table], place: Key = ()) -> Iterator[tuple[Key, Table]]:
    """Tables in the order in which a page shows them, those of a table behind it, each with its key."""
    for number, table in enumerate(tables):
        here = (*place, "tables", number)
        yield here, table
        yield from _stated(table.tables, here)


# ---- the page


@dataclass(frozen=True)
class CellPlace:
    """Where a cell stands: its table, its row and its column, and the case that these put together.

    ``names``: those of the column of the page. ``id``: its address, TABLE/ROW/COLUMN, made of names and cases, so that
    titles may change freely.
    """

    table: Table
    row: TableRow
    column: TableColumn
    names: Names
    id: str

    @property
    def labels(self) -> Case:
        """The case of the cell as the table states it."""
        return {**self.table.case, **self.row.case, **self.column.case}

    @property
    def case(self) -> Case:
        """The case of the cell, as its column takes it."""
        taken = dict(self.labels)
        for axis, value in self.labels.items():
            name = self.names.get(axis, {}).get(str(value))
            if name is not None and name.case is not None:
                taken[axis] = name.case
        return taken

    def is_throughput_of(self, case: Case) -> bool:
        """Whether its number is a throughput of a case, all other axes of which may be anything."""
        return self.column.quantity.is_throughput and case.items() <= self.labels.items()


def _named(column: TableColumn) -> list[str]:
    """What an address calls a column."""
    parts, against = [column.column, *_spelt(column.case)], column.against
    if against:
        return [*parts, "vs", *([against.column] if against.column else []), *_spelt(against.case)]
    return parts if column.quantity.is_throughput else [*parts, column.quantity.name]


def _spelt(case: Case) -> list[str]:
    return [f"{_MARKS.get(axis, '')}{case[axis]}" for axis in get_args(Axis) if axis in case]


def _part(names: list[str]) -> str:
    """Names as one part of an address: small letters and digits of any script, joined by hyphens."""
    joined = re.sub(r"[\W_]+", "-", "-".join(names).lower()).strip("-")
    return joined[:LONGEST].strip("-") or "-"


class PageFile(PagePart):
    """One report page: its text, columns and tables. A text for readers may be `{ en = "…", zh = "…" }`."""

    title: Text
    model: str
    unit: Unit
    prose: Annotated[str, _inside("the folder of the page file")] | None = None
    tested: list[Block]
    environment: list[Block] = Field(default_factory=list)
    setup: list[Block] = Field(default_factory=list)
    steps: list[Block] = Field(default_factory=list)
    fastest: list[Annotated[Cases, Field(min_length=1)]] = Field(default_factory=list, max_length=3)
    results: list[Block] = Field(default_factory=list)
    labels: Labels = Field(default_factory=dict, alias="names")
    source: LogSource | None = None
    sources: dict[str, QuoteSource] = Field(default_factory=dict)
    columns: dict[str, Column]
    tables: Annotated[list[Table], AfterValidator(lambda tables: [table for _, table in _stated(tables)])]
    model_flops: list[ModelFlops] = Field(default_factory=list)
    cautions: list[Caution] = Field(default_factory=list)


class Page(PageFile):
    """A page file with what the files beside it hold."""

    quotes: list[Quote] = Field(default_factory=list)

    def unit_of(self, table: Table) -> str:
        """The unit of the throughputs of a table."""
        return table.unit or self.unit

    @property
    def stated_tables(self) -> list[tuple[Key, Table]]:
        """Its tables, each with its key in the page file."""
        inner = {id(table) for outer in self.tables for table in outer.tables}
        return list(_stated([table for table in self.tables if id(table) not in inner]))

    @property
    def units(self) -> list[str]:
        """The units of its throughputs, each once, in the order of its tables."""
        return list(dict.fromkeys(map(self.unit_of, self.tables))) or [self.unit]

    def label(self, axis: Axis, value: Value) -> str:
        """How a value of an axis is written in titles."""
        return self.labels.get(axis, {}).get(str(value)) or f"{MARKED.get(axis, '')}{value}"

    def written(self, table: Table, row: TableRow, title: str) -> str:
        """A title of a row or of its group, with the axes of its case as the page writes them."""
        case = {**table.case, **row.case}
        return title.format_map({axis: self.label(axis, value) for axis, value in case.items()})

    def row_title(self, table: Table, row: TableRow) -> str:
        """Title of a row, with that of its group."""
        return ", ".join(self.written(table, row, title) for title in (row.group, row.title) if title)

    def column_title(self, column: TableColumn) -> str:
        """Title of a column of a table: its own, or that of the page's column."""
        return column.title or self.columns[column.column].title

    def taken(self, place: CellPlace) -> list[str]:
        """What the column of a place takes its labels for, where that is not what they say, as it is written."""
        told: list[str] = []
        for axis, label in place.labels.items():
            if (value := place.case[axis]) != label:
                names = place.names[axis]
                own = names[str(label)].label or names.get(str(value), Name()).label
                told.append(own or self.label(axis, value))
        return told

    def of_model(self, case: Case) -> Case:
        """A case as the patterns of logs take it: one that states no model is of that of the page, if this is one."""
        return case if SEVERAL in self.model else {"model": self.model, **case}

    def places(self) -> Iterator[CellPlace]:
        """The places of all cells, table by table and row by row; of equal addresses the later get .2, .3 …"""
        taken: dict[str, int] = {}
        for table, row, column in ((t, row, column) for t in self.tables for row, column in product(t.rows, t.columns)):
            names = self.columns[column.column].names if column.column in self.columns else {}
            address = "/".join(map(_part, ([table.name], _spelt(row.case) or ["all"], _named(column))))
            taken[address] = taken.get(address, 0) + 1
            # No part has a point of its own, so that no other address is like this one.
            unique = address if taken[address] == 1 else f"{address}.{taken[address]}"
            yield CellPlace(table, row, column, names, unique)

    def quote_of(self, place: CellPlace) -> Quote | None:
        """The figure that may stand at a place without measurement; only a throughput is quoted, in its unit."""
        if not place.column.quantity.is_throughput:
            return None
        counted = thing(self.unit_of(place.table))
        quotes = (quote for quote in self.quotes if thing(quote.unit or self.unit) == counted)
        return next((quote for quote in quotes if quote.is_of(place.column.column, place.case)), None)

    def caution_of(self, place: CellPlace) -> str:
        """What a reader must know of the throughput at a place and no log says; empty where that is nothing."""
        found = (caution.text for caution in self.cautions if caution.is_of(place.column.column, place.case))
        return next(found, "") if place.column.quantity.is_throughput else ""

    @cached_property
    def words(self) -> dict[str, dict[str, str]]:
        """What its texts are in other languages, by language and by the English text; raises Mistake."""
        words: dict[str, dict[str, str]] = {}
        for text in _texts(self):
            for language, said in text.said.items():
                if (known := words.setdefault(language, {}).setdefault(text, said)) != said:
                    raise Mistake(f"{str(text)!r} has two translations in {language}: {known!r} and {said!r}; use one.")
        return words

    @model_validator(mode="after")
    def _translates_each_text_in_one_way(self) -> "Page":
        _ = self.words
        return self


def _texts(part: object) -> Iterator[Text]:
    """The texts for readers in a part of a page, in the order in which it states them."""
    if isinstance(part, Text):
        yield part
    elif isinstance(part, BaseModel):
        for name in type(part).model_fields:
            yield from _texts(getattr(part, name))
    elif isinstance(part, Mapping | list):
        for inner in part.values() if isinstance(part, Mapping) else part:
            yield from _texts(inner)

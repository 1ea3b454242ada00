"""The page file: what is published, where its evidence is, and by which protocol."""

import glob
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, TypeAdapter, model_validator

from parsers.io.files import is_spelt_inside
from parsers.io.validation import Mistake
from parsers.unknown.option import OptionError, parse_option

from ..measure.operations import Formula, evaluate
from ..measure.protocol import Protocol
from ..measure.quantity import THROUGHPUT, AnyQuantity
from ..measure.work import thing
from .parts import (
    DIALECT,
    ENGLISH,
    MARKED,
    Axis,
    Block,
    Case,
    Cases,
    PagePart,
    Text,
    Value,
    Values,
    covers,
    handed_on,
    with_only,
)
from .toml_lines import Key

LEAVES_LOGS = "{path} leaves the log folder; use a path below it."
LEAVES_PAGE = "prose: {file} leads out of the folder of the page file."
NOTHING_HELD = "quality needs reference with loss or metrics, or convergence_points, or all of them."
NO_PERCENTAGE = "expected a percentage such as '2%', above 0% and below 100%, not {text}."
NOT_WEB = "{address} is not a web address; use one that starts with https://."
ONE_FORMULA = "model_flops needs exactly one of per_token and per_sample."
NO_ROW_TO_LEAVE_OUT = "except: no row has {case}."
TWICE = "{axis} has {value} twice; state each value once."
TOO_MANY = "the values of its axes make more than {most} rows."
SAME_ROW = "the rows {first} and {second} have the same case; keep one."
DECIMALS_OF_A_THROUGHPUT = "set the decimals of a throughput with its protocol: protocol = 'decimals={decimals}'."
ONLY_A_SPEED_UP = "against is required for a speed_up, and only valid there."
NO_TITLE = "a speed_up over another column needs a title that says which two numbers it compares."
OTHER_UNIT = "{unit} is no unit that logs are read in; write {nearest}."
TWO_TRANSLATIONS = "{text} has two translations in {language}: {first} and {second}; use one."

MOST_ROWS = 1000
LONGEST = 60  # of a part of an address, in characters: it names a file of the site
_MARKS: dict[Axis, str] = {"batch_size": "bs", "nodes": "n", **MARKED}
MOST_PERCENT = 100
SEVERAL = ", "  # what separates the names of several models
# As many as a float holds, and more than any throughput has.
DIGITS = r"^[0-9]{1,15}(\.[0-9]{1,15})?$"
# What people write for the units that logs are read in.
_UNITS = {
    **dict.fromkeys(("tok", "toks", "token"), "tokens"),
    **dict.fromkeys(("img", "imgs", "image"), "images"),
    **dict.fromkeys(("sample", "ex", "exs"), "samples"),
    **dict.fromkeys(("seq", "seqs", "sequence", "sents", "sentences"), "sequences"),
    **dict.fromkeys(("it", "its", "iter", "iters", "iterations", "step", "batches"), "steps"),
}

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


def _must(holds: Callable[[str], object], key: str, called: str) -> AfterValidator:
    """A check of a text; ``key``: what is wrong where it does not hold, with the text as ``called``."""

    def check(text: str) -> str:
        if not holds(text):
            raise Mistake(key, **{called: repr(text)})
        return text

    return AfterValidator(check)


def _is_percentage(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9]+(\.[0-9]+)?%", text)) and 0 < float(text[:-1]) < MOST_PERCENT


def _arithmetic(text: str) -> str:
    evaluate(text, lambda _: 1.0)
    return text


def _unit(unit: str) -> str:
    counted, per_second, rest = unit.partition("/s")
    if (known := _UNITS.get(counted.lower())) and per_second and not rest:
        raise Mistake(OTHER_UNIT, unit=repr(unit), nearest=repr(f"{known}/s"))
    return unit


AnyProtocol = Annotated[Protocol, BeforeValidator(_protocol, json_schema_input_type=str | Protocol)]
AnyOption = Annotated[str, AfterValidator(_option_of_read)]
Percentage = Annotated[str, _must(_is_percentage, NO_PERCENTAGE, "text")]
WebAddress = Annotated[str, _must(re.compile("https?://").match, NOT_WEB, "address")]
Address = Annotated[str, AfterValidator(with_only(("commit", "path")))]
Arithmetic = Annotated[str, AfterValidator(_arithmetic)]
Unit = Annotated[str, AfterValidator(_unit)]
RowTitle = Annotated[Text, AfterValidator(with_only(get_args(Axis)))]
Decimals = Annotated[int, Field(ge=0, le=15)]
Pattern = Annotated[str, _must(is_spelt_inside, LEAVES_LOGS, "path"), AfterValidator(with_only(get_args(Axis)))]
Patterns = Annotated[
    list[Pattern],
    Field(min_length=1),
    BeforeValidator(
        lambda stated: [stated] if isinstance(stated, str) else stated, json_schema_input_type=str | list[str]
    ),
]


# ---- what others published


class LogSource(PagePart):
    """Where the logs were published, if by others."""

    repository: str
    """Address of the repository."""
    commit: str
    """The commit whose logs these are."""
    licence: str
    """Licence under which they were published."""
    url: Address
    """Address of one log; `{commit}` and `{path}` are filled in."""
    folder: str = ""
    """Folder of the published logs, below that of all logs, if other logs of the page are your own."""

    def has(self, log: str) -> bool:
        """Whether a log is one of those that were published."""
        return log.startswith(f"{self.folder}/") if self.folder else True


class QuoteSource(PagePart):
    """Where figures without a public log were published."""

    title: Text
    """Title of the publication."""
    url: WebAddress
    """Its address, which starts with `https://` or `http://`."""
    date: Annotated[str, Field(pattern=r"^[0-9]{4}(-[0-9]{2}){0,2}$")]
    """Day, month or year of the figures, or of the quoted text where they have none."""
    commit: str | None = None
    """Its commit, if it is in a repository."""
    note: Text
    """Note for readers about its figures, for example why there is no log."""


class OfCells(PagePart):
    """What is said of the cells of a column that have a case."""

    column: str
    """Name of a column of the page."""
    case: Case = Field(default_factory=dict)
    """The axes of the cells, all others of which may be anything."""

    def is_of(self, column: str, case: Case) -> bool:
        """Whether it is of a cell of this column of the page with this case; numbers are compared as text."""
        return column == self.column and all(str(case.get(axis)) == str(value) for axis, value in self.case.items())


class Quote(OfCells):
    """One published figure: a line of the CSV file of quotes."""

    case: dict[Axis, Value] = Field(default_factory=dict)
    """The axes of its cells; a CSV file has them as text."""
    value: Annotated[str, Field(pattern=DIGITS)]
    """Its digits as printed."""
    source: str
    """Name of one of the `sources` of the page."""
    unit: Unit | None = None
    """Its unit; default: that of the page."""


class Caution(OfCells):
    """What a reader must know of a run and its log does not say: it stands beside the numbers of the run, and findings
    compare none of them."""

    text: Text
    """A few words, such as `waited for data`."""


# ---- columns of the page


class ModelFlops(PagePart):
    """How many floating-point operations a model needs for a token or a sample, forward and backward: what `mfu` and
    `tflops_per_card` are computed from where a log does not print TFLOP/s."""

    when: Cases = Field(default_factory=dict)
    """The cases that it covers, by axis, such as `{ model = "Llama 3 8B" }`; an omitted axis allows all."""
    per_token: Arithmetic | None = None
    """A formula such as `"6*parameters + 12*layers*hidden_size*sequence_length"`: numbers and names, with `+ - * / **`
    and parentheses. A name is that of a fact of the run, such as `parameters` or `sequence_length`, or of one of
    `numbers`."""
    per_sample: Arithmetic | None = None
    """The same for a sample or an image."""
    numbers: dict[str, float] = Field(default_factory=dict)
    """Numbers that the formula names and no log states, such as `{ layers = 32 }`."""
    source: WebAddress
    """Address of the publication that the formula is from."""

    @model_validator(mode="after")
    def _has_one_formula(self) -> "ModelFlops":
        if (self.per_token is None) == (self.per_sample is None):
            raise Mistake(ONE_FORMULA)
        return self

    def covers(self, case: Case) -> bool:
        """Whether it is of a case."""
        return covers(self.when, case)

    @property
    def formula(self) -> Formula:
        """The formula."""
        if self.per_token is not None:
            return Formula(self.per_token, "token", self.source, self.numbers)
        return Formula(self.per_sample or "", "sample", self.source, self.numbers)


class Quality(PagePart):
    """What shows whether runs train as they should, however fast they are; a cell that fails says so in its note."""

    reference: Pattern | None = None
    """Pattern of the logs of reference runs in the log folder, with the axes of the case in braces and `*` for repeats;
    with `loss` or `metrics`. Where batch, model, data or seeds differ, the note says that losses cannot be compared."""
    loss: Percentage | None = None
    """How far the mean loss of each tenth of the shared steps may be from that of `reference`, such as `"2%"`."""
    metrics: dict[str, Percentage] = Field(default_factory=dict)
    """How far final metrics may be from those of `reference`, by their names as the logs print them, such as
    `{ top1 = "0.5%", mIoU = "1%" }`: the last value of each that is printed beside the records."""
    convergence_points: Pattern | None = None
    """For `:::MLLOG` logs: reference convergence points of MLPerf, a JSON file in the log folder. The runs of a cell
    must not converge faster than these allow."""

    @model_validator(mode="after")
    def _says_what_is_held_against_what(self) -> "Quality":
        is_held = self.loss is not None or bool(self.metrics)
        if (self.reference is not None) != is_held or not (self.reference or self.convergence_points):
            raise Mistake(NOTHING_HELD)
        return self


class Name(PagePart):
    """What a value of an axis is called in a column; a text alone is its label."""

    label: Text | None = None
    """How titles write it, if not as the page does."""
    case: Value | None = None
    """What the column takes it for, such as `fp16` for `half`."""
    file: str | None = None
    """How the paths of its logs spell it."""


def _name(stated: object) -> object:
    return {"label": stated} if isinstance(stated, str) or (isinstance(stated, dict) and ENGLISH in stated) else stated


Labels = dict[Axis, dict[str, Text]]
Names = dict[Axis, dict[str, Annotated[Name, BeforeValidator(_name, json_schema_input_type=Text | Name)]]]


class Run(PagePart):
    """One kind of run of a column: the cases it covers, where their logs are, and their protocol."""

    when: Cases = Field(default_factory=dict)
    """The cases that it covers, by axis; a list allows several values, an omitted axis allows all."""
    logs: Patterns
    """Pattern of the logs in the log folder, with the axes of the case in braces (`{model}` is that of the page unless
    a case states one) and `*` for repeats; of a list of patterns the first that finds logs. A folder with one log for
    each rank counts as one log."""
    protocol: AnyProtocol = Protocol()
    """How the number is computed: a text such as `"tipc,decimals=2"`, or a table of the same keys; by default by the
    rule."""
    read: AnyOption | None = None
    """What a number of the logs measures, where no known format says it, as for `show --read`: `"dt=ms/step"`."""
    names: Names = Field(default_factory=dict)
    """Those of the column, unless it sets its own."""

    def covers(self, case: Case) -> bool:
        """Whether a case is of this kind of run."""
        return covers(self.when, case)

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
    """Heading of its columns, unless a table sets another title."""
    short: Text = Text("")
    """The same on narrow screens, such as `"TF"`; default: its title."""
    names: Names = Field(default_factory=dict)
    """What values of axes are called in it, such as `precision.half = { case = "fp16", file = "pure_fp16" }`."""
    logs: Patterns | None = None
    """`logs` of all its runs, unless they set another; without `runs`, it is one run."""
    protocol: AnyProtocol | None = None
    """`protocol` of all its runs, unless they set another."""
    read: AnyOption | None = None
    """`read` of all its runs, unless they set another."""
    runs: list[Run] = Field(default_factory=list)
    """Its kinds of runs; for each case, the first that covers it. Without logs, all figures are quoted."""
    quality: Quality | None = None
    """What its runs are held against; default: `quality` of the page."""

    @model_validator(mode="before")
    @classmethod
    def _says_once_what_all_runs_have(cls, stated: Any) -> Any:
        if isinstance(stated, dict) and "logs" in stated:
            stated = {"runs": [{}], **stated}
        return handed_on(stated, "runs", ("logs", "protocol", "read", "names"))

    @cached_property
    def aliases(self) -> "Aliases":
        """Values of axes that stand for others in this column."""
        found: Aliases = {}
        for axis, names in self.names.items():
            found[axis] = {value: name.case for value, name in names.items() if name.case is not None}
        return found

    @cached_property
    def labels(self) -> Labels:
        """How values of axes are written for this column, if not as for the page, by what it takes them for."""
        found: Labels = {}
        for axis, names in self.names.items():
            labelled = {value if one.case is None else str(one.case): one.label for value, one in names.items()}
            found[axis] = {value: label for value, label in labelled.items() if label is not None}
        return found


Aliases = dict[Axis, dict[str, Value]]


# ---- tables


class Against(PagePart):
    """What a number is divided by: the throughput of another column of the page, of another case, or of both."""

    column: str | None = None
    """Name of a column of the page; default: the same column."""
    case: Case = Field(default_factory=dict)
    """The axes that differ; all others are the same."""


class TableColumn(PagePart):
    """One column of a table: a column of the page, for a part of the case."""

    column: str
    """Name of a column of the page."""
    title: Text | None = None
    """Its heading; default: the title of the column of the page. The quantity and its unit are added, except for a
    throughput and a speed-up."""
    case: Case = Field(default_factory=dict)
    """Its part of the case."""
    protocol: str | None = None
    """Keys that override the protocol of the run, such as `"decimals=1"`."""
    quantity: AnyQuantity = Field(default=THROUGHPUT.name, validate_default=True)
    """What is shown: one of the [quantities](#quantities)."""
    against: Against | None = None
    """What a `speed_up` is compared with; required for it, together with a `title` if that is another column, and not
    valid elsewhere."""
    decimals: Decimals | None = None
    """Decimals of a computed number or one from gpu.csv; for a throughput, set them in its protocol."""

    @model_validator(mode="after")
    def _has_what_its_quantity_needs(self) -> "TableColumn":
        if self.decimals is not None and self.quantity.is_rate:
            raise Mistake(DECIMALS_OF_A_THROUGHPUT, decimals=self.decimals)
        if (self.against is not None) != (self.quantity.origin == "ratio"):
            raise Mistake(ONLY_A_SPEED_UP)
        if self.against is not None and self.against.column is not None and self.title is None:
            raise Mistake(NO_TITLE)
        return self


class TableRow(PagePart):
    """One row of a table."""

    title: RowTitle
    """Its heading; the axes of its case may stand in braces, such as `{cards}`."""
    case: Case = Field(default_factory=dict)
    """Its part of the case."""
    group: RowTitle = Text("")
    """Heading of the group of rows that it is in, such as `{device}`; rows of one group follow each other."""


_AxisOrExcept: Any = Literal[(*get_args(Axis), "except")]


class _Except(PagePart):
    left_out: list[Case] = Field(default_factory=list, alias="except")


_AXES: TypeAdapter[dict[Axis, list[Value]]] = TypeAdapter(Values)


def _rows(stated: Any) -> Any:
    """The rows of a table that states the values of axes: the last axis titles rows, those before it groups."""
    if not isinstance(stated, dict):
        return stated
    axes = _AXES.validate_python({axis: values for axis, values in stated.items() if axis != "except"})
    left_out = _Except.model_validate({"except": stated.get("except", [])}).left_out
    if prod(max(len(values), 1) for values in axes.values()) > MOST_ROWS:
        raise Mistake(TOO_MANY, most=MOST_ROWS)
    for axis, values in axes.items():
        if twice := [value for at, value in enumerate(values) if value in values[:at]]:
            raise Mistake(TWICE, axis=axis, value=twice[0])
    cases = [dict(zip(axes, combination, strict=True)) for combination in product(*axes.values())] if axes else []
    for case in left_out:
        if not any(case.items() <= one.items() for one in cases):
            raise Mistake(NO_ROW_TO_LEAVE_OUT, case=", ".join(f"{axis} {value}" for axis, value in case.items()))
    *groups, title = (f"{{{axis}}}" for axis in axes or ("",))
    group = {"group": " · ".join(groups)} if groups else {}
    return [
        {"title": title, **group, "case": case}
        for case in cases
        if not any(other.items() <= case.items() for other in left_out)
    ]


def _different(rows: list[TableRow]) -> list[TableRow]:
    """The rows, no two of which have one case."""
    for number, row in enumerate(rows):
        for before, other in enumerate(rows[:number]):
            if row.case == other.case:
                raise Mistake(SAME_ROW, first=before + 1, second=number + 1)
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
    """Its name in commands, unique on the page."""
    title: Text
    """Its heading."""
    corner: Text = Text("")
    """Heading of the column of row titles."""
    notes: list[Block] = Field(default_factory=list)
    """Text below the table and its numbered notes."""
    case: Case = Field(default_factory=dict)
    """The part of the case that all its cells share."""
    unit: Unit | None = None
    """Unit of its throughputs, if not that of the page."""
    quantity: AnyQuantity = Field(default=THROUGHPUT.name, validate_default=True)
    """What all its columns show, unless they set another."""
    against: Against | None = None
    """What all its columns are compared with, unless they set another."""
    decimals: Decimals | None = None
    """Decimals of all its columns, unless they set others."""
    columns: Annotated[list[ColumnOrName], Field(min_length=1)]
    """Its columns, from left to right; a column without other keys may be just its name."""
    rows: Rows
    """Its rows, from top to bottom; or the values of axes, such as `{ precision = ["fp32", "amp"], cards = [1, 8] }`,
    for a row of each value of the last axis in a group of each combination of the others, but for those that have all
    values of one of the cases in `except`."""
    tables: "list[Table]" = Field(default_factory=list)
    """Tables that follow it, each with its corner, case, unit, columns and rows unless it states its own."""

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

    ``aliases``: those of the column of the page. ``id``: its address, TABLE/ROW/COLUMN, made of names and cases, so
    that titles may change freely.
    """

    table: Table
    row: TableRow
    column: TableColumn
    aliases: Aliases
    id: str

    @property
    def labels(self) -> Case:
        """The case of the cell as the table states it."""
        return {**self.table.case, **self.row.case, **self.column.case}

    @property
    def case(self) -> Case:
        """The case of the cell, as its column takes it."""
        return {axis: self.aliases.get(axis, {}).get(str(value), value) for axis, value in self.labels.items()}

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


def each_case(cases: Cases) -> list[Case]:
    """The cases that are stated together: one for each combination of the values that axes are given."""
    values = [value if isinstance(value, list) else [value] for value in cases.values()]
    return [dict(zip(cases, combination, strict=True)) for combination in product(*values)]


class PageFile(PagePart):
    """One report page: its text, columns and tables. A text for readers may be `{ en = "…", zh = "…" }`."""

    title: Text
    """Heading of the page."""
    model: str
    """Name of the models in the index of the site."""
    unit: Unit
    """Unit of throughputs, such as `images/s`, in all tables that set no other."""
    prose: Annotated[str, _must(is_spelt_inside, LEAVES_PAGE, "file")] | None = None
    """Folder beside the page file with its text in Markdown: `setup.en.md`, `setup.zh.md` and so on for `tested`,
    `environment`, `setup`, `steps` and `results`, and `table-NAME.en.md` for the text below a table."""
    tested: list[Block]
    """Section 1, what is tested."""
    environment: list[Block] = Field(default_factory=list)
    """Section 2, the machines and the programs."""
    setup: list[Block] = Field(default_factory=list)
    """Section 3, how to set up the programs."""
    steps: list[Block] = Field(default_factory=list)
    """Section 4, the steps of the test."""
    fastest: list[Annotated[Cases, Field(min_length=1)]] = Field(default_factory=list, max_length=3)
    """The cases of which is told, in words at the start of the results, who is fastest and how the others compare; a
    list of values of an axis is several cases, which are told together if the same is fastest in all."""
    results: list[Block] = Field(default_factory=list)
    """Text at the start of section 5, before the tables."""
    labels: Labels = Field(default_factory=dict, alias="names")
    """How values of axes are written in titles, such as `precision = { fp32 = "FP32" }`. Without one, sizes of
    parallelism, batches and sequences are written as `TP2`, `PP4`, `CP1`, `GBS512` and so on."""
    source: LogSource | None = None
    """Where the logs of the page were published, if by others."""
    sources: dict[str, QuoteSource] = Field(default_factory=dict)
    """Where quoted figures were published, by the names that the CSV file of quotes uses."""
    columns: dict[str, Column]
    """What is compared, by the names that tables and quotes use."""
    quality: Quality | None = None
    """What the runs of all columns are held against, unless they set another."""
    tables: Annotated[list[Table], AfterValidator(lambda tables: [table for _, table in _stated(tables)])]
    """The tables of results of section 5."""
    model_flops: list[ModelFlops] = Field(default_factory=list)
    """The operations that its models need; of several for a case, the first that covers it."""
    cautions: list[Caution] = Field(default_factory=list)
    """What stands beside the numbers of runs that are not comparable for a reason outside their logs."""


class Page(PageFile):
    """A page file with what the files beside it hold."""

    quotes: list[Quote] = Field(default_factory=list)
    """Figures for cells without a measurement; they are marked as quoted."""

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
        """The places of all cells, table by table and row by row; of equal addresses the later get .2, .3 …"""
        taken: dict[str, int] = {}
        for table, row, column in ((t, row, column) for t in self.tables for row, column in product(t.rows, t.columns)):
            aliases = self.columns[column.column].aliases if column.column in self.columns else {}
            parts = [table.name], _spelt(row.case) or ["all"], _named(column)
            address = "/".join(map(_part, parts))
            taken[address] = taken.get(address, 0) + 1
            # No part has a point of its own, so that no other address is like this one.
            unique = address if taken[address] == 1 else f"{address}.{taken[address]}"
            yield CellPlace(table, row, column, aliases, unique)

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
                    told = {"language": language, "first": repr(known), "second": repr(said)}
                    raise Mistake(TWO_TRANSLATIONS, text=repr(str(text)), **told)
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


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a page file, by which editors complete and check one."""
    schema = PageFile.model_json_schema()
    parts = schema["$defs"]
    # What may be inherited, or stand in a file beside the page file.
    for part, key in ((schema, "tested"), (parts["Run"], "logs")):
        part["required"].remove(key)
    parts["TableOfTable"] = {**parts["Table"], "required": ["name", "title"]}
    parts["Table"]["properties"]["tables"]["items"] = {"$ref": "#/$defs/TableOfTable"}
    return {"$schema": DIALECT, **schema}

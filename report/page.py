"""The page file: what is published, where its evidence is, and by which protocol."""

import re
from collections.abc import Callable, Iterable
from string import Formatter
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from .protocol import Protocol, ProtocolError
from .quantity import Quantity

Axis = Literal["model", "framework", "device", "nodes", "cards", "precision", "batch_size"]
Value = int | str
Case = dict[Axis, Value]

# The axes that a launcher takes as variables of these names; the case of a cell says them.
LAUNCHED: tuple[Axis, ...] = ("nodes", "cards", "precision", "batch_size")


def _protocol(stated: object) -> Protocol:
    if isinstance(stated, Protocol):
        return stated
    try:
        return Protocol.of(stated) if isinstance(stated, dict) else Protocol.parse(str(stated))
    except ProtocolError as error:
        raise ValueError(str(error)) from None


AnyProtocol = Annotated[Protocol, BeforeValidator(_protocol)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Code(_Part):
    """A command or program that a reader copies; it is not translated."""

    code: str
    language: str = "bash"


class Grid(_Part):
    """A table of words, such as versions side by side; every row has as many values as there are columns."""

    columns: list[str]
    rows: list[list[str]]

    @model_validator(mode="after")
    def _is_rectangular(self) -> "Grid":
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"the row {row[0]!r} has {len(row)} values for {len(self.columns)} columns")
        return self


Block = str | Code | Grid


def _relative(pattern: str) -> str:
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise ValueError(f"{pattern!r} leaves the folder of logs; a pattern below it is possible")
    return pattern


def _with_only(names: Iterable[str]) -> Callable[[str], str]:
    """A check that a text has no braces but these plain names: a page is data and reaches into no object."""
    allowed = set(names)

    def check(text: str) -> str:
        for _, name, form, conversion in Formatter().parse(text):
            if name is not None and (name not in allowed or form or conversion):
                raise ValueError(f"{{{name}}} cannot stand in {text!r}; {', '.join(sorted(allowed))} can")
        return text

    return check


def _option(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z_]*", name) or name in (*LAUNCHED, "repo", "extra"):
        told = f"the case says {', '.join(LAUNCHED)}, --repo the checkout, and the key extra the native arguments"
        raise ValueError(f"{name!r} is no option; a launcher's variable in small letters is, such as steps; {told}")
    return name


Option = Annotated[str, AfterValidator(_option)]
Pattern = Annotated[str, AfterValidator(_relative), AfterValidator(_with_only(get_args(Axis)))]
RowTitle = Annotated[str, AfterValidator(_with_only(get_args(Axis)))]
Address = Annotated[str, AfterValidator(_with_only(("commit", "path")))]


class Run(_Part):
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


class Column(_Part):
    """What is compared: a framework with its program. ``launcher`` names the recipe that runs what is missing."""

    title: str
    launcher: str | None = None
    runs: list[Run]


class TableColumn(_Part):
    """One column of a table: a column of the page, for a part of the case; ``protocol`` overrides single keys.

    ``quantity``: what is shown, ``throughput`` in the unit of the page or what gpu.csv tells: ``peak_memory`` (MiB),
    ``power`` (W), ``samples_per_joule``. ``decimals`` is for the latter; those of a throughput are its protocol's.
    """

    column: str
    title: str | None = None
    case: Case = Field(default_factory=dict)
    protocol: str | None = None
    quantity: Quantity = "throughput"
    decimals: Annotated[int, Field(ge=0, le=15)] | None = None

    @model_validator(mode="after")
    def _decimals_are_of_telemetry(self) -> "TableColumn":
        if self.decimals is not None and self.quantity == "throughput":
            raise ValueError(f"the decimals of a throughput are its protocol's: protocol = 'decimals={self.decimals}'")
        return self


class TableRow(_Part):
    """One row of a table: its title (the axes of the case may stand in braces) and its part of the case."""

    title: RowTitle
    case: Case = Field(default_factory=dict)


class Table(_Part):
    """One table of results. The case of a cell is that of the table, its row and its column put together."""

    name: str
    title: str
    corner: str = ""
    notes: list[Block] = Field(default_factory=list)
    case: Case = Field(default_factory=dict)
    columns: list[TableColumn] = Field(min_length=1)
    rows: list[TableRow] = Field(min_length=1)


class Source(_Part):
    """Where logs that others made were published; ``url`` holds ``{path}`` and makes the links to them."""

    repository: str
    commit: str
    licence: str
    url: Address


class Page(_Part):
    """One report page: its words, its columns and its tables. Texts are English, the catalogues translate them."""

    title: str
    model: str
    unit: str
    tested: list[Block]
    environment: list[Block] = Field(default_factory=list)
    setup: list[Block] = Field(default_factory=list)
    steps: list[Block] = Field(default_factory=list)
    results: list[Block] = Field(default_factory=list)
    source: Source | None = None
    columns: dict[str, Column]
    tables: list[Table]

    @model_validator(mode="after")
    def _tables_have_names_of_their_own(self) -> "Page":
        names = [table.name for table in self.tables]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"two tables have the name {twice[0]!r}; each needs its own")
        return self

    @model_validator(mode="after")
    def _tables_name_columns(self) -> "Page":
        for table in self.tables:
            for column in table.columns:
                if column.column not in self.columns:
                    known = ", ".join(self.columns)
                    raise ValueError(f"table {table.name} names the column {column.column!r}; columns are {known}")
        return self

    @model_validator(mode="after")
    def _titles_name_their_case(self) -> "Page":
        for table in self.tables:
            for row in table.rows:
                case: Case = {**table.case, **row.case}
                _with_only(case)(row.title)
        return self

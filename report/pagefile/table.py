"""Tables of results: which cells a page shows, and what of each."""

from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field, model_validator

from parsers.io.validation import Mistake

from ..measure.quantity import THROUGHPUT, AnyQuantity
from .combinations import with_rows
from .parts import Axis, Block, Case, Circumstance, PagePart, Value, with_only
from .publications import DIGITS, Quote
from .shorthand import with_columns

DECIMALS_OF_A_THROUGHPUT = "set the decimals of a throughput with its protocol: protocol = 'decimals={decimals}'."
ONLY_A_SPEED_UP = "against is required for a speed_up, and only valid there."
NO_TITLE = "a speed_up over another column needs a title that says which two numbers it compares."
ONLY_A_TIME_TO_LOSS = "target is required for a time_to_loss, and only valid there."
FIGURES = "figures is {rows} × {columns}; the table has {wanted_rows} rows and {wanted_columns} columns."
FIGURES_OF_A_SOURCE = "figures and source need each other."

Figure = Annotated[str, Field(pattern=rf"^-$|{DIGITS}")]
RowTitle = Annotated[str, AfterValidator(with_only(get_args(Axis)))]


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
    title: str | None = None
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
    decimals: Annotated[int, Field(ge=0, le=15)] | None = None
    """Decimals of a computed number or one from gpu.csv; for a throughput, set them in its protocol."""

    target: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """The loss that is to be reached, of a `time_to_loss`; required for it, and not valid elsewhere."""

    @model_validator(mode="after")
    def _only_a_time_to_something_has_a_target(self) -> "TableColumn":
        if (self.target is not None) != self.quantity.needs_target:
            raise Mistake(ONLY_A_TIME_TO_LOSS)
        return self

    @model_validator(mode="after")
    def _decimals_are_of_no_throughput(self) -> "TableColumn":
        if self.decimals is not None and self.quantity.is_rate:
            raise Mistake(DECIMALS_OF_A_THROUGHPUT, decimals=self.decimals)
        return self

    @model_validator(mode="after")
    def _only_a_speed_up_is_against_something(self) -> "TableColumn":
        if (self.against is not None) != self.quantity.is_over_another:
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
    group: RowTitle = ""
    """Heading of the group of rows that it is in, such as `{device}`; rows of one group follow each other."""


class OverTime(PagePart):
    """Runs whose records are drawn over time."""

    column: str
    """Name of a column of the page."""
    case: Case = Field(default_factory=dict)
    """The axes that select throughputs of the column; default: all of them."""

    def is_of(self, column: str, case: Case) -> bool:
        """Whether it chooses a throughput of a column with a case."""
        return column == self.column and self.case.items() <= case.items()


class Table(PagePart):
    """One table of results. The case of a cell combines those of its table, row and column."""

    name: str
    """Its name in commands, unique on the page."""
    title: str
    """Its heading."""
    corner: str = ""
    """Heading of the column of row titles."""
    notes: list[Block] = Field(default_factory=list)
    """Text below the table and its numbered notes."""
    case: Case = Field(default_factory=dict)
    """The part of the case that all its cells share."""
    unit: str | None = None
    """Unit of its throughputs, if not that of the page."""
    like: str | None = Field(default=None, alias="from")
    """Name of a table before it, whose corner, case, unit, columns and rows it has unless it states its own."""
    columns: list[TableColumn] = Field(min_length=1)
    """Its columns, from left to right; a column without other keys may be just its name."""
    quantity: AnyQuantity = Field(default=THROUGHPUT.name, validate_default=True)
    """What all its columns show, unless they set another."""
    against: Against | None = None
    """What all its columns are compared with, unless they set another."""
    decimals: Annotated[int, Field(ge=0, le=15)] | None = None
    """Decimals of all its columns, unless they set others."""
    rows: list[TableRow] = Field(min_length=1)
    """Its rows, from top to bottom; or the values of axes, such as `{ cards = [1, 8] }`, for a row of each combination
    of them, titled by the values."""
    each: dict[Axis, list[Value]] = Field(default_factory=dict, alias="for")
    """The values of axes for a group of all `rows` of each combination of them, titled by the values."""
    leave_out: list[Case] = Field(default_factory=list)
    """The rows of `for` that are left out: those that have all values of one of these."""
    figures: list[list[Figure]] = Field(default_factory=list)
    """Published figures for its cells without a measurement, a list for each row: their digits, or `"-"` for none."""
    source: str | None = None
    """Name of one of the `sources` of the page: where `figures` were published."""
    charts: list[Literal["bars", "scaling", "spread"]] = Field(default=["bars", "scaling", "spread"])
    """What its chart shows, the first of these that it has enough numbers for: bars of throughputs, the scaling
    efficiency in percent, or how far the runs of each number are apart."""
    facts: list[Circumstance] = Field(default_factory=list)
    """What else is said of the runs of each row, in columns behind its numbers, as their logs and `run.json` state it:
    the date of the measurement, and the versions of the framework, CUDA, cuDNN and the driver."""
    over_time: list[OverTime] = Field(default_factory=list)
    """Throughputs that are also drawn record by record, with memory and power if there is a gpu.csv; of several runs
    the one with the median throughput."""

    @model_validator(mode="before")
    @classmethod
    def _has_a_row_of_each_combination(cls, stated: Any) -> Any:
        return with_rows(with_columns(stated)) if isinstance(stated, dict) else stated

    @model_validator(mode="after")
    def _has_a_figure_for_each_cell(self) -> "Table":
        if bool(self.figures) != (self.source is not None):
            raise Mistake(FIGURES_OF_A_SOURCE)
        shape = {len(row) for row in self.figures}
        if self.figures and (len(self.figures), shape) != (len(self.rows), {len(self.columns)}):
            wanted = {"wanted_rows": len(self.rows), "wanted_columns": len(self.columns)}
            told = ", ".join(map(str, sorted(shape)))
            raise Mistake(FIGURES, rows=len(self.figures), columns=told, **wanted)
        return self

    def figure(self, row: TableRow, column: TableColumn, case: Case) -> Quote | None:
        """The figure that was published for a cell of this case; None where there is none."""
        across = next((at for at, one in enumerate(self.columns) if one is column), None)
        for one, figures in zip(self.rows, self.figures, strict=False):
            if one is row and across is not None and self.source and figures[across] != "-":
                return Quote(column=column.column, case=case, value=figures[across], source=self.source)
        return None

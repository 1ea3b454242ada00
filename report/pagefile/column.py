"""Columns of a page: what is compared, where its logs are, by which protocol, and how a launch makes them."""

import glob
import re
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from parsers.io.containment import is_spelt_inside
from parsers.io.validation import Mistake
from parsers.unknown.option import OptionError, parse_option

from ..measure.protocol import Protocol
from .parts import LAUNCHED, Axis, Case, Cases, PagePart, Value, covers, with_only
from .shorthand import with_runs

LEAVES_LOGS = "{path} leaves the log folder; use a path below it."
NOTHING_HELD = "quality needs reference with loss or metrics, or convergence_points, or all of them."
NO_PERCENTAGE = "expected a percentage such as '2%', above 0% and below 100%, not {text}."
MOST_PERCENT = 100
NO_LAUNCHED_AXIS = "{axis} is not an axis that a launcher takes; use {launched}."
NO_OPTION = (
    "{name} is not an option; use a variable of the launcher in lower case, such as steps; "
    "the case sets {launched}, --repo the checkout, and the key extra native arguments."
)


def _protocol(stated: object) -> Protocol:
    if isinstance(stated, Protocol):
        return stated
    return Protocol.of(stated) if isinstance(stated, dict) else Protocol.parse(str(stated))


AnyProtocol = Annotated[Protocol, BeforeValidator(_protocol, json_schema_input_type=str | Protocol)]


def _option_of_read(text: str) -> str:
    try:
        parse_option(text)
    except OptionError as error:
        raise Mistake(error.message) from None
    return text


AnyOption = Annotated[str, AfterValidator(_option_of_read)]


def _relative(pattern: str) -> str:
    if not is_spelt_inside(pattern):
        raise Mistake(LEAVES_LOGS, path=repr(pattern))
    return pattern


def _option(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z_]*", name) or name in (*LAUNCHED, "repo", "extra"):
        raise Mistake(NO_OPTION, name=repr(name), launched=", ".join(LAUNCHED))
    return name


def _launched(axis: Axis) -> Axis:
    if axis not in LAUNCHED:
        raise Mistake(NO_LAUNCHED_AXIS, axis=repr(axis), launched=", ".join(LAUNCHED))
    return axis


def _percentage(text: str) -> str:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?%", text) or not 0 < float(text[:-1]) < MOST_PERCENT:
        raise Mistake(NO_PERCENTAGE, text=repr(text))
    return text


Percentage = Annotated[str, AfterValidator(_percentage)]
LaunchedAxis = Annotated[Axis, AfterValidator(_launched)]
Aliases = dict[Axis, dict[str, Value]]
Option = Annotated[str, AfterValidator(_option)]
Pattern = Annotated[str, AfterValidator(_relative), AfterValidator(with_only(get_args(Axis)))]


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


class Run(PagePart):
    """One kind of run of a column: the cases it covers, where their logs are, and their protocol."""

    when: Cases = Field(default_factory=dict)
    """The cases that it covers, by axis; a list allows several values, an omitted axis allows all."""
    logs: Pattern
    """Pattern of the logs in the log folder, with the axes of the case in braces (`{model}` is that of the page unless
    a case states one) and `*` for repeats. A folder with one log for each rank counts as one log."""
    launched: Pattern | None = None
    """For `launch`: the same of its own runs, where `logs` are of others; they stand for those that are missing."""
    protocol: AnyProtocol = Protocol()
    """How the number is computed: a text such as `"tipc,decimals=2"`, or a table of the same keys; by default by the
    rule."""
    read: AnyOption | None = None
    """What a number of the logs measures, where no known format says it, as for `show --read`: `"dt=ms/step"`."""
    spellings: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """How the values of an axis are spelt in `logs`, if not as in the case."""
    launcher: str | None = None
    """Name of the recipe that runs missing cases."""
    repeats: int = Field(default=1, ge=1)
    """For `launch`: number of runs per case."""
    options: dict[Option, Value] = Field(default_factory=dict)
    """For `launch`: other variables of the launcher, in lower case."""
    launch_case: dict[LaunchedAxis, Value] = Field(default_factory=dict)
    """For `launch`: axes that the page leaves open, or calls otherwise than the launcher, such as `{ nodes = 4 }`."""
    extra: list[str] = Field(default_factory=list)
    """For `launch`: further arguments of the native program."""

    def covers(self, case: Case) -> bool:
        """Whether a case is of this kind of run."""
        return covers(self.when, case)

    def spelt(self, axis: Axis, value: Value) -> str:
        """How a value of an axis is spelt in the pattern of the logs."""
        return self.spellings.get(axis, {}).get(str(value), str(value))

    def patterns(self, case: Case) -> list[str]:
        """The patterns of the logs of a case, of which the first that finds any counts; only the page may say ``*``.

        Raises KeyError for an axis that a pattern needs and the case does not say.
        """
        values = {str(axis): glob.escape(self.spelt(axis, value)) for axis, value in case.items()}
        return [pattern.format_map(values) for pattern in (self.logs, self.launched) if pattern is not None]


class Column(PagePart):
    """What is compared: a framework with its program."""

    title: str
    """Heading of its columns, unless a table sets another title."""
    short: str = ""
    """The same on narrow screens, such as `"TF"`; default: its title."""
    launcher: str | None = None
    """`launcher` of all its runs, unless they set another."""
    aliases: Aliases = Field(default_factory=dict)
    """Values of axes that stand for others in this column, such as `precision = { half = "fp16" }`."""
    labels: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """How values of axes are written for this column, if not as for the page."""
    runs: list[Run] = Field(default_factory=list)
    """Where its logs are; for each case, the first run that covers it. Without runs, all figures are quoted."""
    logs: Pattern | None = None
    """`logs` of all its runs, unless they set another; without `runs`, it is one run."""
    launched: Pattern | None = None
    """`launched` of all its runs, unless they set another."""
    protocol: AnyProtocol | None = None
    """`protocol` of all its runs, unless they set another."""
    read: AnyOption | None = None
    """`read` of all its runs, unless they set another."""
    spellings: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """`spellings` of all its runs, unless they set others."""
    not_launched: str = ""
    """Why `launch` cannot run cases that no run with a launcher covers: a sentence in English, which it prints."""
    quality: Quality | None = None
    """What its runs are held against; default: `quality` of the page."""

    @model_validator(mode="before")
    @classmethod
    def _says_once_what_all_runs_have(cls, stated: Any) -> Any:
        return with_runs(stated) if isinstance(stated, dict) else stated

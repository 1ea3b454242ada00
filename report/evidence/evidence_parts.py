"""Parts of an evidence file: what stands behind one number of a page."""

from pathlib import PurePath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from parsers.io.validation import Mistake

from ..measure.operations import Formula, arithmetic
from ..pagefile.column import LEAVES_LOGS
from ..pagefile.publications import DIGITS

NOT_RELATIVE = "{path} is not a relative path below or beside the page."
NOT_IN_ORDER = "line {first} is not before line {last}."


def relative(path: str) -> str:
    """A path, where it is a relative one; raises Mistake."""
    if not path or "\0" in path or PurePath(path).anchor:
        raise Mistake(NOT_RELATIVE, path=repr(path))
    return path


def _below(path: str) -> str:
    if ".." in PurePath(relative(path)).parts:
        raise Mistake(LEAVES_LOGS, path=repr(path))
    return path


Count = Annotated[int, Field(ge=0)]
LineNumber = Annotated[int, Field(ge=1)]
# An address of TABLE/ROW/COLUMN, or eN and qN as earlier versions called numbers and quoted figures.
Anchor = Annotated[str, Field(max_length=250, pattern=r"^([eq][1-9][0-9]{0,8}|[^\s/#]+/[^\s/#]+/[^\s/#]+)$")]


class StrictPart(BaseModel):
    """A part of an evidence file: no key that is not known, and nothing that must be made to fit."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Origin(StrictPart):
    """Where logs that others made were published."""

    repository: str
    commit: str


class LogProof(StrictPart):
    """One file behind a number: its path below the folder of logs, and the physical lines, from 1, that were used.

    ``format``: that of a log, None where it has none; of a side file its name. ``used``: how many records of the lines
    ``first`` to ``last`` were used.
    """

    path: Annotated[str, AfterValidator(_below)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    format: str | None
    first: LineNumber
    last: LineNumber
    used: LineNumber

    @model_validator(mode="after")
    def _lines_are_in_order(self) -> Self:
        if self.first > self.last:
            raise Mistake(NOT_IN_ORDER, first=self.first, last=self.last)
        return self


class StatedFormula(StrictPart):
    """The operations of a model, as the page states them: as ``Formula`` has them."""

    text: str
    per: Literal["token", "sample"]
    source: str
    numbers: dict[str, float]

    @model_validator(mode="after")
    def _is_arithmetic(self) -> Self:
        arithmetic(self.text)
        return self

    @property
    def formula(self) -> Formula:
        """The formula."""
        return Formula(self.text, self.per, self.source, self.numbers)


class QuotedFigure(StrictPart):
    """A published figure that stands where there is no measurement.

    ``figure``: the number N of its anchor qN. ``value``: its digits. ``source``: the name of one of the sources of
    the file.
    """

    figure: LineNumber
    value: Annotated[str, Field(pattern=DIGITS)]
    source: str


class Computed(StrictPart):
    """How a number comes from two others of the page: ``of`` / ``against`` / ``ideal``, the two by their anchors.

    ``whole``: what 1 is printed as, 100 for percent; files of earlier versions have no percent.
    """

    of: Anchor
    against: Anchor
    ideal: Annotated[float, Field(ge=1, allow_inf_nan=False)]
    whole: Literal[1, 100] = 1


class QuotedSource(StrictPart):
    """Where figures were published that no public log gives; ``note`` says what a reader must know, in English."""

    title: str
    url: str
    date: str
    commit: str | None
    note: str

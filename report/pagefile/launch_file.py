"""The launch file of a page, ``PAGE.launch.toml``: with what recipes the runs are made that the page lacks.

Reports never read it. It has a table for each column of the page that can be launched, or says why not.
"""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, RootModel, ValidationError, model_validator

from parsers.io.errors import CANNOT_BE_READ, reason_of
from parsers.io.files import text_of
from parsers.io.message import Message
from parsers.io.validation import NOT_TOML, Mistake, mistake

from .page import Page
from .page_file import LAUNCH, ON_LINE, PageError, toml_of
from .parts import DIALECT, LAUNCHED, Axis, Case, Cases, PagePart, Value, covers, handed_on
from .toml_lines import line_of, stated_key

NO_LAUNCHED_AXIS = "{axis} is not an axis that a launcher takes; use {launched}."
NO_OPTION = (
    "{name} is not an option; use a variable of the launcher in lower case, such as steps; "
    "the case sets {launched}, --repo the checkout, and the key extra native arguments."
)
NO_COLUMN = "the page has no column {column}; columns: {known}."


def _option(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z_]*", name) or name in (*LAUNCHED, "repo", "extra"):
        raise Mistake(NO_OPTION, name=repr(name), launched=", ".join(LAUNCHED))
    return name


def _launched(axis: Axis) -> Axis:
    if axis not in LAUNCHED:
        raise Mistake(NO_LAUNCHED_AXIS, axis=repr(axis), launched=", ".join(LAUNCHED))
    return axis


class Launch(PagePart):
    """How some cases of a column are run."""

    when: Cases = Field(default_factory=dict)
    """The cases that it is for, by axis; a list allows several values, an omitted axis allows all."""
    launcher: str | None = None
    """Name of the recipe."""
    repeats: int = Field(default=1, ge=1)
    """Number of runs of each case."""
    options: dict[Annotated[str, AfterValidator(_option)], Value] = Field(default_factory=dict)
    """Other variables of the recipe, in lower case."""
    case: dict[Annotated[Axis, AfterValidator(_launched)], Value] = Field(default_factory=dict)
    """Axes that the page leaves open, or calls otherwise than the recipe, such as `{ nodes = 4 }`."""
    extra: list[str] = Field(default_factory=list)
    """Further arguments of the native program."""


class ColumnLaunch(Launch):
    """How the cases of a column are run, each by the first of `runs` that is for it; these have its other keys, too."""

    runs: list[Launch] = Field(default_factory=list)
    """What differs between its cases."""

    @model_validator(mode="before")
    @classmethod
    def _says_once_what_all_runs_have(cls, stated: Any) -> Any:
        return handed_on({"runs": [{}], **stated} if isinstance(stated, dict) else stated, "runs", Launch.model_fields)


class LaunchFile(RootModel[dict[str, ColumnLaunch]]):
    """A launch file: for columns of the page, by their names, how they are run."""

    def of(self, column: str, case: Case) -> Launch:
        """How a case of a column is run; without launcher where nothing says it."""
        runs = self.root[column].runs if column in self.root else []
        return next((run for run in runs if covers(run.when, case)), Launch())


def load_launches(page_file: Path, page: Page) -> LaunchFile:
    """The launch file beside a page file, empty where there is none; raises PageError for one with a mistake."""
    path = page_file.with_suffix(f".{LAUNCH}")
    try:
        text = text_of(path) if path.exists() else ""
    except OSError as error:
        raise PageError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    except UnicodeDecodeError as error:
        raise PageError.at(path, NOT_TOML, reason=error) from error
    stated = toml_of(text, path)
    try:
        launches = LaunchFile.model_validate(stated)
    except ValidationError as error:
        first = error.errors()[0]
        what = mistake(first, ColumnLaunch, stated_key(first["loc"], stated))
        raise PageError(ON_LINE, path=path, line=line_of(text, first["loc"]) or 1, what=what) from None
    if unknown := next((name for name in stated if name not in page.columns), None):
        what = Message(NO_COLUMN, column=repr(unknown), known=", ".join(page.columns))
        raise PageError(ON_LINE, path=path, line=line_of(text, (unknown,)) or 1, what=what)
    return launches


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a launch file, by which editors complete and check one."""
    return {"$schema": DIALECT, **LaunchFile.model_json_schema()}

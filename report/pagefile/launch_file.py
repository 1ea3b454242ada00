"""The launch file of a page, ``PAGE.launch.toml``: with what recipes the runs are made that the page lacks.

Reports never read it. It has a table for each column of the page that can be launched, or says why not.
"""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, RootModel, ValidationError, model_validator

from parsers.io.validation import Mistake

from .page import OfCases, Page
from .page_file import LAUNCH, PageError, invalid, toml_of, toml_text
from .parts import LAUNCHED, Case, Launched, Value, handed_on


def _option(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z_]*", name) or name in (*LAUNCHED, "repo", "extra"):
        others = ", ".join(LAUNCHED)
        raise Mistake(f"{name!r} is not an option; use a variable in lower case, such as steps; a case sets {others}.")
    return name


class Launch(OfCases):
    """How some cases of a column are run."""

    launcher: str | None = None
    repeats: int = Field(default=1, ge=1)
    options: dict[Annotated[str, AfterValidator(_option)], Value] = Field(default_factory=dict)
    case: dict[Launched, Value] = Field(default_factory=dict)
    extra: list[str] = Field(default_factory=list)


class ColumnLaunch(Launch):
    """How the cases of a column are run, each by the first of `runs` that is for it; these have its other keys, too."""

    runs: list[Launch] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _says_once_what_all_runs_have(cls, stated: Any) -> Any:
        return handed_on({"runs": [{}], **stated} if isinstance(stated, dict) else stated, "runs", Launch.model_fields)


class LaunchFile(RootModel[dict[str, ColumnLaunch]]):
    """A launch file: for columns of the page, by their names, how they are run."""

    def of(self, column: str, case: Case) -> Launch:
        """How a case of a column is run; without launcher where nothing says it."""
        runs = self.root[column].runs if column in self.root else []
        return next((run for run in runs if run.covers(case)), Launch())


def load_launches(page_file: Path, page: Page) -> LaunchFile:
    """The launch file beside a page file, empty where there is none; raises PageError for one with a mistake."""
    path = page_file.with_suffix(f".{LAUNCH}")
    text = toml_text(path) if path.exists() else ""
    stated = toml_of(text, path)
    for unknown in stated.keys() - page.columns.keys():
        what = f"the page has no column {unknown!r}; columns: {', '.join(page.columns)}."
        raise PageError.in_file(path, text, what, (unknown,))
    try:
        return LaunchFile.model_validate(stated)
    except ValidationError as error:
        raise invalid(error, ColumnLaunch, stated, text, path) from None

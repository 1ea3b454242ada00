"""Parts of a page file: whatever a part does not know is a mistake, and nothing changes it once it is read."""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from string import Formatter
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from parsers.io.validation import Mistake

NOT_ALLOWED_HERE = "{name} cannot be used in {text}; {allowed} can."
NEAREST_ALLOWED = "{name} cannot be used in {text}; did you mean {nearest}?"
UNPAIRED_BRACE = "{text} has a brace without its other half; write {{{{ or }}}} for a brace itself."
NO_VALUE_OF_AN_AXIS = "must be a whole number or a text."
UNEVEN_ROW = "the row {row} has {count} values for {columns} columns."


class PagePart(BaseModel):
    """A part of a page file."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, strict=True)


# In the order of their values in an address.
Axis = Literal[
    "model",
    "framework",
    "device",
    "precision",
    "batch_size",
    "nodes",
    "cards",
    "tensor_parallel",
    "pipeline_parallel",
    "context_parallel",
    "expert_parallel",
    "data_parallel",
    "virtual_pipeline",
    "sequence_length",
    "micro_batch_size",
    "job_batch_size",
    "accumulation",
    "parameters",
    "recompute",
    "attention",
    "optimizer",
    "fp8_recipe",
    "data",
    "dali",
    "xla",
]
Circumstance = Literal["date", "framework_version", "cuda", "cudnn", "driver"]


def _value(stated: object) -> object:
    if isinstance(stated, bool) or not isinstance(stated, int | str):
        raise Mistake(NO_VALUE_OF_AN_AXIS)
    return stated


Value = Annotated[int | str, BeforeValidator(_value, json_schema_input_type=int | str)]
Case = dict[Axis, Value]
Cases = dict[Axis, Value | list[Value]]

# The axes that a launcher takes as variables of these names; the case of a cell says them.
LAUNCHED: tuple[Axis, ...] = ("nodes", "cards", "precision", "batch_size")
# Those that a launcher takes as well, where a case says them.
PASSED: tuple[Axis, ...] = ("accumulation", "sequence_length", "data", "dali", "xla")
REAL_DATA = "real"  # a value of the axis data: a data set that the launcher knows, so that none is named
# Those that say how the throughput of a card, or the time of a step, becomes that of the job.
SCALING: tuple[Axis, ...] = ("nodes", "cards", "batch_size")
# What the page may state for a log that does not: also what becomes the tokens and the operations of a step.
STATED: tuple[Axis, ...] = (*SCALING, "job_batch_size", "sequence_length", "parameters")
# What stands before the values of these axes in titles, where the page does not label them: TP2.
MARKED: Mapping[Axis, str] = {
    "sequence_length": "SEQ",
    "job_batch_size": "GBS",
    "micro_batch_size": "MBS",
    "accumulation": "GA",
    "tensor_parallel": "TP",
    "pipeline_parallel": "PP",
    "context_parallel": "CP",
    "expert_parallel": "EP",
    "data_parallel": "DP",
    "virtual_pipeline": "VP",
}
# Those whose values are counts.
COUNTED: tuple[Axis, ...] = ("nodes", "cards", "batch_size", *MARKED)
# What a page says of a case and a log may say otherwise; models and devices are spelt too freely to compare.
COMPARED: tuple[Axis, ...] = (*LAUNCHED, *MARKED)


def covers(cases: Cases, case: Case) -> bool:
    """Whether a case is one of ``cases``: a list allows several values of an axis, an axis that is omitted all."""
    return all(case.get(axis) in (v if isinstance(v, list) else [v]) for axis, v in cases.items())


def with_only(names: Iterable[str]) -> Callable[[str], str]:
    """A check that a text has no braces but these plain names: a page is data and reaches into no object.

    The check returns the text, or raises Mistake.
    """
    allowed = set(names)

    def check(text: str) -> str:
        try:
            fields = list(Formatter().parse(text))
        except ValueError as error:
            raise Mistake(UNPAIRED_BRACE, text=repr(text)) from error
        for _, name, form, conversion in fields:
            if name is not None and (name not in allowed or form or conversion):
                told = {"name": f"{{{name}}}", "text": repr(text)}
                if nearest := get_close_matches(name, allowed, 1):
                    raise Mistake(NEAREST_ALLOWED, **told, nearest=f"{{{nearest[0]}}}")
                raise Mistake(NOT_ALLOWED_HERE, **told, allowed=", ".join(sorted(allowed)))
        return text

    return check


class Code(PagePart):
    """A command or program that a reader copies; it is not translated."""

    code: str
    """The lines to copy."""
    language: str = "bash"
    """Language for syntax highlighting: the word after the fence in Markdown."""


class Grid(PagePart):
    """A table of words, such as versions side by side; every row has as many values as there are columns."""

    columns: list[str]
    """Titles of the columns."""
    rows: list[list[str]]
    """The values of each row."""

    @model_validator(mode="after")
    def _is_rectangular(self) -> "Grid":
        for row in self.rows:
            if len(row) != len(self.columns):
                raise Mistake(UNEVEN_ROW, row=repr(row[:1]), count=len(row), columns=len(self.columns))
        return self


class Prose(PagePart):
    """Markdown in several languages, as the files of `prose` hold it; a language without a text has the English one."""

    texts: dict[str, str] = Field(min_length=1)
    """The text in each language, such as `{ en = "…", zh = "…" }`."""

    def text(self, language: str) -> str:
        """The text in a language, or else in English, or else in the first that there is."""
        return self.texts.get(language) or self.texts.get("en") or next(iter(self.texts.values()))


Block = str | Code | Grid | Prose

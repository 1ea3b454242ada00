"""Diagnostics: what is said about a number, or why there is none, as a code with typed parameters.

A diagnostic never changes a number, and no code reads a sentence: ``report/words/en.po`` has what each code says, which
the other catalogues translate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from string import Formatter
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from parsers.io.errors import TachographError
from parsers.io.message import Message
from parsers.runs.facts import DeniedFact
from parsers.runs.reading import CutLog

from ..wording.words import words
from .number import digits

Parameter = float | int | str | Message


class Code(StrEnum):
    """What a log says of its number: those up to ``CONTRADICTED``; the others say why there is none."""

    WARM_UP = "warm_up"
    FEW_RECORDS = "few_records"
    PAUSES = "pauses"
    STALLS = "stalls"
    REFUTED = "refuted"
    NEAR_COUNT = "ratio_near_count"
    UNDONE = "covers_earlier_records"
    EXPECTED = "expected_time"
    TOTAL_OF_RUN = "total_of_run"
    SEVERAL_TOTALS = "several_totals"
    CONSTANT = "constant"
    DUPLICATES = "duplicate_records"
    SEVERAL_RUNS = "several_runs"
    RANKS_SUMMED = "ranks_summed"
    RANKS_DIFFER = "ranks_differ"
    SLOW_NODE = "slow_node"
    RANKS_UNNAMED = "ranks_unnamed"
    SCOPE_UNKNOWN = "scope_unknown"
    SCOPE_UNSTATED = "scope_unstated"
    SCOPE_BY = "scope_by_check"
    NO_BATCH = "batch_unknown"
    NEEDS_PASSES = "batches_of_step_unknown"
    BATCH_VARIES = "batch_varies"
    COARSE = "coarse_digits"
    ZERO = "zero_column"
    CUT_LINE = "cut_last_line"
    BY_NAMES = "read_by_names"
    TOO_SHORT = "too_short"
    OVER_TIME = "work_over_time"
    RUNNING_MEANS = "statistic_of_running_means"
    ARRIVED = "arrival_times"
    FIGURES_DIFFER = "figures_differ"
    AS_PRINTED = "peak_unknown"
    FP8_BESIDE = "fp8_stated"

    CONTRADICTED = "contradicted"
    NO_RECORDS = "no_records"
    NO_SPEED = "no_speed"
    FIRST_STEP = "only_first_step"
    NO_COLUMN = "no_column"
    NO_WINDOW = "empty_window"
    NO_STEPS = "no_step_numbers"
    NO_TIME = "no_time_between"
    NOT_UNDONE = "not_a_running_mean"
    IMPOSSIBLE = "impossible_value"
    WHICH_RUN = "which_run"
    FEW_REPEATS = "few_repeats"
    UNLIKE_UNITS = "unlike_units"
    OTHER_UNIT = "other_unit"
    NOT_PRINTED = "not_printed"
    LACKS_FACT = "lacks_fact"
    BAD_FORMULA = "bad_formula"
    NO_PEAK = "unknown_peak"
    ABOVE_PEAK = "above_peak"
    NOT_A_NUMBER = "loss_not_a_number"


class Remark(StrEnum):
    """The codes of pages by which something is decided; the first three are in the words of others.

    What they and all other codes say is in ``report/words/en.po``.
    """

    TOLD = "told"
    CUT_LOG = "cut_log"
    FACT_DENIED = "fact_denied"
    LOSS_AGREES = "loss_agrees"
    CONVERGES = "converges"
    NOT_FOUND = "log_not_found"
    SCOPE_UNKNOWN = "scope_of_log_unknown"
    OTHER_UNIT = "other_unit_of_log"
    OF_ONE = "of_one_card_or_node"
    MISSING_PART = "missing_part"
    OTHER_CASE = "other_case"
    DIFFERS = "unlike_cases"


# What keeps two numbers from being divided, which a note of their table says.
WITHHELD = (Remark.OTHER_CASE, Remark.DIFFERS)


# Parameters that are the column of a source, or its kind and column.
SOURCES = ("source", "other_source", "column")


def name_of(source: str) -> Message:
    """What a source is called, by its column, with the kind of its records before it or not: ``step.throughput``."""
    kind, _, column = source.rpartition(".")
    name = _named("source", column)
    of_kind = words("en").forms(f"kind.{kind}")
    return Message(*of_kind, name=name) if of_kind else name


def _named(group: str, name: str) -> Message:
    """The words that the English catalogue has for a name of a group; else the name."""
    return Message(*words("en").forms(f"{group}.{name}") or (name,))


@dataclass(frozen=True)
class Diagnostic:
    """One remark: its code, and its parameters by name."""

    code: str
    values: Mapping[str, Parameter] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.code, *self.values.items()))

    def number(self, name: str) -> float:
        """A parameter that is a number."""
        return float(str(self.values[name]))

    def as_json(self) -> dict[str, object]:
        """The code and the parameters side by side."""
        told = {name: str(value) if isinstance(value, Message) else value for name, value in self.values.items()}
        return {"code": str(self.code), **told}

    def __str__(self) -> str:
        """What it says in English."""
        return str(self.message)

    @property
    def message(self) -> Message:
        """What it says, to be put into words; numbers with the digits that a reader needs."""
        told = {name: _shown(self.code, name, value) for name, value in self.values.items()}
        forms = words("en").forms(f"code.{self.code}")
        if not forms:
            said = told["said"]  # in the words of somebody else
            return said if isinstance(said, Message) else Message(str(said))
        if len(forms) == 1:
            return Message(*forms, **told)
        del told["count"]
        return Message.of_count(int(self.number("count")), *forms, **told)


def _shown(code: str, name: str, value: Parameter) -> object:
    if isinstance(value, Message | int):
        return value
    if isinstance(value, float):
        return digits(value)
    if name in SOURCES:
        return name_of(value)
    if name in ("quantity", "fact"):
        return Message(value)
    group = "job_needs" if code == Code.SCOPE_UNKNOWN else name
    return _named(group, value) if name in ("scope", "missing") else value


def say(code: str, **values: Parameter) -> Diagnostic:
    """A diagnostic of a code with its parameters."""
    return Diagnostic(code, values)


class NoMeasurement(TachographError, ValueError):  # noqa: N818 - a finding about a log, not a mistake in one
    """A log gives no number, or a protocol none that the log can satisfy; ``diagnostic`` says why."""

    def __init__(self, told: Diagnostic | Message | str, /, **values: object) -> None:
        self.diagnostic = told if isinstance(told, Diagnostic) else None
        super().__init__(told.message if isinstance(told, Diagnostic) else told, **values)


class NoEvidenceError(TachographError):
    """There is no number for a case; its ``diagnostic`` is the reason."""

    def __init__(self, told: Diagnostic | str, /, **values: Parameter) -> None:
        self.diagnostic = told if isinstance(told, Diagnostic) else Diagnostic(told, values)
        super().__init__(self.diagnostic.message)


def as_told(message: Message) -> Diagnostic:
    """What somebody else says in words; what only the reading of a log says keeps a code of its own."""
    if isinstance(message, CutLog):
        return Diagnostic(Remark.CUT_LOG, {"said": message})
    if isinstance(message, DeniedFact):
        told = {name: message.values[name] for name in ("fact", "value")}
        return Diagnostic(Remark.FACT_DENIED, {"said": message, **told})
    return Diagnostic(Remark.TOLD, {"said": message})


# ---- in a file, which anybody may have written


def _out(value: object) -> Any:
    """A message as JSON; any other value as it is."""
    if not isinstance(value, Message):
        return value
    told = {"say": value.key, "with": {name: _out(part) for name, part in value.values.items()}}
    return told | ({"plural": value.plural, "count": value.count} if value.plural else {})


def _message(told: Any) -> Message:
    """A message of JSON; a text from elsewhere is filled in as ours are: plain names, which all have a value."""
    if isinstance(told, Message):
        return told
    if isinstance(told, str):
        return Message(told)
    if not (isinstance(told, dict) and isinstance(told.get("say"), str) and isinstance(told.get("with"), dict)):
        raise ValueError("expected a text, or a text with values")
    values = {str(name): _message(one) if isinstance(one, dict) else str(one) for name, one in told["with"].items()}
    key, plural, count = told["say"], str(told.get("plural", "")), told.get("count")
    for _, name, spec, kind in (*Formatter().parse(key), *Formatter().parse(plural)):
        if name is not None and (name not in values or not name.isidentifier() or spec or kind):
            raise ValueError("expected plain names in braces, which all have a value")
    if plural and isinstance(count, int):
        return Message.of_count(count, key, plural, **{name: one for name, one in values.items() if name != "count"})
    return Message(key, **values)


def _diagnostic(told: Any) -> Diagnostic:
    if isinstance(told, Diagnostic):
        return told
    if not isinstance(told, dict) or not all(isinstance(value, str | int | float | dict) for value in told.values()):
        raise ValueError("expected a code with its parameters, texts and numbers")
    values = {name: _message(one) if isinstance(one, dict) else one for name, one in told.items()}
    code: Any = values.pop("code", None)
    try:
        str(found := Diagnostic(code, values))
    except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{code} lacks a parameter, or is no code") from error
    return found


Said = Annotated[
    Message,
    PlainSerializer(lambda said: said.key if isinstance(said, Message) and not said.values else _out(said)),
    PlainValidator(_message),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object", "required": ["say", "with"]}]}),
]
Told = Annotated[
    Diagnostic,
    PlainSerializer(lambda said: {"code": str(said.code), **{name: _out(one) for name, one in said.values.items()}}),
    PlainValidator(_diagnostic),
    WithJsonSchema({"type": "object", "required": ["code"]}),
]

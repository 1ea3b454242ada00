"""Diagnostics: what is said about a number, or why there is none, as a code with typed parameters.

A diagnostic never changes a number, and no code reads a sentence: ``report/words/en.po`` has what each code says, which
the other catalogues translate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from parsers.io.errors import TachographError
from parsers.io.message import Message

from ..wording.words import words
from .number import digits

Parameter = float | int | str | Message


class Code(StrEnum):
    """All that can be said. Those up to ``CONTRADICTED`` are about a number, the others say why there is none."""

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

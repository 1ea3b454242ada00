"""Diagnostics: what is said about a number, or why there is none, as a code with typed parameters.

A diagnostic never changes a number, and no code reads a sentence: words are made of codes where they are shown, by the
catalogues of ``report/words``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from parsers.io.errors import TachographError
from parsers.io.message import Message

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


# The names of sources, by the column that they are read from, and whose records these are.
NAMES: Mapping[str, str] = {
    "throughput": "printed rate",
    "mean_throughput": "printed mean rate",
    "step_time": "printed step time",
    "mean_step_time": "printed mean step time",
    "step_rate": "printed steps/s",
    "work_time": "printed compute time",
    "duration": "printed duration",
    "time": "time stamps",
    "elapsed": "elapsed time",
}
OF_KIND: Mapping[str, str] = {"epoch": "{name} of epochs", "summary": "{name} of the run"}
# Parameters that are the column of a source, or its kind and column.
SOURCES = ("source", "other_source", "column")
SCOPES: Mapping[str, str] = {"card": "one card", "node": "one node", "job": "the whole job"}
# What would tell the number of the whole job, by whose it is.
JOB_NEEDS: Mapping[str, str] = {
    "card": "pass --cards N",
    "node": "the log does not state the number of nodes",
    "unknown": "the log does not state whether the rate is of one card or of all; --cards N may show it",
}
# What would tell the samples of a step, by what is missing.
NEEDS: Mapping[str, str] = {
    "batch_size": "pass --batch-size N",
    "cards": "pass --cards N",
    "batch_size and cards": "pass --batch-size N and --cards N",
    "job_batch_size": "the log does not print the global batch size",
    "accumulation": "the format does not state whether its step is an optimizer step or a forward pass",
}

# What each says in English, which is the key of the catalogues; of two the first is that of a count of 1. Rooms that
# say more of a number than its log does add their own codes.
SENTENCES: dict[StrEnum, str | tuple[str, str]] = {
    Code.WARM_UP: (
        "Skipped the first of {of} records as warm-up (with it: {value} {unit}).",
        "Skipped the first {count} of {of} records as warm-up (with them: {value} {unit}).",
    ),
    Code.FEW_RECORDS: ("Only one steady record.", "Only {count} steady records."),
    Code.PAUSES: (
        "Excluded one pause, before line {line} (with it: {value} {unit}).",
        "Excluded {count} pauses, the first before line {line} (with them: {value} {unit}).",
    ),
    Code.STALLS: (
        "{count} records take more than twice the usual time, the first at line {line} (without them: {value} {unit})."
    ),
    Code.NEAR_COUNT: "{ratio}× is about {facts}: one of the two may leave it out.",
    Code.REFUTED: "The clock of the log refutes the {source}, {value} {unit}.",
    Code.UNDONE: "The {column} also covers earlier records; it was converted to the time of each.",
    Code.EXPECTED: "The {column} is a prediction of the program, not a measurement.",
    Code.TOTAL_OF_RUN: "A total of the run, which includes start-up and evaluation.",
    Code.SEVERAL_TOTALS: "The log prints {count} totals, from {low} to {high}; the last one is used.",
    Code.CONSTANT: "All {count} records print the same value, which may not be measured.",
    Code.DUPLICATES: ("One duplicate record is counted once.", "{count} duplicate records are counted once."),
    Code.SEVERAL_RUNS: "This is run {run} of {count}, the longest.",
    Code.RANKS_SUMMED: "Sum over {count} ranks.",
    Code.RANKS_DIFFER: (
        "Ranks differ: {slowest} {unit} (rank {slowest_rank}) to {fastest} {unit} (rank {fastest_rank}), median "
        "{median}."
    ),
    Code.SLOW_NODE: (
        "Node {node} is slow: all of its ranks are more than 1% behind the median of the other nodes; its own median "
        "is {median} {unit}."
    ),
    Code.RANKS_UNNAMED: "A step is printed with several speeds (line {line}); each may be that of one rank.",
    Code.SCOPE_UNKNOWN: "For the whole job: {scope}.",
    Code.SCOPE_UNSTATED: "The log does not state whether the rate is of one card or of all.",
    Code.SCOPE_BY: "The rate is that of {scope}, according to the {source}.",
    Code.NO_BATCH: "Samples per step are unknown: {missing}.",
    Code.NEEDS_PASSES: "By the {source}, a step would hold {passes} batches; the log does not state how many it holds.",
    Code.BATCH_VARIES: "Batch sizes range from {low} to {high}.",
    Code.COARSE: "The {column} has too few digits.",
    Code.ZERO: "The {column} is 0 in every record, from line {line} on.",
    Code.CUT_LINE: "The last line is cut off; its {column} is not used (line {line}).",
    Code.BY_NAMES: "Read as {read} ({used} of {total} lines).",
    Code.TOO_SHORT: "The protocol takes {take}; the log is {missing} short.",
    Code.OVER_TIME: "The work of the same records over their time is {value} {unit}.",
    Code.RUNNING_MEANS: (
        "The {column} is a running mean, whose {statistic} over-weights early steps: use estimate=instant."
    ),
    Code.ARRIVED: "The log prints no time stamps; the arrival times of its lines are used.",
    Code.FIGURES_DIFFER: "The log prints {printed} {unit}; the formula or the data sheet gives {derived} ({ratio}×).",
    Code.AS_PRINTED: "The MFU is as printed in the log; the peak that it refers to is unknown.",
    Code.FP8_BESIDE: "FP8 is stated as well ({said}); the MFU is that of the {precision} peak.",
    Code.CONTRADICTED: (
        "The log contradicts itself: {value} {unit} by its {source}, {other} {unit} by its {other_source} ({ratio}×)."
    ),
    Code.NO_RECORDS: "No line is known to state a training speed.",
    Code.NO_SPEED: "The records contain no rate, no step time, and no counter with a clock.",
    Code.FIRST_STEP: "Only the first step is timed (line {line}), which includes start-up.",
    Code.NO_COLUMN: (
        "estimate={estimate} needs {columns}, which the {kind} records of this log do not contain: use {possible}."
    ),
    Code.NO_WINDOW: (
        "The window of the protocol ({protocol}) excludes the only record.",
        "The window of the protocol ({protocol}) excludes all {count} records.",
    ),
    Code.NO_STEPS: "The {kind} records do not number every {what} from first to last, which {protocol} needs.",
    Code.NO_TIME: "No time passes between the records of the window: use a longer window or another estimate.",
    Code.NOT_UNDONE: (
        "The {column} cannot be converted to instant values: it is not known to be a running mean, or of which steps: "
        "use another estimate."
    ),
    Code.IMPOSSIBLE: (
        "estimate={estimate} gives {value} at line {line}, which is neither a throughput nor a step time: use another "
        "window or another estimate."
    ),
    Code.WHICH_RUN: (
        "The log contains only run 1: use run=1, or leave out the run.",
        "The log contains {count} runs: use run=last, or run=1 to run={count}.",
    ),
    Code.FEW_REPEATS: "{rule} needs at least {least} runs; found {count}.",
    Code.UNLIKE_UNITS: "Numbers can only be put together if unit and scope are the same; found {kinds}.",
    Code.OTHER_UNIT: "The page uses {wanted}, but the log gives {unit}.",
    Code.NOT_PRINTED: "The log does not print the {column}.",
    Code.LACKS_FACT: "{quantity} needs {fact}, which neither the log nor the page states.",
    Code.BAD_FORMULA: "The formula {text} does not give a positive number.",
    Code.NO_PEAK: "No data sheet gives one {precision} peak of {device}; name the card, one of {known}.",
    Code.ABOVE_PEAK: (
        "{value} TFLOP/s per card are more than the peak of {peak} TFLOP/s ({card}, {precision}, dense; {source}), so "
        "that the card, the precision or the operations are others."
    ),
    Code.NOT_A_NUMBER: "The last loss, at line {line}, is not a number.",
}


def name_of(source: str) -> Message:
    """What a source is called, by its column, with the kind of its records before it or not: ``step.throughput``."""
    kind, _, column = source.rpartition(".")
    name = Message(NAMES.get(column, column))
    return Message(OF_KIND[kind], name=name) if kind in OF_KIND else name


@dataclass(frozen=True)
class Diagnostic:
    """One remark: its code, and its parameters by name. ``lines``: where in the log it stands, from 1."""

    code: StrEnum
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
        sentence = SENTENCES.get(self.code)
        if sentence is None:
            said = told["said"]  # in the words of somebody else
            return said if isinstance(said, Message) else Message(str(said))
        if isinstance(sentence, str):
            return Message(sentence, **told)
        del told["count"]
        return Message.of_count(int(self.number("count")), *sentence, **told)


def _shown(code: StrEnum, name: str, value: Parameter) -> object:
    if isinstance(value, Message | int):
        return value
    if isinstance(value, float):
        return digits(value)
    if name in SOURCES:
        return name_of(value)
    words = {"scope": JOB_NEEDS if code == Code.SCOPE_UNKNOWN else SCOPES, "missing": NEEDS, "quantity": {}, "fact": {}}
    return Message(words[name].get(value, value)) if name in words else value


def say(code: StrEnum, **values: Parameter) -> Diagnostic:
    """A diagnostic of a code with its parameters."""
    return Diagnostic(code, values)


class NoMeasurement(TachographError, ValueError):  # noqa: N818 - a finding about a log, not a mistake in one
    """A log gives no number, or a protocol none that the log can satisfy; ``diagnostic`` says why."""

    def __init__(self, told: Diagnostic | Message | str, /, **values: object) -> None:
        self.diagnostic = told if isinstance(told, Diagnostic) else None
        super().__init__(told.message if isinstance(told, Diagnostic) else told, **values)

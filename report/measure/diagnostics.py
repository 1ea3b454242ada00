"""Diagnostics: what is said about a number, or why there is none, as a code with typed parameters.

A diagnostic never changes a number, and no code reads a sentence: words are made of codes where they are shown, by the
catalogues of ``report/words``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from parsers.io.errors import MessageError
from parsers.io.message import Message

Parameter = float | int | str
DIGITS = 4  # significant ones that are shown: one more than the 3 that a benchmark compares


def digits(value: float) -> str:
    """A value where nobody states its digits: four significant ones, never an exponent: ``0.002540``, ``19,110``."""
    if not abs(value) < 10 ** (DIGITS - 1):
        return f"{float(f'{value:.{DIGITS}g}'):,.0f}"
    return np.format_float_positional(value, precision=DIGITS, unique=False, fractional=False, trim="k").rstrip(".")


class Code(StrEnum):
    """All that can be said. Those up to ``CONTRADICTED`` are about a number, the others say why there is none."""

    WARM_UP = "warm_up"
    FAST_START = "fast_start"
    FEW_RECORDS = "few_records"
    PAUSES = "pauses"
    STALLS = "stalls"
    REFUTED = "refuted"
    DERIVED = "derived_rate"
    UNDONE = "running_mean_undone"
    EXPECTED = "expected_time"
    TOTAL_OF_RUN = "total_of_run"
    CONSTANT = "constant"
    DUPLICATES = "duplicate_records"
    SEVERAL_RUNS = "several_runs"
    RANKS_SUMMED = "ranks_summed"
    RANKS_DIFFER = "ranks_differ"
    SLOW_NODE = "slow_node"
    RANKS_UNNAMED = "ranks_unnamed"
    SCOPE_UNKNOWN = "scope_unknown"
    SCOPE_BY = "scope_by_check"
    NO_BATCH = "batch_unknown"
    BATCH_VARIES = "batch_varies"
    COARSE = "coarse_digits"
    ZERO = "zero_column"
    CUT_LINE = "cut_last_line"
    BY_NAMES = "read_by_names"
    TOO_SHORT = "too_short"
    RUNNING_MEANS = "statistic_of_running_means"
    ARRIVED = "arrival_times"

    CONTRADICTED = "contradicted"
    NO_RECORDS = "no_records"
    NO_SPEED = "no_speed"
    FIRST_STEP = "only_first_step"
    NO_COLUMN = "no_column"
    NO_WINDOW = "empty_window"
    NO_STEPS = "no_step_numbers"
    NO_EPOCHS = "no_epoch_numbers"
    NO_TIME = "no_time_between"
    NOT_UNDONE = "not_a_running_mean"
    IMPOSSIBLE = "impossible_value"
    WHICH_RUN = "which_run"
    NOT_ONE_RANK = "not_one_rank"
    TRIMS_ALL = "trims_all"
    FEW_REPEATS = "few_repeats"
    UNLIKE_UNITS = "unlike_units"


# What each says in English, which is the key of the catalogues; of two the first is that of a count of 1.
SENTENCES: Mapping[Code, str | tuple[str, str]] = {
    Code.WARM_UP: (
        "The first of {of} records is left out as warm-up (with it {value} {unit}).",
        "The first {count} of {of} records are left out as warm-up (with them {value} {unit}).",
    ),
    Code.FAST_START: (
        "The first of {of} records is left out: it is more than twice as fast as the rest (with it {value} {unit}).",
        "The first {count} of {of} records are left out: they are more than twice as fast as the rest (with them "
        "{value} {unit}).",
    ),
    Code.FEW_RECORDS: ("Only one steady record.", "Only {count} steady records."),
    Code.PAUSES: (
        "One pause is left out, at line {line} (with it {value} {unit}).",
        "{count} pauses are left out, the first at line {line} (with them {value} {unit}).",
    ),
    Code.STALLS: (
        "{count} records take more than twice the usual time, the first at line {line} (without them {value} {unit})."
    ),
    Code.REFUTED: "The {source} that the program prints, {value} {unit}, is refuted by the clock.",
    Code.DERIVED: "{column} is the total over the time since the start; the differences of these are used.",
    Code.UNDONE: "{column} is a running mean, of which the steps between two records are computed.",
    Code.EXPECTED: "{column} is what the program predicts, not what it measured.",
    Code.TOTAL_OF_RUN: "A total of the run, with start-up and evaluations.",
    Code.CONSTANT: "All {count} records print the same value; it may not be measured.",
    Code.DUPLICATES: ("One repeated record counts once.", "{count} repeated records count once."),
    Code.SEVERAL_RUNS: "Run {run} of {count}, the longest.",
    Code.RANKS_SUMMED: "The sum of {count} ranks.",
    Code.RANKS_DIFFER: (
        "Ranks differ: rank {slowest_rank} is the slowest with {slowest} {unit}, rank {fastest_rank} the fastest with "
        "{fastest}, the median is {median}."
    ),
    Code.SLOW_NODE: (
        "Node {node} is slow: all of its ranks are more than 1% behind the median of the other nodes, its median is "
        "{median} {unit}."
    ),
    Code.RANKS_UNNAMED: "Each step is printed with several speeds, first at line {line}: each may be of one rank.",
    Code.SCOPE_UNKNOWN: "For the whole job: --cards N.",
    Code.SCOPE_BY: "Of one {scope}, by the {source}.",
    Code.NO_BATCH: "For samples/s: --batch-size N (unknown: {missing}).",
    Code.BATCH_VARIES: "Batches of {low} to {high}.",
    Code.COARSE: "{column} is printed too coarsely.",
    Code.ZERO: "{column} is 0 in all records, first at line {line}.",
    Code.CUT_LINE: "The last line is cut: {column} of line {line} is not used.",
    Code.BY_NAMES: "No format claims the log: read by the names of its numbers, {used} of {total} lines.",
    Code.TOO_SHORT: "The protocol takes {take}; the log is {missing} short.",
    Code.RUNNING_MEANS: (
        "{column} is a running mean, and its {statistic} weighs early steps more: estimate=instant undoes it."
    ),
    Code.ARRIVED: "The log prints no times; those at which its lines arrived are used.",
    Code.CONTRADICTED: (
        "The log contradicts itself: {value} {unit} by {source}, {other} {other_unit} by {other_source}, {ratio} times."
    ),
    Code.NO_RECORDS: "No line of the log is known to tell a training speed.",
    Code.NO_SPEED: "The records of the log hold no speed, no time of a step and no counter with a clock.",
    Code.FIRST_STEP: "Only the first step is timed, at line {line}, which holds the start-up.",
    Code.NO_COLUMN: (
        "estimate={estimate} needs {columns}, which the {kind} records of this log do not contain: use {possible}."
    ),
    Code.NO_WINDOW: (
        "The window of the protocol ({protocol}) excludes the only record.",
        "The window of the protocol ({protocol}) excludes all {count} records.",
    ),
    Code.NO_STEPS: "The {kind} records do not count steps from first to last, which {protocol} needs.",
    Code.NO_EPOCHS: "The epoch records do not all print the number of their epoch, so epochs cannot be counted.",
    Code.NO_TIME: "There is no time between the records of the window: use a longer window or another estimate.",
    Code.NOT_UNDONE: "{column} is not known to be a running mean and cannot be converted: use another estimate.",
    Code.IMPOSSIBLE: (
        "estimate={estimate} gives {value} at line {line}, which is no throughput or time of a step: use another "
        "window or another estimate."
    ),
    Code.WHICH_RUN: (
        "The log holds only run 1: use run=1, or leave out the run.",
        "The log holds {count} runs: use run=last, or run=1 to run={count}.",
    ),
    Code.NOT_ONE_RANK: (
        "The {column} of rank {rank} is not that of the job: {count} ranks are up to {ratio} times apart; use "
        "estimate=reported, which adds up rates, or estimate=clock."
    ),
    Code.TRIMS_ALL: (
        "trim removes {cut} values from each end, but the window has only {count}: lower trim or trim_min, or use a "
        "longer window."
    ),
    Code.FEW_REPEATS: (
        "repeats=olympic drops the best and the worst of at least 3 runs; found {count}: add runs, or use "
        "repeats=median or repeats=mean."
    ),
    Code.UNLIKE_UNITS: "Numbers can only be put together if unit and scope are the same; found {kinds}.",
}


@dataclass(frozen=True)
class Diagnostic:
    """One remark: its code, and its parameters by name. ``lines``: where in the log it stands, from 1."""

    code: Code
    values: Mapping[str, Parameter] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.code, *self.values.items()))

    def as_json(self) -> dict[str, object]:
        """The code and the parameters side by side."""
        return {"code": str(self.code), **self.values}

    @property
    def message(self) -> Message:
        """What it says, to be put into words; numbers with the digits that a reader needs."""
        told = {name: digits(value) if isinstance(value, float) else value for name, value in self.values.items()}
        sentence = SENTENCES[self.code]
        if isinstance(sentence, str):
            return Message(sentence, **told)
        return Message(sentence[self.values["count"] != 1], **told)


def say(code: Code, **values: Parameter) -> Diagnostic:
    """A diagnostic of a code with its parameters."""
    return Diagnostic(code, values)


class NoMeasurement(MessageError, ValueError):  # noqa: N818 - a finding about a log, not a mistake in one
    """A log gives no number, or a protocol none that the log can satisfy; ``diagnostic`` says why."""

    def __init__(self, told: Diagnostic | Message | str, /, **values: object) -> None:
        self.diagnostic = told if isinstance(told, Diagnostic) else None
        super().__init__(told.message if isinstance(told, Diagnostic) else told, **values)

"""The health of a run: what its records and events say against it, each in a sentence with the lines."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .part import Part
from .sentence import Sentence

Numbers = NDArray[np.int64]

NOT_A_NUMBER = "The loss is not a finite number in {count} of {records} records, first in line {line}."
OVERFLOW = "The loss scale overflows, first in line {line} ({count} in all): such a step does not count."
BACKWARDS = "The time runs backwards, first in line {line} ({count} in all)."
TWICE = "Records are in the log twice, the first copy in line {line} ({count} in all)."
RESTARTED = "The run starts again, first in line {line} ({count} in all)."
FAILED = "The run ended with a failure, in line {line}: {text}"
WARNINGS = (NOT_A_NUMBER, OVERFLOW, BACKWARDS, TWICE, RESTARTED, FAILED)
LONGEST_TEXT = 200
# What a run does that a failure before it did not end, such as that of a step of its set-up.
GOING_ON = ("run_start", "checkpoint", "evaluation", "overflow", "restart")


def findings(parts: Sequence[Part], events: pd.DataFrame) -> Iterator[Sentence]:
    """What speaks against a run, one sentence each; ``parts`` and ``events`` as of a ``Reading``."""
    for part in parts:
        yield from _of_losses(part.records, part.not_numbers)
        yield from _of_time(part.records)
        yield from _of_copies(part.records)
    for name, message in (("overflow", OVERFLOW), ("restart", RESTARTED)):
        lines = events["line"][events["event"] == name]
        if len(lines):
            yield Sentence(message, count=len(lines), line=lines.iloc[0])
    going_on = events["line"][events["event"].isin(GOING_ON)]
    places = [going_on, *(part.records["line"] for part in parts)]
    yield from _of_failure(max((int(some.max()) for some in places if len(some)), default=0), events)


def _of_losses(records: pd.DataFrame, not_numbers: Numbers) -> Iterator[Sentence]:
    if "loss" not in records:
        return
    endless = records["line"][np.isinf(records["loss"])].to_numpy()
    lines = np.sort(np.concatenate([not_numbers, endless]))
    if len(lines):
        printed = int(records["loss"].notna().sum()) + len(not_numbers)
        yield Sentence(NOT_A_NUMBER, count=len(lines), records=printed, line=lines[0])


def _of_time(records: pd.DataFrame) -> Iterator[Sentence]:
    """Of each rank by itself: the lines of several come as they come."""
    if "time" not in records:
        return
    ranks = records["rank"].fillna(-1) if "rank" in records else np.zeros(len(records))
    back = records["time"].groupby(ranks).diff() < pd.Timedelta(0)
    if back.any():
        yield Sentence(BACKWARDS, count=back.sum(), line=records["line"][back].iloc[0])


def _of_copies(records: pd.DataFrame) -> Iterator[Sentence]:
    """A record is a copy when all that it prints, its step and one number more at least, was printed before.

    Where steps count within epochs that nothing tells apart, those of two epochs may print the same.
    """
    columns = [name for name in records if name not in ("line", "rank")]
    telling = [name for name in columns if name in ("time", "loss", "throughput", "step_time", "elapsed")]
    apart = "steps_per_epoch" not in columns or not {"epoch", "time", "elapsed"}.isdisjoint(columns)
    if "step" not in records or len(telling) < 2 or not apart:
        return
    copies = records.duplicated(columns) & records["step"].notna() & (records[telling].notna().sum(axis=1) > 1)
    if copies.any():
        yield Sentence(TWICE, count=copies.sum(), line=records["line"][copies].iloc[0])


def _of_failure(last: int, events: pd.DataFrame) -> Iterator[Sentence]:
    """The last failure that says why, after the last line of a run that goes on: what it survives did not end it."""
    failures = events[(events["event"] == "failure") & (events["line"] > last)]
    telling = failures[~failures["text"].str.endswith(":")]
    for _, failure in (failures if telling.empty else telling).tail(1).iterrows():
        yield Sentence(FAILED, line=failure["line"], text=failure["text"][:LONGEST_TEXT])

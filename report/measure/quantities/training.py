"""What a whole run comes to: the loss that it ends with, and the time that it took."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parsers.grammar.field import Field
from parsers.grammar.variant import RUN_START, RUN_STOP
from parsers.io.message import Message
from parsers.runs.events import Event, begins_once, time_to_train
from parsers.runs.format_records import RUN, FormatRecords

from ...measuring.measurement import Measurement, UseOfRecords, measure
from ...measuring.record_columns import Columns, columns
from ...measuring.window import last_run, one_rank, one_run
from ...measuring.windows.record_use import RecordUse
from ..diagnostics import NoMeasurement
from ..number import without_noise
from .run_figure import RunFigure, RunNumbers

ONE_RANK = "The log does not print the speed of several ranks."
NO_LOSS = "The log does not print a loss."
LAST_IS_NONE = "The last loss, at line {line}, is not a number."
NO_TARGET = "The page states no target of the loss."
NOT_REACHED = "No step has a loss of at most {target}; the lowest is {lowest}."
REACHED = "Loss {loss} at line {line} is the first that is at most {target}."
NO_START = "The log does not print how long the run has gone on at that step, or when it began."
SECONDS = 60
BEGINS_AGAIN = "The log says at lines {lines} that a run begins, so it is unknown how long one of them took."
NO_TIMES = "The log does not print the times at which the run began and stopped."


def final_loss(run: RunNumbers) -> RunFigure:
    """The last loss of training that the log prints."""
    for part in run.parts:
        for kind in ("step", "epoch"):
            if (kind, "loss") in part.fields and "loss" in part.table and part.table.are(kind).any():
                return _last(run, part, kind)
    raise NoMeasurement(NO_LOSS)


def _last(run: RunNumbers, part: FormatRecords, kind: str) -> RunFigure:
    of_loss: Field = replace(part.fields[(kind, "loss")], scope="job", unit="loss", kind="instant")
    losses = replace(
        part,
        table=part.table.having("throughput", part.table["loss"].astype(np.float64)),
        fields={**part.fields, (kind, "throughput"): of_loss},
    )
    run_of_log = {} if run.protocol.run is None else {"run": run.protocol.run}
    protocol = type(run.protocol).of({"records": kind, "estimate": "reported", "statistic": "last", **run_of_log})
    found = measure(losses.table, losses.fields, run.facts, protocol)
    if (none := part.not_numbers[part.not_numbers > found.ends[-1]]).size:
        raise NoMeasurement(LAST_IS_NONE, line=none[0])
    return RunFigure(replace(found, unit="", warnings=()), losses)


def imbalance(run: RunNumbers) -> RunFigure:
    """By how much of the median the slowest rank is behind it, in percent, by what each rank prints."""
    found = measure(run.part.table, run.part.fields, run.facts, run.protocol)
    if found.ranks is None or len(found.ranks.numbers) < 2:
        raise NoMeasurement(ONE_RANK)
    return RunFigure(replace(found, value=100 * found.ranks.imbalance, unit="%", warnings=()), run.part)


def minutes_to_train(run: RunNumbers) -> RunFigure:
    """The minutes from the first start of the run to its last stop after that, as the log prints both."""
    happened = _events(run, run.part)
    told = next(iter(time_to_train(happened)), None)
    if told is None:
        _refuse_several([event for event in happened if event.event == RUN_START and not np.isnat(event.time)])
        raise NoMeasurement(NO_TIMES)
    return _between(run, float(told.value), tuple(told.source.values))


def _events(run: RunNumbers, part: FormatRecords) -> list[Event]:
    """The events of the run that the protocol means; raises NoMeasurement where it does not say which of several.

    Of several runs in a log these are from its own start to before the start of the next one.
    """
    records = columns(part.table)
    if RUN not in records:
        return list(run.happened)
    lines = records["line"][one_run(records, run.protocol.run, last_run(records))]
    stops = [event.line for event in run.happened if event.event == RUN_STOP and event.line < lines[0]]
    starts = [event.line for event in run.happened if event.event == RUN_START and event.line > lines[-1]]
    low = max([*stops, *records["line"][records["line"] < lines[0]].tolist()], default=0)
    high = min([*starts, *records["line"][records["line"] > lines[-1]].tolist()], default=math.inf)
    return [event for event in run.happened if low < event.line < high]


def _refuse_several(starts: Sequence[Event]) -> None:
    if not begins_once(starts):
        raise NoMeasurement(BEGINS_AGAIN, lines=", ".join(str(event.line) for event in starts))


def _between(run: RunNumbers, minutes: float, lines: Sequence[object]) -> RunFigure:
    """Minutes that two lines, or one that counts them, show."""
    places = np.array(lines, dtype=np.int64)
    use = UseOfRecords(places, np.full(len(places), RecordUse.USED, np.int8))
    return RunFigure(Measurement(without_noise(minutes), "min", "job", run.protocol, use, (), None, None), None)


def minutes_to_loss(run: RunNumbers) -> RunFigure:
    """The minutes from the start of the run to the first step whose loss is at most the target of the page."""
    if run.target is None:
        raise NoMeasurement(NO_TARGET)
    for part in run.parts:
        if ("step", "loss") in part.fields and "loss" in part.table:
            return _reached(run, part, run.target)
    raise NoMeasurement(NO_LOSS)


def _reached(run: RunNumbers, part: FormatRecords, target: float) -> RunFigure:
    records, happened = columns(part.table), _events(run, part)
    steps = records.rows(one_run(records, run.protocol.run, last_run(records))).of_kind("step")
    known = steps.rows(steps.finite("loss"))
    losses = known.rows(one_rank(known))
    rows = np.flatnonzero(losses.numbers("loss") <= target)
    if not len(rows):
        lowest = losses.numbers("loss").min() if len(losses) else np.nan
        raise NoMeasurement(NOT_REACHED, target=f"{target:g}", lowest=f"{lowest:g}")
    row, line = rows[0], int(losses["line"][rows[0]])
    told = Message(REACHED, loss=f"{losses.numbers('loss')[row]:g}", line=line, target=f"{target:g}")
    if (passed := _seconds_since_start(losses, int(row))) is not None:
        return _between(run, passed / SECONDS, (line,)).remarked(told)
    begun = [event for event in happened if event.event == RUN_START and not np.isnat(event.time)]
    if not begun or "time" not in losses or not losses.printed("time")[row] or begun[0].line > line:
        raise NoMeasurement(NO_START)
    _refuse_several([event for event in begun if event.line < line])
    minutes = (losses["time"][row] - begun[0].time) / np.timedelta64(1, "m")
    return _between(run, float(minutes), (begun[0].line, line)).remarked(told)


def _seconds_since_start(losses: Columns, row: int) -> float | None:
    """What a record prints as the time since the start; None where it prints none, or that of a bar of each epoch."""
    if "elapsed" not in losses:
        return None
    passed = losses.numbers("elapsed")[: row + 1]
    known = passed[np.isfinite(passed)]
    begins_again = bool((np.diff(known) < 0).any())
    return None if begins_again or not np.isfinite(passed[row]) else float(passed[row])

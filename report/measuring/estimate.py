"""Estimates: what a protocol reads from each record, and how that becomes a throughput."""

import re
from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from parsers.grammar.field import IN_SECONDS, Field
from parsers.runs.facts import Fact, is_count

from ..measure.diagnostics import NoMeasurement
from ..measure.protocol import Protocol
from .record_columns import Columns, Records, columns
from .window import Counts, Fields, Mask, epoch_starts, step_field, steps_done, steps_in_epoch

Values = NDArray[np.float64]
Facts = Mapping[str, Fact]
Amount = TypeVar("Amount", float, Values)

# What each estimate reads: of these columns the first that the log prints.
READS: Mapping[str, tuple[str, ...]] = {
    "reported": ("throughput",),
    "step_time": ("step_time", "step_rate", "work_time"),
    "duration": ("duration",),
    "clock": ("time", "elapsed"),
    "instant": ("throughput", "step_time"),
    "steps": ("step_time", "step_rate", "work_time"),
}
TIMES = READS["clock"]
# What logs count themselves since the start, and in what.
CONSUMED = {"consumed_samples": "samples", "consumed_tokens": "tokens"}

READS_ANOTHER = (
    "estimate={estimate} needs {columns}, which the {kind} records of this log do not contain: use estimate={possible}."
)
READS_NOTHING = (
    "estimate={estimate} needs {columns}, which the {kind} records of this log do not contain; they do not contain "
    "any speed metric."
)
TOTAL = "{field} of these records is a total, which cannot be converted to instantaneous values: use another estimate."
UNKNOWN_KIND = (
    "The format does not define whether {field} is a running mean, so it cannot be converted to instantaneous values: "
    "use another estimate."
)
IMPOSSIBLE = (
    "estimate={estimate} gives {value} at line {line}, which is not a valid throughput or step time: use another "
    "window or another estimate."
)
NO_EPOCH_NUMBERS = (
    "The epoch records of this log do not all print the number of their epoch, so epochs cannot be counted."
)
ALL_ZERO = "{column} is 0 in all {count} records, first at line {line}, and is not used."
ROUNDED = (
    "{column} is rounded to whole {unit}, of which there are {median} as a rule, first at line {line}: too few for a "
    "speed."
)
NEEDS_LENGTH = "counts=tokens needs the sequence length, which the log does not state."
UNKNOWN_UNIT = "The unit of {field} is {unit}; only milliseconds, seconds, minutes and hours are supported."
RUNS_ON = (
    "The running mean restarts with each epoch, but {counter} numbers continue into the next epoch at line {line}, so"
    " it cannot be converted to instantaneous values: use estimate=reported or estimate=clock."
)

# What times may be rounded to, and how many of it at least say something: half a one is a small part of them.
_ROUNDED_TO = {"step_time": ("milliseconds", 5), "duration": ("seconds", 3)}


def column(records: Records, fields: Fields, protocol: Protocol) -> str:
    """Return the column that the estimate reads, the first of ``READS`` that the log prints.

    ``records``: all records of the
    protocol's kind. Raises ``NoMeasurement`` where the log does not print the column.
    """
    records, names = columns(records), READS["steps" if protocol.is_of_last_means else protocol.estimate]
    for name in names:
        if _is_printed(records, fields, protocol, name):
            return name
    possible = [
        estimate
        for estimate, columns in READS.items()
        if estimate not in ("instant", "steps")
        and any(_is_printed(records, fields, protocol, name) for name in columns)
    ]
    read = {"estimate": protocol.estimate, "columns": " or ".join(names), "kind": protocol.records}
    raise NoMeasurement(READS_ANOTHER if possible else READS_NOTHING, **read, possible=" or estimate=".join(possible))


def _is_printed(records: Columns, fields: Fields, protocol: Protocol, name: str) -> bool:
    # A time needs no meaning beyond itself; of a number without one nobody knows whose it is.
    known = name in TIMES or (protocol.records, name) in fields
    return known and name in records and bool(records.printed(name).any())


def values(records: Records, fields: Fields, protocol: Protocol) -> Values:
    """Return one value a record (float64): a throughput as the log scales it, or the seconds of a step or a record.

    ``records``: all records of one kind and one rank in file order, not only those in the window, because a running
    mean is undone with the record before it. Not for the clock. Raises ``NoMeasurement`` as ``column`` and
    ``steps_done`` do.
    """
    records = columns(records)
    name = column(records, fields, protocol)
    field = fields[(protocol.records, name)]
    printed = records.numbers(name)
    if name in ("step_time", "work_time", "duration"):
        printed = printed / scale if (scale := _in_a_second(field)) != 1 else printed
    if name == "step_time" and (inverse := _inverse(records, fields, protocol.records)) is not None:
        printed = np.where(np.isnan(printed), inverse, printed)
    if name == "step_rate":
        with np.errstate(divide="ignore", over="ignore"):
            printed = 1 / printed
    if protocol.estimate == "instant" and field.kind == "total":
        raise NoMeasurement(TOTAL, field=field.name)
    if protocol.estimate == "instant" and field.kind == "unknown":
        raise NoMeasurement(UNKNOWN_KIND, field=field.name)
    if protocol.estimate != "instant" or protocol.is_of_last_means or field.kind != "running_mean":
        return printed
    counter = _counter(fields, protocol.records, field)
    if counter.name == "epoch" and field.per != "run":
        return printed  # Reset at each epoch and printed at its end, each mean covers steps of its own.
    covered, starts = _covered(records, counter, field)
    return _undone(printed, covered, starts, is_rate=name == "throughput")


def steps_between(records: Columns, fields: Fields, kind: str, name: str) -> Counts:
    """Return how many steps each value covers that ``instant`` makes of the running means of a column (int64).

    Raises ``NoMeasurement`` where the records do not count steps.
    """
    field = fields[(kind, name)]
    covered, starts = _covered(records, _counter(fields, kind, field), field)
    return np.where(starts, covered, np.diff(covered, prepend=0))


def epochs_done(records: Columns, fields: Fields) -> Values:
    """Return the numbers of epochs (float64); their places where the format has none: then a record is one epoch.

    Raises ``NoMeasurement`` where a record lacks the number that its format has: it may tell of several epochs, or of
    a part of one.
    """
    if "epoch" in records and records.printed("epoch").all():
        return records.numbers("epoch")
    if ("epoch", "epoch") in fields:
        raise NoMeasurement(NO_EPOCH_NUMBERS)
    return np.arange(1.0, len(records) + 1)


def valued(records: Columns, fields: Fields, kind: str, name: str) -> Mask:
    """Return which records have a finite value of a column, or of a time of a step its inverse (bool)."""
    found = records.finite(name)
    inverse = _inverse(records, fields, kind) if name == "step_time" and not found.all() else None
    return found if inverse is None else found | np.isfinite(inverse)


def _inverse(records: Columns, fields: Fields, kind: str) -> Values | None:
    """Return the seconds of a step (float64) where bars show steps a second in place of seconds per step, if any do.

    A bar of tqdm shows whichever is above one; both are of the same kind.
    """
    rate, time = fields.get((kind, "step_rate")), fields.get((kind, "step_time"))
    if rate is None or time is None or rate.kind != time.kind or "step_rate" not in records:
        return None
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / records.numbers("step_rate")


def _in_a_second(field: Field) -> float:
    if field.unit not in IN_SECONDS:
        raise NoMeasurement(UNKNOWN_UNIT, field=field.name, unit=field.unit)
    return 1 / IN_SECONDS[field.unit]


def _counter(fields: Fields, kind: str, field: Field) -> Field:
    """Return the field that counts the records' progress.

    Epochs do where no steps are printed, because all epochs of a run have the same number of steps; unless a mean over
    the run leaves out some steps of the first.
    """
    leaves_out = field.per == "run" and field.since
    if (kind, "step") not in fields and (kind, "epoch") in fields and not leaves_out:
        return fields[(kind, "epoch")]
    return step_field(fields, kind)


def _covered(records: Columns, counter: Field, field: Field) -> tuple[Counts, Mask]:
    """Return how many steps each running mean covers, and at which records it has started anew."""
    done = steps_done(records, counter)
    starts = np.zeros(len(done), dtype=np.bool_)
    if field.per != "run":
        _refuse_steps_of_the_run(records, counter)
        done = steps_in_epoch(records, counter)
        starts = epoch_starts(done)
    # Up to step ``since`` the mean has not been reset yet and covers every step so far.
    is_reset = done > (field.since or 0)
    starts[1:] |= is_reset[1:] != is_reset[:-1]
    starts[:1] = True
    return np.where(is_reset, done - (field.since or 0), done), starts


def _refuse_steps_of_the_run(records: Columns, counter: Field) -> None:
    """Refuse step numbers that run on over the epochs: they do not say how long ago a mean was reset."""
    if "epoch" not in records:
        return
    epoch = records.numbers("epoch")
    runs_on = (epoch[1:] > epoch[:-1]) & ~epoch_starts(steps_in_epoch(records, counter))[1:]
    if runs_on.any():
        line = records["line"][1:][runs_on][0]
        raise NoMeasurement(RUNS_ON, line=line, counter=counter.name)


def _undone(means: Values, covered: Counts, starts: Mask, *, is_rate: bool) -> Values:
    """Return the mean of the steps between each record and the one before, from running means that cover them all.

    A rate is the reciprocal of a time per sample, so it is the covered steps / rate that add up, not the rates.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        times = covered / means if is_rate else covered * means
        steps, time = np.diff(covered, prepend=0), np.diff(times, prepend=0.0)
        return np.where(starts, means, steps / time if is_rate else time / steps)


def as_counted(amount: Amount, counted: str, records: Records, facts: Facts, protocol: Protocol) -> tuple[Amount, str]:
    """Return what was done, and what is counted: tokens of samples where a protocol counts tokens.

    Raises ``NoMeasurement`` where nobody knows how many tokens a sample has.
    """
    if protocol.counts != "tokens" or counted != "samples":
        return amount, counted
    if (length := tokens_of_a_sample(records, facts)) is None:
        raise NoMeasurement(NEEDS_LENGTH)
    return amount * length, "tokens"


def counting(unit: str) -> str:
    """The unit with one word for images and samples, which count the same."""
    return re.sub(r"^images\b", "samples", unit.strip())


def tokens_of_a_sample(records: Records, facts: Facts) -> float | None:
    """What the records print, a fact says, or the log's own counts of both tell; None where nobody knows."""
    records = columns(records)
    if "sequence_length" in records and (told := _finite(records.numbers("sequence_length"))).size:
        return float(told[0]) if (told == told[0]).all() else None
    if "sequence_length" in facts:
        length = facts["sequence_length"].value
        return length if is_count(length) else None
    if not all(name in records for name in CONSUMED):
        return None
    done = np.array([records.numbers(name) for name in CONSUMED])
    done = done[:, np.isfinite(done).all(axis=0)]
    samples, tokens = np.ptp(done, axis=1).tolist() if done.size else (0.0, 0.0)
    return tokens / samples if samples > 0 and tokens > 0 else None


def _finite(values: Values) -> Values:
    return values[np.isfinite(values)]


def refuse_zero(values: Values, column: str, lines: NDArray[np.int64]) -> None:
    """Raise ``NoMeasurement`` where a column prints nothing but 0; ``lines``: those of the values."""
    if not values.any():
        raise NoMeasurement(ALL_ZERO, column=column, count=len(values), line=lines[0])


def refuse_rounded(records: Columns, fields: Fields, kind: str, name: str) -> None:
    """Raise ``NoMeasurement`` where times are whole milliseconds, or those of epochs whole seconds, and too few."""
    field, finite = fields.get((kind, name)), records.finite(name)
    printed = records.numbers(name)[finite]
    unit, fewest = _ROUNDED_TO.get(name, ("", 0))
    if field is None or field.unit != unit or not len(printed) or (printed != np.round(printed)).any():
        return
    with np.errstate(over="ignore"):
        middle = float(np.median(printed))
    if middle < fewest:
        told = {"column": name, "unit": field.unit, "median": f"{middle:g}"}
        raise NoMeasurement(ROUNDED, **told, line=records["line"][finite][0])


def refuse_impossible(values: Values, lines: NDArray[np.int64], protocol: Protocol) -> None:
    """Raise ``NoMeasurement`` where one of the values that a protocol uses is no throughput or time of a step."""
    # Such values come of undoing a running mean that is not what the format says, and of a rate printed as 0. A
    # throughput printed as 0 may be so.
    bad = ~np.isfinite(values) | (values < 0 if protocol.estimate == "reported" else values <= 0)
    if bad.any():
        told = {"value": f"{values[bad][0]:g}", "line": lines[bad][0]}
        raise NoMeasurement(IMPOSSIBLE, estimate=protocol.estimate, **told)

"""Estimates: what a protocol reads from each record, and how that becomes a throughput."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from parsers.facts import Fact, is_count
from parsers.field import Field, Scope

from .protocol import NoMeasurement, Protocol
from .window import Counts, Fields, Mask, epoch_starts, step_field, steps_done, steps_in_epoch

Values = NDArray[np.float64]
Facts = Mapping[str, Fact]

_IN_A_SECOND = {"seconds": 1, "milliseconds": 1000}


def column(records: pd.DataFrame, fields: Fields, protocol: Protocol) -> str:
    """Return the column that the estimate reads: ``throughput``, ``step_time`` or ``time``.

    ``instant`` reads the throughput where the log prints one, else the time of a step. ``records``: all records of the
    protocol's kind. Raises ``NoMeasurement`` where the log does not print the column.
    """
    wanted = {"reported": ("throughput",), "step_time": ("step_time",), "clock": ("time",)}
    names = wanted.get(protocol.estimate, ("throughput", "step_time"))
    for name in names:
        if _is_printed(records, fields, protocol, name):
            return name
    known = [name for name in ("throughput", "step_time", "time") if _is_printed(records, fields, protocol, name)]
    possible = [estimate for estimate, (name,) in wanted.items() if name in known]
    raise NoMeasurement(
        f"estimate={protocol.estimate} reads {' or '.join(names)}, which the {protocol.records} records of this log do "
        f"not print: {'use estimate=' + ' or estimate='.join(possible) if known else 'they print no measure of speed'}."
    )


def _is_printed(records: pd.DataFrame, fields: Fields, protocol: Protocol, name: str) -> bool:
    # A time needs no meaning beyond itself; of a number without one nobody knows whose it is.
    known = name == "time" or (protocol.records, name) in fields
    return known and name in records and bool(records[name].notna().any())


def values(records: pd.DataFrame, fields: Fields, protocol: Protocol) -> Values:
    """Return one value a record (float64): a throughput as the log scales it, or the seconds of a step.

    ``records``: all records of one kind and one rank in file order, not only those in the window, because a running
    mean is undone with the record before it. Not for the clock. Raises ``NoMeasurement`` as ``column`` and
    ``steps_done`` do.
    """
    name = column(records, fields, protocol)
    field = fields[(protocol.records, name)]
    printed = records[name].to_numpy(dtype=np.float64) / (_in_a_second(field) if name == "step_time" else 1)
    if protocol.estimate == "instant" and field.kind == "total":
        raise NoMeasurement(
            f"The {field.name} of these records is a total, which cannot be undone: use another estimate."
        )
    if protocol.estimate != "instant" or field.kind != "running_mean":
        return printed
    counter = _counter(fields, protocol.records, field)
    if counter.name == "epoch" and field.per != "run":
        return printed  # Reset at each epoch and printed at its end, each mean covers steps of its own.
    covered, starts = _covered(records, counter, field)
    return _undone(printed, covered, starts, is_rate=name == "throughput")


def _in_a_second(field: Field) -> int:
    if field.unit not in _IN_A_SECOND:
        raise NoMeasurement(f"The unit of {field.name} is {field.unit}: only seconds and milliseconds can be read.")
    return _IN_A_SECOND[field.unit]


def _counter(fields: Fields, kind: str, field: Field) -> Field:
    """Return the field that counts the records' progress.

    Epochs do where no steps are printed, because all epochs of a run have the same number of steps; unless a mean over
    the run leaves out some steps of the first.
    """
    leaves_out = field.per == "run" and field.since
    if (kind, "step") not in fields and (kind, "epoch") in fields and not leaves_out:
        return fields[(kind, "epoch")]
    return step_field(fields, kind)


def _covered(records: pd.DataFrame, counter: Field, field: Field) -> tuple[Counts, Mask]:
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


def _refuse_steps_of_the_run(records: pd.DataFrame, counter: Field) -> None:
    """Refuse step numbers that run on over the epochs: they do not say how long ago a mean was reset."""
    if "epoch" not in records:
        return
    epoch = records["epoch"].to_numpy(dtype=np.float64, na_value=np.nan)
    runs_on = (epoch[1:] > epoch[:-1]) & ~epoch_starts(steps_in_epoch(records, counter))[1:]
    if runs_on.any():
        line = records["line"].to_numpy()[1:][runs_on][0]
        raise NoMeasurement(
            f"The running mean starts anew with each epoch, but at line {line} the {counter.name} number runs on into "
            "the next one, so the mean cannot be undone: use estimate=reported or estimate=clock."
        )


def _undone(means: Values, covered: Counts, starts: Mask, *, is_rate: bool) -> Values:
    """Return the mean of the steps between each record and the one before, from running means that cover them all.

    A rate is the reciprocal of a time per sample, so it is the covered steps / rate that add up, not the rates.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        times = covered / means if is_rate else covered * means
        steps, time = np.diff(covered, prepend=0), np.diff(times, prepend=0.0)
        return np.where(starts, means, steps / time if is_rate else time / steps)


def scale(field: Field, facts: Facts) -> tuple[int, Scope, tuple[str, ...]]:
    """Return what a throughput is multiplied by to be the whole job's, whose it then is, and warnings.

    One card's is multiplied by ``cards``, one node's by ``nodes``; where those are not known it stays as it is, with a
    warning. Raises ``NoMeasurement`` where the field does not say whose it is.
    """
    if field.scope is None:
        raise NoMeasurement(f"The format does not say whether {field.name} is one card's, one node's or the job's.")
    if field.scope == "job":
        return 1, "job", ()
    name = f"{field.scope}s"
    if name not in facts:
        warning = f"The number of {name} is not known, so the throughput is that of one {field.scope}: give --{name}."
        return 1, field.scope, (warning,)
    return _count(facts, name), "job", ()


def samples_per_step(records: pd.DataFrame, fields: Fields, facts: Facts, protocol: Protocol) -> int:
    """Return how many samples all cards together train in one step: batch size per card x cards.

    The batch size is the fact, else the column ``batch_size`` of ``records`` where that is one number throughout,
    scaled by its scope. Raises ``NoMeasurement`` where batch size or cards are not known.
    """
    if "batch_size" in facts:
        return _count(facts, "batch_size") * _needed(facts, "cards", protocol)
    field = fields.get((protocol.records, "batch_size"))
    if field is None or "batch_size" not in records or not records["batch_size"].notna().all():
        raise NoMeasurement(f"estimate={protocol.estimate} needs the batch size per card: give --batch-size.")
    sizes = records["batch_size"].unique()
    if len(sizes) > 1:
        raise NoMeasurement(
            f"estimate={protocol.estimate} needs one batch size, but the records print {sizes.min():g} to "
            f"{sizes.max():g}: give --batch-size, or use a window in which it stays the same."
        )
    return int(sizes[0]) * (1 if field.scope == "job" else _needed(facts, f"{field.scope or 'card'}s", protocol))


def _needed(facts: Facts, name: str, protocol: Protocol) -> int:
    if name not in facts:
        raise NoMeasurement(f"estimate={protocol.estimate} needs the number of {name}: give --{name}.")
    return _count(facts, name)


def _count(facts: Facts, name: str) -> int:
    fact = facts[name]
    if not is_count(fact.value):
        raise NoMeasurement(f"{name} is {fact.value} by {fact.witness}: only a count of at least 1 can scale.")
    return fact.value


def clock(records: pd.DataFrame, fields: Fields, used: Mask, protocol: Protocol) -> tuple[int, float, Mask]:
    """Return the steps done between two records, the seconds between them, and which two they are (bool).

    From the last record before the window, or its first one where none is before it (whose own steps then do not
    count), to its last one: just what the records in the window cover. ``records`` as for ``values``. Raises
    ``NoMeasurement`` where there are no two such records, or no time passes between them.
    """
    first, last = np.flatnonzero(used)[[0, -1]]
    first = max(first - 1, 0)
    if first == last:
        raise NoMeasurement("estimate=clock needs two records, but the window has one and none is before it.")
    ends = records.iloc[[first, last]]
    steps = np.diff(steps_done(records, step_field(fields, protocol.records))[[first, last]])[0]
    seconds = np.diff(ends["time"].to_numpy(dtype="datetime64[ns]"))[0] / np.timedelta64(1, "s")
    if not seconds > 0:
        raise NoMeasurement("The time does not grow from line {} to line {}.".format(*ends["line"]))
    read = np.zeros(len(records), dtype=np.bool_)
    read[[first, last]] = True
    return int(steps), float(seconds), read

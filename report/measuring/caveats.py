"""Caveats: what a reader of a throughput must know of the records that it was made of."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from parsers.grammar.field import Field
from parsers.io.lazy import pd
from parsers.io.message import Message

from ..measure.protocol import Protocol
from ..measure.statistic import reduce
from .estimate import Values
from .record_columns import Columns
from .window import Fields, Mask, epoch_starts, repeated, shortfall, step_field, step_numbers, steps_in_epoch
from .windows.record_use import Reasons, RecordUse, are_readable

TOLERANCE = 0.02
ROUNDED = 0.001  # two lines may print one number with other digits
MOST_LINES = 8

ARRIVED = "The log does not contain timestamps; clock.csv provides the arrival time of each line."
NO_VALUE = "{count} of {records} records without {column} are skipped, first at line {line}."
NO_VALUE_IN_ONE = "{count} of {records} records is skipped because it has no {column}, at line {line}."
ONE_RANK = "The log contains several ranks; only rank {rank} is used, {left} of {records} records are skipped."
ONE_RANK_BUT_ONE = "The log contains several ranks; only rank {rank} is used, {left} of {records} records is skipped."
NO_RANK = "{left} of {records} records without a rank are skipped, first at line {line}; only rank {rank} is used."
NO_RANK_IN_ONE = "{left} of {records} records has no rank and is skipped, at line {line}; only rank {rank} is used."
TOO_SHORT = "The protocol takes {take}; the log is {missing} short."
OTHER_STEPS = "The log does not print all the steps of the protocol; the records used are of steps {first} to {last}."
AGAIN = "Step numbers restart at line {line}: the log contains several ranks or several runs."
AS_EPOCHS = (
    "Step numbers begin anew, first at line {line} ({count} in total), and nothing shows whether epochs, ranks or "
    "other runs do so; the records of all are used."
)
NO_EPOCH_LENGTH = "The log does not state the steps per epoch; the last printed step is taken as the end of an epoch."
RUNNING_MEAN = "{field} is a running mean, whose {statistic} over-weights early steps. Use estimate=instant."
RUNNING_MEAN_OF_STEPS = (
    "{field} is a running mean, whose {statistic} over-weights early steps. Use estimate=instant counts=steps."
)
SLOW_START = (
    "The mean of {count} records is {mean}, their median {median}: the first records are outliers; "
    "skip_records={skip} skips them."
)
UNEVEN = (
    "The mean of {count} records is {mean}, their median {median}: outliers present; the median "
    "(statistic=median) is more robust."
)
TWO_SPEEDS = "The records are of two speeds, about {low} and {high}; their mean {mean} is that of neither."
OWN_SIZES = (
    "The batch size of a step changes ({low} to {high} samples), first between lines {first} and {changed}; each "
    "record is computed with its own."
)
SEVERAL_SUMMARIES = (
    "The log has {count} summaries, which give {low} to {high} {unit}, at lines {lines}; the last is used. They may be "
    "of several runs."
)
MEANS_SO_FAR = (
    "Each of the {count} numbers (line {first} to {last}) is the mean since the start of the run, its warm-up, pauses "
    "and evaluations included; the last is used."
)
STARTS_LATER = (
    "The first record is at epoch {epoch} already (line {line}); if the run went on from a checkpoint, its summary "
    "counts what was done before it, and overstates the throughput."
)
SEVERAL_MODELS = "The log contains records of {count} models, which the throughput combines: {models}."
EARLIER_RUN = (
    "Lines {first} to {last} repeat the mean {value} of an earlier run, which then jumps to {next}; these {count} "
    "records are skipped."
)
# A mean over the run stands still only while nobody computes it anew, and jumps only when another run does.
JUMP = 0.05
# Two speeds are so many times apart, each of some records, and so few records have one between.
APART, FEWEST_OF_TWO, HARDLY_ANY = 1.25, 10, 0.02
FEWEST = 2
# Records of a run that begin so many times as far from its start as they are apart.
FEWEST_OF_RUN = 3
LATE = 3


def of_records(chosen: Columns, column: str, reasons: Reasons) -> Iterator[Message]:
    """Warn of records that could not be read; ``column``: what is read, ``reasons``: why each is used or not."""
    lines = chosen["line"]
    empty, other = reasons == RecordUse.NO_VALUE, reasons == RecordUse.OTHER_RANK
    if empty.any():
        first, count = lines[empty][0], empty.sum()
        key = NO_VALUE_IN_ONE if count == 1 else NO_VALUE
        yield Message(key, count=count, records=len(lines), column=column, line=first)
    if other.any():
        ranks = chosen.numbers("rank")
        used, unnamed = f"{ranks[are_readable(reasons)][0]:g}", other & np.isnan(ranks)
        if left := (other & ~unnamed).sum():
            key = ONE_RANK_BUT_ONE if left == 1 else ONE_RANK
            yield Message(key, rank=used, left=left, records=len(lines))
        if left := unnamed.sum():
            key = NO_RANK_IN_ONE if left == 1 else NO_RANK
            yield Message(key, rank=used, left=left, records=len(lines), line=lines[unnamed][0])
    models = pd.Series(chosen["model"][are_readable(reasons)]).dropna().unique() if "model" in chosen else ()
    if len(models) > 1:
        yield Message(SEVERAL_MODELS, count=len(models), models=", ".join(map(str, models)))


def of_sizes(used: Columns, sizes: Values | None) -> Iterator[Message]:
    """Tell that the batch size changes over the records that are used; ``sizes``: that of each, None where it stays."""
    if sizes is not None:
        first, changed = used["line"][0], used["line"][sizes != sizes[0]][0]
        told = {"low": f"{sizes.min():g}", "high": f"{sizes.max():g}"}
        yield Message(OWN_SIZES, first=first, changed=changed, **told)


def _of_numbers(records: Columns, fields: Fields, protocol: Protocol) -> Iterator[Message]:
    """Tell that the log does not print the first or the last step that a protocol names."""
    first, last = protocol.from_step, protocol.to_step
    if first is None and last is None:
        return
    numbers = step_numbers(records, step_field(fields, protocol.records))
    used = numbers[(numbers >= (first or 0)) & (numbers <= (numbers[-1] if last is None else last))]
    if not used.size:
        return  # the window refuses it
    if used[0] > (used[0] if first is None else first) or used[-1] < (used[-1] if last is None else last):
        yield Message(OTHER_STEPS, first=used[0], last=used[-1])


def of_steps(records: Columns, fields: Fields, protocol: Protocol, field: Field | None) -> Iterator[Message]:
    """Warn of a window that is too short, and of step numbers that do not say how many steps were done."""
    if missing := shortfall(records, fields, protocol):
        take = protocol.take_first or protocol.take_last
        yield Message(TOO_SHORT, take=take, missing=missing)
    yield from _of_numbers(records, fields, protocol)
    counter = fields.get((protocol.records, "step"))
    if counter is None or not records.printed("step").all():
        return
    if (again := repeated(records, counter)).any():
        line = records["line"][again][0]
        yield Message(AGAIN, line=line)
    numbers = steps_in_epoch(records, counter)
    is_told = any(name in records for name in ("epoch", "steps", "steps_per_epoch"))
    if not is_told and (falls := numbers[1:] < numbers[:-1]).any():
        yield Message(AS_EPOCHS, line=records["line"][1:][falls][0], count=falls.sum())
    wraps = "steps_per_epoch" not in records and epoch_starts(numbers).any()
    if wraps and _adds_epochs(protocol, field):
        yield Message(NO_EPOCH_LENGTH)


def _adds_epochs(protocol: Protocol, field: Field | None) -> bool:
    if protocol.estimate == "instant" and field is not None and field.per == "run":
        return True
    return protocol.window_counts_steps or (protocol.estimate == "clock" and protocol.counts != "steps")


def of_means(field: Field, protocol: Protocol, used: int) -> tuple[Message, ...]:
    """Warn of running means where ``used`` of them, more than one, go through a statistic."""
    if field.kind != "running_mean" or protocol.estimate == "instant" or used == 1:
        return ()
    key = RUNNING_MEAN_OF_STEPS if protocol.is_in_steps else RUNNING_MEAN
    return (Message(key, field=field.name, statistic=protocol.statistic),)


def of_spread(values: Values, protocol: Protocol, throughput: Callable[[float], float]) -> tuple[Message, ...]:
    """Warn of a mean that is more than 2% from the median: a few values make it, such as those of slow first steps.

    ``values``: those that the mean is of, in file order. ``throughput``: what one of them stands for.
    """
    if protocol.statistic != "mean":
        return ()
    if (both := _mean_and_median(values)) is None:
        return _of_two_speeds(values, throughput)
    mean, median = (f"{throughput(value):.6g}" for value in both)
    first = int(np.argmax(np.abs(values - both[1]) <= TOLERANCE * both[1]))
    skips = first and not (protocol.skip_steps or protocol.trim)
    if skips and _mean_and_median(values[first:]) is None:
        skip = protocol.skip_records + first
        return (Message(SLOW_START, count=len(values), mean=mean, median=median, skip=skip),)
    return (Message(UNEVEN, count=len(values), mean=mean, median=median),)


def _of_two_speeds(values: Values, throughput: Callable[[float], float]) -> tuple[Message, ...]:
    """Tell of values that lie apart in two halves, with hardly any between: their mean and median hide that."""
    if len(values) < FEWEST_OF_TWO:
        return ()
    middle = float(np.median(values))
    low, high = float(np.median(values[values <= middle])), float(np.median(values[values >= middle]))
    between = np.abs(values - (low + high) / 2) < (high - low) / 4
    if not high > APART * low > 0 or between.mean() > HARDLY_ANY:
        return ()
    slow, fast = sorted((throughput(low), throughput(high)))
    mean = f"{throughput(float(values.mean())):.6g}"
    return (Message(TWO_SPEEDS, low=f"{slow:.6g}", high=f"{fast:.6g}", mean=mean),)


def of_summaries(
    lines: NDArray[np.int64], throughputs: Values, unit: str, protocol: Protocol, field: Field
) -> tuple[Message, ...]:
    """Tell of several summaries that differ, of which a protocol takes the last, or that each is a mean so far."""
    if (protocol.records, protocol.statistic) != ("summary", "last"):
        return ()
    if (field.kind, field.per) == ("running_mean", "run"):
        return (Message(MEANS_SO_FAR, count=len(lines), first=lines[0], last=lines[-1]),)
    with np.errstate(invalid="ignore"):  # of infinite ones, which are refused
        differ = np.abs(throughputs - throughputs[-1]) > ROUNDED * np.abs(throughputs[-1])
    if not differ.any():
        return ()
    shown = [*map(str, lines[:MOST_LINES]), *["…"] * (len(lines) > MOST_LINES)]
    told = {"low": f"{throughputs.min():.6g}", "high": f"{throughputs.max():.6g}", "unit": unit}
    return (Message(SEVERAL_SUMMARIES, count=len(lines), lines=", ".join(shown), **told),)


def of_start(steps: Columns, summary: int, protocol: Protocol) -> Iterator[Message]:
    """Tell that the records of steps before the summary in a line do not begin with the training, or only its end does.

    The epochs that were done by the first of them are many times those between two.
    """
    if protocol.records != "summary" or "epochs_done" not in steps:
        return
    own = steps.rows(steps.finite("epochs_done") & (steps["line"] < summary))
    done = own.numbers("epochs_done")
    own = own.rows(np.arange(len(done)) >= np.max(np.flatnonzero(np.diff(done) < 0) + 1, initial=0))
    done, lines = own.numbers("epochs_done"), own["line"]
    if len(done) >= FEWEST_OF_RUN and done[0] > LATE * np.median(np.diff(done)):
        yield Message(STARTS_LATER, epoch=f"{done[0]:g}", line=lines[0])


def _mean_and_median(values: Values) -> tuple[float, float] | None:
    """Both where they differ."""
    mean, median = reduce(values, "mean"), reduce(values, "median")
    return None if not np.isfinite(mean) or abs(mean - median) <= TOLERANCE * median else (mean, median)


def of_earlier_run(records: Columns, column: str, field: Field | None) -> Mask:
    """Which records repeat the last mean of an earlier run (bool).

    ``records``: of one kind, in file order, each with a value in ``column``, which ``field`` describes. They are the
    first ones where these repeat a mean over the run that then jumps by more than 5%, and nothing counts steps.
    """
    none = np.zeros(len(records), dtype=np.bool_)
    if field is None or (field.kind, field.per) != ("running_mean", "run") or _counts(records):
        return none
    values = records.numbers(column)
    changes = np.flatnonzero(values != values[:1])
    if not len(changes) or changes[0] < FEWEST or abs(values[changes[0]] - values[0]) <= JUMP * values[0]:
        return none
    none[: changes[0]] = True
    return none


def _counts(records: Columns) -> bool:
    return any(name in records and records.printed(name).any() for name in ("step", "epoch"))


def left_out(records: Columns, column: str, reasons: Reasons) -> Message | None:
    """What is said of the rows that are left out."""
    rows = np.flatnonzero(reasons == RecordUse.EARLIER_RUN)
    if not len(rows):
        return None
    lines, values = records["line"], records.numbers(column)
    after = values[rows[-1] + 1 :]
    told = {"value": f"{values[rows[0]]:g}", "next": f"{after[np.isfinite(after)][0]:g}"}
    return Message(EARLIER_RUN, first=lines[rows[0]], last=lines[rows[-1]], count=len(rows), **told)

"""The window: which records of a log a protocol uses, and why not the others."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parsers.grammar.field import Field

from ..measure.diagnostics import NoMeasurement
from ..measure.length import Length
from ..measure.number import without_noise
from ..measure.protocol import Protocol
from .record_columns import Columns, Records, columns
from .windows.record_use import Reasons, RecordUse

Fields = Mapping[tuple[str, str], Field]
Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]

NO_STEP_NUMBER = (
    "The {kind} records of this log do not contain step numbers, so steps cannot be counted: count records "
    "(skip_records, take_first=100), and use an estimate that reads one record at a time."
)
NO_WHOLE_NUMBER = "Line {line} does not contain a whole {field} number, so steps cannot be counted."
NOT_GROWING = (
    "The {field} number does not increase from line {first} to line {last} of the same epoch, so steps cannot be "
    "counted (several ranks, or a run restarted into one log): count records (skip_records, take_first=100), and use "
    "an estimate that reads one record at a time."
)
STARTS_AGAIN = "{field} numbers start again at line {line}: from_step and to_step do not say which of them are meant."
SEVERAL_RUNS = (
    "The log contains {count} runs, whose records begin at lines {lines}; choose one in the protocol: run=1, run=2, "
    "... or run=last."
)
MOST_REDRAWN = 0.4  # of the records of a bar
NO_SUCH_RUN = "The log has no such records in run={run}; runs that have them: {known}."


def step_field(fields: Fields, kind: str) -> Field:
    """Return what the column ``step`` of a kind of record means; raises ``NoMeasurement`` when it has none."""
    if (kind, "step") not in fields:
        raise NoMeasurement(NO_STEP_NUMBER, kind=kind)
    return fields[(kind, "step")]


def steps_in_epoch(records: Records, field: Field) -> Counts:
    """Return the steps done when each record was printed, as the log counts them (int64, the first step is 1).

    ``field`` names the column and says whether its first step is 0 or 1 (1 where it does not say). Raises
    ``NoMeasurement`` for a record without a whole number.
    """
    records = columns(records)
    number = records.counts(field.name)
    if number.dtype.kind == "f" and (bad := ~((np.abs(number) < 2**53) & (np.floor(number) == number))).any():
        line = records["line"][bad][0]
        raise NoMeasurement(NO_WHOLE_NUMBER, line=line, field=field.name)
    counts: Counts = number.astype(np.int64, copy=False)
    return counts + 1 if field.first == 0 else counts


def epoch_starts(numbers: Counts) -> Mask:
    """Return where the number does not grow: there the epoch before has ended (bool; never the first record)."""
    starts = np.zeros(len(numbers), dtype=np.bool_)
    starts[1:] = numbers[1:] <= numbers[:-1]
    return starts


def begins_within_clock(records: Records) -> Mask:
    """Return between which records steps begin anew while ``elapsed`` goes on (bool), each time that they do so.

    Nothing where it falls once, or where records have no such number.
    """
    records = columns(records)
    if "step" not in records or "elapsed" not in records:
        return np.zeros(max(len(records) - 1, 0), np.bool_)
    begins: Mask = np.diff(records.numbers("step")) < 0
    clocks = records.numbers("elapsed")
    passed, after = np.diff(clocks)[begins], clocks[1:][begins]
    # An epoch may begin within the second in which the last one ended.
    goes_on = (passed >= 0).all() and ((passed > 0).any() or np.ptp(after) > 0) if len(after) else False
    return begins if goes_on else np.zeros_like(begins)


def repeated(records: Records, field: Field) -> Mask:
    """Return where a record does not go on from the one before, although no epoch has ended there (bool).

    The number does not grow within an epoch (but a progress bar, with its clock, is drawn again), or over a run whose
    ``steps`` the log prints, or the epoch goes back: several ranks without a prefix, or several runs, look like that.
    Where the log prints neither nothing can be known, and nothing is marked.
    """
    records = columns(records)
    stays = epoch_starts(numbers := steps_in_epoch(records, field))
    if "epoch" not in records:
        return stays & ("steps" in records)
    if "elapsed" in records:
        clocks = records.numbers("elapsed")
        falls = (numbers[1:] < numbers[:-1]) | (clocks[1:] < clocks[:-1])
        # A bar is drawn again now and then, or at the same moment on its line; several ranks print each step.
        is_again = stays[1:] & ~falls & ~((clocks[1:] == clocks[:-1]) & (np.diff(records["line"]) == 0))
        stays[1:] &= falls | (is_again.sum() > MOST_REDRAWN * len(falls))
    epoch, again = records.counts("epoch"), np.zeros(len(records), dtype=np.bool_)
    again[1:] = (epoch[1:] < epoch[:-1]) | ((epoch[1:] == epoch[:-1]) & stays[1:])
    return again


def steps_done(records: Records, field: Field) -> Counts:
    """Return the steps done since the start of training when each record was printed (int64, first step is 1).

    ``records``: records of one kind and one rank in file order, with the column that ``field`` names. An epoch has
    ended where its number falls, or stays and something else says so; it then had ``steps_per_epoch`` steps where the
    log prints that column, else as many as its last record counts. Raises ``NoMeasurement`` where a number is missing
    or an epoch repeats one.
    """
    records = columns(records)
    numbers = steps_in_epoch(records, field)
    _refuse(repeated(records, field), records, field)
    begins = np.flatnonzero(_begin_anew(records, numbers))
    before = np.cumsum(np.append(np.zeros(1, np.int64), _epoch_lengths(records, numbers, begins - 1)))
    done: Counts = np.repeat(before, np.diff(begins, prepend=0, append=len(numbers)))
    done += numbers
    return done


def _begin_anew(records: Columns, numbers: Counts) -> Mask:
    """Return where an epoch has ended: its number falls, or stays where something else says so.

    A number printed twice, as by a validation, ends none, nor does one that runs on over other epochs as it resumes.
    """
    begins, stays = numbers < np.append(numbers[:1], numbers[:-1]), epoch_starts(numbers)
    if not (numbers[1:] > numbers[:-1]).any():  # one record an epoch
        return stays
    if "epoch" in records:
        epochs = records.numbers("epoch")
        rises = epochs[1:] > epochs[:-1]
        if not (rises & (numbers[1:] > numbers[:-1])).any():
            begins[1:] |= stays[1:] & rises
    if "steps_per_epoch" in records:
        begins[1:] |= stays[1:] & (numbers[1:] >= records.numbers("steps_per_epoch")[:-1])
    return begins


def _epoch_lengths(records: Columns, numbers: Counts, lasts: NDArray[np.intp]) -> Counts:
    """The steps of the epochs that end with these records."""
    if "steps_per_epoch" not in records:
        return numbers[lasts]
    stated = records.numbers("steps_per_epoch")[lasts]
    # An epoch is never shorter than the steps already seen in it; fmax also passes over what is not a number.
    lengths: Counts = np.fmax(stated, numbers[lasts]).astype(np.int64)
    return lengths


def _refuse(again: Mask, records: Columns, field: Field) -> None:
    if again.any():
        row = int(np.argmax(again))
        earlier, later = records["line"][row - 1 : row + 1]
        raise NoMeasurement(NOT_GROWING, field=field.name, first=earlier, last=later)


def one_rank(records: Records) -> Mask:
    """Return which records the lowest rank printed (bool); all of them where no record names its rank."""
    if "rank" not in records:
        return np.ones(len(records), dtype=np.bool_)
    rank = columns(records).numbers("rank")
    named = ~np.isnan(rank)
    lowest: Mask = rank == rank[named].min() if named.any() else ~named
    return lowest


def last_run(records: Records) -> int:
    """Return the number, from 1, of the last run of a log."""
    return int(columns(records)["run"].max()) if "run" in records and len(records) else 1


def one_run(records: Records, run: int | Literal["last"] | None, last: int) -> Mask:
    """Return which records are of a run (bool), by its number from 1; all of them where the log holds one.

    ``last``: the number of the last run of the log. Raises ``NoMeasurement`` where the records are of several runs and
    none is named, and where the named one has none of them.
    """
    numbers = columns(records)["run"] if "run" in records else np.ones(len(records), np.int8)
    firsts = np.append(np.zeros(1, np.intp), np.flatnonzero(numbers[1:] != numbers[:-1]) + 1)  # runs follow each other
    runs = numbers[firsts]
    if run is None and len(runs) > 1:
        lines = ", ".join(map(str, columns(records)["line"][firsts]))
        raise NoMeasurement(SEVERAL_RUNS, count=len(runs), lines=lines)
    wanted = runs[0] if run is None else last if run == "last" else run
    mine: Mask = numbers == wanted
    if not mine.any():
        raise NoMeasurement(NO_SUCH_RUN, run=run, known=", ".join(map(str, runs)))
    return mine


def window(records: Records, fields: Fields, protocol: Protocol) -> tuple[Mask, Reasons]:
    """Return which records the protocol uses (bool), and the ``RecordUse`` of each record (int8).

    ``records``: records of one kind and one rank in file order, each with the value that the estimate reads.
    ``skip_steps = N`` leaves out records up to and including step N, and "100 steps" taken first are the steps N + 1 to
    N + 100; after ``skip_records`` they are the 100 steps after the last record skipped. Raises ``NoMeasurement`` where
    steps must be counted and cannot be.
    """
    steps = _steps(records, fields, protocol)
    start, stop = _rest(records, fields, steps, protocol)
    first, last = _taken(steps, start, stop, protocol)
    reasons = np.full(len(records), RecordUse.USED, dtype=np.int8)
    reasons[:first] = RecordUse.BEFORE
    reasons[last:] = RecordUse.BEYOND
    reasons[stop:] = RecordUse.DROP_LAST if protocol.to_step is None else RecordUse.BEYOND
    reasons[:start] = RecordUse.SKIP_STEPS if protocol.skip_steps else RecordUse.SKIP_RECORDS
    if protocol.from_step is not None:
        reasons[:start] = RecordUse.BEFORE
    return reasons == RecordUse.USED, reasons


def shortfall(records: Records, fields: Fields, protocol: Protocol) -> int:
    """Return how many records or steps the log has too few for what the protocol takes; 0 when it has enough."""
    take = protocol.take_first or protocol.take_last
    if take is None:
        return 0
    steps = _steps(records, fields, protocol)
    start, stop = _rest(records, fields, steps, protocol)
    if take.of == "records" or start == stop:
        return max(0, take.count - (stop - start))
    return max(0, take.count - (int(steps[stop - 1]) - _done_before(steps, start, protocol)))


def _steps(records: Records, fields: Fields, protocol: Protocol) -> Counts | range:
    # Never falling, so that every rule of the window is a place in this order.
    if protocol.window_counts_steps:
        return steps_done(records, step_field(fields, protocol.records))
    return range(1, len(records) + 1)


def _rest(records: Records, fields: Fields, steps: Counts | range, protocol: Protocol) -> tuple[int, int]:
    """Return the first record after those skipped, and the first of those dropped at the end."""
    start = _place(steps, protocol.skip_steps) if protocol.skip_steps else _skipped(len(steps), protocol)
    stop = _back(steps, len(steps), protocol.drop_last)
    if protocol.from_step is not None or protocol.to_step is not None:
        numbers = step_numbers(records, step_field(fields, protocol.records))
        start = start if protocol.from_step is None else int(np.searchsorted(numbers, protocol.from_step, "left"))
        stop = stop if protocol.to_step is None else int(np.searchsorted(numbers, protocol.to_step, "right"))
    return start, max(start, stop)


def step_numbers(records: Records, field: Field) -> Counts:
    """Return the numbers of steps as the log prints them (int64, never falling); raises ``NoMeasurement``."""
    numbers = steps_in_epoch(records, field) - (field.first == 0)
    if (falls := np.diff(numbers) < 0).any():
        raise NoMeasurement(STARTS_AGAIN, field=field.name, line=columns(records)["line"][1:][falls][0])
    return numbers


def _skipped(count: int, protocol: Protocol) -> int:
    """Return how many of so many records are skipped; of a fraction of them as many as are whole."""
    return min(protocol.skip_records or int(without_noise(protocol.skip_fraction * count)), count)


def _taken(steps: Counts | range, start: int, stop: int, protocol: Protocol) -> tuple[int, int]:
    if protocol.take_last is not None:
        return max(start, _back(steps, stop, protocol.take_last)), stop
    if protocol.take_first is None:
        return start, stop
    if protocol.take_first.of == "records":
        return start, min(stop, start + protocol.take_first.count)
    end = _done_before(steps, start, protocol) + protocol.take_first.count
    return start, min(stop, _place(steps, end))


def _done_before(steps: Counts | range, start: int, protocol: Protocol) -> int:
    return protocol.skip_steps or (int(steps[start - 1]) if start else 0)


def _back(steps: Counts | range, stop: int, length: Length) -> int:
    """Return the record at which the last records or steps before ``stop`` begin."""
    if length.of == "records" or stop == 0:
        return max(0, stop - length.count)
    return _place(steps, int(steps[stop - 1]) - length.count)


def _place(steps: Counts | range, done: int) -> int:
    """Return the first record that was printed after more than ``done`` steps."""
    return int(np.searchsorted(steps, done, side="right"))

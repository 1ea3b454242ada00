"""Timing: what the clock says of the time between two records, and what was done in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from parsers.io.message import Message

from ..measure.diagnostics import NoMeasurement
from ..measure.number import without_noise
from ..measure.protocol import Protocol
from .estimate import Facts, Values
from .record_columns import Columns, Records, columns
from .scaling import amounts_done
from .window import Fields, Mask, begins_within_clock, step_field, steps_in_epoch

Rows = NDArray[np.int64]
ONE_RECORD = "estimate=clock needs two records, but there is only one up to the end of the window."
NOTHING_DONE = "The number of {counted} does not increase from line {first} to line {last}."
NO_TIME_PASSES = "The time does not increase from line {first} to line {last}."
ONE_PAUSE = (
    "The time between lines {first} and {last} ({seconds} s) is several times that of as many other steps, and the "
    "clock spans it; without such pauses it gives {value} {unit}."
)
PAUSES = (
    "The time between lines {first} and {last} ({seconds} s) is several times that of as many other steps, as between "
    "{count} pairs of records in all, and the clock spans it; without such pauses it gives {value} {unit}."
)
WARNINGS = (ONE_PAUSE, PAUSES)
# A pause takes so many times the time of as many steps, and so many seconds more; most where stamps are whole seconds.
FAR = 3.0
LEAST_SECONDS = 0.1
LEAST_WHOLE_SECONDS = 2.0
TOLERANCE = 0.02
# How far what the clock says of the whole passes of a bar is from what it says between the steps of each.
PASSES_APART = 0.1
MOST_CUT_OFF = 0.05  # of a pass
FEWEST_PASSES = 4
MOST_WHOLE = 0.8
DRAWN_TWICE = 0.4  # of all pairs of records
PART = 1 << 16  # records that are looked at together where an array of all would be made


@dataclass(frozen=True)
class Pauses:
    """The pauses that a clock spans: ``warning`` tells of them.

    ``longest``: the first and the last row of the longest stretch without one.
    """

    warning: Message
    longest: tuple[int, int]


@dataclass(frozen=True)
class Timed:
    """The ``amount`` of all cards between two records, ``counted`` in samples or tokens, and the ``seconds``.

    ``ends``: which two records these are (bool). ``records``, ``stretches`` and ``done``: where the clock runs, and
    what had been done at each record.
    """

    amount: float
    counted: str
    seconds: float
    ends: Mask
    records: Columns = field(repr=False, compare=False)
    stretches: Sequence[slice] = field(repr=False, compare=False)
    done: Values = field(repr=False, compare=False)

    @property
    def rate(self) -> float:
        """What was done in a second."""
        return without_noise(self.amount / self.seconds)

    @property
    def is_whole(self) -> bool:
        """Whether all its times are whole seconds."""
        times = (_times(self.records, rows) for rows in self.stretches)
        return not any(_are_fractions(known, np.isfinite(known)) for known in times)

    @cached_property
    def pauses(self) -> Pauses | None:
        """The pauses that the clock spans; None where they make no more than 2% of the time."""
        return _pauses(self.records, self.stretches, self.done, self.counted)


def clock(records: Records, fields: Fields, facts: Facts, used: Mask, protocol: Protocol) -> Timed:
    """Return what was done between two records by the time that they print, ``time`` or ``elapsed``.

    From the last record before the window, or its first one where none is before it (whose own steps then do not
    count), to its last one: just what the records in the window cover. ``records``: all of one kind and rank in file
    order. Raises ``NoMeasurement`` where there are no two such records, or no time passes between them.
    """
    records = columns(records)
    first, last = np.flatnonzero(used)[[0, -1]]
    first = max(first - 1, 0)
    if first == last:
        raise NoMeasurement(ONE_RECORD)
    done, counted = amounts_done(records, fields, facts, used, protocol)
    stretches = _stretches(records, fields, protocol, first, last)
    whole = _whole_passes(records, done, stretches)
    from_start = _are_from_start(records, fields, protocol, stretches)
    if len(stretches) > 1 and "elapsed" in records and protocol.records == "step" and not all(from_start[1:]):
        stretches = [_between_ticks(records, rows) for rows in stretches]
    parts = [_done_in(records, done, *part) for part in zip(stretches, from_start, strict=True)]
    amount, seconds = (float(sum(of_part)) for of_part in zip(*parts, strict=True))
    if whole and amount > 0 < seconds and abs(whole[0] / whole[1] * seconds / amount - 1) > PASSES_APART:
        amount, seconds = whole
    start, stop = records["line"][[first, last]]
    if not seconds > 0:
        raise NoMeasurement(NO_TIME_PASSES, first=start, last=stop)
    if not 0 < amount < np.inf:
        raise NoMeasurement(NOTHING_DONE, counted=counted, first=start, last=stop)
    ends = np.zeros(len(records), dtype=np.bool_)
    ends[[first, last]] = True
    return Timed(amount, counted, seconds, ends, records, stretches, done)


def _stretches(records: Columns, fields: Fields, protocol: Protocol, first: int, last: int) -> list[slice]:
    """The rows of some records between which the clock runs: an ``elapsed`` that falls has begun anew there.

    Steps are those within epochs, where nobody knows how many follow the last one that is printed; epochs are those
    within runs.
    """
    rows = slice(first, last + 1)
    begins = np.zeros(last + 1 - first, np.bool_)
    if not ("time" in records and records.printed("time")[[first, last]].all()):
        begins[1:] |= _begin_anew(records, rows)
    if protocol.counts == "epochs" and "epoch" in records:
        begins[1:] |= np.diff(records.numbers("epoch")[rows]) < 0
    if protocol.records == "step" and _has_means_of_epochs(fields, protocol):
        begins[1:] |= begins_within_clock(records)[first:last]
    if protocol.counts == "steps" and "steps_per_epoch" not in records:
        begins[1:] |= np.diff(steps_in_epoch(records, step_field(fields, protocol.records))[rows]) < 0
    starts = (first + np.flatnonzero(begins)).tolist()
    return [slice(start, end) for start, end in pairwise([first, *starts, last + 1])]


def _begin_anew(records: Columns, rows: slice) -> Mask:
    """Behind which of some rows an ``elapsed`` begins anew: where it falls, and as the steps of an epoch do.

    One that falls as an epoch begins does so with each: one record of a short epoch may be at no more than the next.
    """
    falls: Mask = np.diff(records.numbers("elapsed")[rows]) < 0
    if "epoch" not in records or "step" not in records:
        return falls
    are_next = (np.diff(records.numbers("epoch")[rows]) > 0) & (np.diff(records.numbers("step")[rows]) <= 0)
    return falls | are_next if (falls & are_next).any() else falls


def _are_from_start(records: Columns, fields: Fields, protocol: Protocol, stretches: Sequence[slice]) -> Sequence[bool]:
    """Which stretches count from where their clock began: those behind the first, beside running means that do so."""
    if not _has_means_of_epochs(fields, protocol) or "elapsed" not in records:
        return [False] * len(stretches)
    clocks = records.numbers("elapsed")
    return [rows.start > stretches[0].start and bool(clocks[rows.start] < clocks[rows.start - 1]) for rows in stretches]


def _has_means_of_epochs(fields: Fields, protocol: Protocol) -> bool:
    """Whether records print means since their epoch began, as some progress bars do."""
    means = [fields.get((protocol.records, name)) for name in ("step_time", "step_rate")]
    return any(field and field.kind == "running_mean" and field.per == "epoch" for field in means)


def _done_in(records: Columns, done: Values, rows: slice, is_from_start: bool) -> tuple[float, float]:
    """What was done in a stretch, and in how many seconds; of half a second more where parts of one are cut off."""
    last = rows.stop - 1
    if not is_from_start:
        return float(done[last] - done[rows.start]), _seconds(records, rows)
    passed = float(records.numbers("elapsed")[last])
    return float(done[last] - done[rows.start - 1]), passed + (0.5 if passed.is_integer() else 0.0)


def _whole_passes(records: Columns, done: Values, stretches: Sequence[slice]) -> tuple[float, float] | None:
    """What was done in the passes of a progress bar behind the first that came to the same end, and in what time.

    Its clock begins with each pass. Where a pass has few steps, the time before the first is a good part of it. None
    where other records have that clock.
    """
    if "elapsed" not in records or "step" not in records or len(stretches) <= FEWEST_PASSES:
        return None
    steps, clocks = records.numbers("step"), records.numbers("elapsed")
    starts = np.array([rows.start for rows in stretches[1:]])
    lasts = np.append(starts[1:], stretches[-1].stop) - 1
    begin_anew = (steps[starts] < steps[starts - 1]) & (clocks[starts] < clocks[starts - 1])
    known = begin_anew & (steps[lasts] == steps[lasts].max()) & (steps[lasts] > steps[starts]) & (clocks[lasts] > 0)
    if known.sum() < max(FEWEST_PASSES, MOST_WHOLE * len(known)):
        return None
    starts, lasts = starts[known], lasts[known]
    of_a_step = (done[lasts] - done[starts]) / (steps[lasts] - steps[starts])
    cut_off = 0.0 if (clocks[lasts] % 1).any() else 0.5
    if cut_off > MOST_CUT_OFF * float(np.median(clocks[lasts])):
        return None
    return float((of_a_step * steps[lasts]).sum()), float((clocks[lasts] + cut_off).sum())


def _between_ticks(records: Columns, rows: slice) -> slice:
    """The part of a stretch from a record at which a second has just passed to another; all where there is none.

    A clock that cuts off parts of a second tells its steps by up to one too little, but only just after a new second
    by no more than a step: of many short passes of a progress bar the rest would add up.
    """
    seconds = records.numbers("elapsed")[rows]
    ticks = rows.start + 1 + np.flatnonzero(np.diff(seconds) > 0)
    is_whole = bool((seconds % 1 == 0).all())
    return slice(int(ticks[0]), int(ticks[-1]) + 1) if is_whole and len(ticks) > 1 else rows


def _seconds(records: Columns, rows: slice) -> float:
    return float(np.diff(seconds_done(records.rows(np.array([rows.start, rows.stop - 1]))))[0])


def _pauses(records: Columns, stretches: Sequence[slice], done: Values, counted: str) -> Pauses | None:
    """The pauses in some stretches; ``done``: what had been done at each record.

    A log has millions of records: few arrays of that length are made, and none is kept longer than it is needed.
    """
    kept = [_once(done[rows]) for rows in stretches]
    parts = list(zip(stretches, kept, strict=True))
    times = _joined([np.diff(_times(records, rows)[once]) for rows, once in parts])
    amounts = _joined([np.diff(done[rows][once]) for rows, once in parts])
    known = np.isfinite(times) & (amounts > 0)
    if not known.any():
        return None
    usual = _usual(times, amounts, known)
    # Between two records of one step, no more than of one passes: what is longer is a pause, too.
    known |= np.isfinite(times) & (amounts == 0)
    limits = np.maximum(amounts, amounts.min(where=amounts > 0, initial=np.inf))
    limits *= FAR * usual
    limits += LEAST_SECONDS if _are_fractions(times, known) else LEAST_WHOLE_SECONDS
    are = known & (times > limits)
    del limits
    lost = float((times[are] - usual * amounts[are]).sum())
    others = known & ~are
    rest, left = float(amounts.sum(where=others)), float(times.sum(where=others))
    if lost <= TOLERANCE * float(times.sum(where=known)) or not left > 0:
        return None
    ends = np.concatenate([np.arange(rows.start, rows.stop)[once][1:] for rows, once in parts])[are]
    at = int(ends[np.argmax(times[are])])
    told = {"value": f"{without_noise(rest / left):.6g}", "unit": f"{counted}/s", "seconds": f"{times[are].max():g}"}
    first, last = records["line"][[at - 1, at]]
    key = ONE_PAUSE if are.sum() == 1 else PAUSES
    return Pauses(Message(key, first=first, last=last, count=are.sum(), **told), _longest(stretches, ends))


def _once(done: Values) -> slice | Mask:
    """Which records to look at: the first of each step where a bar draws most of them twice, as it ends and goes on."""
    is_again = np.diff(done) == 0
    return np.append(True, ~is_again) if len(is_again) and is_again.mean() >= DRAWN_TWICE else slice(None)


def _joined(parts: list[Values]) -> Values:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _usual(times: Values, amounts: Values, known: Mask) -> float:
    """The seconds that one of what is counted takes as a rule."""
    with np.errstate(divide="ignore", invalid="ignore"):
        each: Values = times / amounts
    each = each if known.all() else each[known]
    return float(np.median(each, overwrite_input=True)) or float(times.sum(where=known) / amounts.sum(where=known))


def _are_fractions(times: Values, known: Mask) -> bool:
    """Whether any of the known times is no whole number of seconds."""
    parts = (slice(start, start + PART) for start in range(0, len(times), PART))
    return any((times[part][known[part]] % 1).any() for part in parts)


def _times(records: Columns, rows: slice) -> Values:
    """The seconds of each record of a stretch (float64); NaN of one that prints no time."""
    if "time" in records and records.printed("time")[[rows.start, rows.stop - 1]].all():
        return _since(records["time"][rows])
    return records.numbers("elapsed")[rows]


def _since(times: NDArray[np.datetime64]) -> Values:
    """The seconds since the first of some times (float64); NaN where there is none."""
    passed: Values = (times - times[:1]) / np.timedelta64(1, "s")
    return passed


def _longest(stretches: Sequence[slice], ends: Rows) -> tuple[int, int]:
    """The first and the last row of the longest piece of some stretches that are cut before these rows."""
    cuts = sorted({*ends.tolist(), *(rows.start for rows in stretches), stretches[-1].stop})
    start, stop = max(pairwise(cuts), key=lambda piece: piece[1] - piece[0])
    return start, stop - 1


def seconds_done(records: Records) -> Values:
    """Return the seconds since the first of some records (float64), by the times or else the ``elapsed`` they print."""
    records = columns(records)
    if "time" in records and records.printed("time").all():
        return _since(records["time"])
    return records.numbers("elapsed")

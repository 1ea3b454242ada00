"""Windows: which of the records that it reads a protocol takes, by their order or by their steps."""

from __future__ import annotations

import numpy as np

from parsers.series import Floats

from .diagnostics import Code, NoMeasurement, say
from .measurement import Reasons, Use
from .number import without_noise
from .protocol import Protocol
from .records import Records


def window_of(records: Records, protocol: Protocol) -> tuple[Reasons, int]:
    """Why a protocol takes each of some records or not (``Use``), and how many records or steps they have too few.

    Raises ``NoMeasurement`` where it needs numbers of steps that records do not have.
    """
    places = np.arange(1.0, len(records) + 1)
    steps = steps_done(records, protocol.words()) if protocol.window_counts_steps else places
    start, stop = _rest(records, places, steps, protocol)
    first, last, missing = start, stop, 0
    if take := protocol.take_first or protocol.take_last:
        done = steps if take.of == "steps" else places
        before = float(done[start - 1]) if start else 0.0
        if take.of == "steps" and protocol.skip_steps:
            before = float(protocol.skip_steps)
        missing = max(0, take.count - int(done[stop - 1] - before)) if stop > start else take.count
        if protocol.take_first:
            last = min(stop, _behind(done, before + take.count))
        else:
            first = max(start, _back(done, stop, take.count))
    reasons = np.full(len(records), Use.USED, np.int8)
    reasons[:first] = Use.BEFORE
    reasons[last:] = Use.BEYOND
    reasons[stop:] = Use.DROP_LAST if protocol.to_step is None else Use.BEYOND
    if protocol.from_step is None:
        reasons[:start] = Use.SKIP_STEPS if protocol.skip_steps else Use.SKIP_RECORDS
    return reasons, missing


def _rest(records: Records, places: Floats, steps: Floats, protocol: Protocol) -> tuple[int, int]:
    """The first record behind those skipped, and the first of those dropped at the end."""
    skipped = protocol.skip_records or int(without_noise(protocol.skip_fraction * len(records)))
    start = _behind(steps, protocol.skip_steps) if protocol.skip_steps else _behind(places, skipped)
    drop = protocol.drop_last
    stop = _back(steps if drop.of == "steps" else places, len(records), drop.count)
    if protocol.from_step is not None or protocol.to_step is not None:
        numbers = records.numbers("step")
        if not np.isfinite(numbers).all() or (np.diff(numbers) < 0).any():  # which of two equal ones is meant?
            raise NoMeasurement(say(Code.NO_STEPS, kind=records.kind, what="step", protocol=protocol.words()))
        start = start if protocol.from_step is None else int(np.searchsorted(numbers, protocol.from_step, "left"))
        stop = stop if protocol.to_step is None else _behind(numbers, protocol.to_step)
    return start, max(start, stop)


def _behind(done: Floats, count: float) -> int:
    """The first record that was printed after more than so many records or steps."""
    return int(np.searchsorted(done, count, side="right"))


def _back(done: Floats, stop: int, count: int) -> int:
    """The record at which the last records or steps before ``stop`` begin."""
    return _behind(done, done[stop - 1] - count) if stop else 0


def steps_done(records: Records, wanted: str) -> Floats:
    """The steps done in the run at each record; raises ``NoMeasurement`` of what needs them."""
    if records.steps is None:
        raise NoMeasurement(say(Code.NO_STEPS, kind=records.kind, what="step", protocol=wanted))
    return records.steps

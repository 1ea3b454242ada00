"""Rounding: how far a throughput may be off, because what it is computed from is printed with few digits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from parsers.io.message import Message

from ...measure.number import percent
from ...measure.protocol import Protocol
from ...measure.statistic import reduce
from ..caveats import TOLERANCE
from ..estimate import Values
from ..timing import Timed

MOST_ROUNDED = 0.05  # half of the last digit of a number with one
MOST_DIGITS = 6
FEWEST_RATES = 10
FEW_DIGITS = "{column} is printed to {unit} only, as {value}: by rounding, the throughput may be off by up to {share}."
WHOLE_SECONDS = (
    "The clock counts whole seconds and runs for {seconds} s: by rounding, the throughput may be off by about {share}."
)
BY_TIME = (
    "The mean of {count} rates is {mean} {unit}; if each covers equally many steps, the throughput over their whole "
    "time is {value} {unit} (statistic=harmonic_mean)."
)
FINEST = 0.001


def of_digits(column: str, numbers: Values) -> Iterator[Message]:
    """Warn of a number that is printed alone, or again and again; the mean of several is better known than each."""
    if not len(numbers) or not numbers[0] > 0 or (numbers != numbers[0]).any():
        return
    value = float(numbers[0])
    digits = next((n for n in range(MOST_DIGITS) if round(value, n) == value), None)
    if digits is None:
        return
    unit = 10.0**-digits
    share = unit / 2 / value
    # What is printed with more digits than it needs, `0.50`, has lost them here.
    if share > MOST_ROUNDED and unit <= FINEST:
        yield Message(FEW_DIGITS, column=column, unit=f"{unit:g}", value=f"{value:g}", share=percent(share))


def of_clock(found: Timed) -> Iterator[Message]:
    """Warn of a short clock of whole seconds, of which each stretch has one at either end."""
    share = np.sqrt(len(found.stretches)) / found.seconds if found.is_whole else 0.0
    if share > TOLERANCE:
        yield Message(WHOLE_SECONDS, seconds=f"{found.seconds:g}", share=percent(float(share)))


def of_rates(rates: Values, unit: str, protocol: Protocol) -> Iterator[Message]:
    """Tell what rates in a unit make over the time that they took, where their mean counts a few fast ones for more."""
    if protocol.statistic != "mean" or len(rates) < FEWEST_RATES or not (rates > 0).all():
        return
    mean, by_time = reduce(rates, "mean"), reduce(rates, "harmonic_mean")
    if mean > (1 + TOLERANCE) * by_time:
        yield Message(BY_TIME, count=len(rates), mean=f"{mean:.6g}", value=f"{by_time:.6g}", unit=unit)

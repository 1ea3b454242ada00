"""Steadiness: warnings of a number that hangs on its warm-up, on a stall at either end, or on running means."""

from collections.abc import Iterator, Sequence

from ..statistic import median
from .calculation import value_of
from .derivation import Derivation
from .sensitivity import FEWEST, MIDDLES, UNDONE, Variation

SPREAD = 2.0  # percent
# A record this far from the median, which moves the number so much (both in percent), is told.
FAR, MOVED = 10.0, 0.5

UNSTEADY = (
    "Warm-ups and statistics that are as good give {low:.6g} to {high:.6g}, a spread of {spread:.1f} %: the number"
    " depends on the rule."
)
STALL = (
    "The {which} used record, line {line}, is {value:.6g} where the median is {median:.6g}: without it the number is"
    " {number:.6g} ({percent:+.2f} %)."
)
FEW = "Only {count} {records} used: {fewest} or more show how steady a run is."
RUNNING = (
    "The values are running means, which count early steps again: undone the number is {value:.6g} ({percent:+.2f} %)."
)


def spread(found: Sequence[Variation], number: float) -> Iterator[str]:
    """Warn of a number that other rules move: those that are as good, and running means undone."""
    values = [number, *(variation.value for variation in found if variation.is_as_good)]
    percent = (max(values) - min(values)) / number * 100 if number else 0.0
    if percent > SPREAD:
        yield UNSTEADY.format(low=min(values), high=max(values), spread=percent)
    for variation in found:
        if variation.name == UNDONE and abs(variation.percent(number)) > MOVED:
            yield RUNNING.format(value=variation.value, percent=variation.percent(number))


def few(derivation: Derivation) -> Iterator[str]:
    """Warn of a statistic of few records."""
    count = len(derivation.sample.values)
    if _is_of_many(derivation) and count < FEWEST:
        yield FEW.format(count=count, records="record is" if count == 1 else "records are", fewest=FEWEST)


def stalls(derivation: Derivation) -> Iterator[str]:
    """Warn of a stall at either end of what is used of a log, where it moves the number."""
    values, number = derivation.sample.values, derivation.measurement.value
    if not _is_of_many(derivation) or len(values) < 3:
        return
    middle = median(values)
    for which, row, rest in (("first", 0, values[1:]), ("last", -1, values[:-1])):
        value, other = float(values[row]), value_of(derivation, rest)
        percent = (other / number - 1) * 100 if number else 0.0
        if abs(value - middle) * 100 > FAR * middle and abs(percent) > MOVED:
            line = derivation.sample.records["line"].iloc[row]
            yield STALL.format(which=which, line=line, value=value, median=middle, number=other, percent=percent)


def _is_of_many(derivation: Derivation) -> bool:
    """Whether the number is meant to be a middle of its values."""
    return derivation.sample.timed is None and derivation.protocol.statistic in MIDDLES

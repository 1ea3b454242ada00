"""Moments: where the stamp of a line stands, what it says, in seconds, and which numbers are the time between two."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..grammar.timestamps import hour_of_day
from ..naming.marks import HALF, SHORT_DATE, TIME_OF_DAY
from ..naming.slots import NUMBER

_FULL = re.compile(rf"(\d{{4}})[-/]?(\d\d)[-/]?(\d\d)[ T_-]+(\d\d):(\d\d):(\d\d)(?:[.,](\d{{1,6}}))?(?!{HALF})")
_SHORT = re.compile(r"(?:[IWEF])?(\d\d)[-/]?(\d\d)(?:/\d\d)? (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
_NAMED = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) +(\d+) (\d\d):(\d\d):(\d\d) (\d{4})")
# Only the time of day of these is known.
_SECOND = r"(?P<minute>\d\d):(?P<second>\d\d(?:[.,]\d{1,9})?)"
_OF_HALF_DAY = re.compile(rf"(?<!\d)(?P<hour>\d{{1,2}}):{_SECOND}(?={HALF}) ?(?P<half>[AaPp])")
_OF_SOME_DAY = re.compile(rf"{SHORT_DATE}[ T](?P<hour>\d\d):{_SECOND}")
_DATE = re.compile(rf"(?:\d{{4}}[-/.]\d\d[-/.]\d\d|{SHORT_DATE}|\d\d?[-/]\d\d?)(?=,?[ T]\d{{1,2}}:\d\d:\d\d)")
_DAY = 86400.0
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ANY_YEAR = 2024

_CLOCK_OF_STAMP = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_KINDS_OF_STAMPS = {
    "TWELVE_HOUR_STAMP": re.compile(
        rf"(?:(?:\d{{4}}[-/.]\d\d[-/.]\d\d|{SHORT_DATE}|(?<![\d/-])\d\d?[-/]\d\d?),?[ T])?"
        rf"(?<!\d)\d{{1,2}}:\d\d:\d\d(?:[.,]\d{{1,9}})?{HALF}"
    ),
    "STAMP": re.compile(rf"\d{{4}}[-/]\d\d[-/]\d\d[ T]{_CLOCK_OF_STAMP}(?:Z|[-+]\d\d:\d\d)?(?!\d)"),
    "COMPACT_STAMP": re.compile(rf"(?<!\d)\d{{8}}[ T-]{_CLOCK_OF_STAMP}(?!\d)"),
    "C_STAMP": re.compile(
        r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d "
        r"\d\d:\d\d:\d\d \d{4}"
    ),
    "SHORT_DATE_STAMP": re.compile(rf"{SHORT_DATE}[ T]{_CLOCK_OF_STAMP}(?!\d)"),
    "YEARLESS_STAMP": re.compile(rf"(?<![\d/-])\d\d[-/]?\d\d {_CLOCK_OF_STAMP}(?!\d)"),
}
_BEHIND = 20  # letters of a line, such as those of a level
# What loggers put before the moment: a level and the name of a file or of themselves, `INFO - train.py - `.
_LEVEL = r"[\[(<]?(?:INFO|DEBUG|WARNING|ERROR)[\])>]?"
_NAME = r"[\[(<]?[A-Za-z_][\w./-]{0,59}(?::\d{1,6})?[\])>]?"
_GAP = r"(?: ?[-|:] ?| )"
_BY_A_LOGGER = re.compile(rf"(?:{_LEVEL}{_GAP}{_NAME}|{_NAME}{_GAP}{_LEVEL}|\[INFO\|{_NAME}){_GAP}[\[(<]?")
# How a stamp at the end of a line is called that is the moment of it: ` - Time 2031-02-03T04:05:06`.
_MOMENT = re.compile(
    r"(?i)(?:\A|[^\w\s]|\d)\s*(?:current |local )?(?:time|timestamp|datetime|date|now|at|ts)[\"']?\s*[:=]?\Z"
)
_TICK = 2.0**-22  # seconds between two doubles of the system's clock
_FEWEST_READINGS, _MOST_TICKS = 5, 2.0**52
_COARSE, _MOST_FINE = 1 << 10, 0.9  # few of them are short numbers such as 0.5
_SEPARATORS = ",;|-)]}>"


@dataclass(frozen=True)
class Stamp:
    """A moment at the start or end of a line: the ``kind`` is the terminal of a grammar that takes it.

    ``before``: what stands before it, behind any number.
    """

    kind: str
    start: int
    end: int
    before: str


def stamp_of(text: str) -> Stamp | None:
    """The stamp at the start of a line, behind at most a few words, or else the one at its end."""
    for kind, pattern in _KINDS_OF_STAMPS.items():
        found = pattern.search(text)
        if found and _is_at_start(text[: found.start()]):
            return Stamp(kind, *found.span(), text[: found.start()])
    of_day = TIME_OF_DAY.match(text)
    return Stamp("TIME_OF_DAY", *of_day.span("stamp"), text[: of_day.start("stamp")]) if of_day else _at_end(text)


def _at_end(text: str) -> Stamp | None:
    """The stamp at the end of a line whose other numbers stand before it."""
    for kind in ("STAMP", "COMPACT_STAMP", "C_STAMP"):  # of a day and a year: no length of time is written so
        found = next(iter(reversed(list(_KINDS_OF_STAMPS[kind].finditer(text)))), None)
        if found and not text[found.end() :].strip(" \t\r\"')]}") and _is_of_line(text[: found.start()]):
            return Stamp(kind, *found.span(), NUMBER.split(text[: found.start()])[-1])
    return None


def _is_of_line(before: str) -> bool:
    """Whether nothing stands before a stamp but what was told until then, or a name that says no more than a moment."""
    plain = before.rstrip(" \t[(\"'")
    return bool(_MOMENT.search(plain)) or plain[-1:].isdigit() or plain[-1:] in _SEPARATORS


def _is_at_start(before: str) -> bool:
    """Whether what stands before a stamp is but a few words, or what a logger puts there."""
    return bool(len(before) <= _BEHIND and not NUMBER.search(before)) or _BY_A_LOGGER.fullmatch(before) is not None


def moment(text: str) -> float:
    """POSIX seconds of the stamp in a line, those since midnight where no date is read; NaN of none or a wrong date."""
    if named := _NAMED.search(text[:160]):
        return _of_names(*named.groups())
    found = None if TIME_OF_DAY.match(text) else _FULL.search(text[:160])
    if not found and len(text) > 160 and (last := _at_end(text)):
        return moment(text[last.start : last.end])
    if not found and (of_day := _of_day(text)) is not None:
        return of_day
    short = None if found else _SHORT.search(text[:60])
    if not (found or short):
        return float("nan")
    *date, fraction = found.groups() if found else (_ANY_YEAR, *(short.groups() if short else ()))
    year, month, day, hour, minute, second = map(int, date)
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() + float(f"0.{fraction or 0}")
    except ValueError:
        return float("nan")


def are_paused(texts: Sequence[str]) -> bool:
    """Whether some day begins between two lines though their time of day tells of none, or none where it does.

    So it is after a pause of half a day or more, which nobody sees who reads only the time of day.
    """
    dates = [found[0] if (found := _DATE.search(text[:160])) else None for text in texts]
    moments = list(map(moment, texts))
    return any(
        (one != other) != (round((after - before) / _DAY) != 0) or not (one == other or _is_next_day(one, other))
        for (one, other), (before, after) in zip(pairwise(dates), pairwise(moments), strict=True)
        if one is not None and other is not None and math.isfinite(after - before)
    )


def _is_next_day(one: str, other: str) -> bool:
    """Whether a date may be that after another, whatever the order of its numbers: a day more, or the first again."""
    numbers = (map(int, re.findall(r"\d+", date)) for date in (one, other))
    changed = [(before, after) for before, after in zip(*numbers, strict=False) if before != after]
    return [after - before for before, after in changed] == [1] or any(after == 1 for _, after in changed)


def _of_day(text: str) -> float | None:
    """Seconds since midnight by a stamp of which no more is read; None of others."""
    half = _OF_HALF_DAY.search(text[:160])
    found = TIME_OF_DAY.match(text) or half or _OF_SOME_DAY.search(text[:160])
    if found is None:
        return None
    hour = hour_of_day(int(found["hour"]), found["half"]) if found is half else int(found["hour"])
    return 3600.0 * hour + 60 * int(found["minute"]) + float(found["second"].replace(",", "."))


def _of_names(month: str, day: str, hour: str, minute: str, second: str, year: str) -> float:
    """POSIX seconds of a date with the name of its month; NaN for an invalid date."""
    try:
        number = _MONTHS.index(month) + 1
        return datetime(int(year), number, int(day), int(hour), int(minute), int(second), tzinfo=UTC).timestamp()
    except ValueError:
        return float("nan")


def are_by_system_clock(numbers: NDArray[np.float64]) -> bool:
    """Whether positive numbers are differences of two readings of the system's clock, in seconds.

    Since 2004 and until 2038 a double of such a reading is a multiple of 2^-22 s, and so is any difference, which
    Python prints with all its digits. One in milliseconds would have a common divisor.
    """
    ticks = numbers / _TICK
    if len(ticks) < _FEWEST_READINGS or (ticks != np.round(ticks)).any() or ticks.max() > _MOST_TICKS:
        return False
    whole = ticks.astype(np.int64)
    return int(np.gcd.reduce(whole)) == 1 and bool((whole % _COARSE != 0).mean() >= _MOST_FINE)

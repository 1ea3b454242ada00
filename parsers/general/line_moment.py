"""Moments: what the stamp of a line says, in seconds, however it is written."""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

from ..grammar.timestamps import hour_of_day
from ..naming.marks import HALF, SHORT_DATE, TIME_OF_DAY

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


def moment(text: str) -> float:
    """POSIX seconds of the stamp in a line, those since midnight where no date is read; NaN of none or a wrong date."""
    if named := _NAMED.search(text[:160]):
        return _of_names(*named.groups())
    found = None if TIME_OF_DAY.match(text) else _FULL.search(text[:160])
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

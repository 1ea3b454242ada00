"""Moments: what the stamp of a line says, in seconds, however it is written."""

import re
from datetime import UTC, datetime

from ..naming.marks import TIME_OF_DAY

_FULL = re.compile(r"(\d{4})[-/]?(\d\d)[-/]?(\d\d)[ T_-]+(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
_SHORT = re.compile(r"(?:[IWEF])?(\d\d)[-/]?(\d\d)(?:/\d\d)? (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?")
_NAMED = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) +(\d+) (\d\d):(\d\d):(\d\d) (\d{4})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ANY_YEAR = 2024


def moment(text: str) -> float:
    """POSIX seconds of the stamp in a line, those since midnight where it has no date; NaN of none or a wrong date."""
    if named := _NAMED.search(text[:160]):
        return _of_names(*named.groups())
    if of_day := TIME_OF_DAY.match(text):
        return 3600.0 * int(of_day["hour"]) + 60 * int(of_day["minute"]) + float(of_day["second"].replace(",", "."))
    found = _FULL.search(text[:160])
    short = None if found else _SHORT.search(text[:60])
    if not (found or short):
        return float("nan")
    *date, fraction = found.groups() if found else (_ANY_YEAR, *(short.groups() if short else ()))
    year, month, day, hour, minute, second = map(int, date)
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp() + float(f"0.{fraction or 0}")
    except ValueError:
        return float("nan")


def _of_names(month: str, day: str, hour: str, minute: str, second: str, year: str) -> float:
    """POSIX seconds of a date with the name of its month; NaN for an invalid date."""
    try:
        number = _MONTHS.index(month) + 1
        return datetime(int(year), number, int(day), int(hour), int(minute), int(second), tzinfo=UTC).timestamp()
    except ValueError:
        return float("nan")

"""Times as programs print them, and lengths of time, by the name of the terminal that a grammar gives them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.cache import pd

Texts = Sequence[bytes]
Times = NDArray[np.datetime64]

# West of Greenwich, -05:00 after a time: numpy reads a zone after any blanks as well, and warns of it.
_WEST = re.compile(rb" [^\n-]*+-")
_ISO = bytes.maketrans(b"/,T", b"-. ")
# A stamp without a year gets this one, a leap year: only the time between two of them means something.
NO_YEAR, NO_DATE = b"2000-", b"2000-01-01 "
LATEST = 253_402_300_800e6  # the microseconds from 1970 to the year 10000
WITHOUT_YEAR = "YEARLESS_STAMP"
TIME_OF_DAY = "TIME_OF_DAY"
SHORT_DATE = "SHORT_DATE_STAMP"
TWELVE_HOUR = "TWELVE_HOUR_STAMP"
# Those that tell only the time of day.
OF_DAY = frozenset((TIME_OF_DAY, SHORT_DATE, TWELVE_HOUR))
# How long it takes until a stamp is the same again.
TURNS = {
    WITHOUT_YEAR: np.timedelta64(366, "D").astype("timedelta64[us]"),
    **dict.fromkeys(OF_DAY, np.timedelta64(1, "D").astype("timedelta64[us]")),
}


def times(texts: Texts) -> Times:
    """datetime64[us]; NaT where the line does not have the field, or names a day that does not exist."""
    joined = b"\n".join(texts).translate(_ISO)
    stamps = [stamp or "NaT" for stamp in joined.decode("ascii").split("\n")] if texts else []
    if b"Z" in joined or b"+" in joined or _WEST.search(joined):
        return _zoned(stamps)
    try:
        return np.array(stamps, dtype="datetime64[us]")
    except ValueError:
        return _zoned(stamps)


def _zoned(stamps: Sequence[str]) -> Times:
    """Times of which some name a zone, in UTC, or are of no real day."""
    found = pd.to_datetime(pd.Series(stamps, dtype=str), format="ISO8601", errors="coerce", utc=True)
    return found.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")


_CLOCK = re.compile(rb"(\d{1,2})(:\d\d:\d\d(?:[.,]\d+)?)(?: ?([AaPp])[Mm])?\Z")


def _of_day(texts: Texts) -> Times:
    """The times of day at the end of stamps; of one that counts twelve hours twice, ``01:02:03 PM`` is ``13:02:03``."""
    stamps = []
    for found in map(_CLOCK.search, texts):
        clock = found[0] if found else b""
        if found and found[3]:
            hour = int(found[1]) % 12 + (12 if found[3] in b"Pp" else 0)  # 12 is the first of each half of the day
            clock = b"%02d%b" % (hour, found[2])
        stamps.append(clock and NO_DATE + clock)
    return times(stamps)


def run_on(stamps: Times, kind: str) -> Times:
    """Times of stamps of a ``kind`` that begins anew (datetime64[us]), as printed one after the other, over its turns.

    The year of a stamp without one is the one nearest to the time before it: 01-01 after 12-31 is one year on, and
    12-31 after that, of a rank that lags behind, one year back. So is the day of one without a date. A silence of
    half a turn or more cannot be told; where the year is no leap year, a log that runs over the end of February gains a
    day.
    """
    turn = TURNS[kind]
    shown = np.flatnonzero(~np.isnat(stamps))
    steps = np.diff(stamps[shown], prepend=stamps[shown][:1])
    turns = -np.round(steps / turn).astype(np.int64)
    following = stamps.copy()
    following[shown] += np.cumsum(turns) * turn
    return following


def _of_c(texts: Texts) -> Times:
    stamps = pd.Series([text.decode() for text in texts], dtype=str)
    found = pd.to_datetime(stamps, format="%a %b %d %H:%M:%S %Y", errors="coerce")
    return found.to_numpy(dtype="datetime64[us]")


def _unix(texts: Texts, in_a_second: int) -> Times:
    """Unix time, to the microsecond that is printed; a float does not hold more digits of it."""
    numbers = (_numbers(texts) * (1e6 / in_a_second)).round()
    is_time = np.abs(numbers) < LATEST
    stamps = np.full(len(numbers), np.datetime64("NaT", "us"), "datetime64[us]")
    stamps[is_time] = numbers[is_time].astype(np.int64).view("datetime64[us]")
    return stamps


def _numbers(texts: Texts) -> NDArray[np.float64]:
    return np.array([float(text or "nan") for text in texts], dtype=np.float64)


def _a_second(texts: Texts) -> NDArray[np.float64]:
    """float64 of how many of a thousand are done each second, by the seconds that these take; NaN for an empty text."""
    with np.errstate(divide="ignore"):
        done: NDArray[np.float64] = 1000 / _numbers(texts)
    return done


_SPELT_UNIT = re.compile(
    r"([0-9.]+) ?(days?|d|hours?|hrs?|h|minutes?|mins?|ms|m|分钟?|seconds?|secs?|s|秒)", re.IGNORECASE
)
_FIRST_LETTERS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "分": 60.0, "s": 1.0, "秒": 1.0}
_MILLISECOND = "ms"


def length_of_time(text: str) -> float:
    """Seconds of a text such as ``6 days, 14:31:25``, ``1:40:07``, ``2m 28s`` or ``12.5``; NaN of an empty one."""
    if ":" not in text and (parts := _SPELT_UNIT.findall(text)):
        return sum(
            float(count) * (1e-3 if unit.lower() == _MILLISECOND else _FIRST_LETTERS[unit[0].lower()])
            for count, unit in parts
        )
    days, found, clock = text.rpartition(", ")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = seconds * 60 + float(part or "nan")
    return seconds + (86400 * int(days.split(" ")[0]) if found else 0)


def _lengths(texts: Texts) -> NDArray[np.float64]:
    return np.array([length_of_time(text.decode()) for text in texts], dtype=np.float64)


# How a column is made of the texts of a terminal; of any other terminal they are numbers or stay as they are.
COLUMNS: Mapping[str, Callable[[Texts], NDArray[Any]]] = {
    "STAMP": times,
    "COMPACT_STAMP": lambda texts: times([t and b"-".join((t[:4], t[4:6], t[6:8])) + b" " + t[9:] for t in texts]),
    WITHOUT_YEAR: lambda texts: times([t and NO_YEAR + t[:2] + b"-" + t[2:].lstrip(b"-/") for t in texts]),
    **dict.fromkeys(OF_DAY, _of_day),
    "C_STAMP": _of_c,
    "UNIX_SECONDS": lambda texts: _unix(texts, 1),
    "UNIX_MILLISECONDS": lambda texts: _unix(texts, 1000),
    **dict.fromkeys(("DURATION", "SPELT_DURATION"), _lengths),
    "SECONDS_OF_THOUSAND": _a_second,
    "MINUTES": lambda texts: 60 * _numbers(texts),
    "HOURS": lambda texts: 3600 * _numbers(texts),
}

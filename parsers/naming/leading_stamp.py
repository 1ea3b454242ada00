"""Leading stamps: the moment at the start of a line, behind what loggers put before it."""

import re
from dataclasses import dataclass

from .marks import HALF, SHORT_DATE, TIME_OF_DAY
from .slots import NUMBER

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


@dataclass(frozen=True)
class Stamp:
    """A moment at the start of a line: the ``kind`` is the terminal of a grammar that takes it."""

    kind: str
    start: int
    end: int


def leading_stamp(line: str) -> Stamp | None:
    """The stamp at the start of a line, behind at most a few words; None of a line without one."""
    for kind, pattern in _KINDS_OF_STAMPS.items():
        found = pattern.search(line)
        if found and _is_at_start(line[: found.start()]):
            return Stamp(kind, *found.span())
    of_day = TIME_OF_DAY.match(line)
    return Stamp("TIME_OF_DAY", *of_day.span("stamp")) if of_day else None


def _is_at_start(before: str) -> bool:
    """Whether what stands before a stamp is but a few words, or what a logger puts there."""
    return bool(len(before) <= _BEHIND and not NUMBER.search(before)) or _BY_A_LOGGER.fullmatch(before) is not None

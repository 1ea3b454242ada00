"""Values of logs: the numbers that a log prints, by the words beside them and what these say that they count."""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from parsers.io.errors import ParserError
from parsers.scanning.text import LogText

from ..recovery.printed_digits import Name, NamedValues
from .labels import name_of, read_label

LARGEST = 32 << 20  # bytes of a log; a longer one is left to the protocols
LONGEST_LINE = 4_000  # characters
LONGEST_NAME = 60
MOST_SHAPES = 1 << 15  # of lines, which the logs of one program share
# What is a part of a word, such as the 5 of Acc@5, is none, nor what has a sign.
_NUMBER = re.compile(r"(?<![\w.@+-])([0-9]{1,15}(?:,[0-9]{3}){0,4}(?:\.[0-9]{1,20})?)(?![0-9])")
_MARK = "\0"
_WORD = r"[A-Za-z\u4e00-\u9fff]{1,12}"
_UNIT_IN_BRACKETS = re.compile(r"\s?[(\[（][^()\[\]（）]{1,30}[)\]）]$")
_CODE = re.compile(r"[+={}<>]")
_GOES_ON = re.compile(r"[eE][+-]?[0-9]|[.:/_-]|[A-Za-z]*_")
_BETWEEN = re.compile(r"[,;|)\]}>]|\t| {2,}|[，；（）]")
_SECONDS = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds", "毫秒"), Decimal("0.001")),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), Decimal(1)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes", "分", "分钟"), Decimal(60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时"), Decimal(3600)),
}
_TIME_UNITS = "|".join(sorted(_SECONDS, key=len, reverse=True))
_TIME_UNIT = re.compile(rf"(?<![a-z])(?:{_TIME_UNITS})(?![a-z])", re.IGNORECASE)
_UNIT_BEHIND = re.compile(
    rf" ?(?:{_WORD}(?: ?/ ?{_WORD}){{1,2}}|%|(?:{_TIME_UNITS}|[KMG]i?B)(?![A-Za-z_]))"
    rf"|{_WORD}(?![A-Za-z_])"
)
_OF_A_STEP = re.compile(r"step|iter|batch|(?<![a-z])its?(?![a-z])|步|迭代", re.IGNORECASE)
_OF_AN_EPOCH = re.compile(r"epoch|轮", re.IGNORECASE)
_OF_SAMPLES = re.compile(r"image|img|sample|token|sequence|张|样本", re.IGNORECASE)
_OF_EVALUATION = re.compile(r"eval|(?<![a-z])val|valid|test|infer|验证|评估|推理|测试", re.IGNORECASE)
_UTILISATION = re.compile(r"(?<![a-z])[mh]fu(?![a-z])", re.IGNORECASE)


@lru_cache(maxsize=MOST_SHAPES)
def kind_of(words: str, behind: str = "") -> str:
    """What words count, in the terms of ``Name.kind``; nothing where they hold no letter.

    ``behind``: what stands behind the number, such as its unit.
    """
    label = read_label(words)
    said = label.quantities or read_label(behind).quantities
    if said == {"time"}:
        return _time(words + " " + behind)
    if said == {"compute"} and (found := _UTILISATION.search(words)):
        return found[0].lower()
    said = said - {"throughput"} if "per_card" in said else said
    if len(said) == 1 and not said & {"other", "compute"}:
        return next(iter(said)) + (" of evaluation" if _OF_EVALUATION.search(words) else "")
    return "".join(name_of(words))


def _time(words: str) -> str:
    if _OF_SAMPLES.search(words):
        return "time of a sample"
    if _OF_A_STEP.search(words):
        return "time of a step"
    of = "time of an epoch" if _OF_AN_EPOCH.search(words) else "time"
    return of + (" of evaluation" if _OF_EVALUATION.search(words) else "")


def seconds_of(*texts: str) -> Decimal | None:
    """What the unit of a time is in seconds, by the first text that names one; None where none does."""
    found = (_TIME_UNIT.search(text.replace("_", " ")) for text in texts)
    return next((_SECONDS[one[0].lower()] for one in found if one), None)


def named_values(log: Path, kinds: Collection[str] | None = None) -> list[NamedValues]:
    """The numbers of a log that stand behind words, by these; none of one that cannot be read, or is too large.

    ``kinds``: those that are wanted; all if None.
    """
    known: dict[Name, NamedValues] = {}
    try:
        for number, line in enumerate(_lines(log), start=1):
            parts = _NUMBER.split(line)  # every second one is a number
            if places := _names(_MARK.join(parts[::2])):
                digits = parts[1::2]
                for place, name in ((p, n) for p, n in places if kinds is None or n.kind in kinds):
                    found = known.setdefault(name, NamedValues(name))
                    found.digits.append(digits[place].replace(",", ""))
                    found.lines.append(number)
    except (ParserError, OSError):
        return []
    return list(known.values())


def _lines(log: Path) -> Iterator[str]:
    size = 0
    for block in LogText(log).data():
        size += len(block)
        if size > LARGEST:
            raise OSError
        for line in block.decode("utf-8", "replace").split("\n"):
            yield line if len(line) <= LONGEST_LINE else ""


@lru_cache(maxsize=MOST_SHAPES)
def _names(shape: str) -> tuple[tuple[int, Name], ...]:
    """The numbers of a line of this shape that have a name, by their places among its numbers."""
    return tuple(_named(shape.split(_MARK)))


def _named(parts: Sequence[str]) -> Iterator[tuple[int, Name]]:
    for place, (before, behind) in enumerate(pairwise(parts)):
        words = _words(before, is_first=place == 0) if _is_whole(before, behind) else ""
        if words and not _CODE.search(words):
            unit = found[0] if (found := _UNIT_BEHIND.match(behind)) else ""
            if kind := kind_of(words, unit):
                yield place, Name(words, kind, seconds_of(unit, words) if kind.startswith("time") else None)


def _is_whole(before: str, behind: str) -> bool:
    """Whether a number is no part of a date, of a fraction, or of a power of ten."""
    return not before.endswith("/") and not _GOES_ON.match(behind)


def _words(before: str, *, is_first: bool) -> str:
    """The name that ends right before a number, without the unit of the number before it."""
    if not is_first and (unit := _UNIT_BEHIND.match(before)) and unit.end() < len(before.rstrip(" :=")):
        before = before[unit.end() :]
    before = before.rstrip(" \t:=\"'：|")
    unit_of_name = found[0] if (found := _UNIT_IN_BRACKETS.search(before)) else ""
    words = _BETWEEN.split(before.removesuffix(unit_of_name))[-1] + unit_of_name
    return words.strip(" \"'{[(-:=*")[-LONGEST_NAME:]

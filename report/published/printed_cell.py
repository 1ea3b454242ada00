"""Printed cells: the one number of a cell of a table, and between which bounds its unrounded value lies."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

# Bounds are compared as floats; what differs by less than this fraction is equal.
EXACTNESS = 1e-9

_NUMBER = r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3}){1,4}(?:\.[0-9]{1,12})?|[0-9]{1,12}(?:\.[0-9]{1,12})?)"
_CELL = re.compile(rf"\s*\+?\s*{_NUMBER}\s*(?P<unit>%|[x×X](?!\w)|[kKM](?!\w)|[A-Za-z][A-Za-z/ ]{{0,15}})?\s*")
_MARK = re.compile(r"\^.*$")
_DURATION = re.compile(
    r"\s*(?:(?P<days>\d{1,4})\s*d(?:ays?)?[ ,]*)?(?:(?P<hours>\d{1,5})\s*h(?:ours?|rs?)?[ ,]*)?"
    r"(?:(?P<minutes>\d{1,5})\s*m(?:in(?:utes?)?)?[ ,]*)?(?:(?P<seconds>\d{1,6})\s*s(?:ec(?:onds?)?)?)?\s*"
)
_CLOCK = re.compile(r"\s*(?P<hours>\d{1,4}):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d)\s*")
_SECONDS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
FEWEST_WHOLE = 4  # numbers, below which those that end in .0 may be measured so
_TIMES = {"k": 1e3, "K": 1e3, "M": 1e6}


@dataclass(frozen=True)
class Bounds:
    """Between what a value lies, both ends included; neither is negative."""

    low: float
    high: float

    def __mul__(self, other: "Bounds") -> "Bounds":
        return Bounds(self.low * other.low, self.high * other.high)

    def __truediv__(self, other: "Bounds") -> "Bounds":
        """The quotient; the other must lie above 0."""
        return Bounds(self.low / other.high, self.high / other.low)

    def scaled(self, factor: float, offset: float = 0.0) -> "Bounds":
        """Each end times a factor, which may be negative, plus an offset."""
        ends = sorted((self.low * factor + offset, self.high * factor + offset))
        return Bounds(ends[0], ends[1])

    def meets(self, other: "Bounds") -> bool:
        """Whether some value lies in both."""
        slack = EXACTNESS * max(abs(self.high), abs(other.high))
        return self.low <= other.high + slack and other.low <= self.high + slack


def exactly(value: float) -> Bounds:
    """The bounds of a number that is counted, not measured."""
    return Bounds(value, value)


@dataclass(frozen=True)
class PrintedCell:
    """The one number of a cell: its digits (without commas), its value, the step of its last digit, and its unit.

    ``unit``: ``%``, ``x`` for times, ``s`` for a duration that is written with its units, else what stands there.
    ``times``: what a ``k`` or an ``M`` behind it multiplies it by.
    """

    digits: str
    value: float
    step: float
    unit: str = ""
    times: float = 1.0

    @property
    def bounds(self) -> Bounds:
        """Where the value lies that was printed, be it rounded or cut off."""
        return Bounds(max(0.0, self.value - self.step / 2), self.value + self.step)

    def with_value(self, value: float) -> str:
        """Another value in as many digits behind its point."""
        return f"{value / self.times:.{len(self.digits.partition('.')[2])}f}"

    def is_like(self, other: "PrintedCell") -> bool:
        """Whether both are printed in one unit, as far as the cells say."""
        return self.unit == other.unit and (self.times == 1) == (other.times == 1)

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Read a cell; None where it holds anything but one number, such as a spread, a sign or two numbers."""
        text = _MARK.sub("", text)
        if found := _CELL.fullmatch(text):
            digits, unit = found["digits"].replace(",", ""), (found["unit"] or "").strip()
            times = _TIMES.get(unit, 1.0)
            unit = "x" if unit in ("X", "×") else "" if unit in _TIMES else unit
            return cls(digits, float(digits) * times, _step(digits) * times, unit, times)
        duration = _CLOCK.fullmatch(text) or _DURATION.fullmatch(text)
        parts = {name: int(count) for name, count in duration.groupdict().items() if count} if duration else {}
        if len(parts) < 2:
            return None
        return cls(text.strip(), float(sum(n * _SECONDS[p] for p, n in parts.items())), _SECONDS[list(parts)[-1]], "s")


def _step(digits: str) -> float:
    """What one more in the last digit is worth; several zeros at the end of a whole number may be rounded ones."""
    decimals = len(digits.partition(".")[2])
    if decimals:
        return float(f"1e-{decimals}")
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10.0 ** min(zeros, len(digits) - 2) if zeros > 1 else 1.0


def whole_end(column: Iterable[str]) -> str:
    """What the numbers of a column end in if all are whole: sheets write ``.0`` where one of its cells may be empty."""
    numbers = [number.partition(".")[2] for number in column]
    return ".0" if len(numbers) >= FEWEST_WHOLE and set(numbers) == {"0"} else ""

"""Numbers as printed: digits, the step of the last one, and which values they are a rounding of.

Every repeat in an expression is bounded or possessive, so that a line of hostile length costs no more than its length.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

HALF_UP, TRUNCATED = "half_up", "truncated"
# How a number is written: 12.5, 2m36s (in seconds), 3:59.2 (in minutes and seconds), 2024-10-13.
PLAIN, DURATION, CLOCK, DATE = "plain", "duration", "clock", "date"
# Noise of printed decimals, as a share of the last digit: a decimal of 15 digits is exact to about 1e-3 of it.
FLOAT_NOISE = 1e-3
# A number that is no part of a word, a version or a path; with thousands separators and exponent.
_NUMBER = (
    r"(?<![\w.#@/\\-])[-+−]?"
    r"(?:\d{1,3}(?:,\d{3}){1,6}+(?![\d,])(?:\.\d{1,40}+)?|\d{1,40}+\.\d{1,40}+|\.\d{1,40}+|\d{1,40}+)"
    r"(?:[eE][-+]?\d{1,2}(?!\d))?(?!\.?\d)"
)
NUMBER = re.compile(_NUMBER)
# 52 664: a space separates thousands only where nothing else stands.
_SPACED = re.compile(r"\s*(\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,6})\s*")
_SCALES = {"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "万": 1e4}
# A letter scales at its number, or between it and a unit of its own: 1.2k, 1.2 M tok/s.
_SCALE = re.compile(r"([kKMB])(?![A-Za-z])|(万)|\s([kKM])(?=\s[A-Za-z]{1,12}\s?/)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}
_PART = r"(\d{1,9}(?:\.\d{1,9})?)\s?(hours?|hrs?|h|ms|minutes?|mins?|m|seconds?|secs?|s)"
_PARTS = re.compile(_PART)
_UNCAUGHT = re.sub(r"\((?!\?)", "(?:", _PART)
_FORMS = re.compile(
    # Days are not read, so what stands behind days is not all of a duration.
    rf"(?P<duration>(?<![\w.])(?<!d )(?i:{_UNCAUGHT}(?:[ ,]{{0,2}}{_UNCAUGHT}){{1,3}})(?![A-Za-z]))"
    r"|(?P<clock>(?<![\w.:/-])(?:\d{1,3}:)?\d{1,3}:[0-5]\d(?:\.\d{1,9})?(?![\w:]))"
    r"|(?P<date>(?<![\w.:/-])(?:19|20)\d\d([-/.])[01]?\d\4[0-3]?\d(?!\d)|(?<![\w.])(?:19|20)\d\d(?=年))"
    rf"|(?P<plain>{_NUMBER})"
)


@dataclass(frozen=True, slots=True)
class Number:
    """``text`` as printed; ``step``: what one more in its last printed digit is worth."""

    text: str
    value: float
    step: float

    @classmethod
    def of(cls, text: str, scale: float = 1.0) -> "Number":
        """A number by its text, times what the letter behind it stands for."""
        plain = text.replace(",", "").replace("−", "-")
        mantissa, _, exponent = plain.lower().partition("e")
        decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
        return cls(text, float(plain) * scale, scale * 10.0**-decimals)

    @property
    def digits(self) -> int:
        """How many digits inform: not the zeros in front, nor those that a round number ends in."""
        plain = self.text.lower().partition("e")[0]
        return len(re.sub(r"\D", "", plain).strip("0"))

    @property
    def informative_step(self) -> float:
        """The step of the last digit that is not a zero at the end: 16,000,000 tells no more than 16."""
        plain = re.sub(r"\D", "", self.text.lower().partition("e")[0])
        zeros = len(plain) - len(plain.rstrip("0"))
        return self.step * 10.0**zeros if self.digits else abs(self.value) or 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """All values of which this may be a rounding, half up or truncated."""
        half, whole = (0.5 + FLOAT_NOISE) * self.step, (1 - FLOAT_NOISE) * self.step
        return (self.value - half, self.value + whole) if self.value >= 0 else (self.value - whole, self.value + half)

    def rounding_of(self, value: float) -> str | None:
        """How a value was rounded to this; None where it was not."""
        away = (value - self.value) / self.step
        if -0.5 - FLOAT_NOISE <= away <= 0.5 + FLOAT_NOISE:
            return HALF_UP
        return TRUNCATED if 0 <= (away if self.value >= 0 else -away) < 1 - FLOAT_NOISE else None


@dataclass(frozen=True, slots=True)
class Printed:
    """A number in a text, from ``start`` to ``end``, with the letter that scales it."""

    number: Number
    start: int
    end: int
    form: str = PLAIN


def numbers_in(text: str) -> Iterator[Printed]:
    """The numbers of a text in order; a compound duration, a clock and a date are one each."""
    if spaced := _SPACED.fullmatch(text):
        plain = Number.of(re.sub(r"\s", "", spaced[1]))
        yield Printed(Number(spaced[1], plain.value, plain.step), *spaced.span(1))
        return
    for found in _FORMS.finditer(text):
        form = found.lastgroup or PLAIN
        if form == DATE:
            yield Printed(Number(found[0], float(found[0][:4]), 1.0), *found.span(), form)
        elif form == CLOCK:
            yield Printed(_clock(found[0]), *found.span(), form)
        elif form == DURATION and (duration := _duration(found[0])):
            yield Printed(duration, *found.span(), form)
        else:
            for one in NUMBER.finditer(text, *found.span()):
                letter = _SCALE.match(text, one.end())
                scale = _SCALES[letter[letter.lastindex or 0]] if letter else 1.0
                yield Printed(Number.of(one[0], scale), one.start(), (letter or one).end())


def in_seconds(text: str) -> str:
    """A text with each compound duration in seconds: "2min 49s" as "169 s"."""

    def told(found: re.Match[str]) -> str:
        duration = _duration(found[0]) if found["duration"] else None
        return f"{duration.value:.10g} s" if duration else found[0]

    return _FORMS.sub(told, text)


def _duration(text: str) -> Number | None:
    """The seconds of a compound duration; None where its units do not go down, as in "8s 12s"."""
    amounts, names = zip(*_PARTS.findall(text.lower()), strict=True)
    units = [_SECONDS["ms" if name == "ms" else name[0]] for name in names]
    if any(above <= below for above, below in pairwise(units)):
        return None
    seconds = sum(float(amount) * unit for amount, unit in zip(amounts, units, strict=True))
    return Number(text, seconds, Number.of(amounts[-1]).step * units[-1])


def _clock(text: str) -> Number:
    *above, seconds = text.split(":")
    last = Number.of(seconds)
    minutes = sum(int(part) * 60**power for power, part in enumerate(reversed(above)))
    return Number(text, minutes * 60 + last.value, last.step)

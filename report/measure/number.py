"""Numbers: how a value is printed, to the last digit."""

import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from itertools import pairwise
from math import floor, log10

from .protocol import Protocol

DEFAULT_DECIMALS = 3
DIGITS = 4  # significant ones that are shown: one more than the 3 that a benchmark compares
MUCH = 10.0  # a larger change is only said to be larger
MINUS = "−"  # of a text for readers, which a hyphen is not
NEARLY_ALL = 0.995  # two digits of it are those of 100

_WHOLE = re.compile(r"\d+(?=(?:\.\d+)?‡?\Z)", re.ASCII)
_ROUNDING = {"half_up": ROUND_HALF_UP, "truncate": ROUND_DOWN}
# No float has more digits than this before and after its point together, so that no digit is ever lost on the way.
_EXACT = Context(prec=1100)


def without_noise(value: float) -> float:
    """Return the float nearest to the first 15 significant digits of a value, the digits that a float always holds.

    Logs print decimal numbers and floats are binary: the mean of 0.1, 0.1 and 0.1 comes out as 0.10000000000000002,
    and one such digit decides whether a half is rounded up, or whether 15.41 is cut to 15.40.
    """
    return float(f"{value:.15g}")


def quotient(of: float, against: float, ideal: float = 1.0, whole: float = 1.0) -> float:
    """Return ``of`` / ``against`` / ``ideal`` without noise; ``against`` and ``ideal`` are not 0.

    ``whole``: what 1 is told as, 100 for percent.
    """
    return without_noise(of / against / ideal * whole)


def printed(value: float, protocol: Protocol) -> str:
    """Return a value in plain digits, never in exponent form, as the protocol prints it.

    With ``decimals`` exactly so many; with ``significant`` so many significant digits without trailing zeros, as ``%g``
    does; with neither 3 decimals. ``half_up`` takes halves away from zero, ``truncate`` cuts towards zero. What is
    rounded is the shortest decimal number that reads back as the value, the one that Python shows.
    """
    decimal = Decimal(repr(float(value)))
    if protocol.significant is not None:
        last = decimal.adjusted() - protocol.significant + 1
        return format(_rounded(decimal, last, protocol).normalize(_EXACT), "f")
    decimals = DEFAULT_DECIMALS if protocol.decimals is None else protocol.decimals
    return format(_rounded(decimal, -decimals, protocol), "f")


def digits(value: float) -> str:
    """A value where nobody states its digits: four significant ones, never an exponent: ``0.002540``, ``19,110``."""
    rounded = float(f"{value:.{DIGITS}g}")
    if not rounded or not abs(rounded) < 10 ** (DIGITS - 1):
        return f"{rounded:,.0f}"
    return f"{rounded:.{DIGITS - 1 - floor(log10(abs(rounded)))}f}"


def thousands(digits: str) -> list[str]:
    """A printed number in parts: three digits of its whole part each, fewer in the first, the last with all behind it.

    What is no number is one part.
    """
    whole = _WHOLE.match(digits)
    ends = range((whole.end() - 1) % 3 + 1, whole.end(), 3) if whole else ()
    return [digits[start:end] for start, end in pairwise([0, *ends, len(digits)])]


def _rounded(decimal: Decimal, last: int, protocol: Protocol) -> Decimal:
    """Return a number rounded so that its last digit stands for 10 to the power ``last``."""
    return decimal.quantize(Decimal((0, (1,), last)), rounding=_ROUNDING[protocol.rounding], context=_EXACT)


def percent(fraction: float) -> str:
    """A fraction as percent, with as many digits as small ones need: ``3%``, ``0.23%``, ``>1000%``."""
    if abs(fraction) < NEARLY_ALL:
        return f"{100 * fraction:.2g}%"
    return f"{100 * fraction:.0f}%" if fraction <= MUCH else f">{100 * MUCH:.0f}%"


def signed(fraction: float) -> str:
    """A change as percent with its sign, none of one that is rounded to nothing: ``+3.0%``, ``−0.23%``, ``0.00%``."""
    if fraction > MUCH:
        return f">+{100 * MUCH:.0f}%"
    told = f"{100 * fraction:+.2f}%" if abs(fraction) < 0.01 else f"{100 * fraction:+.1f}%"
    return told[1:] if told[1:] == "0.00%" else told.replace("-", MINUS)

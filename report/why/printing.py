"""Printing: a number rounded by decimal digits, in awk as ``report.number`` does it."""

from decimal import Decimal
from math import isfinite

from ..number import DEFAULT_DECIMALS, without_noise
from ..protocol import Protocol

# Each operation goes through 15 digits, so that no binary noise decides whether a half is rounded up.
EXACT = "%.15g"


def printing(value: float, protocol: Protocol) -> str:
    """Return the statement of awk that prints ``x`` (15 digits) as the protocol prints a value, to the same place."""
    decimals = places(value, protocol)
    half = " + 0.5" if protocol.rounding == "half_up" else ""
    if decimals == 0:
        return f'printf "%.0f\\n", int(x{half})'
    if decimals > 0:
        shifted = f'int(sprintf("{EXACT}", x * {10**decimals}){half}) / {10**decimals}'
    else:
        shifted = f'int(sprintf("{EXACT}", x / {10**-decimals}){half}) * {10**-decimals}'
    return f'printf "{_form(value, decimals, protocol)}\\n", {shifted}'


def places(value: float, protocol: Protocol) -> int:
    """Return how many decimals a value is rounded to; negative before the point, as significant digits may be."""
    if protocol.significant is None:
        return DEFAULT_DECIMALS if protocol.decimals is None else protocol.decimals
    return protocol.significant - 1 - Decimal(repr(float(value))).adjusted()


def _form(value: float, decimals: int, protocol: Protocol) -> str:
    if protocol.significant is not None and decimals > 0 and (value == 0 or value >= 1e-4):
        return f"%.{protocol.significant}g"
    return f"%.{max(decimals, 0)}f"


def printed_by_awk(value: float, shown: float, protocol: Protocol) -> str:
    """Return what awk prints for a value with the statement that ``printing`` makes for the value ``shown``.

    That is nothing where a number on the way is too large.
    """
    x, decimals = without_noise(value), places(shown, protocol)
    shifted = without_noise(x * 10**decimals if decimals >= 0 else x / 10**-decimals)
    if not isfinite(shifted):
        return ""
    whole = float(int(shifted + 0.5 if protocol.rounding == "half_up" else shifted))
    number: float = whole / 10**decimals if decimals >= 0 else whole * 10**-decimals
    return str(_form(shown, decimals, protocol) % number)

"""Calculations: from the values of the records to the printed number, in awk and in the same steps in Python."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import exp, isfinite, log, nan

from ..measuring.number import DEFAULT_DECIMALS, printed, without_noise
from ..measuring.protocol import Protocol
from ..measuring.quantities.run_figure import after
from ..measuring.statistic import PERCENTILES, Values, reduce
from .derivation import Derivation
from .sample import factor

Sum = Callable[[Sequence[float]], float]

# The middle one of sorted numbers, or the mean of the middle two.
_MIDDLE = "(v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2"
# Between two of the sorted numbers, in proportion.
_PERCENTILE = (
    "v[int((NR - 1) * {0} / 100) + 1] + ((NR - 1) * {0} / 100 - int((NR - 1) * {0} / 100))"
    " * (v[int((NR - 1) * {0} / 100) + 2] - v[int((NR - 1) * {0} / 100) + 1])"
)
_CAREFUL = "x = {0} + 0; t = sum + x; lost += sum > x ? sum - t + x : x - t + sum; sum = t; n++"


@dataclass(frozen=True)
class Loop:
    """A statistic in awk: what is done with each number ``{0}``, at the end, and the expression of the result.

    ``of``: the same arithmetic in Python, rounding for rounding. ``is_sorted``: whether the numbers come sorted.
    """

    each: str
    result: str
    of: Sum
    last: str = ""
    is_sorted: bool = False


def plain_sum(values: Sequence[float]) -> float:
    """Return the sum as awk adds numbers: each addition is rounded."""
    total = 0.0
    for value in values:
        total += value
    return total


def careful_sum(values: Sequence[float]) -> float:
    """Return the sum with what each addition rounded away added at the end, for numbers that are not negative."""
    total = lost = 0.0
    for value in values:
        raised = total + value
        lost += total - raised + value if total > value else value - raised + total
        total = raised
    return total + lost


def _mean(total: Sum) -> Sum:
    return lambda values: total(values) / len(values)


def _harmonic(total: Sum) -> Sum:
    """awk stops where it divides by 0, which here gives NaN."""
    return lambda values: 1 / (total([1 / value for value in values]) / len(values)) if all(values) else nan


def _middle(values: Sequence[float]) -> float:
    ordered, count = sorted(values), len(values)
    return (ordered[(count + 1) // 2 - 1] + ordered[count // 2]) / 2


def _geometric(values: Sequence[float]) -> float:
    return exp(plain_sum([log(value) for value in values]) / len(values)) if all(values) else nan


def _percentile(per_cent: int) -> Sum:
    def of(values: Sequence[float]) -> float:
        ordered, place = [*sorted(values), 0.0], (len(values) - 1) * per_cent / 100
        below = int(place)
        return ordered[below] + (place - below) * (ordered[below + 1] - ordered[below])

    return of


def _olympic(values: Sequence[float]) -> float:
    return plain_sum(sorted(values)[1:-1]) / (len(values) - 2)


# Of several the first that gives the printed digits is taken: the plain sum is the one that people read at a glance.
STATISTICS: Mapping[str, Sequence[Loop]] = {
    "mean": (
        Loop("sum += {0}; n++", "sum / n", _mean(plain_sum)),
        Loop(_CAREFUL, "(sum + lost) / n", _mean(careful_sum)),
    ),
    "harmonic_mean": (
        Loop("sum += 1 / ({0}); n++", "1 / (sum / n)", _harmonic(plain_sum)),
        Loop(_CAREFUL.replace("{0}", "1 / ({0})"), "1 / ((sum + lost) / n)", _harmonic(careful_sum)),
    ),
    "geometric_mean": (Loop("sum += log({0}); n++", "exp(sum / n)", _geometric),),
    **{
        name: (Loop("v[NR] = {0}", _PERCENTILE.format(per_cent), _percentile(per_cent), is_sorted=True),)
        for name, per_cent in PERCENTILES.items()
    },
    "last": (Loop("x = {0}", "x", lambda values: values[-1]),),
    "min": (Loop("x = {0} + 0; if (!n++ || x < low) low = x", "low", min),),
    "max": (Loop("x = {0} + 0; if (!n++ || x > high) high = x", "high", max),),
    "median": (Loop("v[NR] = {0}", _MIDDLE, _middle, is_sorted=True),),
}
REPEATS: Mapping[str, Sequence[Loop]] = {
    "mean": STATISTICS["mean"],
    "median": STATISTICS["median"],
    "max": STATISTICS["max"],
    "olympic": (
        Loop("v[NR] = {0}", "sum / (NR - 2)", _olympic, "for (i = 2; i < NR; i++) sum += v[i]", is_sorted=True),
    ),
}


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


@dataclass(frozen=True)
class Calculation:
    """A loop over values, then ``{0}`` scaled, then printed.

    ``scaling``: an expression of awk with ``{0}`` for the statistic. ``result``: what awk comes to, unrounded;
    ``value``: what it should come to. ``is_rounded``: whether it is printed as the protocol says, or with all digits.
    """

    loop: Loop
    scaling: str
    result: float
    value: float
    protocol: Protocol
    is_rounded: bool = True

    def end(self) -> str:
        """What awk does after the last value: it prints the number."""
        result = self.scaling.format(self.loop.result)
        steps = [self.loop.last] if self.loop.last else []
        if not self.is_rounded:
            return "; ".join([*steps, f'printf "{EXACT}\\n", {result}'])
        return "; ".join([*steps, f'x = sprintf("{EXACT}", {result})', printing(self.value, self.protocol)])

    @property
    def is_right(self) -> bool:
        """Whether awk prints the digits of the protocol."""
        return printed_by_awk(self.result, self.value, self.protocol) == printed(self.value, self.protocol)


def of_records(derivation: Derivation, *, is_rounded: bool) -> Iterator[Calculation]:
    """Return the calculations of the throughput of one log from the values of its records, the plainest first."""
    value, protocol = derivation.value, derivation.protocol
    for loop in STATISTICS[protocol.statistic]:
        result = without_noise(scaled(derivation, loop.of(derivation.sample.values.tolist())))
        yield Calculation(loop, _scaling(derivation), result, value, protocol, is_rounded)


def of_repeats(results: Sequence[float], value: float, protocol: Protocol) -> Iterator[Calculation]:
    """Return the calculations that put the results of several logs together, the plainest first."""
    for loop in REPEATS[protocol.repeats]:
        yield Calculation(loop, "{0}", loop.of(results), value, protocol)


def value_of(derivation: Derivation, values: Values) -> float:
    """Return the throughput that other values of the same log would give, such as all but the last."""
    return without_noise(scaled(derivation, reduce(values, derivation.protocol.statistic)))


def scaled(derivation: Derivation, statistic: float) -> float:
    """Return the number that the statistic of the values of a log gives: as a rule the throughput of the whole job."""
    is_of_steps = _is_of_steps(derivation)
    measured = samples(derivation) / statistic if is_of_steps else statistic * multiplier(derivation)
    return after(derivation.operations, measured)


def _scaling(derivation: Derivation) -> str:
    """The same in awk."""
    times, found = multiplier(derivation), "{0}"
    if _is_of_steps(derivation):
        found = f"{samples(derivation)} / ({{0}})"
    elif times > 1:
        found = f"{{0}} * {times}"
    for operation in derivation.operations:
        found = operation.awk.format(found)
    return found


def _is_of_steps(derivation: Derivation) -> bool:
    return derivation.sample.step is not None


def multiplier(derivation: Derivation) -> int:
    """Return what the statistic is multiplied by; 1 where the values are of the whole job, or seconds."""
    used = derivation.sample
    return factor(used, derivation.facts) if used.column == "throughput" else 1


def samples(derivation: Derivation) -> float:
    """Return how many samples, or tokens, all cards train in a step."""
    count: float = 1
    for known in derivation.factors:
        count *= known.value
    return count

"""Calculations: from the values of the records to the printed number, in awk and in the same steps in Python."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..number import printed, without_noise
from ..protocol import Protocol
from ..statistic import Values, reduce
from .derivation import Derivation
from .factors import factor
from .loop import REPEATS, STATISTICS, Loop
from .printing import EXACT, printed_by_awk, printing


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
    value, protocol = derivation.measurement.value, derivation.protocol
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
    """Return the throughput, of the whole job where that is known, of the statistic of the values of a log."""
    if _is_of_steps(derivation):
        return samples(derivation) / statistic
    return statistic * multiplier(derivation)


def _scaling(derivation: Derivation) -> str:
    """The same in awk."""
    if _is_of_steps(derivation):
        return f"{samples(derivation)} / ({{0}})"
    return f"{{0}} * {times}" if (times := multiplier(derivation)) > 1 else "{0}"


def _is_of_steps(derivation: Derivation) -> bool:
    return derivation.sample.column in ("step_time", "step_rate")


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

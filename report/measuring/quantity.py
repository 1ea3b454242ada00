"""Quantities: what a column of a table can show of a run, in which unit, and with how many digits."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .number import without_noise
from .protocol import Message, Protocol
from .statistic import INTERVAL, RESAMPLES, SPREADS, reduce_repeats, spread

Quantity = Literal[
    "throughput",
    "median_of_runs",
    "lowest_run",
    "highest_run",
    "interval_low",
    "interval_high",
    "peak_memory",
    "power",
    "samples_per_joule",
    "speed_up",
    "scaling_efficiency",
]

OF_TELEMETRY: tuple[Quantity, ...] = ("peak_memory", "power", "samples_per_joule")
QUOTIENTS: tuple[Quantity, ...] = ("speed_up", "scaling_efficiency")

# Telemetry tells memory in whole MiB; one digit more than the power of a card is steady by would pretend too much.
DECIMALS = {"peak_memory": 0, "power": 1, "samples_per_joule": 3, "speed_up": 2, "scaling_efficiency": 3}
UNITS = {"peak_memory": "MiB", "power": "W", "speed_up": "×", "scaling_efficiency": "×"}


@dataclass(frozen=True)
class Shown:
    """What a column shows: a quantity, the ``rate`` that throughput has on its page ("images/s"), and its decimals.

    Decimals are for quantities of telemetry and quotients, None for the usual ones: a throughput, and one of several
    runs, is printed as its protocol says.
    """

    quantity: Quantity
    rate: str
    decimals: int | None = None

    @property
    def is_rate(self) -> bool:
        """Whether it is a throughput, that of the page or one of its runs."""
        return self.quantity == "throughput" or self.quantity in SPREADS

    @property
    def is_quotient(self) -> bool:
        """Whether it is computed from numbers that the page shows."""
        return self.quantity in QUOTIENTS

    @property
    def unit(self) -> str:
        """The unit: that of the page, MiB, W, the page's unit with joules for seconds ("images/J"), × of a quotient."""
        if self.is_rate:
            return self.rate
        return UNITS.get(self.quantity, f"{self.rate.strip().removesuffix('/s')}/J")

    def printing(self, protocol: Protocol) -> Protocol:
        """How the number is printed: by the page's protocol, or rounded half up to the decimals of the quantity."""
        if self.is_rate:
            return protocol
        return Protocol(decimals=DECIMALS[self.quantity] if self.decimals is None else self.decimals)

    def repeats(self, protocol: Protocol) -> str:
        """How repeats are put together: by the protocol; of peak memory the most that any of them needed counts."""
        return "max" if self.quantity == "peak_memory" else protocol.repeats

    def combined(self, values: Sequence[float], protocol: Protocol) -> float:
        """One value of the values of all repeats; raises ``NoMeasurement`` where these are too few for the protocol."""
        if self.quantity in SPREADS:
            return without_noise(spread(self.quantity, values, protocol.repeats))
        if self.quantity == "peak_memory":
            return max(values)
        return without_noise(reduce_repeats(values, protocol.repeats))

    def words(self, protocol: Protocol) -> str:
        """The rule in one line of neutral words; for power with the protocol whose window and throughput it takes."""
        if self.quantity == "throughput":
            return protocol.words()
        if self.quantity == "peak_memory":
            return f"quantity={self.quantity} repeats=max"
        return f"quantity={self.quantity} {protocol.words()}"

    def steps(self, protocol: Protocol) -> tuple[Message, ...]:
        """What is done, in the order in which it is done, as ``Protocol.steps``.

        Keys besides those of a protocol: ``quantity_*`` (with ``count``, how many resamples an interval is made of)
        and ``repeats_max``.
        """
        if self.quantity == "throughput":
            return protocol.steps()
        stated: Message = (f"quantity_{self.quantity}", {"count": RESAMPLES})
        if self.quantity in SPREADS:
            return tuple(step for one in protocol.steps() for step in self._of_runs(one, stated))
        digits = self.printing(protocol).decimals
        repeats: tuple[Message, ...] = () if self.is_quotient else ((f"repeats_{self.repeats(protocol)}", {}),)
        return (stated, *repeats, ("decimals", {"count": digits or 0}), ("rounding_half_up", {}))

    def _of_runs(self, step: Message, stated: Message) -> tuple[Message, ...]:
        """A step of the protocol; what is done with several runs takes the place of its own, or is done to that."""
        if not step[0].startswith("repeats_"):
            return (step,)
        return (step, stated) if self.quantity in INTERVAL else (stated,)


def counting(unit: str) -> str:
    """The unit with one word for images and samples, which count the same."""
    return re.sub(r"^images\b", "samples", unit.strip())

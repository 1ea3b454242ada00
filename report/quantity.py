"""Quantities: what a column of a table can show of a run, in which unit, and with how many digits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .number import without_noise
from .protocol import Message, Protocol
from .statistic import reduce_repeats

Quantity = Literal["throughput", "peak_memory", "power", "samples_per_joule"]

# Telemetry tells memory in whole MiB; one digit more than the power of a card is steady by would pretend too much.
DECIMALS = {"peak_memory": 0, "power": 1, "samples_per_joule": 3}


@dataclass(frozen=True)
class Shown:
    """What a column shows: a quantity, the ``rate`` that throughput has on its page ("images/s"), and its decimals.

    Decimals are for quantities of telemetry, None for the usual ones: a throughput is printed as its protocol says.
    """

    quantity: Quantity
    rate: str
    decimals: int | None = None

    @property
    def unit(self) -> str:
        """The unit: that of the page, MiB, W, or the page's unit with joules for seconds ("images/J")."""
        fixed = {"throughput": self.rate, "peak_memory": "MiB", "power": "W"}
        return fixed.get(self.quantity, f"{self.rate.strip().removesuffix('/s')}/J")

    def printing(self, protocol: Protocol) -> Protocol:
        """How the number is printed: by the page's protocol, or rounded half up to the decimals of telemetry."""
        if self.quantity == "throughput":
            return protocol
        return Protocol(decimals=DECIMALS[self.quantity] if self.decimals is None else self.decimals)

    def repeats(self, protocol: Protocol) -> str:
        """How repeats are put together: by the protocol; of peak memory the most that any of them needed counts."""
        return "max" if self.quantity == "peak_memory" else protocol.repeats

    def combined(self, values: Sequence[float], protocol: Protocol) -> float:
        """One value of the values of all repeats; raises ``NoMeasurement`` where these are too few for the protocol."""
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

        Keys of telemetry: ``quantity_*``, ``repeats_max`` and those of a protocol.
        """
        if self.quantity == "throughput":
            return protocol.steps()
        digits = self.printing(protocol).decimals
        return (
            (f"quantity_{self.quantity}", {}),
            (f"repeats_{self.repeats(protocol)}", {}),
            ("decimals", {"count": digits or 0}),
            ("rounding_half_up", {}),
        )

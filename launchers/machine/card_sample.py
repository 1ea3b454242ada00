"""What a card reports at one moment, whoever made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class CardSample(NamedTuple):
    """What a card reports at one moment; None where it cannot, or where what tells of it does not say."""

    utilisation: float | None = None
    """%: the share of the last moment in which anything ran on the card."""
    memory: float | None = None
    """MiB in use by all processes."""
    power: float | None = None
    """W."""
    sm_clock: float | None = None
    """MHz."""
    memory_clock: float | None = None
    """MHz."""
    temperature: float | None = None
    """Degrees Celsius."""
    throttle: float | None = None
    """Why the clock is not higher: the bits of NVML's nvmlClocksEventReasons, added up."""
    ecc_corrected: float | None = None
    """Errors of memory that were corrected since the driver was loaded."""
    ecc_uncorrected: float | None = None
    """Errors of memory that could not be corrected since the driver was loaded."""
    pcie_rx: float | None = None
    """KB/s that the card receives."""
    pcie_tx: float | None = None
    """KB/s that the card sends."""
    pcie_generation: float | None = None
    """The generation of the bus as it runs now."""
    pcie_width: float | None = None
    """Lanes of the bus as it runs now."""
    card_processes: float | None = None
    """How many processes compute on the card."""
    process_memory: float | None = None
    """MiB that the process holds which holds most."""


class CardProcess(NamedTuple):
    """A process that computes on a card, by the number that it has on the machine."""

    number: int
    memory: float | None
    """MiB that it holds on the card; None where that is not told."""


class CardAnswer(NamedTuple):
    """What one card answers, with the number that it has on this machine."""

    card: int
    sample: CardSample
    processes: tuple[CardProcess, ...] | None = None
    """Those that compute on the card; None where nothing tells of them."""


# What asks all cards of this machine.
AskCards = Callable[[], list[CardAnswer]]


class Cards(NamedTuple):
    """The cards of a maker on this machine: their names, where these are known, and what asks them."""

    names: list[str]
    ask: AskCards

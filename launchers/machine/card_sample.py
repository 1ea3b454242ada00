"""What a card reports at one moment, whoever made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from parsers.runs.run_folder import CardSample


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

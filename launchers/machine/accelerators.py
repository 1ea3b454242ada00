"""The cards of this machine that something here tells of: NVIDIA's, AMD's, Ascend's, Intel's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from . import gpus
from .card_sample import AskCards, Cards
from .makers import amd, ascend, intel

# A machine that trains on cards of several makers is not known; the first one that has any counts.
_MAKERS = (amd.cards, ascend.cards, intel.cards)


@contextmanager
def asked() -> Iterator[AskCards | None]:
    """Give what asks all cards of the machine, with the numbers that they have there; None where none answers."""
    with ExitStack() as stack:
        if cards := stack.enter_context(gpus.cards()):
            yield lambda: [card.answer() for card in cards]
            return
        found = _others(stack)
        yield found.ask if found else None


def names() -> list[str]:
    """Name the cards of the machine that are not NVIDIA's; none where there are none, or where they are not named."""
    with ExitStack() as stack:
        found = _others(stack)
        return found.names if found else []


def _others(stack: ExitStack) -> Cards | None:
    found = (stack.enter_context(maker()) for maker in _MAKERS)
    return next((cards for cards in found if cards), None)

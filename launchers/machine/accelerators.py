"""The cards of this machine that something here tells of: NVIDIA's, AMD's, Ascend's, Intel's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from . import amd, ascend, gpus, intel
from .card_sample import AskCards

# A machine that trains on cards of several makers is not known; the first one that has any counts.
_MAKERS = (amd.asked, ascend.asked, intel.asked)


@contextmanager
def asked() -> Iterator[AskCards | None]:
    """Give what asks all cards of the machine, with the numbers that they have there; None where none answers."""
    with ExitStack() as stack:
        if cards := stack.enter_context(gpus.cards()):
            yield lambda: [(card.index, card.sample()) for card in cards]
            return
        found = (stack.enter_context(maker()) for maker in _MAKERS)
        yield next((ask for ask in found if ask), None)

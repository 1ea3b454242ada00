"""Sparklines: the throughputs of runs over time as a line of blocks, each of which leads to the lines of its log."""

from collections.abc import Sequence

from parsers.io.message import Message

from ..evidence.cell import Cell, Proof
from .page_text import PageText

BLOCKS = "▁▂▃▄▅▆▇█"
# The last runs are shown, and a range of values below this fraction of the largest one does not fill the height.
MOST, NARROWEST = 24, 0.1
LINES = "{first} to {last}"


def sparkline(page: PageText, cell: Cell) -> str:
    """The course of the runs behind a number of a history, as Markdown; empty for any other number."""
    if not cell.shown.quantity.is_over_time or cell.printed is None:
        return ""
    shown = cell.proofs[-MOST:]
    heights = _heights([proof.value for proof in shown])
    return "".join(_block(page, proof, height) for proof, height in zip(shown, heights, strict=True))


def _heights(values: Sequence[float]) -> list[int]:
    """The places of values among the blocks."""
    high = max(values)
    low = min(*values, high * (1 - NARROWEST))
    return [round((value - low) / (high - low) * (len(BLOCKS) - 1)) for value in values]


def _block(page: PageText, proof: Proof, height: int) -> str:
    first, last = proof.of_the_log.lines
    return page.lines(proof.log, BLOCKS[height], Message(LINES, first=first, last=last))

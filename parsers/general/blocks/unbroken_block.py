"""Unbroken blocks: the lines of each as one, so that all that is known of a record of one line is known of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...naming.slots import parse
from ..gathered import Gathered, Spoken
from ..line_form import LineForm, skeleton
from ..proofs.fractions_of_epochs import FormOfEpochs, of_epochs
from .block_cycle import Cycle, cycles
from .block_lines import block_lines

BREAK = " \n "  # between two lines of a block


@dataclass(frozen=True, eq=False)
class BlockForm(LineForm):
    """The form of blocks, which are of training, whatever lines of theirs show it."""

    @cached_property
    def has_evidence(self) -> bool:
        """Whether its blocks say what only training does."""
        return True


@dataclass(frozen=True, eq=False)
class UnbrokenBlock(Spoken):
    """A block as one line, the first of its ``parts``."""

    parts: Sequence[Spoken] = ()


def unbroken(gathered: Gathered) -> Iterator[tuple[Gathered, Cycle]]:
    """What a log holds, its blocks alone, by each counter that has some."""
    for cycle in cycles(block_lines(gathered)):
        forms: dict[str, BlockForm] = {}
        rows: list[Spoken] = [_block(parts, forms) for parts in cycle.blocks]
        counts = Counter[LineForm](row.form for row in rows)
        yield replace(gathered, spoken=rows, counts=counts, evidence=len(rows)), cycle


def _block(parts: Sequence[Spoken], forms: dict[str, BlockForm]) -> UnbrokenBlock:
    text = BREAK.join(part.text.strip() for part in parts)
    mask = skeleton(text)
    if mask not in forms:
        said = parse(text)
        is_of_epochs = any(isinstance(part.form, FormOfEpochs) for part in parts)
        forms[mask] = BlockForm(text, of_epochs(said) if is_of_epochs else said)
    return UnbrokenBlock(parts[0].line, text, forms[mask], parts)

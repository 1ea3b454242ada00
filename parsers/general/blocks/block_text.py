"""The text of a grammar for blocks: a record of several lines, between which others may stand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...naming.slots import Slot
from ..anchor import anchor, sought, sought_by_unit
from ..grammar_columns import GrammarColumn
from ..grammar_text import GrammarText
from ..line_form import LineForm
from .block_choice import MOST_LINES
from .unbroken_block import BREAK


@dataclass
class BlockText(GrammarText):
    """A grammar under work whose alternatives go from one line of a block to the next."""

    head: str = ""

    def _alternative(self, columns: Sequence[GrammarColumn], forms: Sequence[LineForm]) -> str:
        """The same; the words before the first column but a stamp begin a block, and so no line within one."""
        first = next(column for column in columns if not column.text.startswith("time{"))
        slots = [first.slots[form] for form in forms]
        texts = [form.text[: slot.start] for form, slot in zip(forms, slots, strict=True)]
        self.head = _line_with([text.rpartition(BREAK)[2] for text in texts], slots)
        return super()._alternative(columns, forms)

    def _way(self, texts: Sequence[str], slots: Sequence[Slot]) -> list[str]:
        """What stands between two columns, which may be of different lines."""
        if not any(BREAK in text for text in texts):
            return super()._way(texts, slots)
        texts = [text.rpartition(BREAK)[2] for text in texts]
        slots = [replace(slot, before=slot.before.rpartition(BREAK)[2]) for slot in slots]
        others = rf"/(?:(?!{_line_with(texts, slots)}|{self.head})[^\n]*+\n){{1,{MOST_LINES}}}+/"
        self.names.add("NEWLINE")
        return ["REST?", "NEWLINE", f"{self._terminal(others, 'OTHER_LINES')}?", *super()._way(texts, slots)]


def _line_with(texts: Sequence[str], slots: Sequence[Slot]) -> str:
    """The expression for a line up to a number that certain words, or else its unit, tell from others."""
    words = anchor(texts, slots)
    return rf"[^\n]*?{sought(words) if words else sought_by_unit(slots)}"

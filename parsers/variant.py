"""One shape of a line: the regular expression it was compiled to, its fields and its literals."""

from dataclasses import dataclass
from functools import cached_property

from .field import Field


@dataclass(frozen=True)
class Variant:
    """One alternative of a line kind.

    ``record``: "step", "epoch", "summary", "event", "fact" or "noise".
    ``source``: the regular expression of the whole line; one group for each entry of ``groups``.
    ``groups``: the field of each group; of several groups of one field the first that took part counts.
    ``literals``: texts that every such line holds.
    ``head``: how much of the source is for what may stand before the line.
    ``spans``: whether it is a record of several lines, such as an object of a document in JSON.
    """

    record: str
    source: str
    groups: tuple[Field, ...]
    literals: tuple[str, ...]
    spans: bool = False
    head: int = 0

    @property
    def fields(self) -> tuple[Field, ...]:
        """The distinct fields, in the order of their first group."""
        return tuple(dict.fromkeys(self.groups))

    def may_stand_in(self, text: bytes) -> bool:
        """Whether a text holds all that each line of this variant holds."""
        return all(literal.encode() in text for literal in self.literals)

    def resembles(self, line: bytes) -> bool:
        """Whether a line holds at least half, and two, of the telling texts of this variant: it is a broken one."""
        if self.spans:
            return False
        may_lack = len(self._telling) - max(2, (len(self._telling) + 1) // 2)
        for text in self._telling:
            may_lack -= text not in line
            if may_lack < 0:
                return False
        return may_lack >= 0

    @property
    def own_source(self) -> str:
        """The source without its head."""
        return self.source[self.head :]

    @property
    def fixed(self) -> int:
        """How many letters of such a line are fixed: the more, the more specific it is."""
        return sum(map(len, self.literals))

    @cached_property
    def _telling(self) -> tuple[bytes, ...]:
        return tuple(literal.encode() for literal in self.literals if len(literal) > 2)

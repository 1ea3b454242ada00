"""One shape of a line: the regular expression it was compiled to, its fields and its literals."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .field import TIMES, Field, computed

ROOM = Path(__file__).parents[1]  # where the vocabularies and the formats lie
METRICS = ("step", "epoch", "summary")
RUN_START = "run_start"
RUN_STOP = "run_stop"
EVENTS = (RUN_START, RUN_STOP, "checkpoint", "evaluation", "overflow", "restart", "failure")
# The types of fields that mean nothing as a fact: LINE is the whole text of an event.
NO_FACTS = (*TIMES, "LINE")


@dataclass(frozen=True)
class Variant:
    """One alternative of a line kind.

    ``record``: "step", "epoch", "summary", "event", "fact" or "noise".
    ``source``: the regular expression of the whole line; one group for each entry of ``groups``.
    ``groups``: the field of each group; of several groups of one field the first that took part counts.
    ``literals``: texts that every such line holds, in their order. ``choices``: texts of which it holds one each.
    ``head``: how much of the source is for what may stand before the line.
    ``spans``: whether it is a record of several lines, such as an object of a document in JSON.
    ``first``: the regular expression of the first line of one, with its end where that is known. ``first_texts``: texts
    of which that line holds one at least; none where it may hold any.
    """

    record: str
    source: str
    groups: tuple[Field, ...]
    literals: tuple[str, ...]
    choices: tuple[tuple[str, ...], ...] = ()
    spans: bool = False
    head: int = 0
    first: str = ""
    first_texts: tuple[str, ...] = ()

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The distinct fields, in the order of their first group."""
        return tuple(dict.fromkeys(self.groups))

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """The fields of its records: those that its lines print, and the time that is computed of these."""
        made = computed(self.fields)
        return self.fields if made is None else (*self.fields, made)

    @cached_property
    def facts(self) -> tuple[Field, ...]:
        """The fields that are facts: those of a fact line, and those that the line of a start of a run states."""
        if self.record == "fact" or RUN_START in (field.name for field in self.fields):
            return tuple(field for field in self.fields if field.type not in NO_FACTS and field.name not in EVENTS)
        return ()

    @cached_property
    def one_line(self) -> "Variant":
        """What a single line must be like: one of this variant, or the first of a record of several."""
        return Variant("noise", self.first, (), (), (self.first_texts or ("",),)) if self.spans else self

    def __hash__(self) -> int:
        # Patterns are looked up by variants all the time, and one source is hardly ever that of two.
        return hash(self.source)

    def may_stand_in(self, text: bytes) -> bool:
        """Whether a text holds all that each line of this variant holds, its literals in that order."""
        if self.longest not in text:
            return False
        place = 0
        for literal in self.texts:
            place = text.find(literal, place)
            if place < 0:
                return False
            place += len(literal)
        return all(any(choice in text for choice in choices) for choices in self._choices)

    def resembles(self, line: bytes) -> bool:
        """Whether a line holds at least half, and two, of the telling texts of this variant: it is a broken one."""
        if self.spans:
            return False
        may_lack = len(self.telling) - max(2, (len(self.telling) + 1) // 2)
        for text in self.telling:
            may_lack -= text not in line
            if may_lack < 0:
                return False
        return may_lack >= 0

    @property
    def own_source(self) -> str:
        """The source without its head."""
        return self.source[self.head :]

    @cached_property
    def fixed(self) -> int:
        """How many letters of such a line are fixed: the more, the more specific it is."""
        return sum(map(len, self.literals))

    @cached_property
    def texts(self) -> tuple[bytes, ...]:
        """The literals as a log holds them."""
        return tuple(literal.encode() for literal in self.literals)

    @property
    def needs(self) -> tuple[tuple[bytes, ...], ...]:
        """What each such line holds: of each of these groups of texts one at least."""
        return (*((text,) for text in self.texts), *self._choices)

    @cached_property
    def _choices(self) -> tuple[tuple[bytes, ...], ...]:
        return tuple(tuple(choice.encode() for choice in choices) for choices in self.choices)

    @cached_property
    def longest(self) -> bytes:
        """The text that most lines of others lack."""
        return max(self.texts, key=len)

    @cached_property
    def telling(self) -> tuple[bytes, ...]:
        """The texts that are more than signs: lines of other programs hardly hold all of them."""
        return tuple(text for text in self.texts if len(text) > 2)

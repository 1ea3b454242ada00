"""Facts: what holds for a whole run, each with the source that says so."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from ..grammar.field import StepIs
from ..grammar.format import ROOM, load
from ..io.compression import SUFFIXES
from ..scanning.prefix import line_pattern
from .provenance import FILE_NAME, Kind, Provenance, line

if TYPE_CHECKING:
    from ..scanning.columns import FactLines

Value = int | float | str
MOST_DIGITS = 19  # what is longer is no count of anything
FOLDERS = 3  # so many folders above a log may state facts in their names
_DEPTHS = range(1, FOLDERS + 2)
# Counts that a measurement scales by.
SCALING = (
    "nodes",
    "cards",
    "cards_per_node",
    "batch_size",
    "job_batch_size",
    "job_batch_tokens",
    "accumulation",
    "sequence_length",
)
# Training in 8 bits keeps its parameters in 16; programs call TF32 by the type of its data, which is FP32.
WITHIN = {("precision", "fp8"): ("bf16", "fp16"), ("precision", "tf32"): ("fp32",)}
# Counts whose option is 1 by default in many programs.
ONE_BY_DEFAULT = ("nodes", "cards", "cards_per_node", "accumulation")


@dataclass(frozen=True)
class Fact:
    """A value (int, float or str) and its source: a line of the log, a file name, run.json, a page or an option.

    ``step_is``: what a step of the log is, of an accumulation that the log states.
    """

    name: str
    value: Value
    source: Provenance
    step_is: StepIs | None = None


class Facts(dict[str, Fact]):
    """The facts of a run by name: of several sources the first told counts.

    ``contradictions`` holds every later source that said otherwise, with the fact it contradicts. ``disputes`` holds
    the lines that contradict each other on a fact that scales, each with the first of them: none of these is believed.
    ``unstated`` holds the counts that another run of the log states, each with a line of this run's own configuration,
    which does not: they are not believed either.
    """

    def __init__(self, told: Iterable[Fact] = ()) -> None:
        super().__init__()
        self.contradictions: list[tuple[Fact, Fact]] = []
        self.disputes: list[tuple[Fact, Fact]] = []
        self.unstated: list[tuple[Fact, int]] = []
        self.tell(told)

    def tell(self, told: Iterable[Fact]) -> None:
        """Hear more sources, the most trusted first; a count that scales and is less than one says nothing."""
        for fact in (fact for fact in told if not _says_nothing(fact)):
            believed = self.setdefault(fact.name, fact)
            if believed.value != fact.value and (believed, fact) not in self.contradictions:
                self.contradictions.append((believed, fact))

    def tell_lines(self, told: Iterable[Fact]) -> None:
        """Hear the lines of a log: where they contradict each other on a fact that scales, all keep silent.

        A line does not say of which part of a configuration it is, so the first may be that of the evaluation. A
        source that was heard before settles it.
        """
        said = [fact for fact in told if not _says_nothing(fact)]
        lines = _without_parts(said, [*self.values(), *said])
        scaling = sorted((fact for fact in lines if fact.name in SCALING and fact.name not in self), key=_rank)
        firsts: dict[str, Fact] = {}
        pairs = [(firsts.setdefault(fact.name, fact), fact) for fact in scaling]
        self.disputes += [(first, other) for first, other in pairs if other.value != first.value]
        disputed = {first.name for first, _ in self.disputes}
        self.tell(fact for fact in lines if fact.name not in disputed)

    def assume(self, told: Iterable[Fact]) -> None:
        """Hear sources that count only where nothing else tells the fact, not even lines that dispute it."""
        disputed = {first.name for first, _ in self.disputes}
        self.tell(fact for fact in told if fact.name not in self and fact.name not in disputed)

    def derive(self) -> None:
        """Add what follows from other facts: cards from nodes, batch size of a card from that of the job."""
        if both := self._counts("nodes", "cards_per_node"):
            self._follows("cards", both[0] * both[1], "product", "nodes", "cards_per_node")
        elif (both := self._counts("cards", "cards_per_node")) is None or both[0] < both[1]:
            self._one_node()
        self._derive_batch_size()

    def tell_steps(self, step_is: StepIs) -> None:
        """Hear what a step of the log is: passes make an optimizer step, and the log may count either."""
        if (stated := self.get("accumulation")) is not None:
            self["accumulation"] = replace(stated, step_is=step_is)

    def _one_node(self) -> None:
        """Cards of one node, where nothing says how many nodes there are; fewer in all contradict them."""
        if "cards_per_node" in self:
            one = self["cards_per_node"]
            self.tell([Fact("cards", one.value, Provenance("one_node", (one.source,)))])

    def _derive_batch_size(self) -> None:
        """A line that tells it knows better: cards may share one model, and a step may have several passes."""
        both = self._counts("job_batch_size", "cards")
        if both is None or ("batch_size" in self and not self["batch_size"].source.is_name):
            return
        passes = self._counts("accumulation", "accumulation") or (1, 1)
        size, rest = divmod(both[0], both[1] * passes[0])
        if not rest:
            self._follows("batch_size", size, "share", "job_batch_size", "cards")

    def _counts(self, first: str, second: str) -> tuple[int, int] | None:
        """The values of two facts when both are told and are counts of at least one."""
        a, b = (self[name].value if name in self else None for name in (first, second))
        return (a, b) if isinstance(a, int) and isinstance(b, int) and a > 0 and b > 0 else None

    def _follows(self, name: str, said: int, how: Kind, first: str, second: str) -> None:
        self.tell([Fact(name, said, Provenance(how, (self[first].source, self[second].source)))])


def _rank(fact: Fact) -> int:
    return SCALING.index(fact.name)


def may_be_default(fact: Fact) -> bool:
    """Whether an argument that a program repeats may be the default of an option that nobody gave."""
    return fact.name in ONE_BY_DEFAULT and fact.value == 1


def is_count(said: object) -> TypeGuard[int]:
    """Whether a value is a count of at least one; True and False are none."""
    return isinstance(said, int) and not isinstance(said, bool) and 1 <= said < 1 << 53


def _says_nothing(fact: Fact) -> bool:
    return fact.name in SCALING and not isinstance(fact.value, str) and fact.value < 1


def _without_parts(told: Sequence[Fact], known: Iterable[Fact]) -> list[Fact]:
    """The facts but for those that are part of a known one, as 16 bits of parameters are of a training in 8 bits."""
    parts = {(fact.name, part) for fact in known for part in WITHIN.get((fact.name, str(fact.value)), ())}
    return [fact for fact in told if (fact.name, fact.value) not in parts]


def line_facts(found: Iterable["FactLines"]) -> Iterator[Fact]:
    """The facts that the lines of a log state, in the order of the lines.

    A value told again is told once, but for what an event states.
    """
    said = list(chain.from_iterable(map(_stated, found)))
    order = {key: place for place, key in enumerate(dict.fromkeys(_key(fact) for fact, _ in said))}
    known = set()
    for fact, is_event in sorted(said, key=lambda each: (each[0].source.values, order[_key(each[0])])):
        if is_event or _key(fact) not in known:
            known.add(_key(fact))
            yield fact


def _key(fact: Fact) -> tuple[str, Value]:
    return fact.name, fact.value


def _stated(lines: "FactLines") -> Iterator[tuple[Fact, bool]]:
    """The facts of one variant, field by field, and whether they are of an event."""
    rows = sorted((place, row) for row, places in lines.told.items() for place in places)
    for index, field in enumerate(lines.fields):
        for (number, _), row in rows:
            if text := row[index].decode("utf-8", "replace"):
                yield Fact(field.name, value(field.name, field.type, text), line(number)), lines.is_event


def name_facts(path: Path) -> Iterator[Fact]:
    """The facts that the name of a log file states, alone or with those of the folders it is in, packed or not."""
    packed = path.suffix if path.suffix in SUFFIXES else ""
    texts = ["/".join(path.parts[-depth:]).removesuffix(packed).encode("utf-8", "surrogateescape") for depth in _DEPTHS]
    possible = [variant for variant in load(ROOM / "names.lark").variants if variant.may_stand_in(texts[-1])]
    for text, variant in product(texts, possible):
        if found := line_pattern(variant).fullmatch(text):
            for field, said in zip(variant.groups, found.groups(), strict=True):
                yield Fact(field.name, value(field.name, field.type, said.decode()), FILE_NAME)
            return


def value(name: str, type_: str, text: str) -> Value:
    """The value of a fact from its text: a count for a list of cards, an int for a count, else the usual spelling."""
    if type_ == "LIST":
        return len(re.findall(r"\d+", text))
    if type_ == "INTEGER" and len(text) < MOST_DIGITS:
        return int(text.replace(",", ""))
    return _spellings().get(name, {}).get(text.lower(), text)


@cache
def _spellings() -> dict[str, dict[str, str]]:
    words = tomllib.loads((ROOM / "spellings.toml").read_text(encoding="utf-8"))
    return {
        fact: {s: word for word, many in usual.items() for s in (*many, word.lower())} for fact, usual in words.items()
    }

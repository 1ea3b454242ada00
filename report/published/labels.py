"""Labels: what the words of a published page say of a case, by the grammar ``labels.lark``."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from lark import Lark, Tree

Value = int | str
T = TypeVar("T")

VALUE = "__"
# A number, with commas between its thousands or without, that is not a part of a word, of a mark or of a version. A
# float holds no more digits than 15.
NUMBER = re.compile(
    r"(?<![\w.,^/([-])([0-9]{1,3}(?:,[0-9]{3}){1,4}(?:\.[0-9]{1,15})?|[0-9]{1,15}(?:\.[0-9]{1,15})?)"
    r"(?![0-9,]*[0-9]|\.[0-9]|[eE][+-]?[0-9]|\s*(?:[x×%]|ms(?!\w)|h(?:ours?)?(?!\w)|min|[KMG](?:i?B)?(?!\w)|k(?!\w)|W(?!\w)))"
)
_IN_BRACKETS = re.compile(r"[((][^()()]*[))]|\[[^][]*\]")
SPREAD = re.compile(r"(?:±|\+/-|\+-)\s*[0-9][0-9.,]*")
_MAKER = re.compile(
    r"\s*(?:\d+\s*[x×*]\s*)?(?:(?:nvidia|tesla|amd|geforce|quadro|ascend|rtx|gtx)[\s_-]*)*", re.IGNORECASE
)
LONGEST_NAME = 120  # characters
_WORD = re.compile(r"[^\W_]+")
LONGEST = 2_000  # characters of a label; what is longer is prose
_STEP_TIME = re.compile(
    r"(?:(?:train(?:ing)?|avg\.?|average|mean)[ _]*)?(?:time[ :]*)?\(?"
    r"(?:(?P<unit>ms|s|secs?|seconds?|毫秒|秒) ?/ ?(?:it|iter|iteration|step|步|迭代)"
    r"|(?:(?:step|iter|iteration)[ _-](?:time|avg)|time ?(?:/|per) ?(?:it|iter|iteration|step)"
    r"|(?:每步|单步|迭代)(?:耗时|用时|时间))"
    r"(?: *[([（,] *(?P<behind>ms|s|secs?|seconds?|毫秒|秒))?)[])）]?",
    re.IGNORECASE,
)
_IN_SECONDS = {
    **dict.fromkeys(("ms", "毫秒"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), 1.0),
}
# What the letters before a unit multiply the numbers by.
_TIMES = {"k": 1e3, "m": 1e6, "千": 1e3, "万": 1e4, "百万": 1e6}
_SCALED_UNIT = re.compile(r"([km](?=[ -]|(?:tok|im|sample|seq|word|frame))|百?万|千)", re.IGNORECASE)


@dataclass(frozen=True)
class Label:
    """What a label says: ``case`` the axes with one value, ``axes`` those it names without, the ``unit`` as written.

    ``quantities``: those that are named; a unit of a throughput names it.
    """

    case: Mapping[str, Value] = field(default_factory=dict)
    axes: tuple[str, ...] = ()
    quantities: frozenset[str] = frozenset()
    unit: str | None = None

    @property
    def is_other(self) -> bool:
        """Whether it names anything but the throughput of a job."""
        return bool(self.quantities - {"throughput"})


@cache
def read_label(text: str) -> Label:
    """What a text says of a case; of an axis with several values nothing is said."""
    found: dict[str, list[Value]] = {}
    for item in _grammar().parse(text[:LONGEST]).children:
        if isinstance(item, Tree):
            for axis, said in _values(item):
                found.setdefault(axis, []).append(said)
    axes, quantities, units = (found.pop(name, []) for name in ("axis", "quantity", "unit"))
    case = {axis: said[0] for axis, said in found.items() if len(set(said)) == 1}
    named = frozenset(map(str, quantities)) | ({"throughput"} if units else set())
    return Label(_derived(case), tuple(map(str, axes)), named, str(units[0]) if units else None)


def name_of(text: str) -> tuple[str, ...]:
    """The words of a name, in small letters, however it is written; none where it holds no letter or is long."""
    words = tuple(_WORD.findall(text.lower())) if len(text) <= LONGEST_NAME else ()
    return words if any(map(str.isalpha, "".join(words))) else ()


def merged(labels: Iterable[Label]) -> Mapping[str, Value]:
    """The case that several labels state together; the first that states an axis counts."""
    case: dict[str, Value] = {}
    for label in labels:
        case = {**label.case, **case}
    return _derived(case)


def seconds_of_step(head: str, printed: str) -> float | None:
    """What the unit of a number is in seconds, if its head says that it is the time of one step.

    ``printed``: the unit that stands behind the number itself, if any.
    """
    found = _STEP_TIME.fullmatch(head.strip())
    unit = (found["unit"] or found["behind"] or printed) if found else ""
    return _IN_SECONDS.get(unit.lower()) if printed in ("", unit) else None


def times_of(unit: str | None) -> float:
    """What the letters before a unit, as of ``k tokens/s``, multiply its numbers by."""
    found = _SCALED_UNIT.match(unit or "")
    return _TIMES[found[1].lower()] if found else 1.0


def values_and_marks(cell: str) -> tuple[str, Label]:
    """The words of a cell in which its values stand, and what the others say, such as ``(BS=256)`` or ``AMP``."""
    marks = [found for found in _IN_BRACKETS.findall(cell) if (label := read_label(found)).case and not label.unit]
    for mark in marks:
        cell = cell.replace(mark, " ")
    cell = SPREAD.sub(" ", cell)
    return cell, read_label(" ".join([*marks, NUMBER.sub(" ", cell)]))


def owned(rows: Iterable[set[T]]) -> list[frozenset[T]]:
    """What each row has and no other one."""
    known = list(rows)
    counts = Counter(one for row in known for one in row)
    return [frozenset(one for one in row if counts[one] == 1) for row in known]


@cache
def _grammar() -> Lark:
    return Lark.open("labels.lark", rel_to=__file__, parser="lalr", lexer="contextual")


def _values(item: Tree[Any]) -> Iterable[tuple[str, Value]]:
    """Axis and value of an item: what its name says, else its numbers, else its text."""
    axis, separator, said = str(item.data).partition(VALUE)
    if separator:
        return [(axis, int(said) if said.isdigit() else said)]
    text = " ".join(map(str, item.children))
    if axis == "device":
        return [(axis, _device(text))]
    if axis == "unit":
        return [(axis, re.sub(r"\s*(?:/|\bper\b)\s*", "/", text))]
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if axis == "nodes_by_cards":
        return [("nodes", numbers[0]), ("cards_per_node", numbers[1])]
    if axis == "nodes_and_cards":
        in_all = text.strip()[0] in "Nn"
        return [("nodes", numbers[0]), ("cards" if in_all else "cards_per_node", numbers[1])]
    return [(axis, numbers[-1])]


def _device(text: str) -> str:
    """The device without maker and number of cards, in capitals: ``8 x Tesla V100`` is ``V100``."""
    return re.sub(r"[\s_-]", "", _MAKER.sub("", text)).upper()


def _derived(case: dict[str, Value]) -> Mapping[str, Value]:
    nodes, cards = case.get("nodes"), case.get("cards_per_node")
    if isinstance(nodes, int) and isinstance(cards, int):
        return {"cards": nodes * cards, **case}
    return case

"""Labels: what the words of a published page say of a case, by the grammar ``labels.lark``."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeVar

from lark import Lark, Tree

Value = int | str
# The throughput of a whole job or of one card, steps per second, TFLOP/s of one card, or what is no speed.
Rate = Literal["throughput", "per_card", "steps", "tflops", "other"]
T = TypeVar("T")

VALUE = "__"
# A number, with commas between its thousands or without, that is not a part of a word, of a mark or of a version. A
# float holds no more digits than 15.
NUMBER = re.compile(
    r"(?<![\w.,^/([-])([0-9]{1,3}(?:,[0-9]{3}){1,4}(?:\.[0-9]{1,15})?|[0-9]{1,15}(?:\.[0-9]{1,15})?)"
    r"(?![0-9,]*[0-9]|\.[0-9]|[eE][+-]?[0-9]|\s*(?:[x×%]|ms(?!\w)|h(?:ours?)?(?!\w)|min|[KMG](?:i?B)?(?!\w)|k(?!\w)|W(?!\w)))"
)
_TFLOPS_OF_CARD = re.compile(
    r"(?:model[ _-]?)?tflops?\s*(?:(?:/|per)\s*(?:s(?:ec(?:ond)?s?)?)\s*)?(?:/|per)\s*(?:gpu|card|device|chip|npu)"
    r"|(?:model[ _-]?)?tflops?[_/]s?[_/]?(?:per[_ ])?(?:gpu|card)",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(r"[0-9\s.,+-]*")  # bare numbers, which tables are full of
_BARE = re.compile(r"(\d{1,7})(?:\.0)?")
_SINGLE_WORD = re.compile(r"[a-z]{3,12}")
_IN_BRACKETS = re.compile(r"[((][^()()]*[))]|\[[^][]*\]")
# Ends of a range, bounds, and the factor before a power of ten, with the number behind.
_NO_VALUE = re.compile(
    r"(?:[<>≤≥≲≳]\s*=?|(?<![a-z])(?:up to|over|under|(?:more|less) than|at (?:least|most))(?![a-z])"
    r"|超过|大于|小于|不到|不足|高达|\d[\d.,]*\s*(?:[-–—~∼至到]|(?:to|and)(?![a-z]))|\d[\d.,]*\s*[x×]\s*(?=10(?!\d)))"
    r"\s*\d[\d.,]*",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"[~∼≈]|(?<![a-z])(?:about|around|approx|roughly|nearly)|约|近|左右", re.IGNORECASE)
# Words of labels of numbers that are not, or not only, the speed of the steps that a log prints.
_OTHER_MEASURE = re.compile(
    r"end[- ]to[- ]end|(?<![a-z])e2e(?![a-z])|(?<![a-z])incl(?:\.|ud\w+)|overall|wall[- ]?clock"
    r"|(?<![a-z])(?:targets?|expected|goal|ideal|peak|theor\w+|forward|fwd|backward|bwd|synthetic|eval\w*)(?![a-z])"
    r"|(?<![a-z])(?:first|cold|warm\w*)(?![a-z])"
    r"|(?<![a-z])(?:data|input)[- ]?(?:load\w*|reading|pipeline)"
    r"|端到端|整体|目标|预期|理论|理想|峰值|数据(?:加载|读取)|前向|反向|评估|包含|含编译|首个|冷启动|预热",
    re.IGNORECASE,
)
SPREAD = re.compile(r"(?:±|\+/-|\+-)\s*[0-9][0-9.,]*")
_MAKER = re.compile(
    r"\s*(?:\d+\s*[x×*]\s*)?(?:(?:nvidia|tesla|amd|geforce|quadro|ascend|rtx|gtx)[\s_-]*)*", re.IGNORECASE
)
LONGEST_NAME = 120  # characters
_WORD = re.compile(r"[^\W_]+")
LONGEST = 2_000  # characters of a label; what is longer is prose
_STEP_TIME = re.compile(
    r"(?:(?:train(?:ing)?|avg\.?|average|mean)[ _]*)?(?:time[ :]*)?\(?"
    r"(?:(?P<unit>ms|s|secs?|seconds?|毫秒|秒) ?(?:/|per) ?(?:it|iter|iteration|step|步|迭代)"
    r"|time ?[([（] ?(?P<within>ms|s|secs?|seconds?) ?[)\]）] ?(?:/|per) ?(?:it|iter|iteration|step)"
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
_SCALED_UNIT = re.compile(r"([km](?=[ -]|(?:tok|im|sample|seq|word|frame|[wtf]ps))|百?万|千)", re.IGNORECASE)
_WORDS = {"thousand": "k", "million": "M"}
_SCALED_BEHIND = re.compile(
    r"(?P<unit>.*?)(?:\s*[\[(（]\s*(?P<mark>k|m|千|百?万)\s*[\])）]|,?\s*(?:in )?(?P<word>thousand|million)s?)",
    re.IGNORECASE,
)


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
    if _SAYS_NOTHING.fullmatch(text):
        return Label()
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
    unit = (found["unit"] or found["within"] or found["behind"] or printed) if found else ""
    return _IN_SECONDS.get(unit.lower()) if printed in ("", unit) else None


def rate_of(quantities: frozenset[str], head: str) -> Rate | None:
    """What rate is named, other than the throughput of a job; a unit of one card names its throughput, too."""
    if quantities == {"compute"} and _TFLOPS_OF_CARD.fullmatch(head.strip()):
        return "tflops"
    if quantities == {"steps"}:
        return "steps"
    return "per_card" if "per_card" in quantities and quantities <= {"per_card", "throughput"} else None


def times_of(unit: str | None) -> float:
    """What the letters before a unit, as of ``k tokens/s``, multiply its numbers by."""
    found = _SCALED_UNIT.match(unit or "")
    return _TIMES[found[1].lower()] if found else 1.0


def name_throughput(caption: str, around: Iterable[str]) -> bool:
    """Whether the nearest texts around a table that name a quantity say throughput; not if its caption is an axis."""
    own = read_label(caption)
    if own.axes and not own.quantities:
        return False
    named = [label.quantities for text in around if (label := read_label(text)).quantities]
    return any("throughput" in some for some in named)


def values_and_marks(cell: str) -> tuple[str, Label]:
    """The words of a cell in which its values stand, and what the others say, such as ``(BS=256)`` or ``AMP``.

    Bounds and ranges are no values.
    """
    marks = [found for found in _IN_BRACKETS.findall(cell) if (label := read_label(found)).case and not label.unit]
    for mark in marks:
        cell = cell.replace(mark, " ")
    cell = _NO_VALUE.sub(" ", SPREAD.sub(" ", cell))
    return cell, read_label(" ".join([*marks, NUMBER.sub(" ", cell)]))


def is_about(text: str) -> bool:
    """Whether a text says of its number that it is only about so much."""
    return _ABOUT.search(text) is not None


def other_measure(text: str) -> str:
    """The first words of a label that name something other than the speed of steps; nothing where it has none."""
    return found[0] if (found := _OTHER_MEASURE.search(text)) else ""


def owned(rows: Iterable[set[T]]) -> list[frozenset[T]]:
    """What each row has and no other one."""
    known = list(rows)
    counts = Counter(one for row in known for one in row)
    return [frozenset(one for one in row if counts[one] == 1) for row in known]


def words_of_rows(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[frozenset[str]]:
    """What tells each row from all others, as names of files spell it: a whole number behind the word of its head."""
    return owned(set(_spelt(heads, row)) for row in rows)


def _spelt(heads: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    for head, cell in zip(heads, row, strict=False):
        word = head.strip().lower()
        if _SINGLE_WORD.fullmatch(word) and _BARE.fullmatch(number := cell.strip()):
            yield word + number


def of_axis(head: Label, text: str) -> Label | None:
    """What a cell says that is a bare number, where the head names an axis; None for others."""
    axis, bare = next((axis for axis in head.axes if axis != "other"), None), _BARE.fullmatch(text.strip())
    return Label({axis: int(bare[1])}) if axis and bare else None


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
        text = _scaled(text)
        return [(axis, re.sub(r"\s*(?:/|\bper\b)\s*", "/", text))]
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if axis == "nodes_by_cards":
        return [("nodes", numbers[0]), ("cards_per_node", numbers[1])]
    if axis == "nodes_and_cards":
        in_all = text.strip()[0] in "Nn"
        return [("nodes", numbers[0]), ("cards" if in_all else "cards_per_node", numbers[1])]
    return [(axis, numbers[-1])]


def _scaled(unit: str) -> str:
    """A unit with what multiplies its numbers before it: ``tokens/s (k)`` is ``k tokens/s``."""
    found = _SCALED_BEHIND.fullmatch(unit)
    return f"{found['mark'] or _WORDS[found['word'].lower()]} {found['unit']}" if found else unit


def _device(text: str) -> str:
    """The device without maker and number of cards, in capitals: ``8 x Tesla V100`` is ``V100``."""
    return re.sub(r"[\s_-]", "", _MAKER.sub("", text)).upper()


def _derived(case: dict[str, Value]) -> Mapping[str, Value]:
    nodes, cards = case.get("nodes"), case.get("cards_per_node")
    if isinstance(nodes, int) and isinstance(cards, int):
        return {"cards": nodes * cards, **case}
    return case

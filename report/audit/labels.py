"""Labels: what the words of a document, and the names of a log, say of a case, by ``labels.toml``.

Labels find no evidence: a number is found by its digits. They confirm what was found, contradict it, or say nothing.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from parsers.runs.facts import name_facts

Value = int | str
Case = Mapping[str, Value]

LONGEST = 2_000  # characters of a label; what is longer is prose
AXES = ("framework", "precision", "cards", "nodes", "device")  # on which a log and a label can be held together
# Few pages tell half precisions apart, or full ones.
FAMILIES = (frozenset(("amp", "fp16", "bf16", "fp8")), frozenset(("fp32", "tf32")))
_MAKER = re.compile(
    r"\s*(?:\d+\s*[x×*]\s*)?(?:(?:nvidia|tesla|amd|geforce|quadro|ascend|rtx|gtx)[\s_-]*)*", re.IGNORECASE
)
_ITEMS = tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))["item"]
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"  # of no item, of which a part is none either
_SAID = re.compile("|".join([*(f"({item['is']})" for item in _ITEMS), _NUMBER]), re.IGNORECASE)


class Agreement(StrEnum):
    """Whether what a log is called says the same as the labels of a number."""

    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Compared:
    """Labels beside the names of a log; ``axes``: on which they agree, or contradict each other, with both values."""

    agreement: Agreement = Agreement.UNCONFIRMED
    axes: tuple[tuple[str, Value, Value], ...] = ()


def case_of(texts: Iterable[str]) -> Case:
    """The case that several texts state; the first that states an axis counts."""
    case: dict[str, Value] = {}
    for text in texts:
        case = {**_read(text), **case}
    return _with_cards(case)


@cache
def case_of_log(path: str) -> Case:
    """The case that the name of a log states, and those of its folders, the innermost first."""
    facts = {fact.name: fact.value for fact in name_facts(Path(path))}
    own = {axis: value if isinstance(value, int) else _read(str(value)).get(axis) for axis, value in facts.items()}
    known = {axis: value for axis, value in own.items() if value is not None}
    return _with_cards({**case_of(Path(path).parts[::-1]), **known})


def compared(case: Case, log: Case) -> Compared:
    """Hold the labels of a number beside the names of a log."""
    both = [(axis, case[axis], log[axis]) for axis in AXES if axis in case and axis in log]
    if against := tuple(one for one in both if not _agree(*one)):
        return Compared(Agreement.CONTRADICTED, against)
    same = tuple(one for one in both if one[1] == one[2])
    # Of two half precisions that are not the same nobody knows whether one is meant by the other.
    return Compared(Agreement.CONFIRMED, same) if same and len(same) == len(both) else Compared(Agreement.UNCONFIRMED)


def _agree(axis: str, one: Value, other: Value) -> bool:
    return one == other or (axis == "precision" and any({one, other} <= family for family in FAMILIES))


@cache
def _read(text: str) -> Case:
    """What a text says of a case; of an axis with several values nothing is said."""
    found: dict[str, set[Value]] = {}
    for said in _SAID.finditer(text[:LONGEST]):
        for axis, value in _values(_ITEMS[said.lastindex - 1]["says"], said[0]) if said.lastindex else ():
            found.setdefault(axis, set()).add(value)
    return {axis: min(said, key=str) for axis, said in found.items() if len(said) == 1}


def _values(says: str, text: str) -> Iterator[tuple[str, Value]]:
    """Axes and values of an item: what it says, else the numbers or the text of it."""
    axis, _, value = says.partition("=")
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if value:
        yield axis, int(value) if value.isdigit() else value
    elif axis == "device":
        yield axis, re.sub(r"[\s_-]", "", _MAKER.sub("", text)).upper()
    elif axis in ("nodes_by_cards", "nodes_and_cards"):
        yield "nodes", numbers[0]
        yield "cards" if text.strip()[0] in "Nn" else "cards_per_node", numbers[1]
    else:
        yield axis, numbers[-1]


def _with_cards(case: Case) -> Case:
    nodes, cards = case.get("nodes"), case.get("cards_per_node")
    return {"cards": nodes * cards, **case} if isinstance(nodes, int) and isinstance(cards, int) else case

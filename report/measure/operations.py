"""Operations: how many a model needs, as a page states it, and how many a card does at most, as ``peaks.toml`` holds.

A formula is arithmetic of numbers and names; the peaks are those of dense matrices by the data sheets of vendors.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, PositiveFloat

from parsers.io.validation import Mistake
from parsers.runs.facts import Fact

from .diagnostics import Code, NoMeasurement, say

LONGEST = 500
NOT_ARITHMETIC = "{text} is not a formula; use numbers, names, parentheses and + - * / **."
TOO_LONG = "a formula has at most {most} characters."
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
# Words of names that say nothing of which card it is.
_VENDORS = frozenset(("nvidia", "tesla", "amd", "instinct", "gpu", "tensor", "core", "accelerator", "graphics"))
# What mixed precision computes in, where a log does not say more.
_MIXED: Mapping[str, Sequence[str]] = {"amp": ("fp16", "bf16")}


@dataclass(frozen=True)
class Formula:
    """The operations that a model needs ``per`` token or sample, forward and backward.

    ``text``: arithmetic of numbers and of names: those of facts (parameters, sequence_length) and of ``numbers``, which
    the page states. ``source``: where the formula is from.
    """

    text: str
    per: Literal["token", "sample"]
    source: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash((self.text, self.per, self.source, *self.numbers.items()))

    def operations(self, facts: Mapping[str, Fact]) -> float:
        """The number of operations of a run; raises ``NoMeasurement`` where that is not known."""
        found = evaluate(self.text, lambda name: self._number(name, facts))
        if not (math.isfinite(found) and found > 0):
            raise NoMeasurement(say(Code.BAD_FORMULA, text=repr(self.text)))
        return found

    def _number(self, name: str, facts: Mapping[str, Fact]) -> float:
        value = self.numbers[name] if name in self.numbers else facts[name].value if name in facts else None
        if value is None or isinstance(value, str):
            raise NoMeasurement(say(Code.LACKS_FACT, fact=name, quantity=repr(self.text)))
        return float(value)


def evaluate(text: str, number: Callable[[str], float]) -> float:
    """The value of a formula, not a number where it has none; ``number``: that of a name.

    Raises ``Mistake`` where it holds anything but arithmetic.
    """
    refused = Mistake(NOT_ARITHMETIC, text=repr(text))

    def value(node: ast.expr) -> float:
        match node:
            case ast.BinOp() if type(node.op) in _OPERATORS:
                sides = value(node.left), value(node.right)
                try:
                    return _OPERATORS[type(node.op)](*sides)
                except (ArithmeticError, ValueError):
                    return math.nan
            case ast.UnaryOp(op=ast.USub()):
                return -value(node.operand)
            case ast.UnaryOp(op=ast.UAdd()):
                return value(node.operand)
            case ast.Name():
                return number(node.id)
            case ast.Constant() if type(node.value) in (int, float):
                return float(ast.literal_eval(node))
        raise refused

    if len(text) > LONGEST:
        raise Mistake(TOO_LONG, most=LONGEST)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise refused from None
    return value(tree)


class CardPeaks(BaseModel):
    """A card of ``peaks.toml``: what its names are made of, its peaks in TFLOP/s by precision, and who prints them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    family: str
    words: frozenset[str]
    driver: str | None = None
    dense: dict[str, PositiveFloat]
    sparse: dict[str, PositiveFloat]
    source: str
    url: str

    def may_be(self, words: set[str]) -> bool:
        """Whether a name that consists of these words may be its own."""
        return self.family in words and words <= {self.family, *self.words}

    def peak(self, precision: str) -> float | None:
        """The dense peak in a precision; None where its sheet has none, or several that it may be."""
        peaks = {self.dense[one] for one in _MIXED.get(precision, (precision,)) if one in self.dense}
        return peaks.pop() if len(peaks) == 1 else None


@cache
def cards() -> tuple[CardPeaks, ...]:
    """All cards whose peaks are known."""
    stated = tomllib.loads((Path(__file__).parents[1] / "peaks.toml").read_text(encoding="utf-8"))
    return tuple(CardPeaks.model_validate({**card, "words": frozenset(card["words"])}) for card in stated["cards"])


def cards_named(device: str) -> tuple[CardPeaks, ...]:
    """The cards that a name may be of; none where no data sheet of it is known."""
    exact = tuple(card for card in cards() if card.driver == device)
    return exact or tuple(card for card in cards() if card.may_be(_words(device)))


def are_other_cards(one: str, other: str) -> bool:
    """Whether two names are certainly of different cards: each of known ones, but none of both."""
    known, others = cards_named(one), cards_named(other)
    return bool(known and others) and not any(card in others for card in known)


def _words(device: str) -> set[str]:
    spelt = re.sub(r"(?<=\d)\s+(?=gb\b)", "", re.sub(r"\(tm\)|\(r\)|[™®]", " ", device.lower()))
    return {word for word in re.split(r"[\s_,()/-]+", spelt) if word and word not in _VENDORS}


def card_of(devices: Iterable[str], precision: str) -> tuple[CardPeaks, float]:
    """The card that all of these names may be of, and its dense peak in TFLOP/s.

    ``precision``: as facts spell it (bf16, amp). Raises ``NoMeasurement`` for a card that is not known, for several
    whose peaks differ, and where the data sheet has no such peak.
    """
    devices = list(devices)
    found = [card for card in cards() if all(card in cards_named(device) for device in devices)]
    peaks = {card.peak(precision) for card in found}
    if len(peaks) == 1 and (peak := peaks.pop()) is not None:
        return found[0], peak
    known = [f"{card.name} ({', '.join(card.dense)})" for card in found] or [card.name for card in cards()]
    told = {"device": " and ".join(devices), "precision": precision, "known": ", ".join(known)}
    raise NoMeasurement(say(Code.NO_PEAK, **told))

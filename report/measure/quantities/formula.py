"""Formulas: how many floating-point operations a model needs for one token or one sample, as a page states it."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from parsers.io.message import Message
from parsers.io.validation import Mistake

from ...measuring.estimate import Facts
from ..diagnostics import NoMeasurement

LONGEST = 500
NOT_ARITHMETIC = "{text} is not a formula; use numbers, names, parentheses and + - * / **."
TOO_LONG = "a formula has at most {most} characters."
UNKNOWN_NAME = "The formula {text} needs {name}, which neither the log nor the page states."
NO_NUMBER = "The formula {text} needs {name} as a number, which is {value} according to {witness}."
NO_RESULT = "The formula {text} does not give a positive number."

_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


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

    def operations(self, facts: Facts) -> float:
        """The number of operations of a run; raises ``NoMeasurement`` where that is not known."""
        try:
            found = _value(arithmetic(self.text), lambda name: self._number(name, facts))
        except NoMeasurement:
            raise
        except (ArithmeticError, ValueError):
            found = math.nan
        if not (math.isfinite(found) and found > 0):
            raise NoMeasurement(NO_RESULT, text=repr(self.text))
        return found

    def _number(self, name: str, facts: Facts) -> float:
        if name in self.numbers:
            return float(self.numbers[name])
        if name not in facts:
            raise NoMeasurement(UNKNOWN_NAME, text=repr(self.text), name=name)
        value = facts[name].value
        if isinstance(value, str):
            witness = facts[name].source.message
            raise NoMeasurement(NO_NUMBER, text=repr(self.text), name=name, value=value, witness=witness)
        return float(value)


def arithmetic(text: str) -> ast.expr:
    """The tree of a formula, which holds nothing but arithmetic; raises ``Mistake``."""
    if len(text) > LONGEST:
        raise Mistake(TOO_LONG, most=LONGEST)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None or not _is_arithmetic(tree):
        raise Mistake(NOT_ARITHMETIC, text=repr(text))
    return tree


def _is_arithmetic(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return type(node.op) in _OPERATORS and _is_arithmetic(node.left) and _is_arithmetic(node.right)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub | ast.UAdd) and _is_arithmetic(node.operand)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) in (int, float))


def _value(node: ast.expr, number: Callable[[str], float]) -> float:
    """The value of an arithmetic tree; ``number``: that of a name."""
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left, number), _value(node.right, number))
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, number)
        return -value if isinstance(node.op, ast.USub) else value
    return number(node.id) if isinstance(node, ast.Name) else float(ast.literal_eval(node))


def shown(formula: Formula, operations: float) -> Message:
    """A formula with what it gives, as it stands in a derivation."""
    return Message(OPERATIONS[formula.per], count=f"{operations:.10g}", text=formula.text, source=formula.source)


OPERATIONS: Mapping[str, str] = {
    "token": "{count} operations per token ({text}; {source})",
    "sample": "{count} operations per sample ({text}; {source})",
}

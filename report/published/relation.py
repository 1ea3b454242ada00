"""Relations: from which other numbers of its row or its column the numbers of a column may have been computed."""

from collections.abc import Callable
from dataclasses import dataclass

from .printed_cell import Bounds, PrintedCell

# How a quotient is printed: times this factor, plus this.
Reading = tuple[float, float]
PLAIN: Reading = (1.0, 0.0)


@dataclass(frozen=True)
class Derived:
    """What the operands of a number give: the value of the printed digits, its bounds, and the operation in words."""

    bounds: Bounds
    value: float
    operation: str


Rule = Callable[[int], Derived | None]


@dataclass(frozen=True)
class Relation:
    """How the numbers of a column may come out of others: ``rule`` gives what they do in a row, None where they do not.

    ``is_named``: whether the heads say so; ``is_spelt_out``: whether all their words agree. ``of_row``: whether all
    operands stand in the row. ``slack``: by which fraction a number may be off where it was measured in another way.
    """

    rule: Rule
    is_named: bool = False
    is_spelt_out: bool = False
    of_row: bool = False
    slack: float = 0.0


def quotient(
    of: PrintedCell | None, against: PrintedCell | None, reading: Reading = PLAIN, times: float | None = 1.0
) -> Derived | None:
    """The quotient of two numbers in one unit, divided by how many times as many cards there are."""
    if not of or not against or times is None or not of.is_like(against):
        return None
    if min(of.bounds.low, against.bounds.low) <= 0:
        return None
    factor, offset = reading
    operation = f"{of.digits} / {against.digits}" + (f" / {times:g}" if times != 1 else "")
    bounds = (of.bounds / against.bounds).scaled(factor / times, offset)
    return Derived(bounds, of.value / against.value / times * factor + offset, operation)

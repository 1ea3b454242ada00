"""Relations of a table: all that the numbers of a column may have been computed from."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import permutations, product
from math import prod

from .grid import CellGrid
from .operands import Baselines, baselines, named_operand, named_pairs, of_fewest_cards
from .printed_cell import Bounds, PrintedCell, exactly
from .relation import PLAIN, Derived, Reading, Relation, Rule, quotient

# Words of a head that say that the numbers below it are quotients, means or sums of others.
QUOTIENT = re.compile(
    r"speed-?\s?up|scal(?:ing|ability)|efficienc|acceleration|improvement|(?<![a-z])gain"
    r"|加速比|扩展(?:效率|比)|提升|性能比",
    re.IGNORECASE,
)
MEAN = re.compile(r"\W*(?:mean|average|avg\.?|平均值?|均值)\W*", re.IGNORECASE)
TOTAL = re.compile(r"\W*(?:total|sum|合计|总计|总和)\W*", re.IGNORECASE)
# How a quotient is printed with the sign that its column has: as it is, per cent, or what was gained or saved.
READINGS: Mapping[str, tuple[Reading, ...]] = {
    "%": ((100.0, 0.0), (100.0, -100.0), (-100.0, 100.0)),
    "x": (PLAIN,),
    "": (PLAIN, (100.0, 0.0)),
}
# Heads of settings on which the operations of a token do not depend; their share of the peak does on the last ones.
OF_RUNNING = re.compile(
    r"\W*(?:[tpdcev]p|fsdp|ga|[mg]bs|(?:micro|global|local)[ -](?:batch(?:[ -]size)?|bsz))\W*", re.IGNORECASE
)
OF_HARDWARE = re.compile(
    r"\W*(?:system|gpu|hardware|device|accelerator|machine|precision|dtype|机型|精度)\W*", re.IGNORECASE
)
PRINTED_TOGETHER = Bounds(0.999, 1.001)  # how much a number may be of one that the program prints beside it
MEASURED_TOGETHER = 0.05  # how far it must be from that to be false
MEASURED_TWICE = 0.5  # how far, as a fraction, a throughput may be from what another measurement gives
BY_HAND = 0.01
MOST_BASES = 50  # rows of one model that others are compared with
AGREEING = 2  # rows that must agree with one before others are held against it

Proportion = Callable[[int, int], Derived | None]


def named_relations(grid: CellGrid, column: int) -> Iterator[Relation]:
    """The relations that the head of a column of quotients names."""
    if not QUOTIENT.search(grid.heads[column]):
        return
    columns = _Columns(grid, column)
    for pair, is_spelt_out in named_pairs(grid, column, columns.measured).items():
        for (of, against), reading in product(permutations(sorted(pair), 2), columns.readings):
            yield _across(grid, of, against, reading, is_named=True, is_spelt_out=is_spelt_out)
    scaled = named_operand(grid, column, columns.measured)
    if scaled is not None and len(columns.cards) == 1:
        compared = of_fewest_cards(grid, columns.cards[0], columns.labels)
        for reading, counted in product(columns.readings, (None, *columns.cards)):
            yield _down(grid, scaled, compared, counted, reading, is_named=True)


def other_relations(grid: CellGrid, column: int) -> Iterator[Relation]:
    """All relations that the numbers of a column may have by what its head says they are."""
    head = grid.heads[column]
    if QUOTIENT.search(head):
        yield from _quotients(grid, column)
    elif MEAN.fullmatch(head) or TOTAL.fullmatch(head):
        yield from _means(grid, column)
    elif "throughput" in grid.labels[column].quantities:
        yield from _throughputs(grid, column)
    elif "compute" in grid.labels[column].quantities:
        yield from _operations(grid, column)


def is_measured(grid: CellGrid, column: int) -> bool:
    """Whether a column holds measured numbers that others may be computed from: no counts, and no quotients."""
    label = grid.labels[column]
    if QUOTIENT.search(grid.heads[column]) or (label.axes and not label.quantities):
        return False
    return any(cell is not None and cell.value > 0 for cell in grid.printed[column])


class _Columns:
    """The columns beside one of quotients: those that are ``measured``, ``labels``, and of them those of ``cards``."""

    def __init__(self, grid: CellGrid, column: int) -> None:
        others = [c for c in range(len(grid.heads)) if c != column and not QUOTIENT.search(grid.heads[c])]
        self.measured = [c for c in others if is_measured(grid, c)]
        self.labels = [c for c in others if c not in self.measured]
        self.cards = [c for c in self.labels if {"cards", "nodes"} & set(grid.labels[c].axes)]
        units = {cell.unit for cell in grid.printed[column] if cell}
        self.readings = READINGS["%" if "%" in units or "%" in grid.heads[column] else "x" if "x" in units else ""]


def _quotients(grid: CellGrid, column: int) -> Iterator[Relation]:
    """Of two columns in one row, and of two rows in one column."""
    columns = _Columns(grid, column)
    for (of, against), reading in product(permutations(columns.measured, 2), columns.readings):
        yield _across(grid, of, against, reading)
    every = baselines(grid, columns.labels)
    for operand, compared, reading in product(columns.measured, every, columns.readings):
        for counted, is_time in product((None, *columns.cards), (False, True)):
            yield _down(grid, operand, compared, counted, reading, is_time=is_time)


def _across(
    grid: CellGrid, of: int, against: int, reading: Reading, *, is_named: bool = False, is_spelt_out: bool = False
) -> Relation:
    def rule(row: int) -> Derived | None:
        return quotient(grid.printed[of][row], grid.printed[against][row], reading)

    return Relation(rule, is_named, is_spelt_out, of_row=True)


def _down(
    grid: CellGrid,
    operand: int,
    compared: Baselines,
    counted: int | None,
    reading: Reading,
    *,
    is_time: bool = False,
    is_named: bool = False,
) -> Relation:
    def rule(row: int) -> Derived | None:
        base = compared[row]
        if base is None:
            return None
        cells = grid.printed[operand]
        of, against = (cells[base], cells[row]) if is_time else (cells[row], cells[base])
        return quotient(of, against, reading, _times_as_many(grid, counted, row, base))

    return Relation(rule, is_named)


def _times_as_many(grid: CellGrid, counted: int | None, row: int, base: int) -> float | None:
    if counted is None:
        return 1.0
    here, there = grid.printed[counted][row], grid.printed[counted][base]
    return here.value / there.value if here and there and here.value and there.value else None


def _means(grid: CellGrid, column: int) -> Iterator[Relation]:
    """The mean or the sum of all other numbers of the row, and of those before."""
    others = [c for c in range(len(grid.heads)) if c != column and is_measured(grid, c)]
    others = [c for c in others if not (MEAN.fullmatch(grid.heads[c]) or TOTAL.fullmatch(grid.heads[c]))]
    is_mean = bool(MEAN.fullmatch(grid.heads[column]))
    for operands in {tuple(others), tuple(c for c in others if c < column)}:
        if len(operands) > 1:
            yield Relation(_sum(grid, operands, is_mean=is_mean), of_row=True)
            yield Relation(_geometric_mean(grid, operands), of_row=True)


def _sum(grid: CellGrid, operands: Sequence[int], *, is_mean: bool) -> Rule:
    def rule(row: int) -> Derived | None:
        cells = _all_like(grid, operands, row)
        if not cells:
            return None
        part = 1 / len(cells) if is_mean else 1.0
        bounds = Bounds(sum(c.bounds.low for c in cells) * part, sum(c.bounds.high for c in cells) * part)
        operation = " + ".join(cell.digits for cell in cells)
        operation = f"({operation}) / {len(cells)}" if is_mean else operation
        return Derived(bounds, sum(cell.value for cell in cells) * part, operation)

    return rule


def _geometric_mean(grid: CellGrid, operands: Sequence[int]) -> Rule:
    def rule(row: int) -> Derived | None:
        cells = _all_like(grid, operands, row)
        if not cells:
            return None
        root = 1 / len(cells)
        bounds = Bounds(prod(c.bounds.low**root for c in cells), prod(c.bounds.high**root for c in cells))
        operation = f"({' × '.join(cell.digits for cell in cells)})^(1 / {len(cells)})"
        return Derived(bounds, prod(cell.value**root for cell in cells), operation)

    return rule


def _all_like(grid: CellGrid, operands: Sequence[int], row: int) -> list[PrintedCell]:
    cells = [cell for column in operands if (cell := grid.printed[column][row])]
    return cells if len(cells) == len(operands) and all(cell.is_like(cells[0]) for cell in cells) else []


def _throughputs(grid: CellGrid, column: int) -> Iterator[Relation]:
    """The throughput of all cards as so many times that of one, and that of a batch in its time."""
    counts = [c for c in range(len(grid.heads)) if not grid.labels[c].quantities]
    cards = [c for c in counts if "cards" in grid.labels[c].axes]
    batches = [c for c in counts if "batch_size" in grid.labels[c].axes]
    for one in (c for c in range(len(grid.heads)) if c != column and is_measured(grid, c)):
        if "per_card" in grid.labels[one].quantities:
            for counted in cards:
                yield _product(grid, [one, counted], None, 1.0, BY_HAND)
        elif "time" in grid.labels[one].quantities:
            for batch, factor in product(batches, (1.0, 1000.0)):
                yield _product(grid, [batch], one, factor, MEASURED_TWICE)
                for counted in cards:
                    yield _product(grid, [batch, counted], one, factor, MEASURED_TWICE)


def _operations(grid: CellGrid, column: int) -> Iterator[Relation]:
    """Operations per second, or their share of the peak, as so many times the throughput of the row as in other rows.

    That is how many operations a token or a sample takes. Rows are compared that differ in nothing but how they ran.
    """
    rates = [c for c in range(len(grid.heads)) if {"throughput", "per_card"} & grid.labels[c].quantities]
    cards = [c for c in range(len(grid.heads)) if "cards" in grid.labels[c].axes and not grid.labels[c].quantities]
    for rate, counted in product(rates, (None, *cards)):
        in_proportion = partial(_in_proportion, grid, column, rate, counted)
        compared = _typical(grid, column, in_proportion)
        if any(base is not None for base in compared):
            yield Relation(partial(_as_in, compared, in_proportion), slack=MEASURED_TOGETHER)


def _as_in(compared: Baselines, in_proportion: Proportion, row: int) -> Derived | None:
    base = compared[row]
    return None if base is None else in_proportion(base, row)


def _typical(grid: CellGrid, column: int, in_proportion: Proportion) -> Baselines:
    """For each row another one of its model with which at least two others agree, the most; None where none is."""
    told = [c for c in range(len(grid.heads)) if not grid.labels[c].quantities and not _is_of_running(grid, c, column)]
    kinds: dict[tuple[str, ...], list[int]] = {}
    for row, cells in enumerate(grid.rows):
        kinds.setdefault(tuple(cells[c] for c in told), []).append(row)
    found: list[int | None] = [None] * len(grid.rows)
    for rows in kinds.values():
        agreeing = {base: _agreeing(grid.printed[column], in_proportion, base, rows) for base in rows[:MOST_BASES]}
        ranked = sorted((b for b, count in agreeing.items() if count >= AGREEING), key=lambda b: -agreeing[b])
        for row in rows:
            found[row] = next((base for base in ranked if base != row), None)
    return tuple(found)


def _is_of_running(grid: CellGrid, column: int, operations: int) -> bool:
    """Whether a column says on what and how a row ran, but nothing on which its operations depend."""
    is_axis = bool({"cards", "nodes", "batch_size"} & {*grid.labels[column].axes})
    is_hardware = OF_HARDWARE.fullmatch(grid.heads[column]) and "flop" in grid.heads[operations].lower()
    return bool(is_axis or is_hardware or OF_RUNNING.fullmatch(grid.heads[column]))


def _agreeing(printed: Sequence[PrintedCell | None], in_proportion: Proportion, base: int, rows: Sequence[int]) -> int:
    """How many of some rows follow from another one."""
    given = ((printed[row], in_proportion(base, row)) for row in rows if row != base)
    return sum(bool(cell and found and found.bounds.meets(cell.bounds)) for cell, found in given)


def _in_proportion(grid: CellGrid, column: int, rate: int, counted: int | None, base: int, row: int) -> Derived | None:
    """What a row gives by the operations that each token takes in another row."""
    times, cell = _times_as_many(grid, counted, row, base), grid.printed[column][base]
    given = quotient(grid.printed[rate][row], grid.printed[rate][base], times=times)
    if not cell or not given:
        return None
    bounds = given.bounds * cell.bounds * PRINTED_TOGETHER
    return Derived(bounds, given.value * cell.value, f"{cell.digits} × {given.operation}")


def _product(grid: CellGrid, factors: Sequence[int], divisor: int | None, times: float, slack: float) -> Relation:
    """A product, of which what is no throughput is counted, divided by a time."""

    def rule(row: int) -> Derived | None:
        cells = [cell for column in factors if (cell := grid.printed[column][row])]
        by = grid.printed[divisor][row] if divisor is not None else None
        if len(cells) < len(factors) or (divisor is not None and (by is None or by.bounds.low <= 0)):
            return None
        each = (_factor(grid, column, cell) for column, cell in zip(factors, cells, strict=True))
        return _times(cells, reduce(Bounds.__mul__, each), by, times)

    return Relation(rule, of_row=True, slack=slack)


def _factor(grid: CellGrid, column: int, cell: PrintedCell) -> Bounds:
    return cell.bounds if grid.labels[column].quantities else exactly(cell.value)


def _times(cells: Sequence[PrintedCell], bounds: Bounds, by: PrintedCell | None, times: float) -> Derived:
    value = prod(cell.value for cell in cells) * times / (by.value if by else 1.0)
    operation = " × ".join(cell.digits for cell in cells) + (f" / {by.digits}" if by else "")
    operation += f" × {times:g}" if times != 1 else ""
    return Derived((bounds / by.bounds if by else bounds).scaled(times), value, operation)

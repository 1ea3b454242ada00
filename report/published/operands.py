"""Operands: which columns and which rows of a table its numbers may have been computed from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from .grid import CellGrid

SPEED_UP = re.compile(r"speed-?\s?ups?|acceleration|加速比", re.IGNORECASE)
SCALING = re.compile(r"(?:multi-?gpu\s+)?(?:weak|strong)[ -]scaling", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+[0-9]*|[\u4e00-\u9fff]+")
_SMALL = frozenset(re.findall("[a-z]+", "a and as at by for from in is of on over per the to vs versus with x"))
Pair = frozenset[int]
# For each row the one that it is compared with; None for those that are not.
Baselines = tuple[int | None, ...]


def named_pairs(grid: CellGrid, column: int, measured: Sequence[int]) -> Mapping[Pair, bool]:
    """The pair of columns whose speed-up a column is by its head, and whether all its words are theirs.

    Both columns measure the same of two cases that the head names; nothing where several pairs may be meant.
    """
    head = grid.heads[column]
    said = set(words(SPEED_UP.sub(" ", head)))
    if not SPEED_UP.search(head) or not said:
        return {}
    pairs = {pair: found for pair in combinations(measured, 2) if (found := _compared(grid, *pair))}
    full = {
        frozenset(pair): said == common | one | other
        for pair, (common, one, other) in pairs.items()
        if common & said and one & said and other & said
    }
    if full or len(pairs) != 1:
        return full if len(full) == 1 else {}
    ((pair, (_, one, other)),) = pairs.items()
    return {frozenset(pair): False} if said <= one | other else {}


def named_operand(grid: CellGrid, column: int, measured: Sequence[int]) -> int | None:
    """The column of throughputs whose scaling a column is by its head, or the only one; None where it is unclear."""
    head = grid.heads[column]
    if not SCALING.search(head):
        return None
    said = set(words(SCALING.sub(" ", head)))
    throughputs = [c for c in measured if "throughput" in grid.labels[c].quantities]
    found = [c for c in throughputs if said <= set(words(grid.heads[c]))]
    return found[0] if len(found) == 1 else None


def words(head: str) -> list[str]:
    """The words of a head that mean something, in small letters."""
    return [word for word in _WORD.findall(head.lower()) if word not in _SMALL]


def _compared(grid: CellGrid, first: int, second: int) -> tuple[set[str], set[str], set[str]] | None:
    """What two heads have in common, and what each has alone; None where these are not two cases of one quantity."""
    one, other = words(grid.heads[first]), words(grid.heads[second])
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    common = {word for block in blocks for word in one[block.a : block.a + block.size]}
    alone = set(one) - common, set(other) - common
    return (common, *alone) if common and all(alone) else None


def baselines(grid: CellGrid, labels: Sequence[int]) -> set[Baselines]:
    """All ways to compare rows that the labels allow: with one row, with the row before, or with a label's value."""
    count = len(grid.rows)
    found: set[Baselines] = {tuple(None if row == fixed else fixed for row in range(count)) for fixed in range(count)}
    found.add(tuple(row - 1 if row else None for row in range(count)))
    return found.union(*(_by_label(grid, label, labels) for label in labels))


def of_fewest_cards(grid: CellGrid, cards: int, labels: Sequence[int]) -> Baselines:
    """Compare each row with the one on the fewest cards whose other labels are the same, or that is the only one."""
    counts = [cell.value if cell else None for cell in grid.printed[cards]]
    fewest = min((count for count in counts if count), default=None)
    value = next((text for text, count in zip(grid.column(cards), counts, strict=True) if count == fewest), "")
    alike = _alike(grid, cards, value, [label for label in labels if label != cards])
    return alike if any(row is not None for row in alike) else _alike(grid, cards, value, [])


def _by_label(grid: CellGrid, label: int, labels: Sequence[int]) -> Iterator[Baselines]:
    others = [other for other in labels if other != label]
    for value in dict.fromkeys(grid.column(label)):
        yield _alike(grid, label, value, others)
        yield _before(grid.column(label), value)


def _alike(grid: CellGrid, label: int, value: str, others: Sequence[int]) -> Baselines:
    """Compare each row with the one that has this value, and every other label like it."""
    like: dict[tuple[str, ...], list[int]] = {}
    for row, cells in enumerate(grid.rows):
        if cells[label] == value:
            like.setdefault(tuple(cells[other] for other in others), []).append(row)
    found = [like.get(tuple(cells[other] for other in others), []) for cells in grid.rows]
    return tuple(rows[0] if len(rows) == 1 and rows[0] != row else None for row, rows in enumerate(found))


def _before(texts: Sequence[str], value: str) -> Baselines:
    """Compare each row with the last one before it that has this value."""
    found: list[int | None] = []
    last = None
    for row, text in enumerate(texts):
        found.append(None if text == value else last)
        last = row if text == value else last
    return tuple(found)

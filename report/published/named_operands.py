"""Named operands: which columns the head of a column of quotients says that it was computed from."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from .grid import CellGrid

SPEED_UP = re.compile(r"speed-?\s?ups?|acceleration|加速比", re.IGNORECASE)
SCALING = re.compile(r"(?:multi-?gpu\s+)?(?:weak|strong)[ -]scaling", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+[0-9]*|[\u4e00-\u9fff]+")
_SMALL = frozenset(re.findall("[a-z]+", "a and as at by for from in is of on over per the to vs versus with x"))
Pair = frozenset[int]


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

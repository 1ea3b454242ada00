"""Marks: the texts by which lines are found before any regular expression runs."""

from collections.abc import Sequence

from .variant import Variant

# Trying a line costs about as much as searching this many bytes for each letter of a mark: long ones are found faster.
BYTES_PER_LETTER = 230


def marks(variants: Sequence[Variant], sample: bytes) -> dict[bytes, list[Variant]]:
    """Choose for each variant the literal by which its lines are found at least cost, judged by a sample of the log.

    A rare literal wins over a frequent one; one that another variant uses already costs no search of its own.
    Which one is chosen decides speed only, never what is found.
    """
    chosen: dict[bytes, list[Variant]] = {}
    for variant in variants:
        costs = {mark: _cost(mark, sample, mark in chosen) for mark in map(str.encode, variant.literals)}
        best = min(costs, key=lambda mark: (costs[mark], -len(mark)))
        chosen.setdefault(best, []).append(variant)
    return chosen


def _cost(mark: bytes, sample: bytes, in_use: bool) -> float:
    return sample.count(mark) + (0 if in_use else len(sample) / (BYTES_PER_LETTER * len(mark)))

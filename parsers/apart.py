"""Lines told apart: what is a whole line for one search is no part of a line for another."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import compress

from .format import METRICS
from .found import Found


def told_apart(by_search: list[list[Found]], torn: list[set[int]]) -> Iterator[Found]:
    """What the searches of a block found; of a line that is whole for one of them no other one keeps a part.

    ``torn``: for each search the numbers of the lines that hold a metric line amid other output; whole ones are taken
    out.
    """
    whole = set(_whole(by_search, torn)) if any(torn) else set()
    for lines, parts in zip(by_search, torn, strict=True):
        known = parts & whole
        parts.difference_update(known)
        yield from (_without(found, known) for found in lines) if known else lines


def _whole(by_search: list[list[Found]], torn: list[set[int]]) -> Iterator[int]:
    """The numbers of whole metric lines."""
    for lines, parts in zip(by_search, torn, strict=True):
        for found in (found for found in lines if found.variant.record in METRICS):
            yield from (number for number in found.numbers.tolist() if number not in parts)


def _without(found: Found, numbers: set[int]) -> Found:
    stays = [number not in numbers for number in found.numbers.tolist()]
    return replace(found, numbers=found.numbers[stays], rows=list(compress(found.rows, stays)))

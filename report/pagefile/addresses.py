"""Addresses: TABLE/ROW/COLUMN for every cell of a page, made of names and cases, so that titles may change freely."""

import re
from collections.abc import Iterator
from typing import get_args

from .page import CellPlace, Page
from .parts import MARKED, Axis, Case

LONGEST = 60  # of a part, in characters: it names a file of the site
_MARKS: dict[Axis, str] = {
    "batch_size": "bs",
    "nodes": "n",
    **MARKED,
}


def slugs(page: Page) -> Iterator[str]:
    """The addresses of the cells of a page, in the order of its places; of equal ones the later get .2, .3 …"""
    taken: dict[str, int] = {}
    for place in page.places():
        slug = "/".join([_part([place.table.name]), _row(place), _column(place)])
        taken[slug] = taken.get(slug, 0) + 1
        # No part has a point of its own, so that no other address is like this one.
        yield slug if taken[slug] == 1 else f"{slug}.{taken[slug]}"


def _row(place: CellPlace) -> str:
    return _part(_values(place.row.case)) if place.row.case else "all"


def _column(place: CellPlace) -> str:
    column = place.column
    parts = [column.column, *_values(column.case)]
    if column.against:
        parts += ["vs", *([column.against.column] if column.against.column else []), *_values(column.against.case)]
    elif not column.quantity.is_throughput:
        parts.append(column.quantity.name)
    return _part(parts)


def _values(case: Case) -> list[str]:
    return [f"{_MARKS.get(axis, '')}{case[axis]}" for axis in get_args(Axis) if axis in case]


def _part(names: list[str]) -> str:
    """Names as one part of an address: small letters and digits of any script, joined by hyphens."""
    joined = re.sub(r"[\W_]+", "-", "-".join(names).lower()).strip("-")
    return joined[:LONGEST].strip("-") or "-"

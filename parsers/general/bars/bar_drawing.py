"""Drawings of progress bars: how far a bar is, how long it has run by its own clock, and the speed that it shows."""

import re
from dataclasses import dataclass

from ...grammar.timestamps import length_of_time
from ...naming.slots import BAR

_CLOCK = r" *(?P<step>\d{1,12})/(?P<total>\d{1,12}) \[(?P<clock>(?:\d{1,9}:)?\d{1,9}:\d\d)<"
_SPEED = r"[^,\]\r\n]*, *(?P<speed>\d+(?:\.\d+)?)(?P<unit>(?: ?[A-Za-z]+/s|s/ ?[A-Za-z]+)(?![A-Za-z]))"
_REST = {True: re.compile(_CLOCK + _SPEED), False: re.compile(_CLOCK + "(?P<unit>)")}


@dataclass(frozen=True)
class BarDrawing:
    """A bar as it was drawn once: its ``head`` is the name before the percentage, its ``clock`` in whole seconds.

    ``is_drawn``: a picture of it stands behind the percentage. ``unit``: of its speed, `it/s` or `s/it`; a program may
    have chosen one that begins with a blank, `s/ batch`; empty where it shows none.
    """

    head: str
    is_drawn: bool
    step: int
    total: int
    clock: float
    unit: str

    @property
    def is_time(self) -> bool:
        """Whether its speed is the time of a step."""
        return self.unit.startswith("s/")


def drawing(text: str, *, has_speed: bool = True) -> BarDrawing | None:
    """The bar drawn in a line; None if it shows no clock or, with ``has_speed``, no speed."""
    bar = BAR.search(text)
    rest = _REST[has_speed].match(text, bar.end()) if bar else None
    if not (bar and rest):
        return None
    step, total, clock = int(rest["step"]), int(rest["total"]), length_of_time(rest["clock"])
    return BarDrawing(text[: bar.start()], "|" in bar[0], step, total, clock, rest["unit"].strip())

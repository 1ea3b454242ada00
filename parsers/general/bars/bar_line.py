"""The line of a progress bar in a grammar: its steps and its clock, and the speed that it shows in either way."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...naming.slots import NUMBER
from ..spoken_series import SpokenSeries
from .bar_drawing import BarDrawing, drawing

MOST_HEADS = 12
FEWEST = 3
# Nothing but up to three blanks stands before the name of the bar, for another one may end as it does.
_BEGIN = r"(?<![^ \t\n])(?<![^ \t\n] )(?<![^ \t\n]  )(?<![^ \t\n]   )"
_A_NUMBER = r"(?:[-+]?[0-9]*+(?:[.,][0-9]++)*+\.?+(?:[eE][-+]?[0-9]++)?+|nan|inf)"
_WAYS = {True: "step_time{seconds, unknown}", False: "step_rate{unknown}"}
_NAMES = {True: ("step_time", "seconds"), False: ("step_rate",)}


@dataclass(frozen=True)
class BarLine:
    """The ``rule`` of a line of a grammar, its ``terminals``, and the ``names`` that it imports."""

    rule: str
    terminals: list[str]
    names: set[str]


def bar_line(series: SpokenSeries, counts: str) -> BarLine | None:
    """The line of a bar that draws its clock, and ``counts`` steps or epochs; None where it has too many names.

    The speed that one of epochs shows is not read, nor is there any where only its clock tells it.
    """
    has_speed = not series.is_by_clock
    drawn = [one for row in series.rows if (one := drawing(row.text, has_speed=has_speed))]
    heads = sorted({" ".join(NUMBER.sub(" # ", one.head).split()) for one in drawn})
    if not 0 < len(heads) <= MOST_HEADS:
        return None
    picture = "_PICTURE" if all(one.is_drawn for one in drawn) else "_PICTURE?"
    speeds, ways = _speeds(drawn), {one.is_time for one in drawn}
    clock = "elapsed{DURATION}" if _goes_on(drawn) or series.is_by_clock else "DURATION"
    rest = "_WITH_LOSS" if series.losses else "REST?"
    shown = f'"," ({speeds}) {rest}' if counts == "step" else '"," REST'
    timing = f'"[" {clock} "<" _LEFT {shown if has_speed else "REST?"}'
    begin, totals = f"{_BEGIN}(?:{'|'.join(map(_expression, heads))})[0-9]++", sorted({one.total for one in drawn})
    before = "_AT_END NEWLINE " * (series.ends - 1)
    rule = f'{counts}_line: {before}_PERCENT "%" {picture} {counts}{{"1"}} _OF INTEGER {timing}'
    terminals = [
        f"_PERCENT: /{begin}(?={_at_end(totals) if series.ends else '%'})/",
        *([f"_AT_END: /{begin}{_at_end(totals)}[^\\n]++/"] if before else []),
        r"_PICTURE: /\|[^|\n]*+\|/",
        rf"_OF: /\/(?=(?:{'|'.join(map(str, totals))}) )/",
        r"_LEFT: /[^,\]\n]++/",
        *([_with_loss(series.losses)] if series.losses else []),
    ]
    of_speed = ["unknown", *_names(ways)] if counts == "step" and has_speed else []
    names = {*(["NEWLINE"] if before else []), *of_speed}
    return BarLine(rule, terminals, {counts, *re.findall("[a-zA-Z]+", clock), *names})


def _at_end(totals: Sequence[int]) -> str:
    """The expression for the rest of the percentage of a bar and what follows it, where all of its steps are done."""
    done = "|".join(rf"{total}\/{total}" for total in totals)
    return rf"%(?:\|[^|\n]*+\|)? *+(?:{done}) "


def _with_loss(names: Iterable[str]) -> str:
    """The terminal for what stands behind the speed of a bar of training: one of these losses among it."""
    words = "|".join(re.escape(name).replace("/", r"\/") for name in sorted(names))
    return rf"_WITH_LOSS: /[^\n]*?(?<![\w.\/-])(?:{words})[\"']?[ \t]*[=:][^\n]*+/"


def _goes_on(drawn: Sequence[BarDrawing]) -> bool:
    """Whether passes of a bar are drawn several times, and not only at their ends, where no steps lie between two."""
    pairs = list(pairwise(drawn))
    begins = sum(after.step < one.step or after.clock < one.clock for one, after in pairs)
    return sum(after.step > one.step for one, after in pairs) >= FEWEST * (begins + 1)


def _speeds(drawn: Iterable[BarDrawing]) -> str:
    units = sorted({one.unit for one in drawn})
    return " | ".join(
        " ".join([_WAYS[unit.startswith("s/")], *(f'"{word}"' for word in unit.split())]) for unit in units
    )


def _names(ways: Iterable[bool]) -> set[str]:
    return {name for is_time in ways for name in _NAMES[is_time]}


def _expression(head: str) -> str:
    """The expression for what stands before the percentage, whatever numbers it holds."""
    words = (_A_NUMBER if word == "#" else re.escape(word).replace("/", r"\/") for word in head.split())
    return "".join(f"{word}[ \\t]*+" for word in words)

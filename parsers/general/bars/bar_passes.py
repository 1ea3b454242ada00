"""Passes of progress bars: a bar that is drawn from its start to its end, and then anew."""

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...naming.vocabulary import Words, counted, split
from ..gathered import Gathered, Spoken, once_a_log, places_of
from ..spoken_series import SpokenSeries

DRAWN_AGAIN = 2  # seconds, or lines
OF_LOOPS = "bars of one name have different totals in the same epoch, and run at different speeds"
OF_LOSSES = "only some passes of the bar show a loss, and they run at a different speed"
OF_TURNS = "passes of the bar alternate between two speeds, as training and evaluation do"
FEWEST_OF_LOOPS, ONE_SPEED = 2, 1.05
FEWEST_TURNS = 4  # of each speed, behind the first, which may be slow to start
FEWEST_COUNTED, MOST_COUNTED = 2, 0.9
NEAR = 2  # lines: a blank one may stand between
_WORDS = re.compile(r"\w")


def runs_of(series: SpokenSeries) -> list[list[int]]:
    """The places of lines of one bar after another: its steps and its clock begin anew."""
    return _apart(series, _falls)


def passes_of(series: SpokenSeries) -> list[list[int]]:
    """The same, also of a bar that is drawn only at its end."""
    return _apart(series, begins_anew)


def _apart(series: SpokenSeries, is_next: Callable[[Spoken, Spoken], bool]) -> list[list[int]]:
    begins = [place for place, pair in enumerate(pairwise(series.rows), 1) if is_next(*pair)]
    return [list(range(*ends)) for ends in pairwise([0, *begins, len(series)])]


def _falls(one: Spoken, other: Spoken) -> bool:
    return other.of("step") < one.of("step") or other.clock < one.clock


def begins_anew(one: Spoken, other: Spoken) -> bool:
    """Whether a drawing of a bar is of another pass than the one before it.

    At its end it may be drawn again at once, as it closes; later it is at the end of the next pass.
    """
    is_at_end = one.of("step") == other.of("step") == one.total
    is_later = other.clock - one.clock > DRAWN_AGAIN or other.line - one.line > DRAWN_AGAIN
    return _falls(one, other) or (is_at_end and is_later)


def names_steps(series: SpokenSeries) -> bool:
    """Whether the name of a bar says that it counts steps: `Iteration:  20%|##   | 1/5`."""
    return any(counted(word) == "steps" for word in split(series.rows[0].form.name_of_bar or ""))


def counts_passes(outer: Sequence[Spoken], series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a bar goes on by one with each pass of another, which runs within it: it counts its epochs."""
    known = places_of(gathered)
    begins = [known[series.rows[run[0]]] for run in passes_of(series)]
    pairs = [pair for pair in pairwise(outer) if pair[1].of("step") > pair[0].of("step")]
    are_one_by_one = [
        bisect_left(begins, known[after]) - bisect_left(begins, known[one]) == after.of("step") - one.of("step")
        for one, after in pairs
    ]
    return len(pairs) >= FEWEST_COUNTED and sum(are_one_by_one) >= MOST_COUNTED * len(pairs)


def of_several_loops(series: SpokenSeries) -> str | None:
    """Why it is not known which loop is that of training, where bars of one name are of several.

    They do if totals differ within an epoch, or if only some passes show a loss and run at another speed.
    """
    return _by_totals(series) or _by_losses(series)


def of_two_in_turns(series: SpokenSeries) -> str | None:
    """Why every other pass may be of an evaluation: each of them is faster than all those between."""
    speeds = [float(np.median(series.values[places])) for places in passes_of(series)][2:]
    turns = [speeds[::2], speeds[1::2]]
    if min(map(len, turns)) < FEWEST_TURNS:
        return None
    one, other = sorted(turns, key=np.median)
    return OF_TURNS if max(one) < min(other) and _differ([float(np.median(some)) for some in turns]) else None


def _by_totals(series: SpokenSeries) -> str | None:
    totals = np.array([row.total for row in series.rows])
    of_epochs: dict[float, set[float]] = {}
    for row in series.rows:
        of_epochs.setdefault(row.of("epoch"), set()).add(row.total)
    if sum(len(found) > 1 for epoch, found in of_epochs.items() if np.isfinite(epoch)) < FEWEST_OF_LOOPS:
        return None
    speeds = [float(np.median(series.values[totals == total])) for total in np.unique(totals[np.isfinite(totals)])]
    return OF_LOOPS if _differ(speeds) else None


def _by_losses(series: SpokenSeries) -> str | None:
    speeds: dict[bool, list[float]] = {True: [], False: []}
    for places in passes_of(series):
        with_loss = [place for place in places if series.rows[place].form.has_any_loss]
        speeds[bool(with_loss)].append(float(np.median(series.values[places])))
    return OF_LOSSES if all(speeds.values()) and _differ([float(np.median(some)) for some in speeds.values()]) else None


def _differ(speeds: Sequence[float]) -> bool:
    return max(speeds, default=1) > ONE_SPEED * min(speeds, default=1)


@dataclass(frozen=True)
class EndedPass:
    """A bar as it was drawn once to its end, and the lines with numbers that mean something beside it.

    ``losses``: how many lines between its drawings tell the loss of an epoch or a step. ``above``: the text of the last
    line that stands before it; None where that was not kept. ``clock``: the seconds at its end;
    ``lines``: the first and the last.
    """

    total: float
    clock: float
    lines: tuple[int, int]
    above: str | None
    losses: int
    before: Spoken | None
    behind: Spoken | None


@once_a_log
def ended_passes(gathered: Gathered) -> list[EndedPass]:
    """The passes of bars without a name that came to their end."""
    return list(_ended(gathered))


def _ended(gathered: Gathered) -> Iterator[EndedPass]:
    rows, drawn = gathered.spoken, dict[float, list[int]]()
    for place, row in enumerate(rows):
        if row.form.is_bar and not row.form.level.words and math.isfinite(row.total):
            drawn.setdefault(row.total, []).append(place)
    for total, places in drawn.items():
        begins = [0, *(n for n, (one, next_) in enumerate(pairwise(places), 1) if begins_anew(rows[one], rows[next_]))]
        for start, end in pairwise([*begins, len(places)]):
            first, last = places[start], places[end - 1]
            if rows[last].of("step") == total:
                losses = sum(map(is_numbered_loss, rows[first:last]))
                near = _near(gathered, first, -1), _near(gathered, last, 1 + _begun(rows[last + 1 : last + 2]))
                lines = rows[first].line, rows[last].line
                yield EndedPass(total, rows[last].clock, lines, _above(gathered, lines[0]), losses, *near)


def _begun(rows: Sequence[Spoken]) -> int:
    """How many rows draw a bar at its step 0: a loss printed then belongs to the bar before it."""
    return sum(row.form.is_bar and row.of("step") == 0 for row in rows)


def is_numbered_loss(row: Spoken) -> bool:
    """Whether a line tells the loss of a numbered epoch or step, and nothing of an evaluation."""
    form = row.form
    return (
        form.has_evidence and not (form.is_bar or form.is_of_other) and bool(form.level.has_epoch or form.first("step"))
    )


def _above(gathered: Gathered, line: int) -> str | None:
    """The last line before another that is not blank, where both are among the first of the log."""
    if line > len(gathered.head):
        return None
    return next((text for text in reversed(gathered.head[: line - 1]) if text.strip()), "")


def _near(gathered: Gathered, place: int, way: int) -> Spoken | None:
    """The line before or behind another, where no words stand between the two, at most a line of dashes."""
    beside = place + way
    if not 0 <= beside < len(gathered.spoken):
        return None
    first, last = sorted((gathered.spoken[place].line, gathered.spoken[beside].line))
    is_near = last - first <= NEAR and not any(map(_WORDS.search, gathered.head[first : last - 1]))
    return gathered.spoken[beside] if is_near else None


@once_a_log
def timed_bars(gathered: Gathered) -> Mapping[tuple[Words, float], list[Spoken]]:
    """The drawings of bars that show a clock and are not called those of other work, by their name and total."""
    found: dict[tuple[Words, float], list[Spoken]] = {}
    for row in gathered.spoken:
        if row.form.is_bar and not row.form.is_of_other and row.clock >= 0 and row.total >= 0:
            found.setdefault((row.form.level.words, row.total), []).append(row)
    return found

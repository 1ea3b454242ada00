"""The ends of the passes of a progress bar: the speed that it shows as it closes is the mean of the whole pass.

tqdm draws a bar that it leaves on the screen once more as it closes, with its steps over all of its time instead of the
moving mean (``close`` in tqdm/std.py, f6a30fa; the same since 4.19.0, and before where its last step was not drawn).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ...naming.sense import EVIDENCE, STEP_RATE
from ...naming.vocabulary import listed
from ..gathered import Gathered, Spoken, places_of
from ..line_form import EVALUATION, LineForm
from ..spoken_series import SpokenSeries
from .bar_clock import LEAST_SECONDS
from .bar_passes import ONE_SPEED, begins_anew
from .bar_speeds import why_speeds
from .training_bar import is_called_training

ENDS = (
    "the passes of the progress bar are short, so only the speed at the end of each is used, the mean of the "
    "pass; it agrees with the clock's whole seconds in {count} of {passes} passes"
)
_EVALUATED = re.compile(rf"{EVALUATION.pattern}|(?<![a-z])(?:accuracy|acc)(?![a-z])")
_RATE = "learning_rate"
NEAR = 3  # lines
FEWEST = 3  # passes
FEWEST_STEPS = 20
MOST_DRAWN = 4  # times that a bar is drawn at its end
MOST, HALF = 0.9, 0.5


def with_ends(series: SpokenSeries, gathered: Gathered, *, is_shown: bool) -> SpokenSeries | None:
    """The last drawings of the passes of a bar, where the seconds of their clock show that their speeds are means.

    None where they do not, or where the last drawing cannot be told from those before it, at the same step. Short bars
    are many things: it must be shown to be that of training, be called so, or be the only one that may be.
    """
    is_told = is_shown or is_called_training(series) or _is_only_one(series, gathered)
    ends = list(_ends(series, gathered)) if is_told else []
    drawn, share = Counter(map(len, ends)).most_common(1)[0] if ends else (0, 0)
    if drawn > MOST_DRAWN or share < MOST * len(ends):
        drawn = 1 if _are_alike(series, ends) else 0
    kept = [end for end in ends if drawn == 1 or len(end) == drawn]
    if not drawn or len(kept) < FEWEST:
        return None
    shown = replace(series, rows=[_last(series, end) for end in kept], ends=drawn)
    clocks = np.array([row.clock for row in shown.rows])
    is_long = clocks.sum() >= LEAST_SECONDS
    return shown if is_long and agreeing(shown) >= MOST * len(kept) else None


def is_one_state(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a bar that only one drawing is left of shows about the speed that its steps and its seconds give."""
    steps, clock = series.steps[0], series.rows[0].clock
    is_long = steps >= FEWEST_STEPS and clock >= LEAST_SECONDS
    if not is_long or len(series) > 1 or not series.usable[0] or not _is_only_one(series, gathered):
        return False
    seconds = float(steps / series.values[0] if series.sense.role == STEP_RATE else steps * series.values[0])
    return clock <= seconds * ONE_SPEED and seconds <= (clock + 1) * ONE_SPEED


def is_told_training(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether more than a loss in a bar that is drawn once says that it is of training: an evaluation has one as well.

    It is called so, shows an epoch or a learning rate, or some line tells a learning rate. Without a word of its own,
    results of an evaluation right behind it may be its own.
    """
    form = series.rows[0].form
    if is_called_training(series) or form.level.has_epoch or form.first(_RATE):
        return True
    behind = gathered.head[series.rows[0].line :][:NEAR]
    return any(row.form.first(_RATE) for row in gathered.spoken) and not any(map(_EVALUATED.search, behind))


def _is_only_one(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a bar shows a loss or an epoch, as none of other steps does, and its passes are not of two speeds."""
    totals = {row.total for row in series.rows}
    of_others = (row.form for row in gathered.spoken if row.form.is_bar and row.total not in totals)
    are_told = [_tells(form) for form in series.slots]
    is_alone = not any(_tells(form) and not form.is_of_other for form in of_others)
    return sum(are_told) >= HALF * len(are_told) and is_alone and not any(why_speeds(series))


def _tells(form: LineForm) -> bool:
    """Whether lines tell of training, and not only the best loss of several trials."""
    told = (slot.sense for slot in form.said.slots if slot.sense and slot.sense.role in EVIDENCE)
    return form.level.has_epoch or any(listed("part").isdisjoint(sense.name.split()) for sense in told)


def agreeing(ends: SpokenSeries) -> int:
    """How many passes took as many seconds, by the speed at their ends, as the clock shows, which cuts off the rest."""
    with np.errstate(all="ignore"):
        shown = ends.steps * (1 / ends.values if ends.sense.role == STEP_RATE else ends.values)
    rounded = np.array([_rounded(row, ends) for row in ends.rows])
    clocks = np.array([row.clock for row in ends.rows])
    return int((ends.usable & (shown * (1 + rounded) >= clocks) & (shown * (1 - rounded) < clocks + 1)).sum())


def _ends(series: SpokenSeries, gathered: Gathered) -> Iterator[list[int]]:
    """The places of the drawings at the end of each pass that came to it; behind another bar is another pass."""
    known = places_of(gathered)
    begins = [0]
    for place, (one, other) in enumerate(pairwise(series.rows), 1):
        between = gathered.spoken[known[one] + 1 : known[other]]
        is_of_next_epoch = abs(other.of("epoch") - one.of("epoch")) > 0
        if begins_anew(one, other) or is_of_next_epoch or any(row.form.is_bar for row in between):
            begins.append(place)
    for start, end in pairwise([*begins, len(series)]):
        if at_end := [place for place in range(start, end) if series.steps[place] == series.rows[place].total]:
            yield at_end


def _are_alike(series: SpokenSeries, ends: Sequence[Sequence[int]]) -> bool:
    """Whether the drawings at the end of a pass show about the same speed, so that any of them is its mean."""
    pairs = [(series.values[end].min(), series.values[end].max()) for end in ends]
    are_alike = [bool(most <= ONE_SPEED * least) for least, most in pairs]
    return sum(are_alike) >= MOST * len(are_alike) > 0


def _last(series: SpokenSeries, end: Sequence[int]) -> Spoken:
    """The last drawing of a pass; a grammar counts it to the line of the first that stands at the end."""
    return replace(series.rows[end[-1]], line=series.rows[end[0]].line)


def _rounded(row: Spoken, series: SpokenSeries) -> float:
    """Which part of a speed its printed digits leave open."""
    slot = series.slots[row.form]
    digits = len(row.numbers[slot.place].partition(".")[2])
    return 10.0**-digits / max(abs(row.number(slot)), 10.0**-digits)

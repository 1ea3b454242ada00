"""Total times: lines that tell how long all of the training took: `Training complete in 14m 15s`."""

import re
from collections.abc import Iterator

import numpy as np

from ...naming.sense import ELAPSED, TIME, Sense
from ...naming.slots import Slot
from ...naming.vocabulary import listed, scope_words, split
from ..gathered import Gathered, Spoken
from ..line_form import TRAINING, LineForm
from ..spoken_series import SpokenSeries

_WORD = re.compile(r"[a-z]+|[一-鿿]+")


def total_times(gathered: Gathered) -> list[SpokenSeries]:
    """The times of the whole training that lines tell, those of one form and name together, the first first."""
    found: dict[tuple[LineForm, Sense], list[Spoken]] = {}
    slots: dict[tuple[LineForm, Sense], Slot] = {}
    for row in gathered.spoken:
        for sense, slot in _totals(row.form):
            if np.isfinite(row.number(slot)):
                found.setdefault((row.form, sense), []).append(row)
                slots[row.form, sense] = slot
    return [SpokenSeries(key[1], key[0].level, rows, {key[0]: slots[key]}) for key, rows in found.items()]


def _totals(form: LineForm) -> Iterator[tuple[Sense, Slot]]:
    """The one time in lines of a form that say that they tell of all the training; not that of a processor or card."""
    times = [*form.speeds.items(), *form.clocks.items()]
    if form.kind != "summary" or form.is_bar or form.is_of_other or len(times) != 1 or not TRAINING.search(form.text):
        return
    words = set(_WORD.findall(form.text.lower()))
    if not words & (listed("not_whole") | listed("not_training") | listed("mean") | scope_words("card")):
        yield from ((s, slot) for s, slot in times if _is_known(s) and not _is_of_two(form.written(slot)))


def _is_known(sense: Sense) -> bool:
    """Whether a time has a unit, and no word in its name that says of what else it is.

    `Train: 2.5s` may be the time of an evaluation on what was trained on.
    """
    is_named = not set(split(sense.name)) <= listed("training")
    return sense.role in (TIME, ELAPSED) and bool(sense.factor) and not sense.flags and is_named


def _is_of_two(text: str) -> bool:
    """Whether a time is of hours and minutes, or of minutes and seconds: `03:20`."""
    return text.count(":") == 1

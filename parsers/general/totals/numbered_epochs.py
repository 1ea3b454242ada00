"""Numbered epochs: all epochs of a run, as lines number them one by one from the first to the last."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...naming.sense import EPOCH, Sense
from ...runs.appended import are_consecutive
from ..gathered import Gathered, Spoken
from ..line_form import Level
from ..spoken_series import SpokenSeries

_NAMED = re.compile(r"(?i)epochs?\W{0,3}(\d{1,9})(?![\d.])")
FIRST = (0, 1)
WHOLE = 0.9  # of the lines of other epochs


def numbered_epochs(gathered: Gathered, line: int) -> SpokenSeries | None:
    """The lines that number all epochs of the training that ends at a line; None where their number is not known.

    Best one line an epoch, else those of its steps. The last epoch is done, and no other line tells of another one.
    """
    rows = [row for row in gathered.spoken if row.form.first(EPOCH)]
    for own in _levels(rows):
        slots = {row.form: slot for row in own if (slot := row.form.first(EPOCH))}
        series = SpokenSeries(Sense(EPOCH, EPOCH), own[0].form.level, own, slots)
        series = replace(series, is_of_epochs=_are_last_steps(series))
        if series.values[0] in FIRST and are_consecutive(series.values) and own[-1].line < line:
            is_known = _is_done(series, gathered, line) and not _are_others(series, gathered)
            return series if is_known else None
    return None


def _levels(rows: Sequence[Spoken]) -> Iterator[Sequence[Spoken]]:
    """The lines of training that number epochs, those of each level; first those that number no steps."""
    levels: dict[Level, list[Spoken]] = {}
    for row in rows:
        if not (row.form.is_bar or row.form.is_of_other):
            levels.setdefault(row.form.level, []).append(row)
    yield from sorted(levels.values(), key=lambda own: (own[0].form.kind != "epoch", own[0].line))


def _is_done(series: SpokenSeries, gathered: Gathered, line: int) -> bool:
    """Whether the last epoch that is numbered is done.

    It is the last one that there was to be, or tells of its last step as all do, or has its results: in its own line,
    or in as many lines as the others. It has as many lines of its own.
    """
    firsts = [0, *(np.flatnonzero(np.diff(series.values)) + 1)]
    lengths = np.diff([*firsts, len(series)])
    if lengths[-1] < WHOLE * np.median(lengths):
        return False
    have_results = lengths.max() == 1 and all(row.form.has_any_loss for row in series.rows)
    if _is_last(series) or series.is_of_epochs or have_results:
        return True
    told_at = np.array([row.line for row in gathered.spoken if row.form.has_evidence and row.line < line])
    results = np.diff(np.searchsorted(told_at, [*(series.rows[place].line for place in firsts), line]))
    return bool(results[-1] > 0 and (results == results[-1]).all())


def _are_last_steps(series: SpokenSeries) -> bool:
    """Whether all lines tell of the last step of their epoch: `epoch 3, minibatch 83/83`."""
    return bool((series.steps == [row.total for row in series.rows]).all())


def _is_last(series: SpokenSeries) -> bool:
    """Whether the last epoch is that which all lines tell to be it: `24/24`, or `23/24` where the first is `0/24`."""
    places = {row.form: series.slots[row.form].total for row in series.rows}
    told = {row.numbers[place] for row in series.rows if (place := places[row.form]) is not None}
    if len(told) != 1 or None in places.values():
        return False
    last, first = series.values[-1], series.values[0]
    return float(told.pop()) in ((last, last + 1) if first == 0 else (last,))


def _are_others(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether other lines tell of an epoch that is not the one of the line before them, nor the next or last one.

    A line alone before the first epoch tells of a setting, and one behind the last of the best epoch. Several numbers
    before the first may be of a training that went before, and so may results that are not told again.
    """
    lines, first, last = [row.line for row in series.rows], series.rows[0].line, series.rows[-1].line
    told = [
        (row.line, number)
        for row in gathered.spoken
        if (gathered.counts[row.form] > 1 or first <= row.line <= last) and np.isfinite(number := _epoch(row))
    ]
    places = np.clip(np.searchsorted(lines, [line for line, _ in told], side="right") - 1, 0, None)
    are_near = np.abs(np.array([number for _, number in told]) - series.values[places]) <= 1
    before = {number for line, number in told if line < first}
    return not are_near.all() or len(before) > 1 or _is_trained_before(gathered, first)


def _epoch(row: Spoken) -> float:
    """The number of the epoch that a line tells of, also where that is called something more; else NaN."""
    if row.form.first(EPOCH):
        return row.of(EPOCH)
    found = _NAMED.search(row.text)
    return float(found[1]) if found else float("nan")


def _is_trained_before(gathered: Gathered, line: int) -> bool:
    """Whether results of training stand before a line whose form has none behind it."""
    told = [row for row in gathered.spoken if row.form.has_evidence]
    behind = {row.form for row in told if row.line >= line}
    return any(gathered.counts[row.form] > 1 and row.form not in behind for row in told if row.line < line)

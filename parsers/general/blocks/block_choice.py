"""The speed of a log whose records stand over several lines, where no line shows one by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ...io.message import Message
from ...naming.sense import DURATION, ELAPSED, EPOCH, STEP, STEP_TIME, Sense
from ...naming.slots import Slot
from ..choice import Choice, choose
from ..gathered import Gathered, Spoken
from ..line_form import LineForm
from ..proofs.assumption import NAMELESS
from ..proofs.proof import Proven
from .block_cycle import Cycle
from .block_lines import examined
from .unbroken_block import UnbrokenBlock, unbroken

IN_TURN = "{name} is not on the lines of a counter; it is matched with the counter whose lines alternate with its own"
SEVERAL_RUNS = "its step numbers restart, and it is unclear whether that is another run"
WHOLE = "{name} is printed in whole seconds, possibly rounded down, so each value may be almost a second too small"
BESIDE_OTHER = "{name} may include an evaluation, saving or loading in the few steps that report one"
UNKNOWN_WORK = "other lines come between it and the training lines, so what it times is unclear"
LONG = 100.0  # seconds, of which less than one is little
MOST_LINES = 40  # of a block that is read as one record


def choices_in_blocks(gathered: Gathered) -> Iterator[tuple[Gathered, Choice]]:
    """What may be the speeds of a log by its blocks, the simplest way to read them first, each with its lines.

    Where blocks show none, a choice that holds the reasons.
    """
    if speeds := _of_seen_epochs(gathered):
        yield gathered, Choice(speeds)
    for blocks, cycle in unbroken(gathered):
        choice = _of_one_run(choose(blocks))
        if choice.speeds and choice.speeds[0].role not in (STEP, EPOCH):
            told = Choice([_told_where(one, cycle) for one in choice.speeds], choice.refused)
            if one := _on_lines_of_time(told.speeds[0], gathered):
                yield gathered, Choice([one], choice.refused)
            if _are_short(choice.speeds[0].series.rows):
                yield blocks, told
        unknown = (sense for sense in cycle.unknown if not sense.flags & {"other", "part"})
        yield gathered, Choice([], [*choice.refused, *((sense, Message(UNKNOWN_WORK)) for sense in unknown)])


def _of_one_run(choice: Choice) -> Choice:
    """A choice without a clock whose steps begin anew: another run may begin there."""
    best = choice.speeds[0] if choice.speeds else None
    if best is None or best.role != ELAPSED or (np.diff(best.series.steps) > 0).all() or best.series.is_of_epochs:
        return choice
    return Choice([], [*choice.refused, (best.series.sense, Message(SEVERAL_RUNS))])


def _of_seen_epochs(gathered: Gathered) -> list[Proven]:
    """The times of epochs, by the lines up to where those between them go on unseen."""
    are_named = any("of_epoch" in sense.flags for form in gathered.counts for sense in form.speeds)
    rows = examined(gathered) if are_named else gathered.spoken
    if len(rows) == len(gathered.spoken):
        return []
    speeds = choose(replace(gathered, spoken=rows)).speeds
    return speeds if speeds and speeds[0].role == DURATION else []


def _told_where(one: Proven, cycle: Cycle) -> Proven:
    """The same; that its lines count nothing is said, and where its digits hide a part of the time."""
    name, values = one.series.sense.name or Message(NAMELESS), one.series.values
    is_whole = one.role == DURATION and bool((values == np.round(values)).all()) and one.series.median < LONG
    is_beside = one.role == STEP_TIME and cycle.is_beside_other_work
    said = [key for key, is_so in ((IN_TURN, True), (WHOLE, is_whole), (BESIDE_OTHER, is_beside)) if is_so]
    return replace(one, why=[*one.why, *(Message(key, name=name) for key in said)])


def _are_short(rows: Sequence[Spoken]) -> bool:
    """Whether blocks are short enough to be read as one record each."""
    return all(isinstance(row, UnbrokenBlock) and row.parts[-1].line - row.line < MOST_LINES for row in rows)


def _on_lines_of_time(one: Proven, gathered: Gathered) -> Proven | None:
    """The same on the lines of the time alone, where each of these tells of one epoch of one run.

    None where the number of the epoch, or of a step, is needed: some lines of the time belong to no block, or epochs
    begin anew.
    """
    series = one.series
    if (one.role != DURATION and not series.is_of_epochs) or not (np.diff(series.of("epoch")) > 0).all():
        return None
    found = [_told(row, series.sense) for row in series.rows]
    rows, slots = [row for row, _ in found], {row.form: slot for row, slot in found if slot}
    seen = [row for row in gathered.spoken if row.form in slots and row.line <= rows[-1].line]
    if len(seen) != len(rows) or len(slots) < len({row.form for row in rows}):
        return None
    return replace(one, series=replace(series, rows=rows, slots=slots, is_of_epochs=True))


def _told(block: Spoken, sense: Sense) -> tuple[Spoken, Slot | None]:
    """The line of a block that tells a time, and where."""
    parts = block.parts if isinstance(block, UnbrokenBlock) else (block,)
    told = ((part, slot) for part in parts if (slot := _slot(part.form, sense.name)))
    return next(told, (block, None))


def _slot(form: LineForm, name: str) -> Slot | None:
    return next((slot for sense, slot in (*form.speeds.items(), *form.clocks.items()) if sense.name == name), None)

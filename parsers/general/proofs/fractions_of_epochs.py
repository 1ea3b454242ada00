"""Fractions of epochs: what `[7/120]` counts under no name, where other lines number epochs by name, and as many."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...naming.sense import EPOCH, STEP, Sense
from ...naming.slots import LineSlots, Slot
from ..gathered import Gathered, Spoken
from ..line_form import Level, LineForm

FEWEST = 4
MOST = 0.9
_UNNAMED = Sense(STEP, "")


class FormOfEpochs(LineForm):
    """The form of lines whose fraction without a name counts epochs."""


def with_epochs(gathered: Gathered) -> Gathered:
    """The same; a fraction without a name counts epochs where the lines before each name the epoch of this number."""
    nameless = {form for form in gathered.counts if _nameless(form)}
    found: dict[Level, list[Spoken]] = {}
    for row in gathered.spoken:
        if row.form in nameless:
            found.setdefault(row.form.level, []).append(row)
    forms: dict[LineForm, LineForm] = {}
    named = [row for row in gathered.spoken if row.form.first(EPOCH) and _may_be_of_training(row.form)] if found else []
    for rows in found.values():
        if _end_epochs(rows, named):
            told = dict.fromkeys(row.form for row in rows)
            forms.update((form, FormOfEpochs(form.text, of_epochs(form.said))) for form in told)
    return _by_forms(gathered, forms) if forms else gathered


def _nameless(form: LineForm) -> Slot | None:
    """The one counter of lines, a fraction without a name; None of others, and of bars."""
    slots = [slot for slot in form.said.slots if slot.sense and slot.sense.role in (STEP, EPOCH)]
    is_nameless = len(slots) == 1 and slots[0].total is not None and slots[0].sense == _UNNAMED
    return slots[0] if is_nameless and _may_be_of_training(form) else None


def _may_be_of_training(form: LineForm) -> bool:
    return not (form.is_bar or form.is_of_other)


def _end_epochs(rows: Sequence[Spoken], named: Sequence[Spoken]) -> bool:
    """Whether numbers rise one by one, and the ``named`` lines between two of them tell of the epoch of that number.

    Each of these may be one less or one more, as where one of the two counts from 0.
    """
    numbers = np.array([row.number(_nameless(row.form)) for row in rows])
    if len(rows) < FEWEST or (np.diff(numbers) != 1).any():
        return False
    epochs = np.array([row.of(EPOCH) for row in named])
    parts = np.split(epochs, np.searchsorted([row.line for row in named], [row.line for row in rows]))[:-1]
    apart = [part[0] - number for part, number in zip(parts, numbers, strict=True) if len(part) and not np.ptp(part)]
    told, count = Counter(apart).most_common(1)[0] if apart else (0, 0)
    return count >= max(FEWEST, MOST * len(rows)) and abs(told) <= 1


def of_epochs(said: LineSlots) -> LineSlots:
    """The numbers of a line, its nameless fraction read as the number of an epoch."""
    slots = (replace(slot, sense=Sense(EPOCH, EPOCH)) if slot.sense == _UNNAMED else slot for slot in said.slots)
    return replace(said, slots=tuple(slots))


def _by_forms(gathered: Gathered, forms: Mapping[LineForm, LineForm]) -> Gathered:
    """The same by other forms of some lines."""
    spoken = [replace(row, form=forms.get(row.form, row.form)) for row in gathered.spoken]
    counts = Counter({forms.get(form, form): count for form, count in gathered.counts.items()})
    return replace(gathered, spoken=spoken, counts=counts)

"""What a drafted grammar reads, held against the numbers that were proven."""

import numpy as np

from ..naming.sense import ELAPSED, EPOCH, STEP_RATE, STEP_TIME
from ..runs.reading import Reading
from .blocks.unbroken_block import UnbrokenBlock
from .choice import Choice
from .gathered import MOST_OF_A_FORM, Gathered
from .proofs.proof import Proven
from .spoken_series import Numbers

ALIKE = 0.03  # two means of speeds
MOST_TORN = 1e-3


def is_as_found(reading: Reading, gathered: Gathered, choice: Choice) -> bool:
    """Whether the grammar reads just the numbers that were proven."""
    if choice.epochs is not None:  # on other lines than the time of the run
        return all(_reads(reading, gathered, one) for one in (*choice.speeds, choice.epochs))
    return _are_as_found(reading, gathered, choice)


def _are_as_found(reading: Reading, gathered: Gathered, choice: Choice) -> bool:
    """Whether the grammar reads just the numbers that were proven, all of the same lines."""
    series, role = choice.speeds[0].series, choice.speeds[0].role
    if role not in reading.records:
        return False
    found = _found(reading, role)
    in_seconds = choice.speeds[0].factor if role == ELAPSED else 1.0
    said = np.column_stack([[row.line for row in series.rows], series.values * in_seconds])
    in_all = sum(gathered.counts[form] for form in series.slots)
    if choice.speeds[0].is_bar:  # it may read more drawings of the bar, such as one that text stands behind
        is_whole = _is_one_pass(reading) or _are_alike(*(_begun(rows, role) for rows in (said, found)))
        return _are_in_order(said, found) and is_whole
    if series.total is not None:  # lines of other bars may be of the same form
        if any(gathered.counts[form] > MOST_OF_A_FORM for form in series.slots):
            return _are_in_order(said, found)
        in_all = len(series)
    if isinstance(series.rows[0], UnbrokenBlock):  # farther on, lines of some form of them are not kept
        found, in_all = found[found[:, 0] <= said[-1, 0]], len(series)
    if 0 < len(found) - in_all <= MOST_TORN * in_all:  # what a crash prints may stand behind a line
        return _are_in_order(said, found) and _are_alike(said, found)
    if len(found) != in_all:
        return False
    return in_all > len(series) or bool(np.allclose(found, said, rtol=1e-9, equal_nan=True))


def _reads(reading: Reading, gathered: Gathered, one: Proven) -> bool:
    """Whether the grammar reads the same numbers as were found in the lines of one speed, all of which were kept."""
    if one.role not in reading.records or any(gathered.counts[form] > MOST_OF_A_FORM for form in one.series.slots):
        return False
    found = reading.records[["line", one.role]].dropna().to_numpy(dtype=np.float64)
    said = np.column_stack([[row.line for row in one.series.rows], one.series.values])
    return found.shape == said.shape and bool(np.allclose(found, said, rtol=1e-9))


def _found(reading: Reading, role: str) -> Numbers:
    """The lines and numbers that a reading has of a role; of a bar also the inverse of those that show that."""
    found = reading.records[["line", role]].to_numpy(dtype=np.float64, na_value=np.nan)
    other = {STEP_RATE: STEP_TIME, STEP_TIME: STEP_RATE}.get(role)
    if other in reading.records:
        inverse = 1 / reading.records[other].to_numpy(dtype=np.float64, na_value=np.nan)
        found[:, 1] = np.where(np.isnan(found[:, 1]), inverse, found[:, 1])
    return found


def _begun(rows: Numbers, role: str) -> Numbers:
    """Without the drawings of a bar of epochs before the first was over: these show no speed, and are not proven."""
    return rows[rows[:, 1] > 0] if role == EPOCH else rows


def _is_one_pass(reading: Reading) -> bool:
    """Whether the steps of the bar that is read never fall, nor its clock: no other one is among its drawings."""
    records = reading.records
    if not {"step", "elapsed"} <= set(records):
        return False
    counts = records[["step", "elapsed"]].to_numpy(dtype=np.float64, na_value=np.nan)
    return bool((np.diff(counts, axis=0) >= 0).all())


def _are_alike(some: Numbers, all_of_them: Numbers) -> bool:
    """Whether the numbers that were proven are about as high as all that are read: others may be of an evaluation."""
    proven, read = (numbers[np.isfinite(numbers[:, 1]), 1] for numbers in (some, all_of_them))
    return len(proven) == 0 or bool(abs(proven.mean() - read.mean()) <= ALIKE * read.mean())


def _are_in_order(some: Numbers, among: Numbers) -> bool:
    """Whether rows stand among others in this order."""
    rest = iter(among.tolist())
    return all(row in rest for row in some.tolist())

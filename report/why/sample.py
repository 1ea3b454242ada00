"""The sample: the records behind a measurement, and the numbers that they gave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parsers.field import Field
from parsers.lazy import pd
from parsers.part import Part

from ..estimate import Facts, Values
from ..protocol import Protocol
from ..selection import Selection, Series, select
from ..timing import Timed


@dataclass(frozen=True)
class Sample:
    """What one protocol uses of one log.

    ``records``: the used ones, in file order; of the clock the two between which it runs. ``column``: what is read of
    them, ``field``: what that means, if the format says so. ``values`` (float64): what the statistic is of, a number a
    record: a throughput as the log scales it, or the seconds of a step. ``amounts`` (float64): what all cards did in
    each record, where its duration is read. ``step``: what they do in one step, and what is counted, where its time is
    read. ``timed``: what the clock says.
    """

    records: pd.DataFrame
    column: str
    field: Field | None
    values: Values
    amounts: Values | None = None
    step: tuple[float, str] | None = None
    timed: Timed | None = None


def sample(part: Part, facts: Facts, protocol: Protocol) -> Sample:
    """Take from a part of a reading what a protocol uses; the same records as ``measure`` does.

    Raises ``NoMeasurement`` where ``measure`` does.
    """
    selected = select(part.table, part.fields, facts, protocol)
    field = part.fields.get((protocol.records, selected.column))
    if isinstance(selected.found, Timed):
        return Sample(selected.used, selected.column, field, np.zeros(0), timed=selected.found)
    return _of_values(selected, selected.found, field)


def _of_values(selected: Selection, found: Series, field: Field | None) -> Sample:
    used = selected.are_used
    done = None if found.amounts is None else found.amounts[used]
    step = (found.factor, found.unit.removesuffix("/s")) if found.are_times else None
    return Sample(selected.used, selected.column, field, found.values[used], done, step)

"""The sample: the records behind a measurement, and the numbers that they gave."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from parsers.field import Field
from parsers.part import Part

from .. import estimate
from ..estimate import Facts, Values
from ..protocol import NoMeasurement, Protocol
from ..scaling import amount_of_step, amounts
from ..statistic import trim
from ..timing import Timed, clock
from ..window import Fields, Mask, one_rank, window


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
    chosen = part.records[part.records["record"] == protocol.records]
    column = estimate.column(chosen, part.fields, protocol)
    ranked = _of_one_rank(chosen, column)
    inside, _ = window(ranked, part.fields, protocol)
    if not inside.any():
        raise NoMeasurement(f"The window of the protocol ({protocol.words()}) leaves none of {len(inside)} records.")
    field = part.fields.get((protocol.records, column))
    if protocol.estimate == "clock":
        timed = clock(ranked, part.fields, facts, inside, protocol)
        return Sample(ranked[timed.ends], column, field, np.zeros(0), timed=timed)
    return _of_values(ranked, inside, part.fields, facts, protocol, column)


def _of_one_rank(chosen: pd.DataFrame, column: str) -> pd.DataFrame:
    numbers = chosen[column]
    valued = chosen[numbers.notna() if numbers.dtype.kind == "M" else np.isfinite(numbers)]
    ranked: pd.DataFrame = valued[one_rank(valued)]
    return ranked


def _of_values(
    ranked: pd.DataFrame, inside: Mask, fields: Fields, facts: Facts, protocol: Protocol, column: str
) -> Sample:
    values, done, step = estimate.values(ranked, fields, protocol), None, None
    if column == "duration":
        done, _ = amounts(ranked, fields, facts, protocol)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = done / values
    elif column != "throughput":
        step = amount_of_step(ranked, fields, facts, inside, protocol)
    kept = _kept(values, inside, protocol)
    field = fields[(protocol.records, column)]
    return Sample(ranked[kept], column, field, values[kept], None if done is None else done[kept], step)


def _kept(values: Values, inside: Mask, protocol: Protocol) -> Mask:
    kept = inside.copy()
    if protocol.trim or protocol.trim_min:
        kept[inside] = trim(values[inside], protocol.trim, protocol.trim_min)
    if protocol.statistic == "last":
        kept[np.flatnonzero(kept)[:-1]] = False
    return kept

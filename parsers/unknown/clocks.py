"""What lines of a table count, the seconds that they tell, and those that an option predicts between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..series import Floats
from .log import NEARLY_ALL, Column, Table, share
from .option import EPOCH, LEFT, LINE, START, STEPS, Option
from .text import BAR_CLOCK


@dataclass(frozen=True)
class Clock:
    """Seconds between each two records of a table, told by something other than the column that is judged."""

    kind: Literal["stamps", "elapsed", "bar"]
    seconds: Floats
    fine: float


def advance(table: Table) -> Floats:
    """The steps between each two records, within a pass or on into the next epoch; NaN where a run begins anew."""
    d = np.diff(table.steps)
    if np.isfinite(table.totals).any():
        turns = np.diff(table.epochs)
        begun = (turns > 0) & (turns % 1 == 0)
        if (begun & (d <= 0)).any():  # steps are those of an epoch, which a line may leap over
            d = np.where(begun, d + turns * table.totals[1:], d)
    return np.where(d > 0, d, np.nan)


def passes(table: Table) -> Floats:
    """The epochs between each two records."""
    d = np.diff(table.epochs)
    return np.where(d > 0, d, np.nan)


def clocks(table: Table, but: Column | None = None) -> list[Clock]:
    """What tells the seconds between the records of a table, but for one column."""
    found = []
    stamps = np.diff(table.moments)
    if np.nansum(stamps[stamps > 0]) > 0:
        found.append(Clock("stamps", np.where(stamps >= 0, stamps, np.nan), table.fineness))
    for column in table.elapsed:
        unit = column.meaning.factor or 1.0
        d = np.diff(column.values) * unit
        if column is not but and np.nansum(d[d > 0]) > 0:
            is_bar = column.meaning.name == BAR_CLOCK
            if is_bar and table.step is not None:  # which begins anew with each pass
                d = np.where(np.diff(table.steps) > 0, d, np.nan)
            found.append(Clock("bar" if is_bar else "elapsed", np.where(d >= 0, d, np.nan), column.quantum * unit))
    return found


def extent(table: Table) -> float:
    """How many seconds the records of a table tell of; of a bar, of all its passes together."""
    return max((float(np.nansum(clock.seconds)) for clock in clocks(table)), default=0.0)


def each(column: Column, h: Option) -> Floats:
    """The seconds of one step, or of what else is counted, by each record if an option holds; NaN where unsaid.

    Of a mean since the start, and of a time since it, they are those of the steps since the record before.
    """
    table, v = column.table, column.values if h.kind == "rate" else column.values * h.factor
    if h.is_mean or h.per == START:
        since = since_start(column, h) if h.is_mean else np.zeros(len(v))
        times = since / v * h.factor if h.kind == "rate" else since * v if h.is_mean else v
        done = np.diff(since) if h.is_mean else advance(table)
        return np.append(np.nan, np.diff(times) / done) if len(v) else v
    if h.kind == "rate":
        return h.factor / v
    if h.per == LINE:
        return v / np.append(np.nan, advance(table)) if len(v) else v
    if h.per == LEFT:
        return v / (table.totals - table.steps)
    return v / (column.counts if h.per == STEPS else 1)


def predict(column: Column, h: Option) -> Floats:
    """The seconds between each two records of a table if an option holds; of a rate of samples, up to one factor."""
    table = column.table
    if h.per == LEFT:  # itself a prediction
        return np.full(max(len(table.rows) - 1, 0), np.nan)
    if h.per == START:
        d = np.diff(column.values) * h.factor
        return np.where(d >= 0, d, np.nan)
    done = passes(table) if h.counts == "epochs" or h.per == EPOCH else advance(table)
    seconds = each(column, h)[1:] * done
    return np.where(seconds > 0, seconds, np.nan) if h.is_mean else seconds


def since_start(column: Column, h: Option) -> Floats:
    """What was done since the start at each record."""
    table = column.table
    if h.kind == "rate" and (done := progress_of(table, h.counts)) is not None:
        return done.values
    return table.epochs if h.counts == "epochs" and table.epoch is not None else table.steps


def progress_of(table: Table, unit: str | None) -> Column | None:
    """The column that counts what was trained since the start, of a unit or of any."""
    counted = table.of("consumed")
    found = [c for c in counted if share(np.isfinite(c.values)) > NEARLY_ALL and (np.diff(c.values) >= 0).all()]
    return next((c for c in found if unit in (None, c.meaning.counts)), None)

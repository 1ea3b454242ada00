"""The progress of a running job: its last records, and statistics of all of them, in a memory that does not grow."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from parsers.field import Field, Scope

from . import estimate
from .estimate import Facts, Values
from .measurement import Measurement, measure
from .number import printed, without_noise
from .protocol import NoMeasurement, Protocol
from .scaling import samples_per_step, scale
from .statistic import reduce
from .window import Fields

KEPT = 1024


@dataclass
class Running:
    """Count, mean, least and greatest of numbers as they come; the numbers themselves are not kept."""

    count: int = 0
    mean: float = 0.0
    low: float = np.inf
    high: float = -np.inf

    def add(self, values: Values) -> None:
        """Count some numbers more, at least one."""
        self.count += len(values)
        self.mean += float(np.sum((values - self.mean) / self.count))
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))


@dataclass(frozen=True)
class Rate:
    """How a number that records print becomes a throughput in ``unit``, and whose that is.

    ``factor`` times the number, or ``factor`` divided by it where that is a time. ``scope`` is None, and the number
    stays as it is, where it is not known how; ``warnings`` say why, a sentence each.
    """

    factor: int
    unit: str
    scope: Scope | None
    of_time: bool = False
    warnings: tuple[str, ...] = ()

    def of(self, number: float) -> float:
        """The throughput that a number stands for."""
        return without_noise(self.factor / number if self.of_time else number * self.factor)

    def words(self, number: float, protocol: Protocol) -> str:
        """The throughput that a number stands for, with its unit and whose it is, as the protocol prints numbers."""
        return f"{printed(self.of(number), protocol)} {self.unit}{whose(self.scope)}"


def whose(scope: Scope | None) -> str:
    """Whose a throughput is, as words that follow its unit; nothing where that is not known."""
    return {"job": " of the whole job", None: ""}.get(scope, f" of one {scope}")


@dataclass(frozen=True)
class Point:
    """A record that counts: its fields by name, the number that it prints, and the statistic of the last ``records``.

    The number is a throughput as the log scales it, or the seconds of a step; the statistic is of such numbers.
    """

    fields: Mapping[Hashable, Any]
    number: float
    statistic: float
    records: int


class Progress:
    """The records of a growing log that count: those of the protocol's kind that print a speed, of the lowest rank.

    ``all``: statistics of the numbers they print since the start. ``last``: the numbers of at most ``KEPT`` last ones.
    ``records``: these last ones as a table. ``fields``: what its columns mean. ``reason``: why none counts so far.
    """

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.restart()

    def restart(self) -> None:
        """Forget everything: another run begins."""
        # The time of a step stands in for a throughput that is not printed.
        names = ("step_time",) if self.protocol.estimate == "step_time" else ("reported", "step_time")
        self._possible = [Protocol.of({"records": self.protocol.records, "estimate": name}) for name in names]
        self.fields: Fields = {}
        self.reason = ""
        self._begin(np.inf)

    def _begin(self, rank: float) -> None:
        self._rank = rank
        self.all, self.last, self.records = Running(), np.zeros(0), pd.DataFrame()

    def add(self, records: pd.DataFrame, fields: Fields) -> Iterator[Point]:
        """Count the next records, at least one row, in file order; returns those that count as points."""
        self.fields = fields
        chosen = self._of_lowest_rank(records[records["record"] == self.protocol.records])
        if chosen.empty:
            kinds = " and ".join(f"{kind} records (records={kind})" for kind in records["record"].unique())
            self.reason = f"The log has no {self.protocol.records} records so far; it has {kinds}."
            return iter(())
        numbers = self._numbers(chosen)
        counts = np.isfinite(numbers) & (numbers > 0 if self._of_time else numbers >= 0)
        return self._count(chosen[counts], numbers[counts]) if counts.any() else iter(())

    def _of_lowest_rank(self, chosen: pd.DataFrame) -> pd.DataFrame:
        """The records of the lowest rank so far; where a lower one begins, those before it do not count any more."""
        ranks = np.full(len(chosen), np.inf)
        if "rank" in chosen:
            ranks = np.nan_to_num(chosen["rank"].to_numpy(dtype=np.float64, na_value=np.nan), nan=np.inf)
        if len(ranks) and ranks.min() < self._rank:
            self._begin(float(ranks.min()))
        of_rank: pd.DataFrame = chosen[ranks == self._rank]
        return of_rank

    def _numbers(self, chosen: pd.DataFrame) -> Values:
        """The number that each record prints, NaN where it prints none; the first one found is read from then on."""
        reasons = []
        for possible in self._possible:
            try:
                numbers = estimate.values(chosen, self.fields, possible)
            except NoMeasurement as error:
                reasons.append(str(error))
            else:
                self._possible = [possible]
                return numbers
        self.reason = reasons[0]
        return np.full(len(chosen), np.nan)

    @property
    def _of_time(self) -> bool:
        return self._possible[0].estimate == "step_time"

    def _count(self, chosen: pd.DataFrame, numbers: Values) -> Iterator[Point]:
        known = np.concatenate([self.last, numbers])
        self.records = (pd.concat([self.records, chosen]) if self.all.count else chosen).tail(KEPT)
        self.last = known[-KEPT:].copy()
        self.all.add(numbers)
        return self._points(chosen, known)

    def _points(self, chosen: pd.DataFrame, known: Values) -> Iterator[Point]:
        first = len(known) - len(chosen)
        for end, fields in enumerate(chosen.to_dict("records"), first + 1):
            last = known[max(0, end - KEPT) : end]
            yield Point(fields, float(last[-1]), reduce(last, self.protocol.statistic), len(last))

    @property
    def unit(self) -> str:
        """The unit of the numbers, and whose they are; once a record counts."""
        if self._of_time:
            return "seconds"
        return f"{self._field.unit or 'samples'}/s{whose(self._field.scope)}"

    @property
    def _field(self) -> Field:
        return self.fields[(self.protocol.records, "step_time" if self._of_time else "throughput")]

    def rate(self, facts: Facts) -> Rate:
        """How the numbers become a throughput; once a record counts."""
        try:
            if self._of_time:
                samples = samples_per_step(self.records, facts, self._possible[0])
                return Rate(samples, "samples/s", "job", of_time=True)
            factor, scope, warnings = scale(self._field, facts)
        except NoMeasurement as error:
            return Rate(1, self.unit, None, warnings=(str(error),))
        return Rate(factor, f"{self._field.unit or 'samples'}/s", scope, warnings=warnings)

    @property
    def used(self) -> Protocol:
        """The protocol, which reads the time of a step where that stands in for a throughput."""
        stands_in = self._of_time and self.protocol.estimate == "reported"
        return self.protocol.overridden("estimate=step_time") if stands_in else self.protocol

    def measured(self, facts: Facts) -> Measurement | None:
        """What the protocol gives so far; None when some records are forgotten. Raises ``NoMeasurement``."""
        return measure(self.records, self.fields, facts, self.used) if self.all.count <= KEPT else None

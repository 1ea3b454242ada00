"""A meter: the number that each record of a growing log gives by one estimate, and how it becomes a throughput."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parsers.grammar.field import Field, Scope
from parsers.grammar.format import METRICS
from parsers.io.lazy import pd
from parsers.io.message import Message

from ..measuring import estimate
from ..measuring.crosscheck import ESTIMATES, protocols
from ..measuring.estimate import Facts, Values
from ..measuring.number import printed, without_noise
from ..measuring.protocol import NoMeasurement, Protocol
from ..measuring.record_columns import Columns
from ..measuring.scaling import amount_of_step, amounts, amounts_done, scale
from ..measuring.timing import seconds_done
from ..measuring.window import Fields, Mask
from ..wording.words import whose


@dataclass(frozen=True)
class Rate:
    """How a number of records becomes a throughput in ``unit``, and whose that is.

    ``factor`` times the number, or ``factor`` divided by it where that is a time. ``scope`` is None, and the number
    stays as it is, where it is not known how; ``warnings`` say why, a sentence each.
    """

    factor: float
    unit: str
    scope: Scope | None
    of_time: bool = False
    warnings: tuple[Message, ...] = ()

    def of(self, number: float) -> float:
        """The throughput that a number stands for."""
        return without_noise(self.factor / number if self.of_time else number * self.factor)

    def words(self, number: float, protocol: Protocol) -> str:
        """The throughput that a number stands for, with its unit and whose it is, as the protocol prints numbers."""
        return f"{printed(self.of(number), protocol)} {self.unit}{whose(self.scope)}"


@dataclass(frozen=True)
class Meter:
    """How records of one kind are read: by the ``records`` and the ``estimate`` of a protocol.

    What they print is taken as the log scales it, or as the seconds of a step. What a record did in the time that it
    took, or since the one before by the clock, is of the whole job and ``counted`` in samples or tokens.
    """

    protocol: Protocol
    counted: str = "samples"

    def readable(self, records: pd.DataFrame, fields: Fields) -> pd.DataFrame:
        """Those of some records that are of the kind and print what the estimate reads.

        Raises ``NoMeasurement`` where records of the kind do not print it.
        """
        chosen = records[records["record"] == self.protocol.records]
        if chosen.empty:
            return chosen
        found = Columns(chosen)
        column = estimate.column(found, fields, self.protocol)
        return chosen[estimate.valued(found, fields, self.protocol.records, column)]

    def read(self, records: pd.DataFrame, fields: Fields, facts: Facts) -> tuple[Meter, Values]:
        """The meter that knows what it counts, and one number (float64) a record, NaN where it gives none.

        ``records``: readable ones of one rank, in file order, at least one. Raises ``NoMeasurement`` where what scales
        them is missing.
        """
        if not self.is_computed:
            return self, estimate.values(records, fields, self.protocol)
        if self.protocol.estimate == "clock":
            done, counted = amounts_done(records, fields, facts, np.ones(len(records), np.bool_), self.protocol)
            done, seconds = np.diff(done, prepend=np.nan), np.diff(seconds_done(records), prepend=np.nan)
        else:
            done, counted = amounts(records, fields, facts, self.protocol)
            seconds = estimate.values(records, fields, self.protocol)
        with np.errstate(divide="ignore", invalid="ignore"):
            return Meter(self.protocol, counted), done / seconds

    @property
    def of_time(self) -> bool:
        """Whether the numbers are the seconds of a step."""
        return self.protocol.estimate in ("step_time", "steps")

    @property
    def is_computed(self) -> bool:
        """Whether the numbers are computed, and not printed."""
        return self.protocol.estimate in ("duration", "clock")

    def counts(self, numbers: Values) -> Mask:
        """Which numbers can be those of a speed; a throughput that is printed as 0 may be so."""
        least = numbers >= 0 if self.protocol.estimate == "reported" else numbers > 0
        return np.isfinite(numbers) & least

    def unit(self, fields: Fields) -> str:
        """The unit of the numbers, and whose they are."""
        if self.of_time:
            return "seconds"
        if self.is_computed:
            return f"{self.counted}/s{whose('job')}"
        field = self._field(fields)
        return f"{field.unit or 'samples'}/s{whose(field.scope)}"

    def _field(self, fields: Fields) -> Field:
        return fields[(self.protocol.records, "throughput")]

    def rate(self, records: pd.DataFrame, fields: Fields, facts: Facts) -> Rate:
        """How the numbers of records become a throughput by what is known now."""
        if self.is_computed:
            return Rate(1, f"{self.counted}/s", "job")
        try:
            if self.of_time:
                used = np.ones(len(records), np.bool_)
                amount, counted = amount_of_step(records, fields, facts, used, self.protocol)
                return Rate(amount, f"{counted}/s", "job", of_time=True)
            factor, scope, warnings = scale(self._field(fields), facts)
        except NoMeasurement as error:
            return Rate(1, self.unit(fields), None, warnings=(error.message,))
        return Rate(factor, f"{self._field(fields).unit or 'samples'}/s", scope, warnings=warnings)


def meters(stated: Protocol | None) -> list[Meter]:
    """The meters that a protocol allows, the best first; without one all, in the order in which `show` chooses.

    What else the records print, or lets it be computed, stands in for a throughput that none prints.
    """
    if stated is None:
        return [Meter(protocol) for protocol in protocols(METRICS)]
    named = stated.estimate in ("step_time", "duration", "steps")
    estimates = (stated.estimate,) if named else ESTIMATES
    return [Meter(Protocol.of({"records": stated.records, "estimate": name})) for name in estimates]

"""Quantities: what a column of a table can show, each an object that says everything other code has to know of it.

A new one is a line in ``QUANTITIES`` and two texts in each catalogue: ``<name>`` heads its columns, ``quantity_<name>``
says in the evidence what was done. No other module knows a quantity by its name.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic_core import CoreSchema, core_schema

from .protocol import Protocol, Step
from .quantities.formula import Formula
from .quantities.kinds import (
    PERCENT,
    LogQuantity,
    PageThroughput,
    Quantity,
    QuotientOfThroughputs,
    StatisticOfDraws,
    StatisticOfRuns,
    TelemetryQuantity,
    ThroughputPerCard,
    ThroughputPerUnit,
)
from .quantities.speed import hardware_tflops, mfu, step_milliseconds, step_time, tflops, throughput_per_card
from .quantities.training import final_loss, imbalance, minutes_to_loss, minutes_to_train
from .statistic import LEVEL

__all__ = [
    "PERCENT",
    "QUANTITIES",
    "RANGE_OF_RUNS",
    "THROUGHPUT",
    "AnyQuantity",
    "LogQuantity",
    "Quantity",
    "Shown",
    "TelemetryQuantity",
    "named",
]


def _quantile(fraction: float) -> Callable[[Sequence[float]], float]:
    return lambda values: float(np.quantile(values, fraction))


THROUGHPUT = PageThroughput(name="throughput")
RANGE_OF_RUNS = (StatisticOfRuns(name="lowest_run", of=min), StatisticOfRuns(name="highest_run", of=max))
# gpu.csv holds memory in whole MiB. The power of a card varies by more than a tenth of a watt.
PEAK_MEMORY = TelemetryQuantity(name="peak_memory", symbol="MiB", decimals=0, is_peak=True, scope="card", direction=-1)
POWER = TelemetryQuantity(name="power", symbol="W", decimals=1, direction=0)
PROCESS_MEMORY = TelemetryQuantity(
    name="process_memory", symbol="MiB", column="memory", decimals=0, is_peak=True, direction=-1
)
CPU_LOAD = TelemetryQuantity(name="cpu_load", symbol="cores", column="load", decimals=2, direction=0)
CPU_POWER = TelemetryQuantity(name="cpu_power", symbol="W", column="power", decimals=1, direction=0)
SAMPLES_PER_JOULE = ThroughputPerUnit(name="samples_per_joule", symbol="J", decimals=3)

_ALL: tuple[Quantity, ...] = (
    THROUGHPUT,
    StatisticOfRuns(name="median_of_runs", of=statistics.median),
    *RANGE_OF_RUNS,
    StatisticOfDraws(name="interval_low", of=_quantile((1 - LEVEL) / 2)),
    StatisticOfDraws(name="interval_high", of=_quantile((1 + LEVEL) / 2)),
    PEAK_MEMORY,
    POWER,
    SAMPLES_PER_JOULE,
    PROCESS_MEMORY,
    CPU_LOAD,
    CPU_POWER,
    ThroughputPerCard(name="throughput_per_card", symbol="card", decimals=1, of=throughput_per_card, is_of_a_card=True),
    LogQuantity(name="step_time", symbol="s", decimals=3, of=step_time, direction=-1, is_of_a_card=True),
    LogQuantity(name="step_milliseconds", symbol="ms", decimals=1, of=step_milliseconds, direction=-1),
    LogQuantity(name="tflops_per_card", symbol="TFLOP/s", decimals=1, of=tflops, scope="card", is_of_a_card=True),
    LogQuantity(
        name="hardware_tflops_per_card",
        symbol="TFLOP/s",
        decimals=1,
        of=hardware_tflops,
        scope="card",
        is_of_a_card=True,
    ),
    LogQuantity(name="mfu", symbol="%", decimals=1, of=mfu, scope="", is_of_a_card=True),
    LogQuantity(name="imbalance", symbol="%", decimals=1, of=imbalance, scope="", direction=-1),
    LogQuantity(
        name="time_to_train", symbol="min", decimals=3, of=minutes_to_train, is_of_whole_run=True, direction=-1
    ),
    LogQuantity(
        name="time_to_loss",
        symbol="min",
        decimals=3,
        of=minutes_to_loss,
        is_of_whole_run=True,
        needs_target=True,
        direction=-1,
    ),
    LogQuantity(name="final_loss", symbol="", decimals=4, of=final_loss, is_of_whole_run=True, direction=-1),
    QuotientOfThroughputs(name="speed_up", decimals=2, is_over_another=True),
    QuotientOfThroughputs(name="scaling_efficiency", decimals=1, is_over_fewest_cards=True, whole=PERCENT),
)
QUANTITIES: Mapping[str, Quantity] = {quantity.name: quantity for quantity in _ALL}


def named(name: str) -> Quantity:
    """The quantity of a name, which must be one of ``QUANTITIES``."""
    return QUANTITIES[name]


class _OfItsName:
    """In a file of ours a quantity is its name."""

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> CoreSchema:
        names = core_schema.literal_schema(list(QUANTITIES))
        return core_schema.no_info_after_validator_function(named, names)


AnyQuantity = Annotated[Quantity, _OfItsName]


@dataclass(frozen=True)
class Shown:
    """What a column shows: a quantity, the ``rate`` that throughput has on its page ("images/s"), and its decimals.

    Decimals are for quantities of telemetry and quotients, None for the usual ones: a throughput, and one of several
    runs, is printed as its protocol says. ``formula``: the operations of the model, if the page states them.
    ``target``: the loss that is to be reached.
    """

    quantity: Quantity
    rate: str
    decimals: int | None = None
    formula: Formula | None = None
    target: float | None = None

    @property
    def unit(self) -> str:
        """The unit of the quantity on this page."""
        return self.quantity.unit(self.rate)

    def printing(self, protocol: Protocol) -> Protocol:
        """How the number is printed: by the page's protocol, or rounded half up to the decimals of the quantity."""
        if self.quantity.decimals is None:
            return protocol
        return Protocol(decimals=self.quantity.decimals if self.decimals is None else self.decimals)

    def steps(self, protocol: Protocol) -> tuple[Step, ...]:
        """What is done, in the order in which it is done, as ``Quantity.steps``."""
        return self.quantity.steps(protocol, self.printing(protocol).decimals or 0)

"""Quantities: what a column of a table can show, as data: what it is made of, its unit, its digits and its rule.

A new one is a line in ``QUANTITIES``, two texts in each catalogue (``<name>`` heads its columns, ``quantity_<name>``
says in the evidence what was done) and, of a log, a function in ``run_figures``.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic_core import CoreSchema, core_schema

from .diagnostics import Code, NoMeasurement, say
from .number import without_noise
from .operations import Formula
from .protocol import Protocol
from .statistic import reduce_repeats

PERCENT = 100

# What a number is made of: the throughput of each run, several of these, gpu.csv, cpu.csv, the log over the window of
# its throughput or over the whole run, or two throughputs of the page: that of the column over the one that the column
# names, or over that of the fewest cards of its column and case.
Origin = Literal["throughput", "runs", "cards", "processes", "window", "run", "ratio", "scaling"]


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """What a column can show.

    ``name``: as page files and reports spell it. ``origin``: what it is made of. ``symbol``: its unit, in which
    ``{rate}`` is that of throughput on the page and ``{counted}`` what that counts. ``decimals``: how many are usual,
    None where it is printed as the protocol says. ``direction``: 1 where more is better, -1 where less is, 0 where that
    depends. ``scope``: whose it is; empty for a ratio. ``of``: the statistic of runs. ``column``: of cpu.csv.
    ``whole``: what a quotient of 1 is shown as. ``is_peak``: the maximum over the whole run and all repeats.
    ``is_of_a_card``: it says what one card does, and is shown of any log that proves it.
    ``rests_on_throughput``: doubts about that are doubts about it.
    """

    name: str
    origin: Origin
    symbol: str = "{rate}"
    decimals: int | None = None
    direction: Literal[1, 0, -1] = 1
    scope: Literal["job", "card", ""] = "job"
    of: Callable[[Sequence[float]], float] = statistics.median
    column: str = ""
    whole: int = 1
    is_peak: bool = False
    is_of_a_card: bool = False
    rests_on_throughput: bool = True

    def __str__(self) -> str:
        """Its name."""
        return self.name

    @property
    def is_throughput(self) -> bool:
        """Whether it is the throughput that the protocol computes, which charts and comparisons are of."""
        return self.origin == "throughput"

    @property
    def is_rate(self) -> bool:
        """Whether it is in the unit of its page and printed as the protocol says."""
        return self.origin in ("throughput", "runs")

    @property
    def of_runs(self) -> bool:
        """Whether it is a statistic of the throughputs of several runs."""
        return self.origin == "runs"

    @property
    def of_log(self) -> bool:
        """Whether it is computed from the log, beside its throughput."""
        return self.origin in ("window", "run")

    @property
    def is_quotient(self) -> bool:
        """Whether it is computed from two throughputs that the page shows."""
        return self.origin in ("ratio", "scaling")

    @property
    def rule(self) -> str:
        """The key of the catalogues for what is done; that of its name is ``name``."""
        return f"quantity_{self.name}"

    def unit(self, rate: str) -> str:
        """Its unit on a page whose throughputs are in ``rate``, such as images/s."""
        return self.symbol.format(rate=rate, counted=rate.strip().removesuffix("/s"))

    def repeats(self, protocol: Protocol) -> str:
        """How repeats are put together, as ``Protocol.repeats`` or ``max``."""
        return "max" if self.is_peak else protocol.repeats

    def combined(self, values: Sequence[float], protocol: Protocol) -> float:
        """One value of those of all repeats; ``NoMeasurement`` where they are too few."""
        if self.is_peak:
            return max(values)
        if not self.of_runs:
            return without_noise(reduce_repeats(values, protocol.repeats))
        if len(values) < 2:
            raise NoMeasurement(say(Code.FEW_REPEATS, rule=f"quantity={self.name}", least=2, count=len(values)))
        return without_noise(self.of(values))

    def words(self, protocol: Protocol) -> str:
        """The rule in one line of neutral words; all but a peak and what is of the whole run have the window."""
        if self.is_throughput:
            return protocol.words()
        if self.origin == "run":
            return f"quantity={self.name}"
        return f"quantity={self.name} {'repeats=max' if self.is_peak else protocol.words()}"


def _of_log(name: str, symbol: str, decimals: int, **more: Any) -> Quantity:
    return Quantity(name=name, symbol=symbol, decimals=decimals, **{"origin": "window", **more})


THROUGHPUT = Quantity(name="throughput", origin="throughput")
RANGE_OF_RUNS = (
    Quantity(name="lowest_run", origin="runs", of=min),
    Quantity(name="highest_run", origin="runs", of=max),
)
_OF_TELEMETRY: Mapping[str, Any] = {"origin": "cards", "rests_on_throughput": False}
_OF_PROCESSES: Mapping[str, Any] = {"origin": "processes", "rests_on_throughput": False}
# gpu.csv holds memory in whole MiB. The power of a card varies by more than a tenth of a watt.
PEAK_MEMORY = Quantity(
    name="peak_memory", symbol="MiB", decimals=0, is_peak=True, scope="card", direction=-1, **_OF_TELEMETRY
)
POWER = Quantity(name="power", symbol="W", decimals=1, direction=0, **_OF_TELEMETRY)
SAMPLES_PER_JOULE = Quantity(name="samples_per_joule", origin="cards", symbol="{counted}/J", decimals=3)
PROCESS_MEMORY = Quantity(
    name="process_memory", symbol="MiB", column="memory", decimals=0, is_peak=True, direction=-1, **_OF_PROCESSES
)
CPU_LOAD = Quantity(name="cpu_load", symbol="cores", column="load", decimals=2, direction=0, **_OF_PROCESSES)

_ALL: tuple[Quantity, ...] = (
    THROUGHPUT,
    Quantity(name="median_of_runs", origin="runs"),
    *RANGE_OF_RUNS,
    PEAK_MEMORY,
    POWER,
    SAMPLES_PER_JOULE,
    PROCESS_MEMORY,
    CPU_LOAD,
    _of_log("throughput_per_card", "{rate}/card", 1, scope="card", is_of_a_card=True),
    _of_log("step_time", "s", 3, direction=-1),
    _of_log("step_milliseconds", "ms", 1, direction=-1),
    _of_log("tflops_per_card", "TFLOP/s", 1, scope="card", is_of_a_card=True),
    _of_log("hardware_tflops_per_card", "TFLOP/s", 1, scope="card", is_of_a_card=True),
    _of_log("mfu", "%", 1, scope="", is_of_a_card=True),
    _of_log("time_to_train", "min", 3, origin="run", direction=-1),
    _of_log("final_loss", "", 4, origin="run", direction=-1),
    Quantity(name="speed_up", origin="ratio", symbol="×", decimals=2, scope=""),
    Quantity(name="scaling_efficiency", origin="scaling", symbol="%", decimals=1, scope="", whole=PERCENT),
)
QUANTITIES: Mapping[str, Quantity] = {quantity.name: quantity for quantity in _ALL}


class _OfItsName:
    """In a file of ours a quantity is its name."""

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> CoreSchema:
        names = core_schema.literal_schema(list(QUANTITIES))
        return core_schema.no_info_after_validator_function(QUANTITIES.__getitem__, names)


AnyQuantity = Annotated[Quantity, _OfItsName]


@dataclass(frozen=True)
class Shown:
    """What a column shows: a quantity, the ``rate`` that throughput has on its page ("images/s"), and its decimals.

    Decimals are for quantities of telemetry and quotients, None for the usual ones: a throughput, and one of several
    runs, is printed as its protocol says. ``formula``: the operations of the model, if the page states them.
    """

    quantity: Quantity
    rate: str
    decimals: int | None = None
    formula: Formula | None = None

    @property
    def unit(self) -> str:
        """The unit of the quantity on this page."""
        return self.quantity.unit(self.rate)

    def printing(self, protocol: Protocol) -> Protocol:
        """How the number is printed: by the page's protocol, or rounded half up to the decimals of the quantity."""
        if self.quantity.decimals is None:
            return protocol
        return Protocol(decimals=self.quantity.decimals if self.decimals is None else self.decimals)

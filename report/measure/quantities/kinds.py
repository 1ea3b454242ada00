"""Kinds of quantities: what each says of itself, so that no other code knows one by its name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..diagnostics import NoMeasurement
from ..number import without_noise
from ..protocol import Protocol, Step
from ..statistic import RESAMPLES, reduce_repeats, resampled
from .run_figure import RunFigure, RunNumbers

PERCENT = 100


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """What a column can show: what it is made of, what else is done with it, its unit, its digits and its rule."""

    name: str
    """As page files and evidence files spell it."""
    decimals: int | None = None
    """How many are usual; None where it is printed as the protocol says."""
    is_throughput: bool = False
    """It is the throughput that the protocol computes from the logs."""
    of_runs: bool = False
    """It is a statistic of the throughputs of several runs."""
    of_telemetry: bool = False
    """It is computed from gpu.csv or cpu.csv."""
    of_log: bool = False
    """It is computed from the log by itself, whatever its throughput is."""
    is_quotient: bool = False
    """It is computed from two throughputs that the page shows."""
    is_drawn: bool = False
    """Charts show it."""
    is_quoted: bool = False
    """A published figure may stand in for it."""
    is_compared: bool = False
    """The page states which of its rows and columns are not directly comparable."""
    rests_on_throughput: bool = True
    """Doubts about a throughput, such as too few records, apply to this quantity, too."""
    is_peak: bool = False
    """It is the maximum over the whole run and over all repeats, whatever the protocol says."""
    is_over_another: bool = False
    """It is a quotient over the throughput that its column names."""
    is_over_fewest_cards: bool = False
    """It is a quotient over the throughput of the fewest cards of its column and case."""
    whole: int = 1
    """What a quotient of 1 is shown as: 100 for percent."""
    scope: Literal["job", "card", ""] = "job"
    """Whose it is: that of the whole job, or of one card; empty for a ratio, which is nobody's."""
    direction: Literal[1, 0, -1] = 1
    """1 where more is better, -1 where less is, 0 where that depends on what is asked."""

    def __str__(self) -> str:
        """Its name."""
        return self.name

    @property
    def is_rate(self) -> bool:
        """Whether it is in the unit of its page and printed as the protocol says."""
        return self.is_throughput or self.of_runs

    @property
    def is_told_by_title(self) -> bool:
        """Whether the title of its column alone says what it is: the throughput of the page, or one over another."""
        return self.is_throughput or self.is_over_another

    @property
    def rule(self) -> str:
        """The key of the catalogues for what is done; that of its name is ``name``."""
        return f"quantity_{self.name}"

    def unit(self, rate: str) -> str:
        """Its unit on a page whose throughputs are in ``rate``, such as images/s."""
        return rate

    def rate_of(self, unit: str) -> str | None:
        """The unit of throughput on a page that shows it in ``unit``; None where that says nothing of it."""
        return unit if self.is_rate else None

    def repeats(self, protocol: Protocol) -> str:
        """How repeats are put together, as ``Protocol.repeats`` or ``max``."""
        return "max" if self.is_peak else protocol.repeats

    def combined(self, values: Sequence[float], protocol: Protocol) -> float:
        """One value of the values of all repeats; raises ``NoMeasurement`` where these are too few for the protocol."""
        return max(values) if self.is_peak else without_noise(reduce_repeats(values, protocol.repeats))

    def words(self, protocol: Protocol) -> str:
        """The rule in one line of neutral words; all but a peak have the window of the protocol."""
        return f"quantity={self.name} {'repeats=max' if self.is_peak else protocol.words()}"

    def steps(self, protocol: Protocol, decimals: int) -> tuple[Step, ...]:
        """What is done, in the order in which it is done, as ``Protocol.steps``.

        ``decimals``: those that it is printed with. Keys besides those of a protocol: ``quantity_*`` (with ``count``,
        how many resamples an interval is made of) and ``repeats_max``.
        """
        repeats: Step = (f"repeats_{self.repeats(protocol)}", {})
        return (self._stated, repeats, *rounded(decimals))

    @property
    def _stated(self) -> Step:
        return (self.rule, {"count": RESAMPLES})


@dataclass(frozen=True, kw_only=True)
class PageThroughput(Quantity):
    """The throughput that the protocol computes from the logs; others are derived from it or shown beside it."""

    is_throughput: bool = True
    is_drawn: bool = True
    is_quoted: bool = True
    is_compared: bool = True

    def words(self, protocol: Protocol) -> str:
        """Those of the protocol, which is the whole rule."""
        return protocol.words()

    def steps(self, protocol: Protocol, decimals: int) -> tuple[Step, ...]:
        """Those of the protocol, which says the decimals as well."""
        return protocol.steps()


@dataclass(frozen=True, kw_only=True)
class StatisticOfRuns(Quantity):
    """A statistic ``of`` the throughputs of at least two runs, in place of the one that the protocol names."""

    of: Callable[[Sequence[float]], float]
    of_runs: bool = True

    def combined(self, values: Sequence[float], protocol: Protocol) -> float:
        """The statistic; raises ``NoMeasurement`` for one run, and where runs are too few for the protocol."""
        if len(values) < 2:
            raise NoMeasurement("Spread requires at least two runs; found one.")
        return without_noise(float(self._of(values, protocol)))

    def steps(self, protocol: Protocol, decimals: int) -> tuple[Step, ...]:
        """Those of the protocol, but for what it does with several runs."""
        return tuple(step for one in protocol.steps() for step in self._replaced(one))

    def _of(self, values: Sequence[float], protocol: Protocol) -> float:
        return self.of(values)

    def _replaced(self, step: Step) -> tuple[Step, ...]:
        return self._in_place_of(step) if step[0].startswith("repeats_") else (step,)

    def _in_place_of(self, step: Step) -> tuple[Step, ...]:
        return (self._stated,)


@dataclass(frozen=True, kw_only=True)
class StatisticOfDraws(StatisticOfRuns):
    """A statistic ``of`` bootstrap resamples: what the protocol gives for as many runs drawn with replacement."""

    def _of(self, values: Sequence[float], protocol: Protocol) -> float:
        return self.of(resampled(values, protocol.repeats).tolist())

    def _in_place_of(self, step: Step) -> tuple[Step, ...]:
        return (step, self._stated)


@dataclass(frozen=True, kw_only=True)
class TelemetryQuantity(Quantity):
    """A quantity from gpu.csv in its own unit, ``symbol``: a peak, or a mean over the window of the protocol.

    ``column``: the one of cpu.csv that it is of, if it is of that file.
    """

    symbol: str
    column: str = ""
    of_telemetry: bool = True
    rests_on_throughput: bool = False

    def unit(self, rate: str) -> str:
        """Its own, on any page."""
        return self.symbol


@dataclass(frozen=True, kw_only=True)
class ThroughputPerUnit(TelemetryQuantity):
    """The throughput divided by a quantity from gpu.csv: the page's unit with ``symbol`` in place of the second."""

    rests_on_throughput: bool = True

    def unit(self, rate: str) -> str:
        """Such as images/J."""
        return f"{rate.strip().removesuffix('/s')}/{self.symbol}"

    def rate_of(self, unit: str) -> str:
        """The unit with the second in its place again."""
        return f"{unit.removesuffix(f'/{self.symbol}')}/s"


@dataclass(frozen=True, kw_only=True)
class LogQuantity(Quantity):
    """A quantity ``of`` the log of each run in its own unit, ``symbol``, over the window of the protocol.

    ``is_of_whole_run``: it has no window. ``needs_target``: its column states a loss that is to be reached.
    ``is_of_a_card``: it says what one card does, or how long a step takes, and is shown of any log that proves it.
    """

    symbol: str
    of: Callable[[RunNumbers], RunFigure]
    of_log: bool = True
    is_of_whole_run: bool = False
    needs_target: bool = False
    is_of_a_card: bool = False

    def unit(self, rate: str) -> str:
        """Its own, on any page."""
        return self.symbol

    def words(self, protocol: Protocol) -> str:
        """The rule, with the window of the protocol where it has one."""
        return f"quantity={self.name}" if self.is_of_whole_run else super().words(protocol)

    def steps(self, protocol: Protocol, decimals: int) -> tuple[Step, ...]:
        """Those of the protocol, but for what is read of the records, and for the digits."""
        if self.is_of_whole_run:
            return super().steps(protocol, decimals)
        stated = [step for step in protocol.steps() if not step[0].startswith(("decimals", "significant", "rounding_"))]
        replaced = [self._stated if step[0].startswith("estimate_") else step for step in stated]
        return (*replaced, *rounded(decimals))


@dataclass(frozen=True, kw_only=True)
class ThroughputPerCard(LogQuantity):
    """The throughput over the cards: the page's unit for each of them."""

    scope: Literal["job", "card", ""] = "card"

    def unit(self, rate: str) -> str:
        """Such as tokens/s/card."""
        return f"{rate.strip()}/{self.symbol}"

    def rate_of(self, unit: str) -> str:
        """The unit without the card."""
        return unit.removesuffix(f"/{self.symbol}")


@dataclass(frozen=True, kw_only=True)
class QuotientOfThroughputs(Quantity):
    """One throughput of a page over another."""

    is_quotient: bool = True
    scope: Literal["job", "card", ""] = ""

    def unit(self, rate: str) -> str:
        """Percent, or a factor."""
        return "%" if self.whole == PERCENT else "×"

    def steps(self, protocol: Protocol, decimals: int) -> tuple[Step, ...]:
        """What it is; the runs are put together in the numbers that it is made of."""
        return (self._stated, *rounded(decimals))


def rounded(decimals: int) -> tuple[Step, Step]:
    """How a number that is not printed as its protocol says is rounded, as ``Protocol.steps``."""
    return ("decimals", {"count": decimals}), ("rounding_half_up", {})

"""Metrics: numbers as they are exported, each with unit, scope, protocol and the lines of the logs behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parsers.io.printable import printable
from parsers.runs.facts import Value

from ...evidence.ranks.exhibits import Exhibit


@dataclass(frozen=True)
class ExportedRun:
    """One run behind a metric: its own value, printed as the metric is, and the files that prove it.

    ``time``: when it began, in ISO 8601, UTC or as its log says; empty where nothing says it. ``log``:
    where its log lies on this machine, which no format tells.
    """

    digits: str
    value: float
    time: str
    exhibits: tuple[Exhibit, ...]
    log: Path | None = None


@dataclass(frozen=True)
class Metric:
    """One number and what it is of.

    ``suite``: the name of its page, or ``logs``. ``name``: its address on the page, or the path of its log. ``series``:
    what it shares with later measurements of the same case, and with nothing else. ``title``: for people. ``digits``:
    the number as the page prints it; ``value`` the same, unrounded where it was measured. ``scope``: job, node, card or
    unknown, empty for a ratio. ``direction``: 1 where more is better, -1 where less is, 0 where neither. ``protocol``:
    the rule in neutral words. ``case``: model, framework, device and the axes that are known. ``circumstances``: date
    and versions, where logs or run.json say them. ``parts``: the addresses of the numbers that it is computed from.
    ``is_quoted``: somebody published it, or a number that it is computed from, and there is no log to prove it;
    ``source``: where it was published, where it is not computed.
    ``qualifier``: what is so instead of what its labels say. ``remarks``: what else a reader must know, in English.
    """

    suite: str
    name: str
    series: str
    title: str
    quantity: str
    digits: str
    value: float
    unit: str
    scope: str
    direction: int
    protocol: str
    case: Mapping[str, Value]
    circumstances: Mapping[str, str]
    runs: tuple[ExportedRun, ...] = ()
    parts: tuple[str, ...] = ()
    is_quoted: bool = False
    source: str = ""
    qualifier: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def number(self) -> float:
        """What the page prints, as a number."""
        return float(self.digits)

    @property
    def full_name(self) -> str:
        """Its suite, and its name in there."""
        return f"{self.suite}/{self.name}"

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """The files that prove it, run by run."""
        return tuple(exhibit for run in self.runs for exhibit in run.exhibits)

    @property
    def proofs(self) -> list[str]:
        """The same, each in a line: ``train.log sha256:… lines 154-184``."""
        return [f"{e.path} sha256:{e.sha256} lines {e.lines[0]}-{e.lines[1]}" for e in self.exhibits]

    @property
    def extremes(self) -> tuple[ExportedRun, ExportedRun] | None:
        """The lowest and the highest of several runs; None where there are no several."""
        ordered = sorted(self.runs, key=lambda run: run.value)
        return (ordered[0], ordered[-1]) if len(ordered) > 1 else None

    @property
    def told(self) -> dict[str, str]:
        """What is beside the value as names and texts, for formats that have room for such; nothing that is empty."""
        told: dict[str, Any] = {"unit": self.unit, "scope": self.scope, "protocol": self.protocol, **self.case}
        told |= {"title": self.title, "qualifier": self.qualifier, **self.circumstances}
        told |= {"printed": self.digits, "runs": " ".join(run.digits for run in self.runs[1:] and self.runs)}
        told |= {"evidence": "; ".join(self.proofs), "computed_from": " ".join(self.parts)}
        told |= {"remarks": " ".join(self.remarks)}
        return {name: str(said) for name, said in told.items() if str(said)}


def one_line(metric: Metric) -> Metric:
    """A metric whose texts, which may be those of strangers, are each on one line and seen as a whole.

    No format then has to spell newlines and control characters, and no terminal meets them.
    """
    names = ("suite", "name", "series", "title", "unit", "protocol", "qualifier", "source")
    texts: dict[str, Any] = {name: printable(getattr(metric, name)) for name in names}
    return replace(
        metric,
        **texts,
        case={name: printable(said) if isinstance(said, str) else said for name, said in metric.case.items()},
        circumstances={name: printable(said) for name, said in metric.circumstances.items()},
        runs=tuple(_of_one_line(run) for run in metric.runs),
        parts=tuple(map(printable, metric.parts)),
        remarks=tuple(map(printable, metric.remarks)),
    )


def _of_one_line(run: ExportedRun) -> ExportedRun:
    return replace(run, exhibits=tuple(replace(exhibit, path=printable(exhibit.path)) for exhibit in run.exhibits))

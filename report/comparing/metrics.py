"""Metrics: what runs reach beside their speed, which way is better, and whether B reaches what A does.

A metric is what a log prints by its name, from the first record of training on. Lines of the steps of training are left
out where others print it, too: these tell of an evaluation. A change is a finding only in the wrong direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from parsers.io.errors import TachographError
from parsers.io.message import Message
from parsers.scanning.text import LogText
from parsers.series import Floats, Lines

from ..measure.diagnostics import NoMeasurement
from ..measure.measure import run_of
from ..measure.protocol import Protocol
from ..measure.records import losses_of
from ..results.agreement import (
    LossAgreement,
    LossCurve,
    incomparable,
    loss_agreement,
    loss_curve,
    other_task,
    stated_by,
    unknown,
)
from .conditions import Difference
from .sides import SideRun

Better = Literal["lower", "higher"]
Sides = tuple[Sequence[SideRun], Sequence[SideRun]]

LOSS = "loss"
# Words in the names of metrics that say which way is better.
LOWER = re.compile(r"loss|nll|ppl|perplexity|bp[bc]|bits|err(or)?|[wct]er|mae|r?mse|fid|epe|latency")
HIGHER = re.compile(
    r"acc(uracy)?|top\d|prec(ision)?|recall|f1|m?ap\d*|m?iou|dice|auc|bleu|rouge|meteor|ndcg|hr|mrr|score|psnr|ssim|r2|"
    r"return|reward|exact|match|success"
)
NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?i:nan|inf(?:inity)?)"
# Behind the name, maybe in quotes: a colon, an equals sign or a blank, or the key of the value in a line of MLPerf.
PRINTED = rb"(?<![\w.@/-])%b[\"']?(?:[ \t]*[:=][ \t]*|[ \t]+|,[ \t]*\"value\"[ \t]*:[ \t]*)(%b)(?![\w.]|[ \t]*/)"
# The time of training so far, beside a metric on its line.
PASSED = re.compile(
    rb"(?<![\w])(?:train(?:ing)?[_ ]?time|elapsed(?:[_ ]time)?|wall[_ ]?(?:time|clock))[\"']?[ \t]*[:=][ \t]*"
    rb"([0-9.]+)[ \t]*(ms|s|sec|m|min|h)?(?![\w.])"
)
SECONDS = {b"ms": 0.001, b"": 1.0, b"s": 1.0, b"sec": 1.0, b"m": 60.0, b"min": 60.0, b"h": 3600.0}
SMOOTHED = 10  # the loss of a step of training is that of so many parts of the run
ROUNDING = 1e-9

WHICH_WAY = "State which way {name} is better, such as {name}=0.1%,lower."
SEVERAL_RUNS = "{log} holds several runs"
NO_METRIC = "{log} prints no {name}"
NO_LOG = "the log {log} is not there"
NO_LOSS = "{log} prints no loss"
UNCOUNTED = "the steps of {log} cannot be counted"
NOT_A_NUMBER = "{log} prints {value} at line {line}"
NOTHING_TO_SHARE = "the reference is 0, so a share of it says nothing"


class MetricError(TachographError, ValueError):
    """A metric of which nobody says which way is better, or a share that is none."""


def better(name: str, stated: Better | None = None) -> Better:
    """Which way a metric is better: as stated, or by the words of its name; raises MetricError where neither says."""
    words = re.split(r"[^a-z0-9]+", name.lower())
    if stated or any(map(LOWER.fullmatch, words)):
        return stated or "lower"
    if not any(map(HIGHER.fullmatch, words)):
        raise MetricError(WHICH_WAY, name=name)
    return "higher"


@dataclass(frozen=True, eq=False)
class MetricCurve:
    """A metric of one run at each line that prints it, in file order: the lines (int64), and as float64 the values, the
    steps done and the seconds of training by then, NaN where they are not known.
    """

    lines: Lines
    values: Floats
    steps: Floats
    seconds: Floats


def curve_of(run: SideRun, name: str) -> MetricCurve:
    """The curve of a metric; raises NoMeasurement where the log prints none, and LogError where it cannot be read."""
    if run.reading is None or run.measurement is None:
        raise NoMeasurement(NO_LOG, log=run.place.log)
    if len(run.reading.facts_of_runs) > 1:
        raise NoMeasurement(SEVERAL_RUNS, log=run.place.log)
    lines, values, passed = _loss(run) if name == LOSS else _printed(run, name)
    if not len(lines):
        raise NoMeasurement(NO_METRIC, log=run.place.log, name=name)
    return MetricCurve(
        lines, values, _steps_at(run, lines), np.where(np.isnan(passed), _seconds_at(run, lines), passed)
    )


def _loss(run: SideRun) -> tuple[Lines, Floats, Floats]:
    """The losses of training, each the mean of those of the last tenth of the run."""
    found = losses_of(run_of(run.reading, Protocol()), ("step", "epoch")) if run.reading else None
    if found is None:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    losses = found[1].numbers("loss")
    width = max(len(losses) // SMOOTHED, 1)
    means = np.convolve(losses, np.full(width, 1 / width), "valid")
    return found[1].lines[width - 1 :], means, np.full(len(means), np.nan)


def _printed(run: SideRun, name: str) -> tuple[Lines, Floats, Floats]:
    """The lines that print a metric, the last value on each, and the seconds of training there, NaN where none is."""
    if run.reading is None:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    tables = [part.table for part in run.reading.parts if len(part.table)]
    first = min(int(table["line"].min()) for table in tables)
    of_training = {int(line) for one in tables for line in one["line"][one.are("step") | one.are("epoch")]}
    every = [one for one in _scanned(run, name.encode()) if one[0] >= first]
    found = [one for one in every if one[0] not in of_training] or every
    lines = np.array([line for line, _, _ in found], np.int64)
    return lines, np.array([value for _, value, _ in found]), np.array([passed for _, _, passed in found])


def _scanned(run: SideRun, name: bytes) -> Iterator[tuple[int, float, float]]:
    printed, before = re.compile(PRINTED % (re.escape(name), NUMBER)), 0
    for block in LogText(run.place.log).data():
        if name in block:
            for number, line in enumerate(block.split(b"\n"), before + 1):
                if name in line and (values := printed.findall(line)):
                    passed = PASSED.search(line)
                    seconds = float(passed[1]) * SECONDS[passed[2] or b""] if passed else np.nan
                    yield number, float(values[-1]), seconds
        before += block.count(b"\n")


def _steps_at(run: SideRun, lines: Lines) -> Floats:
    """The steps done by each line: those of the last record up to it that numbers them."""
    steps = np.full(len(lines), np.nan)
    for part in run_of(run.reading, Protocol()) if run.reading else ():
        for kind in ("step", "epoch", "summary"):
            records = part.all_records(kind)
            done = records.step_numbers if kind == "summary" else records.steps
            if done is not None and len(records):
                at = np.searchsorted(records.lines, lines, "right") - 1
                steps = np.fmax(steps, np.where(at >= 0, done[at], np.nan))
    return steps


def _seconds_at(run: SideRun, lines: Lines) -> Floats:
    """The seconds that the stretches of the measured source took up to each line, warm-up among them."""
    if run.measurement is None:
        return np.full(len(lines), np.nan)
    series = run.measurement.every or run.measurement.series
    at = np.searchsorted(series.lines, lines, "right")
    return np.append(np.nan, np.cumsum(series.seconds))[at]


@dataclass(frozen=True)
class MetricAgreement:
    """Whether the final metric ``name`` of B is that of A, within ``tolerance``, a fraction of that of A.

    ``values``: the means of A and of B; ``change``: between them. ``printed``: the log, the line and the value of each
    run. ``reason``: why it is unknown, or not a number.
    """

    name: str
    verdict: Literal["same", "better", "worse", "NaN", "unknown"]
    tolerance: float
    values: tuple[float, float] | None = None
    change: float | None = None
    printed: tuple[tuple[str, int, float], ...] = ()
    reason: Message | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether B does not reach what A does; a better metric is never wrong."""
        return self.verdict in ("worse", "NaN")


def final_metric(
    name: str, sides: Sides, tolerance: float, way: Better, changes: Sequence[Difference]
) -> MetricAgreement:
    """Hold the last values of a metric of B against those of A; ``changes``: what differs between the sides.

    Raises LogError where a log cannot be read any more.
    """
    plain = MetricAgreement(name, "unknown", tolerance)
    try:
        curves = [[curve_of(run, name) for run in side] for side in sides]
    except NoMeasurement as error:
        return replace(plain, reason=error.message)
    last = [
        [(str(run.place.log), int(one.lines[-1]), float(one.values[-1])) for run, one in zip(side, own, strict=True)]
        for side, own in zip(sides, curves, strict=True)
    ]
    told = replace(plain, printed=tuple(one for side in last for one in side))
    for verdict, side in (("unknown", last[0]), ("NaN", last[1])):
        if broken := next((one for one in side if not np.isfinite(one[2])), None):
            reason = Message(NOT_A_NUMBER, log=broken[0], value=f"{broken[2]:g}", line=broken[1])
            return replace(told, verdict=verdict, reason=reason)  # type: ignore[arg-type]
    a, b = (float(np.mean([value for _, _, value in side])) for side in last)
    if unlike := other_task(_stated(sides, changes)):
        return replace(told, values=(a, b), reason=unlike)
    if not a:
        return replace(told, values=(a, b), reason=Message(NOTHING_TO_SHARE))
    change = (b - a) / abs(a)
    is_better = (change < 0) == (way == "lower")
    found = "same" if abs(change) <= tolerance + ROUNDING else "better" if is_better else "worse"
    return replace(told, verdict=found, values=(a, b), change=change)  # type: ignore[arg-type]


def losses(sides: Sides, changes: Sequence[Difference], tolerance: float | None) -> LossAgreement | None:
    """Hold the losses of B against those of A; None where no log prints any and no ``tolerance`` asks for them.

    ``changes``: what differs between the sides. Raises ExtraError as ``loss_agreement`` does.
    """
    runs = [run for side in sides for run in side]
    curves = [_curve(run) for run in runs]
    if tolerance is None and all(curve is None for curve in curves):
        return None
    for run, curve in zip(runs, curves, strict=True):
        if not isinstance(curve, LossCurve):
            return unknown(curve or Message(NO_LOSS, log=run.place.log), tolerance)
    known = [curve for curve in curves if isinstance(curve, LossCurve)]
    agreement = loss_agreement(known[: len(sides[0])], known[len(sides[0]) :], tolerance)
    if agreement.verdict == "NaN":  # whatever the conditions are
        return agreement
    reason = incomparable(_stated(sides, changes))
    return agreement if reason is None else unknown(reason, tolerance)


def _curve(run: SideRun) -> LossCurve | Message | None:
    if run.reading is None or run.measurement is None:
        return None
    try:
        return loss_curve(run.place.log, run.reading, run.measurement.run)
    except NoMeasurement:
        return Message(UNCOUNTED, log=run.place.log)


def _stated(
    sides: Sides, changes: Sequence[Difference]
) -> dict[str, tuple[Sequence[str] | set[str], Sequence[str] | set[str]]]:
    """What the runs of each side state, by name: facts, and what differs otherwise."""
    a, b = (stated_by(fact for run in side for fact in run.facts.values()) for side in sides)
    facts = {name: (a.get(name, set()), b.get(name, set())) for name in {**a, **b}}
    of_changes = {one.name: ([of.value for of in one.sides[0]], [of.value for of in one.sides[1]]) for one in changes}
    return {**of_changes, **facts}

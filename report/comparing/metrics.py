"""Metrics: what runs reach beside their speed, which way is better, and whether B reaches what A does.

A metric is what a log prints by its name, from the first record of training on. Lines of the steps of training are left
out where others print it, too: these tell of an evaluation. A change is a finding only in the wrong direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from parsers.io.errors import TachographError
from parsers.io.message import Message
from parsers.runs.reading import Reading
from parsers.scanning.text import LogText
from parsers.series import Floats, Lines

from ..measure.diagnostics import NoMeasurement, say
from ..measure.measure import run_of
from ..measure.protocol import Protocol
from ..measure.records import losses_of
from ..results import agreement
from ..results.agreement import OF_TASK, LossAgreement, LossCurve, Stated
from .conditions import Difference
from .sides import ReadRun

Better = Literal["lower", "higher"]
Sides = tuple[Sequence[ReadRun], Sequence[ReadRun]]
# Lines, the values on them, and the seconds of training there, NaN where unknown.
Printed = tuple[Lines, Floats, Floats]

LOSS = "loss"
# Words in the names of metrics that say which way is better.
WORDS: dict[Better, str] = {
    "lower": r"loss|nll|ppl|perplexity|bp[bc]|bits|err(or)?|[wct]er|mae|r?mse|fid|epe|latency",
    "higher": r"acc(uracy)?|top\d|prec(ision)?|recall|f1|m?ap\d*|m?iou|dice|auc|bleu|rouge|meteor|ndcg|hr|mrr|score|"
    r"psnr|ssim|r2|return|reward|exact|match|success",
}
# The time of training so far, beside a metric on its line.
PASSED = re.compile(
    rb"(?<![\w])(?:train(?:ing)?[_ ]?time|elapsed(?:[_ ]time)?|wall[_ ]?(?:time|clock))[\"']?[ \t]*[:=][ \t]*"
    rb"([0-9.]+)[ \t]*(ms|s|sec|m|min|h)?(?![\w.])"
)
SECONDS = {b"ms": 0.001, b"": 1.0, b"s": 1.0, b"sec": 1.0, b"m": 60.0, b"min": 60.0, b"h": 3600.0}
SMOOTHED = 10  # the loss of a step of training is that of so many parts of the run

NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?i:nan|inf(?:inity)?)"
# Behind the name, maybe in quotes: a colon, an equals sign or a blank, or the key of the value in a line of MLPerf.
PRINTED = rb"(?<![\w.@/-])%b[\"']?(?:[ \t]*[:=][ \t]*|[ \t]+|,[ \t]*\"value\"[ \t]*:[ \t]*)(%b)(?![\w.]|[ \t]*/)"
SEVERAL_RUNS = "{log} holds several runs"
NO_LOSS = "{log} prints no loss"
NO_LOG = "a report alone tells of {log}, and not of its metrics"


class MetricError(TachographError, ValueError):
    """A metric of which nobody says which way is better, or a share or a target that is none."""


def better(name: str, stated: str = "") -> Better:
    """Which way a metric is better: as stated, or by the words of its name; raises MetricError where neither says."""
    words = re.split(r"[^a-z0-9]+", name.lower())
    for way, known in WORDS.items():
        if stated == way or (not stated and any(re.fullmatch(known, word) for word in words)):
            return way
    raise MetricError("State which way {name} is better, such as {name}=0.1%,lower.", name=name)


@dataclass(frozen=True, eq=False)
class MetricCurve:
    """A metric of one run at each line that prints it, in file order: the lines (int64), and as float64 the values, the
    steps done and the seconds of training by then, NaN where they are not known.
    """

    lines: Lines
    values: Floats
    steps: Floats
    seconds: Floats


def curve_of(run: ReadRun, name: str) -> MetricCurve:
    """The curve of a metric.

    Raises NoMeasurement where the log prints none or is not there, and LogError where it cannot be read any more.
    """
    if run.reading is None or run.measurement is None:
        raise NoMeasurement(NO_LOG, log=run.log)
    if len(run.reading.facts_of_runs) > 1:
        raise NoMeasurement(SEVERAL_RUNS, log=run.log)
    lines, values, seconds = _losses(run.reading) if name == LOSS else _printed(run.reading, name)
    if not len(lines):
        raise NoMeasurement("{log} prints no {name}", log=run.log, name=name)
    # Where nothing beside it says the time, it is what the stretches of the measured source took, warm-up among them.
    series = run.measurement.every or run.measurement.series
    taken = np.append(np.nan, np.cumsum(series.seconds))[np.searchsorted(series.lines, lines, "right")]
    return MetricCurve(lines, values, _steps_at(run.reading, lines), np.where(np.isnan(seconds), taken, seconds))


def _losses(reading: Reading) -> Printed:
    """The losses of training, each the mean of those of the last tenth of the run."""
    found = losses_of(run_of(reading, Protocol()), ("step", "epoch"))
    if found is None:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    losses = found[1].numbers("loss")
    width = max(len(losses) // SMOOTHED, 1)
    means = np.convolve(losses, np.full(width, 1 / width), "valid")
    return found[1].lines[width - 1 :], means, np.full(len(means), np.nan)


def _printed(reading: Reading, name: str) -> Printed:
    """The lines that print a metric, the last value on each."""
    tables = [part.table for part in reading.parts if len(part.table)]
    first = min(int(table["line"].min()) for table in tables)
    of_training = {int(line) for one in tables for line in one["line"][one.are("step") | one.are("epoch")]}
    every = [one for one in printed_values(reading.path, name) if one[0] >= first]
    found = [one for one in every if one[0] not in of_training] or every
    passed = [PASSED.search(text) for _, _, text in found]
    seconds = [float(one[1]) * SECONDS[one[2] or b""] if one else np.nan for one in passed]
    return np.array([at for at, _, _ in found], np.int64), np.array([value for _, value, _ in found]), np.array(seconds)


def printed_values(log: Path, name: str) -> Iterator[tuple[int, float, bytes]]:
    """The lines of a log that print a metric by its name: the number of each from 1, its last value, and its text."""
    word = name.encode()
    printed, before = re.compile(PRINTED % (re.escape(word), NUMBER)), 0
    for block in LogText(log).data():
        if word in block:
            for number, line in enumerate(block.split(b"\n"), before + 1):
                if word in line and (values := printed.findall(line)):
                    yield number, float(values[-1]), line
        before += block.count(b"\n")


def _steps_at(reading: Reading, lines: Lines) -> Floats:
    """The steps done by each line: those of the last record up to it that numbers them."""
    steps = np.full(len(lines), np.nan)
    for part in run_of(reading, Protocol()):
        for kind in ("step", "epoch", "summary"):
            records = part.all_records(kind)
            done = records.step_numbers if kind == "summary" else records.steps
            if done is not None and len(records):
                at = np.searchsorted(records.lines, lines, "right") - 1
                steps = np.fmax(steps, np.where(at >= 0, done[at], np.nan))
    return steps


@dataclass(frozen=True)
class FinalMetric:
    """A metric of one run: its value, which may be NaN or infinite, and the line of the log that prints it."""

    log: Path
    line: int
    value: float


@dataclass(frozen=True)
class MetricAgreement:
    """Whether the final metric ``name`` of B is that of A, within ``tolerance``, a fraction.

    ``values``: the means of A and B, ``change``: between them, as a fraction. ``printed``: what each run prints, those
    of A first. ``reason``: why it is unknown, or not a number.
    """

    name: str
    verdict: Literal["same", "better", "worse", "NaN", "unknown"]
    tolerance: float
    change: float | None = None
    values: tuple[float, float] | None = None
    printed: tuple[FinalMetric, ...] = ()
    reason: Message | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether B does not reach what A does."""
        return self.verdict in ("worse", "NaN")


def final_metric(
    name: str, sides: Sides, tolerance: float, way: Better, changes: Sequence[Difference]
) -> MetricAgreement:
    """Hold the last values of a metric of B against those of A, by their means.

    ``changes``: what differs between the sides. Raises LogError where a log cannot be read any more.
    """
    try:
        a, b = ([_last(run, name) for run in runs] for runs in sides)
    except NoMeasurement as error:
        return MetricAgreement(name, "unknown", tolerance, reason=error.message)
    unanswered = MetricAgreement(name, "unknown", tolerance, printed=(*a, *b))
    if first := next((one for one in unanswered.printed if not np.isfinite(one.value)), None):
        reason = say("metric_is_no_number", log=str(first.log), value=f"{first.value:g}", line=first.line)
        return replace(unanswered, verdict="unknown" if first in a else "NaN", reason=reason.message)
    of_a, of_b = (float(np.mean([one.value for one in side])) for side in (a, b))
    # How a model of one name is built may be what is asked: whether B reaches what A does.
    stated = {what: of for what, of in _stated(sides, changes).items() if what == "model" or what not in OF_TASK}
    if unlike := agreement.other_task(stated) or (None if of_a else say("reference_not_above_zero").message):
        return replace(unanswered, values=(of_a, of_b), reason=unlike)
    change = (of_b - of_a) / abs(of_a)
    is_same = abs(change) <= tolerance + agreement.ROUNDING
    better_or_worse: Literal["better", "worse"] = "better" if (change > 0) == (way == "higher") else "worse"
    return replace(unanswered, verdict="same" if is_same else better_or_worse, change=change, values=(of_a, of_b))


def _last(run: ReadRun, name: str) -> FinalMetric:
    curve = curve_of(run, name)
    return FinalMetric(Path(run.log), int(curve.lines[-1]), float(curve.values[-1]))


def losses(sides: Sides, changes: Sequence[Difference], tolerance: float | None) -> LossAgreement | None:
    """Hold the losses of B against those of A; None where no log prints any and no ``tolerance`` asks for them.

    ``changes``: what differs between the sides. Raises ExtraError as ``loss_agreement`` does.
    """
    runs = [run for side in sides for run in side]
    curves = [_curve(run) for run in runs]
    if tolerance is None and not any(curves):
        return None
    for run, curve in zip(runs, curves, strict=True):
        if not isinstance(curve, LossCurve):
            return agreement.unknown(curve or Message(NO_LOSS if run.reading else NO_LOG, log=run.log), tolerance)
    known = [one for one in curves if isinstance(one, LossCurve)]
    found = agreement.loss_agreement(known[: len(sides[0])], known[len(sides[0]) :], tolerance)
    if found.verdict == "NaN":  # whatever the conditions are
        return found
    reason = agreement.incomparable(_stated(sides, changes))
    return found if reason is None else agreement.unknown(reason, tolerance)


def _curve(run: ReadRun) -> LossCurve | Message | None:
    """The losses of a run, or why they cannot be known; None where there are none."""
    if run.reading is None or run.measurement is None:
        return None
    try:
        return agreement.loss_curve(Path(run.log), run.reading, run.measurement.run)
    except NoMeasurement:
        return Message("the steps of {log} cannot be counted", log=run.log)


def _stated(sides: Sides, changes: Sequence[Difference]) -> dict[str, Stated]:
    """What the runs of each side state, by name: facts, and what differs otherwise."""
    a, b = (agreement.stated_by(fact for run in side for fact in run.facts.values()) for side in sides)
    of_changes = {one.name: ([of.value for of in one.sides[0]], [of.value for of in one.sides[1]]) for one in changes}
    return {**of_changes, **{name: (a.get(name, set()), b.get(name, set())) for name in {**a, **b}}}

"""Metrics: what runs reach beside their speed, which way is better, and whether B reaches what A does.

A metric is what a log prints by its name, from the first record of training on. Lines of the steps of training are left
out where others print it, too: these tell of an evaluation. A change is a finding only in the wrong direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
from ..results.agreement import (
    LOSS,
    ROUNDING,
    Agreement,
    FinalMetric,
    Stated,
    incomparable,
    loss_agreement,
    loss_curve,
    other_task,
    stated_by,
)
from .conditions import Difference
from .sides import ReadRun

Better = Literal["lower", "higher"]
# A line from 1, a value on it, and the seconds of training that it says have passed, NaN where it says none.
Printed = tuple[int, float, float]
Sides = tuple[Sequence[ReadRun], Sequence[ReadRun]]

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
NOT_PRINTED = "{log} prints no {name}"
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
        raise NoMeasurement("{log} holds several runs", log=run.log)
    found = _losses(run.reading) if name == LOSS else _printed(run.reading, name)
    if not found:
        raise NoMeasurement(NOT_PRINTED, log=run.log, name=name)
    numbers, values, seconds = map(np.array, zip(*found, strict=True))
    # Where nothing beside it says the time, it is what the intervals of the measured source took, warm-up among them.
    series = run.measurement.every or run.measurement.series
    taken = np.append(np.nan, np.cumsum(series.seconds))[np.searchsorted(series.lines, numbers, "right")]
    return MetricCurve(numbers, values, _steps_at(run.reading, numbers), np.where(np.isnan(seconds), taken, seconds))


def _losses(reading: Reading) -> list[Printed]:
    """The losses of training, each the mean of those of the last tenth of the run."""
    if (found := losses_of(run_of(reading, Protocol()), ("step", "epoch"))) is None:
        return []
    losses = found[1].numbers("loss")
    width = max(len(losses) // SMOOTHED, 1)
    means = np.convolve(losses, np.full(width, 1 / width), "valid").tolist()
    return [(int(line), mean, np.nan) for line, mean in zip(found[1].lines[width - 1 :], means, strict=True)]


def _printed(reading: Reading, name: str) -> list[Printed]:
    """The lines that print a metric, but those of training where others do, too."""
    tables = [part.table for part in reading.parts if len(part.table)]
    first = min(int(table["line"].min()) for table in tables)
    of_training = {int(line) for one in tables for line in one["line"][one.are("step") | one.are("epoch")]}
    every = [one for one in printed_values(reading.path, name) if one[0] >= first]
    return [one for one in every if one[0] not in of_training] or every


def printed_values(log: Path, name: str) -> Iterator[Printed]:
    """The lines of a log that print a metric by its name, the last value on each."""
    word = name.encode()
    printed, before = re.compile(PRINTED % (re.escape(word), NUMBER)), 0
    for block in LogText(log).data():
        if word in block:
            for number, line in enumerate(block.split(b"\n"), before + 1):
                if word in line and (values := printed.findall(line)):
                    passed = PASSED.search(line)
                    seconds = float(passed[1]) * SECONDS[passed[2] or b""] if passed else np.nan
                    yield number, float(values[-1]), seconds
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


def stated_of(sides: Sides, changes: Sequence[Difference]) -> dict[str, Stated]:
    """What the runs of each side state, by name: facts, and what differs otherwise."""
    of_changes = {one.name: ([of.value for of in one.sides[0]], [of.value for of in one.sides[1]]) for one in changes}
    return {**of_changes, **stated_by(*((fact for run in side for fact in run.facts.values()) for side in sides))}


def final_metric(name: str, sides: Sides, tolerance: float, way: Better, stated: Mapping[str, Stated]) -> Agreement:
    """Hold the last values of a metric of B against those of A, by their means, within a share of it.

    ``stated``: what the runs of each side state. Raises LogError where a log cannot be read any more.
    """
    unanswered = Agreement(name, "unknown", tolerance)
    try:
        a, b = ([_last(run, name) for run in runs] for runs in sides)
    except NoMeasurement as error:
        return replace(unanswered, reason=error.message)
    unanswered = replace(unanswered, printed=(*a, *b))
    if first := next((one for one in unanswered.printed if not np.isfinite(one.value)), None):
        reason = say("metric_is_no_number", log=first.log, value=f"{first.value:g}", line=first.line).message
        return replace(unanswered, verdict="unknown" if first in a else "NaN", reason=reason)
    of_a, of_b = (float(np.mean([one.value for one in side])) for side in (a, b))
    unanswered = replace(unanswered, values=(of_a, of_b))
    if unlike := other_task(stated) or (None if of_a else say("reference_not_above_zero").message):
        return replace(unanswered, reason=unlike)
    change = (of_b - of_a) / abs(of_a)
    is_same = abs(change) <= tolerance + ROUNDING
    better_or_worse: Literal["better", "worse"] = "better" if (change > 0) == (way == "higher") else "worse"
    return replace(unanswered, verdict="same" if is_same else better_or_worse, change=change)


def _last(run: ReadRun, name: str) -> FinalMetric:
    curve = curve_of(run, name)
    return FinalMetric(run.log, int(curve.lines[-1]), float(curve.values[-1]))


def losses(sides: Sides, tolerance: float | None, stated: Mapping[str, Stated]) -> Agreement | None:
    """Hold the losses of B against those of A; None where no log prints any and no ``tolerance`` asks for them.

    ``stated``: what the runs of each side state. Raises ExtraError as ``loss_agreement`` does.
    """
    unknown, runs = Agreement(LOSS, "unknown", tolerance), [run for side in sides for run in side]
    try:
        curves = [
            loss_curve(Path(run.log), run.reading, run.measurement.run) if run.reading and run.measurement else None
            for run in runs
        ]
    except NoMeasurement as error:
        return replace(unknown, reason=error.message)
    known = [curve for curve in curves if curve is not None]
    if len(known) < len(runs):
        without = runs[curves.index(None)]
        reason = Message(NOT_PRINTED if without.reading else NO_LOG, log=without.log, name=LOSS)
        return replace(unknown, reason=reason) if known or tolerance is not None else None
    found = loss_agreement(known[: len(sides[0])], known[len(sides[0]) :], tolerance)
    # No number is wrong whatever the conditions are.
    unlike = None if found.verdict == "NaN" else incomparable(stated)
    return replace(unknown, reason=unlike) if unlike else found

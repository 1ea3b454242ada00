"""Cross-checks: the throughput by each estimate that a log allows, what it prints of a whole run, and what happened."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from parsers.grammar.format import METRICS
from parsers.grammar.variant import RUN_START
from parsers.io.message import Message
from parsers.runs.events import Event
from parsers.runs.facts import is_count
from parsers.runs.format_records import FormatRecords

from ..measure.protocol import Protocol, ProtocolError
from .estimate import ALL_ZERO, TIMES, Facts, counting, tokens_of_a_sample
from .measurement import Measurement, NoMeasurement, measure
from .scaling import ASKING

TOLERANCE = 0.02
ESTIMATES = ("reported", "step_time", "duration", "clock")
# How each of them counts steps.
IN_STEPS: Mapping[str, Mapping[str, str]] = {
    "step_time": {"estimate": "steps"},
    "duration": {"estimate": "duration", "counts": "steps"},
    "clock": {"estimate": "clock", "counts": "steps"},
}
NO_RUN: Mapping[str, str] = MappingProxyType({})
SAME = {"images": "samples", "sequences": "samples", "words": "tokens"}

DIFFERS = (
    "estimate={estimate} gives {value} {unit}, {ratio} times as much; possible causes are a running mean, a stalled "
    "step or data loading."
)
OF_EPOCHS = (
    "estimate=clock gives {value} {unit}, {ratio} times as much, counting also what is between epochs, such as an "
    "evaluation."
)
BY_ELAPSED = (
    "The seconds since the start that the records print give {value} {unit}, {ratio} times as much as their times of "
    "day."
)
HAPPENED = "Events between the records used: {event}, first at line {line} ({count} in total)."
RESUMED = (
    "The run went on from a checkpoint (line {line}); a summary that counts what was done before it overstates the "
    "throughput."
)
COUNTS_A_PART = (
    "The throughput printed ({value} {unit}) counts one of the {passes} passes of a step: it is computed from the "
    "batch size and the time of a step instead."
)
NONE_COMPUTED = "The log does not print throughput, and it cannot be computed: {why}"


@dataclass(frozen=True)
class Check:
    """The same stretch of a log by another estimate, and how many times the first one that is; ``told`` how."""

    measurement: Measurement
    ratio: float
    told: str = DIFFERS


def by_clock(measured: Protocol, *, in_steps: bool) -> Protocol:
    """The clock between all records of steps of the same run, of samples or ``in_steps``."""
    run = {} if measured.run is None else {"run": str(measured.run)}
    counted = IN_STEPS["clock"] if in_steps else {"estimate": "clock"}
    return Protocol.of({"records": "step", **counted, **run})


def checks(part: FormatRecords, facts: Facts, measured: Measurement) -> Iterator[Check]:
    """The throughput by every other estimate that the log allows over the same window; a sample is a sequence."""
    part = part.of_run(measured.protocol.run)
    for keys in ways(ESTIMATES, measured.protocol):
        is_same = keys["estimate"] == "steps" and measured.protocol.is_of_last_means
        if keys["estimate"] == measured.protocol.estimate or is_same:
            continue
        try:
            found = measure(part.table, part.fields, facts, by(keys["estimate"], measured.protocol))
        except NoMeasurement:
            continue
        told = OF_EPOCHS if measured.protocol.counts == "epochs" else DIFFERS
        yield from (replace(check, told=told) for check in compared(found, measured, part, facts))
    if measured.protocol.estimate == "clock" and {"time", "elapsed"} <= set(_timed(part)):
        yield from _by_elapsed(part, facts, measured)


def _timed(part: FormatRecords) -> Iterator[str]:
    """The columns of time that the records have."""
    return (name for name in TIMES if name in part.table)


def _by_elapsed(part: FormatRecords, facts: Facts, measured: Measurement) -> Iterator[Check]:
    """The clock by the seconds since the start that the records print, where it was read by their times of day."""
    without = part.table.having("time", np.full(len(part.table), np.datetime64("NaT", "ns")))
    try:
        found = measure(without, part.fields, facts, measured.protocol)
    except NoMeasurement:
        return
    yield from (replace(check, told=BY_ELAPSED) for check in compared(found, measured, part, facts))


def compared(found: Measurement, measured: Measurement, part: FormatRecords, facts: Facts) -> Iterator[Check]:
    """One measurement held against another, where both count the same, or what becomes the same, of the same cards.

    It is told in the word that the other one has for its unit.
    """
    factor = _factor(found, measured, tokens_of_a_sample(part.table, facts))
    if factor and found.scope == measured.scope and measured.value > 0:
        unit = measured.unit if counting(found.unit) == counting(measured.unit) else found.unit
        ratio = min(found.value * factor / measured.value, sys.float_info.max)  # infinity is no number of JSON
        yield Check(replace(found, unit=unit, rates=None), ratio)


def by(estimate: str, protocol: Protocol) -> Protocol:
    """The protocol with another estimate, which counts steps as well; a clock gives one value, without a statistic."""
    keys = protocol.model_dump(exclude_defaults=True, exclude={"counts"}) | {"estimate": estimate}
    if protocol.is_in_steps and estimate in ("clock", "duration", "instant"):
        keys["counts"] = protocol.counts if protocol.counts == "epochs" else "steps"
    for key in ("trim", "trim_min", "statistic") if estimate == "clock" else ():
        keys.pop(key, None)
    return Protocol.of(keys)


def ways(estimates: Sequence[str], protocol: Protocol) -> Iterator[Mapping[str, str]]:
    """The keys of estimates that count what a protocol counts: samples or tokens, or steps."""
    if protocol.counts == "epochs" and "clock" in estimates and not protocol.is_of_whole_run:
        yield {"estimate": "clock", "counts": "epochs"}
    for estimate in estimates if protocol.counts != "epochs" else ():
        if not protocol.is_in_steps:
            yield {"estimate": estimate}
        elif estimate in IN_STEPS:
            yield IN_STEPS[estimate]


def _factor(found: Measurement, measured: Measurement, length: float | None) -> float | None:
    """How many of what the first one counts are one of the other, whose samples have so many tokens."""
    one, other = _counted(found), _counted(measured)
    if length and (one, other) == ("samples", "tokens"):
        return length
    if length and (one, other) == ("tokens", "samples"):
        return 1 / length
    return 1 if one == other else None


def _counted(measured: Measurement) -> str:
    what = measured.unit.removesuffix("/s")
    return SAME.get(what, what)


def caveats(found: Iterable[Check], happened: Sequence[Event], measured: Measurement) -> Iterator[Message]:
    """Warn of estimates that are more than 2% apart, and of what happened between the lines that are used."""
    for check in found:
        if abs(check.ratio - 1) > TOLERANCE:
            other = check.measurement
            told = {"estimate": other.protocol.estimate, "value": f"{other.value:.6g}", "unit": other.unit}
            yield Message(check.told, **told, ratio=f"{check.ratio:.3f}")
    first, last = measured.ends
    for name in ("checkpoint", "evaluation", "restart"):
        lines = [event.line for event in happened if event.event == name and first <= event.line <= last]
        if lines:
            yield Message(HAPPENED, count=len(lines), event=name, line=lines[0])
    starts = [event for event in happened if event.line < last and event.event in (RUN_START, "restart")]
    if measured.protocol.records == "summary" and starts and starts[-1].event == "restart":
        yield Message(RESUMED, line=starts[-1].line)


def chosen(part: FormatRecords, facts: Facts, run: int | None = None) -> Measurement:
    """Measure by the first protocol that the log allows: what it prints comes before what must be computed.

    Of either step records come first, then those of epochs, then the last summary. ``run``: which one of a log that
    holds several; without it the last. Raises ``NoMeasurement`` that says what is missing, if possible by the option
    that would give it.
    """
    reasons: list[NoMeasurement] = []
    present = [kind for kind in METRICS if part.table.are(kind).any()]
    for protocol in protocols(present or ["step"], which(part, run)):
        try:
            found = measure(part.table, part.fields, facts, protocol)
        except NoMeasurement as error:
            reasons.append(error)
        else:
            return _of_all_passes(part, facts, replace(found, warnings=(*_zeros(reasons), *found.warnings)))
    if not len(part.table):
        raise reasons[0]
    asking = [reason for reason in reasons if reason.message.key in ASKING]
    zeros = [reason for reason in reasons if reason.message.key == ALL_ZERO]
    if zeros and not asking:
        raise zeros[0]
    raise NoMeasurement(NONE_COMPUTED, why=[*asking, reasons[-1]][0].message)


def _of_all_passes(part: FormatRecords, facts: Facts, found: Measurement) -> Measurement:
    """What was measured, or its window by the time of a step where that tells more than the throughput printed.

    It does where that counts one pass of several, or where both agree and the format does not say whose it is.
    """
    passes = facts["accumulation"].value if "accumulation" in facts else 1
    of_steps = (found.protocol.estimate, found.protocol.records) == ("reported", "step")
    if not of_steps or found.scope != "unknown":  # a format that says whose the rate is knows what it counts
        return found
    by_time = by("step_time", found.protocol)
    try:
        timed = measure(part.table, part.fields, facts, by_time)
        ratio = _ratio_of_medians(part, facts, found.protocol, by_time)
    except NoMeasurement:
        return found
    if abs(ratio - 1) <= TOLERANCE:
        return timed
    if is_count(passes) and passes > 1 and abs(ratio / passes - 1) <= TOLERANCE:
        told = Message(COUNTS_A_PART, value=f"{found.value:.6g}", unit=found.unit, passes=passes)
        return replace(timed, warnings=(*timed.warnings, told))
    return found


def _ratio_of_medians(part: FormatRecords, facts: Facts, protocol: Protocol, other: Protocol) -> float:
    """How many times the throughput of a usual step by one protocol that by another is; 0 of what can't be compared."""
    medians = (one.overridden("statistic=median") for one in (protocol, other))
    one, two = (measure(part.table, part.fields, facts, median) for median in medians)
    factor = _factor(two, one, tokens_of_a_sample(part.table, facts))
    return two.value * factor / one.value if factor and one.value else 0.0


def which(part: FormatRecords, run: int | None) -> dict[str, str]:
    """The key of a protocol that names a run, by default the last, where a log holds several; else none."""
    return {"run": str(run or "last")} if "run" in part.table else {}


def _zeros(reasons: Iterable[NoMeasurement]) -> Iterator[Message]:
    """What was printed, but is 0 throughout: another estimate takes its place."""
    yield from (reason.message for reason in reasons if reason.message.key == ALL_ZERO)


def protocols(present: Collection[str], run: Mapping[str, str] = NO_RUN) -> Iterator[Protocol]:
    """All protocols for records of these kinds (step, epoch, summary), in the order in which they are tried."""
    for estimate in ESTIMATES:
        for kind in (kind for kind in METRICS if kind in present):
            last = {"statistic": "last"} if kind == "summary" and estimate != "clock" else {}
            yield Protocol.of({"records": kind, "estimate": estimate, **run, **last})


def estimated(part: FormatRecords, facts: Facts, stated: Protocol) -> Measurement:
    """Measure by a protocol that states no estimate: by the first one that the log allows, in the order of ``chosen``.

    Raises ``NoMeasurement`` that says what is missing, if possible by the option that would give it.
    """
    reasons: list[NoMeasurement] = []
    for estimate in ESTIMATES:
        try:
            found = measure(part.table, part.fields, facts, stated.overridden(f"estimate={estimate}"))
            return _of_all_passes(part, facts, replace(found, warnings=(*_zeros(reasons), *found.warnings)))
        except NoMeasurement as error:
            reasons.append(error)
        except ProtocolError:
            continue  # a clock gives one value, of which there is no statistic
    raise next((reason for reason in reasons if reason.message.key in ASKING), reasons[0])

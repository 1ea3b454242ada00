"""Cross-checks: the throughput of a log by each estimate that it allows, and what happened while it was measured."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from parsers.grammar.format import METRICS
from parsers.io.lazy import pd
from parsers.io.message import Message
from parsers.runs.facts import is_count
from parsers.runs.reading_part import ReadingPart

from .estimate import Facts
from .measurement import Measurement, NoMeasurement, measure
from .protocol import Protocol, ProtocolError
from .scaling import ASKING, CONSUMED

TOLERANCE = 0.02
ESTIMATES = ("reported", "step_time", "duration", "clock")
SAME = {"images": "samples", "sequences": "samples", "words": "tokens"}

DIFFERS = (
    "estimate={estimate} gives {value} {unit}, {ratio} times as much; possible causes are a running mean, a stalled "
    "step or data loading."
)
HAPPENED = "Events between the records used: {event}, first at line {line} ({count} in total)."
WARNINGS = (DIFFERS, HAPPENED)
NONE_COMPUTED = "The log does not print throughput, and it cannot be computed: {why}"


@dataclass(frozen=True)
class Check:
    """The same stretch of a log by another estimate, and how many times the first one that is."""

    measurement: Measurement
    ratio: float


def checks(part: ReadingPart, facts: Facts, measured: Measurement) -> Iterator[Check]:
    """The throughput by every other estimate that the log allows over the same window; a sample is a sequence."""
    length = _tokens_of_a_sample(part.records, facts)
    for estimate in ESTIMATES:
        if estimate == measured.protocol.estimate:
            continue
        try:
            found = measure(part.table, part.fields, facts, by(estimate, measured.protocol))
        except NoMeasurement:
            continue
        factor = _factor(found, measured, length)
        if factor and found.scope == measured.scope and measured.value > 0:
            yield Check(found, found.value * factor / measured.value)


def by(estimate: str, protocol: Protocol) -> Protocol:
    """The protocol with another estimate; a clock gives one value, of which there is no statistic."""
    keys = protocol.model_dump(exclude_defaults=True) | {"estimate": estimate}
    for key in ("trim", "trim_min", "statistic") if estimate == "clock" else ():
        keys.pop(key, None)
    return Protocol.of(keys)


def _tokens_of_a_sample(records: pd.DataFrame, facts: Facts) -> float | None:
    """What a fact says, or the log's own counts of both; None where nobody knows."""
    if "sequence_length" in facts:
        length = facts["sequence_length"].value
        return length if is_count(length) else None
    if not set(CONSUMED) <= set(records):
        return None
    both = records[[*CONSUMED]].dropna()
    samples, tokens = (float(both[name].max() - both[name].min()) for name in CONSUMED)
    return tokens / samples if samples > 0 and tokens > 0 else None


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


def caveats(found: Iterable[Check], events: pd.DataFrame, measured: Measurement) -> Iterator[Message]:
    """Warn of estimates that are more than 2 % apart, and of what happened between the lines that are used."""
    for check in found:
        if abs(check.ratio - 1) > TOLERANCE:
            other = check.measurement
            told = {"estimate": other.protocol.estimate, "value": f"{other.value:.6g}", "unit": other.unit}
            yield Message(DIFFERS, **told, ratio=f"{check.ratio:.3f}")
    inside = events[events["line"].between(measured.lines[0], measured.lines[-1])]
    for event in ("checkpoint", "evaluation", "restart"):
        lines = inside["line"][inside["event"] == event]
        if len(lines):
            yield Message(HAPPENED, count=len(lines), event=event, line=lines.iloc[0])


def chosen(part: ReadingPart, facts: Facts) -> Measurement:
    """Measure by the first protocol that the log allows: what it prints comes before what must be computed.

    Of either step records come first, then those of epochs, then the last summary. Raises ``NoMeasurement`` that says
    what is missing, if possible by the option that would give it.
    """
    reasons: list[NoMeasurement] = []
    present = [kind for kind in METRICS if part.table.are(kind).any()]
    for protocol in protocols(present or ["step"]):
        try:
            return measure(part.table, part.fields, facts, protocol)
        except NoMeasurement as error:
            reasons.append(error)
    if not len(part.table):
        raise reasons[0]
    why = next((reason for reason in reasons if reason.message.key in ASKING), reasons[-1])
    raise NoMeasurement(NONE_COMPUTED, why=why.message)


def protocols(present: Collection[str]) -> Iterator[Protocol]:
    """All protocols for records of these kinds (step, epoch, summary), in the order in which they are tried."""
    for estimate in ESTIMATES:
        for kind in (kind for kind in METRICS if kind in present):
            last = {"statistic": "last"} if kind == "summary" and estimate != "clock" else {}
            yield Protocol.of({"records": kind, "estimate": estimate, **last})


def estimated(part: ReadingPart, facts: Facts, stated: Protocol) -> Measurement:
    """Measure by a protocol that states no estimate: by the first one that the log allows, in the order of ``chosen``.

    Raises ``NoMeasurement`` that says what is missing, if possible by the option that would give it.
    """
    reasons: list[NoMeasurement] = []
    for estimate in ESTIMATES:
        try:
            return measure(part.table, part.fields, facts, stated.overridden(f"estimate={estimate}"))
        except NoMeasurement as error:
            reasons.append(error)
        except ProtocolError:
            continue  # a clock gives one value, of which there is no statistic
    raise next((reason for reason in reasons if reason.message.key in ASKING), reasons[0])

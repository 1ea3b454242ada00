"""ComparedSides rows: what a table and the remarks under it say of each case, as values that are worded last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parsers.io.message import Message, joined

from ...measure.number import percent, printed, signed
from ...measure.protocol import Protocol
from ...results.agreement import LossAgreement, MetricAgreement
from ...wording.words import whose
from ..changes import ChangedCondition, StatedPlaces
from ..compared_cases import CaseSide, ComparedCase
from ..conditions import StatedAt
from ..effect import Verdict
from ..sides import ComparedSides

HEAD = ("Case", "A (runs, spread)", "B (runs, spread)", "Unit", "Time", "99% interval", "Visible", "Verdict")
ARE_NUMBERS = (False, True, True, False, True, True, True, False)
NONE = "-"
RUNS = "{number} ({runs}, {spread})"
ONE_RUN_OF_CASE = "{number} (1)"
INTERVAL = "{low} to {high}"
UNIT = "{unit}{whose}"
ALL_CASES = "all cases"
MEASURED = "measured: steps {first} to {last}, by {protocol}"
MEASURED_BY = "measured: by {protocol}"
WHY = "{verdict}: {reason}."
WHY_IN_A_SENTENCE = "{verdict}: {reason}"
VERDICT_AND_LOSS = "{verdict}; loss {loss}"
LOSS = {
    "step": "loss: {verdict}, {change} at steps {first} to {last} ({limit})",
    "epoch": "loss: {verdict}, {change} at epochs {first} to {last} ({limit})",
}
VERDICT_AND_METRIC = "{verdict}; {name} {metric}"
METRIC = "{name}: {verdict}, {change}: {value} instead of {reference} (tolerance {tolerance})"
METRIC_SAME = "{name}: same, {change}: {value}, A {reference} (tolerance {tolerance})"
METRIC_WHY = "{name}: {verdict}: {reason}."
LOSS_WHY = "loss: {verdict}: {reason}."
OF_99 = "99% interval {low} to {high}"
TOLERANCE = "tolerance {tolerance}"
CHANGED = "differs: {name} {a} → {b} ({where})"
ON_SIDES = "A: {a}; B: {b}"
NAMED_BY = "{file} ({source})"
LINE = "{file}:{line}"
KEYS = "{file}: {keys}"
AND = "{first}, {second}"
NOISE = "noise between runs: {noise} ({degrees} degrees of freedom)"
NOISE_OF_ONE = "noise between runs: {noise} (1 degree of freedom)"
OF_VERDICT = "{count} {verdict}"
SUMMARY = "{count} cases: {verdicts}."
WITH_WRONG_LOSS = "{summary} Loss differs: {count}."
WITH_WRONG_METRIC = "{summary} Metrics differ: {count}."
NO_CASES = "No run can be compared."
SUMMARY_OF_ONE = "{count} case: {verdicts}."
SIDES_ARE = "A: {a}; B: {b}; slowdowns of {gate} matter. Time: how much longer B takes per unit of work."
VERDICTS: tuple[Verdict, ...] = ("slower", "unknown", "faster", "same")
LONGEST = 60
CHANGES_HEAD = ("Case", "What differs", "A", "Where (A)", "B", "Where (B)")
LOGS_HEAD = ("Case", "Side", "Log", "Lines", "Throughput")


def head_line(found: ComparedSides) -> Message:
    """What was compared."""
    a, b = found.paths
    return Message(SIDES_ARE, a=a, b=b, gate=percent(found.gate))


def cells(case: ComparedCase) -> list[str | Message]:
    """The cells of a case, as those of ``HEAD``."""
    effect, verdict = case.effect, verdict_in_words(case)
    if effect is None or case.protocol is None:
        return [case.title, NONE, NONE, NONE, NONE, NONE, NONE, verdict]
    low, high = effect.interval or (0.0, 0.0)
    return [
        case.title,
        *(_side(side, case.protocol) for side in case.sides),
        Message(UNIT, unit=case.unit, whose=whose(case.scope)),
        signed(effect.change),
        Message(INTERVAL, low=signed(low), high=signed(high)) if effect.interval else NONE,
        percent(effect.visible) if effect.visible is not None else NONE,
        verdict,
    ]


def verdict_in_words(case: ComparedCase) -> Message:
    """The verdict, with a mark where B does not train as A does."""
    verdict = Message(case.verdict)
    if case.loss is not None and case.loss.is_wrong:
        verdict = Message(VERDICT_AND_LOSS, verdict=verdict, loss=Message(case.loss.verdict))
    for one in (one for one in case.metrics if one.is_wrong):
        verdict = Message(VERDICT_AND_METRIC, verdict=verdict, name=one.name, metric=Message(one.verdict))
    return verdict


def _side(side: CaseSide, protocol: Protocol) -> Message:
    values = [run.throughput for run in side.counted]
    number = printed(side.throughput, protocol)
    if len(values) == 1:
        return Message(ONE_RUN_OF_CASE, number=number)
    return Message(RUNS, number=number, runs=len(values), spread=percent(max(values) / min(values) - 1))


@dataclass(frozen=True)
class Remarks:
    """What is said of one case, or of all of them."""

    title: str | Message
    said: tuple[Message, ...]


def remarks(found: ComparedSides, *, with_changes: bool = True) -> Iterator[Remarks]:
    """What is said under the table, case by case, and at its end what is so of all cases.

    ``with_changes``: what differs, too, which may also stand in a table of its own.
    """
    each = [tuple(remarks_of(case, with_changes=with_changes)) for case in found.cases]
    shared = [said for said in each[0] if all(said in others for others in each)] if len(each) > 1 else []
    for case, own in zip(found.cases, each, strict=True):
        if said := tuple(one for one in own if one not in shared):
            yield Remarks(case.title, said)
    if shared:
        yield Remarks(Message(ALL_CASES), tuple(shared))


def remarks_of(case: ComparedCase, *, with_changes: bool = True) -> Iterator[Message]:
    """Why the verdict of a case is unknown, what was measured, what differs, and what else must be known."""
    if case.reason:
        # That runs cannot be measured alike is a whole sentence, as the protocol says it.
        key = WHY_IN_A_SENTENCE if case.effect is None and case.lacks is None else WHY
        yield Message(key, verdict=Message(case.verdict), reason=case.reason)
    yield from measured(case)
    if case.loss is not None:
        yield loss_in_words(case.loss)
    yield from map(metric_in_words, case.metrics)
    if with_changes:
        yield from (changed(change) for change in case.changes)
    yield from case.notes


def changes_of(found: ComparedSides) -> Iterator[tuple[str | Message, ChangedCondition]]:
    """What differs, with the title of its case; what differs alike in all cases comes last, once."""
    each = [{(change.name, *change.said): change for change in case.changes} for case in found.cases]
    shared = {key for key in each[0] if all(key in of for of in each)} if len(each) > 1 else set()
    for case, of_case in zip(found.cases, each, strict=True):
        yield from ((case.title, change) for key, change in of_case.items() if key not in shared)
    yield from ((Message(ALL_CASES), change) for key, change in (each or [{}])[0].items() if key in shared)


def measured(case: ComparedCase) -> Iterator[Message]:
    """Which steps were measured, by which protocol, and how noisy the runs are."""
    if case.protocol is None:
        return
    words = case.protocol.words()
    if case.steps:
        yield Message(MEASURED, first=case.steps[0], last=case.steps[1], protocol=words)
    else:
        yield Message(MEASURED_BY, protocol=words)
    if case.effect and case.effect.noise is not None:
        key = NOISE_OF_ONE if case.effect.degrees == 1 else NOISE
        yield Message(key, noise=percent(case.effect.noise), degrees=case.effect.degrees)


def loss_in_words(loss: LossAgreement) -> Message:
    """How far the losses of B are from those of A, and what was allowed; or why nothing can be said."""
    verdict = Message(loss.verdict)
    if loss.reason or loss.change is None or loss.steps is None:
        return Message(LOSS_WHY, verdict=verdict, reason=loss.reason)
    low, high = loss.interval or (0.0, 0.0)
    limit = Message(OF_99, low=signed(low), high=signed(high))
    if loss.tolerance is not None:
        limit = Message(TOLERANCE, tolerance=percent(loss.tolerance))
    first, last = loss.steps
    return Message(LOSS[loss.kind], verdict=verdict, change=signed(loss.change), first=first, last=last, limit=limit)


def metric_in_words(metric: MetricAgreement) -> Message:
    """How far a final metric of B is from that of A, and what was allowed; or why nothing can be said."""
    verdict = Message(metric.verdict)
    if metric.reason or metric.change is None or metric.values is None:
        return Message(METRIC_WHY, name=metric.name, verdict=verdict, reason=metric.reason)
    a, b = (f"{value:.6g}" for value in metric.values)
    told = {"name": metric.name, "change": signed(metric.change), "value": b, "reference": a}
    key = METRIC if metric.is_wrong else METRIC_SAME
    return Message(key, verdict=verdict, tolerance=percent(metric.tolerance), **told)


def changed(change: ChangedCondition, key: str = CHANGED) -> Message:
    """One thing that differs, with where each side says so; ``key``: of the message, with the values of ``CHANGED``."""
    a, b = map(shortened, change.said)
    return Message(key, name=shortened(change.name), a=a, b=b, where=_where(change))


def _where(change: ChangedCondition) -> Message:
    a, b = (_places(places) for places in change.places)
    if a and b:
        return a if a == b else Message(ON_SIDES, a=a, b=b)
    return a or b or Message(NONE)


def _places(places: StatedPlaces) -> Message | None:
    """The places of one side: lines and keys of each file, ``train.log:12``, ``run.json: case.cards, native``."""
    keys: dict[str, list[str]] = {}
    for place in places:
        if place.key is not None:
            keys.setdefault(place.file.name, []).append(place.key)
    said = [place_in_words(place) for place in places if place.key is None]
    said += [Message(KEYS, file=file, keys=", ".join(dict.fromkeys(of))) for file, of in keys.items()]
    return joined(AND, dict.fromkeys(said)) if said else None


def place_in_words(place: StatedAt) -> Message:
    """One place: ``train.log:12``, ``run.json: case.cards``, or what of the log says so."""
    if place.line is not None:
        return Message(LINE, file=place.file.name, line=place.line)
    if place.key is not None:
        return Message(KEYS, file=place.file.name, keys=place.key)
    source = place.source.message if place.source else Message(NONE)
    return Message(NAMED_BY, file=place.file.name, source=source)


def shortened(text: str) -> str:
    """A value that fits on a line."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def summary(cases: Sequence[ComparedCase]) -> Message:
    """One line: how many cases have each verdict."""
    if not cases:
        return Message(NO_CASES)
    counts = Counter(case.verdict for case in cases)
    each = [Message(OF_VERDICT, count=counts[one], verdict=Message(one)) for one in VERDICTS if counts[one]]
    key = SUMMARY_OF_ONE if len(cases) == 1 else SUMMARY
    said = Message(key, count=len(cases), verdicts=joined(AND, each))
    wrong = sum(bool(case.loss and case.loss.is_wrong) for case in cases)
    said = Message(WITH_WRONG_LOSS, summary=said, count=wrong) if wrong else said
    off = sum(any(one.is_wrong for one in case.metrics) for case in cases)
    return Message(WITH_WRONG_METRIC, summary=said, count=off) if off else said

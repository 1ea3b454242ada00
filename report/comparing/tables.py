"""What a comparison says: its table, its remarks and its chart, and one JSON object a case."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from parsers.io.message import Message, joined

from ..measure.number import percent, printed, signed
from ..measure.protocol import Protocol
from ..results.agreement import MetricAgreement
from ..wording.words import Translate, whose
from .compare import ComparedCase, ComparedSides
from .conditions import Difference
from .effect import Verdict
from .output import COLOURS, NONE, Cell, Document, Link, Table, plain, shortened
from .target import TimeToTarget

HEAD = ("Case", "A (runs, spread)", "B (runs, spread)", "Unit", "Time", "99% interval", "Visible", "Verdict")
NUMBERS = (1, 2, 4, 5, 6)
CHANGES_HEAD = ("Case", "What differs", "A", "Where (A)", "B", "Where (B)")
LOGS_HEAD = ("Case", "Side", "Log", "Lines", "Throughput")
VERDICTS: tuple[Verdict, ...] = ("slower", "unknown", "faster", "same")
SIDES_ARE = "A: {a}; B: {b}; slowdowns of {gate} matter. Time: how much longer B takes per unit of work."
RUNS = "{number} ({runs}, {spread})"
ONE_RUN = "{number} (1)"
TO = "{low} to {high}"
UNIT = "{unit}{whose}"
TO_TARGET = "s to {name} {value}"
TO_TRAIN = "s to train"
ALL_CASES = "all cases"
MEASURED = "measured: steps {first} to {last}, by {protocol}"
MEASURED_BY = "measured: by {protocol}"
WHY = "{verdict}: {reason}"
AND_MARK = "{verdict}; {name} {mark}"
LOSS = {
    "step": "loss: {verdict}, {change} at steps {first} to {last} ({limit})",
    "epoch": "loss: {verdict}, {change} at epochs {first} to {last} ({limit})",
}
OF_99 = "99% interval {low} to {high}"
TOLERANCE = "tolerance {tolerance}"
METRIC = "{name}: {verdict}, {change}: {value}, A {reference} (tolerance {tolerance})"
REASON = "{name}: {verdict}: {reason}."
REACHED = "{side}: {name} {mean} at step {step}, by {count} runs"
WITH_P = "{reached} (p = {p})"
SPLIT = "the gap of {gap} s: {steps} s by other steps ({a} → {b}), {each} s by the time of a step"
NOISE = "noise between runs: {noise} ({degrees} degrees of freedom)"
NOISE_OF_ONE = "noise between runs: {noise} (1 degree of freedom)"
LEFT_OUT = "Left out"
OF_VERDICT = "{count} {verdict}"
AND = "{first}, {second}"
SUMMARY = "{count} cases: {verdicts}."
SUMMARY_OF_ONE = "{count} case: {verdicts}."
WITH_WORSE = "{summary} Loss or metrics worse: {count}."
NO_CASES = "No run can be compared."


def comparison_document(found: ComparedSides) -> Document:
    """What a comparison says."""
    a, b = found.paths
    said = [_remarks(case) for case in found.cases]
    shared = [one for one in said[0] if all(one in others for others in said)] if len(said) > 1 else []
    remarks: list[tuple[str | Message, Sequence[Message]]] = [
        (case.title, own)
        for case, every in zip(found.cases, said, strict=True)
        if (own := [one for one in every if one not in shared])
    ]
    left_out = [one for side in found.left_out for one in side]
    remarks += [(Message(title), of) for title, of in ((ALL_CASES, shared), (LEFT_OUT, left_out)) if of]
    return Document(
        "Comparison",
        Message(SIDES_ARE, a=a, b=b, gate=percent(found.gate)),
        [
            Table(HEAD, [_row(case) for case in found.cases], [_state(case) for case in found.cases], NUMBERS),
            Table(CHANGES_HEAD, list(_changes(found))),
            Table(LOGS_HEAD, list(_logs(found)), is_detail=True),
        ],
        remarks,
        _summary(found.cases),
        lambda translate, folder: _chart(found, translate),
    )


def _state(case: ComparedCase) -> str:
    return "slower" if case.is_wrong else case.verdict


def _row(case: ComparedCase) -> list[Cell]:
    verdict, effect = _verdict(case), case.effect
    if effect is None:
        return [case.title, *[NONE] * (len(HEAD) - 2), verdict]
    low, high = effect.interval or (0.0, 0.0)
    return [
        case.title,
        *_measured(case),
        signed(effect.change),
        Message(TO, low=signed(low), high=signed(high)) if effect.interval else NONE,
        percent(effect.visible) if effect.visible is not None else NONE,
        verdict,
    ]


def _measured(case: ComparedCase) -> Iterator[str | Message]:
    """What each side gives, and in what unit."""
    if (to := case.target) is not None:
        for side in to.sides:
            yield _runs(side.seconds, f"{math.fsum(side.seconds) / len(side.seconds):.2f}")
        yield Message(TO_TARGET, name=to.target.name, value=f"{to.target.value:g}") if to.target else Message(TO_TRAIN)
    elif case.alike is not None:
        protocol = case.alike.protocol or Protocol()
        for runs, throughput in zip(case.counted, case.throughputs, strict=True):
            yield _runs([run.number.value for run in runs], printed(throughput, protocol))
        yield Message(UNIT, unit=case.alike.unit, whose=whose(case.alike.scope))


def _runs(values: Sequence[float], number: str) -> Message:
    if len(values) == 1:
        return Message(ONE_RUN, number=number)
    return Message(RUNS, number=number, runs=len(values), spread=percent(max(values) / min(values) - 1))


def _verdict(case: ComparedCase) -> Message:
    """The verdict, with a mark where B does not reach what A does."""
    marks: list[tuple[str, str]] = (
        [("loss", case.loss.verdict)] if case.loss and case.loss.verdict in ("higher", "NaN") else []
    )
    marks += [(one.name, one.verdict) for one in case.metrics if one.is_wrong]
    said = Message(case.verdict)
    for name, mark in marks:
        said = Message(AND_MARK, verdict=said, name=name, mark=Message(mark))
    return said


def _remarks(case: ComparedCase) -> list[Message]:
    """Why the verdict of a case is unknown, what was measured, and what else must be known."""
    said = [Message(WHY, verdict=Message(case.verdict), reason=case.reason)] if case.reason else []
    if case.target is not None:
        said += _of_target(case.target)
    elif case.alike is not None:
        steps = case.alike.steps
        told = {"first": steps[0], "last": steps[1]} if steps else {}
        said.append(Message(MEASURED if steps else MEASURED_BY, protocol=case.alike.words, **told))
    if case.effect and case.effect.noise is not None:
        key = NOISE_OF_ONE if case.effect.degrees == 1 else NOISE
        said.append(Message(key, noise=percent(case.effect.noise), degrees=case.effect.degrees))
    return [*said, *_of_loss(case), *map(_of_metric, case.metrics), *case.notes]


def _of_target(found: TimeToTarget) -> Iterator[Message]:
    """Where each side reaches the target, and what makes the gap."""
    for name, side in zip("AB", found.sides, strict=True):
        if side.step is not None and side.mean is not None and found.target is not None:
            told = {"step": f"{side.step:g}", "mean": f"{side.mean:.6g}", "count": len(side.seconds)}
            said = Message(REACHED, side=name, name=found.target.name, **told)
            yield said if side.p is None else Message(WITH_P, reached=said, p=f"{side.p:.2g}")
    if (split := found.split) is not None:
        a, b = (f"{side.step:g}" for side in found.sides)
        yield Message(SPLIT, gap=f"{found.gap:+.2f}", steps=f"{split[0]:+.2f}", each=f"{split[1]:+.2f}", a=a, b=b)


def _of_loss(case: ComparedCase) -> Iterator[Message]:
    """How far the losses of B are from those of A, and what was allowed; or why nothing can be said."""
    if (loss := case.loss) is None:
        return
    verdict = Message(loss.verdict)
    if loss.reason or loss.change is None or loss.steps is None:
        yield Message(REASON, name=Message("loss"), verdict=verdict, reason=loss.reason)
        return
    low, high = loss.interval or (0.0, 0.0)
    limit = Message(OF_99, low=signed(low), high=signed(high))
    if loss.tolerance is not None:
        limit = Message(TOLERANCE, tolerance=percent(loss.tolerance))
    steps = {"first": loss.steps[0], "last": loss.steps[1]}
    yield Message(LOSS[loss.kind], verdict=verdict, change=signed(loss.change), limit=limit, **steps)


def _of_metric(metric: MetricAgreement) -> Message:
    verdict = Message(metric.verdict)
    if metric.reason or metric.change is None or metric.values is None:
        return Message(REASON, name=metric.name, verdict=verdict, reason=metric.reason)
    a, b = (f"{value:.6g}" for value in metric.values)
    told = {"change": signed(metric.change), "value": b, "reference": a, "tolerance": percent(metric.tolerance)}
    return Message(METRIC, name=metric.name, verdict=verdict, **told)


def _changes(found: ComparedSides) -> Iterator[list[Cell]]:
    """A row for each thing that differs, with links to where each side states it; what all cases share comes once."""
    each = [{(one.name, *one.said): one for one in case.changes} for case in found.cases]
    shared = {key for key in each[0] if all(key in of for of in each)} if len(each) > 1 else set()
    for case, of_case in zip(found.cases, each, strict=True):
        yield from (change_row(case.title, one) for key, one in of_case.items() if key not in shared)
    yield from (change_row(Message(ALL_CASES), one) for key, one in (each or [{}])[0].items() if key in shared)


def change_row(title: str | Message, change: Difference) -> list[Cell]:
    """One thing that differs: its name, and of each side its values and where the first is stated."""
    row: list[Cell] = [title, shortened(change.name)]
    for said, side in zip(change.said, change.sides, strict=True):
        row += [shortened(said), Link(side[0].place, Path(side[0].file), side[0].line) if side else NONE]
    return row


def _logs(found: ComparedSides) -> Iterator[list[Cell]]:
    """A row for each run, with a link to the first line that its throughput is made of."""
    for case in (one for one in found.cases if one.alike):
        for name, runs in zip("AB", case.sides, strict=True):
            for log, one in ((run.place.log, run.number) for run in runs):
                lines = Message(TO, low=one.lines[0], high=one.lines[1])
                yield [case.title, name, Link(str(log), log, one.lines[0]), lines, f"{one.value:.6g} {one.unit}"]


def _summary(cases: Sequence[ComparedCase]) -> Message:
    """One line: how many cases have each verdict, and how many are worse."""
    said = summary([case.verdict for case in cases], VERDICTS, NO_CASES)
    worse = sum(case.is_wrong for case in cases)
    return Message(WITH_WORSE, summary=said, count=worse) if worse else said


def summary(verdicts: Sequence[str], order: Sequence[str], nothing: str) -> Message:
    """One line: how many cases have each verdict."""
    each = [Message(OF_VERDICT, count=verdicts.count(one), verdict=Message(one)) for one in order if one in verdicts]
    if not each:
        return Message(nothing)
    key = SUMMARY_OF_ONE if len(verdicts) == 1 else SUMMARY
    return Message(key, count=len(verdicts), verdicts=joined(AND, each))


def _chart(found: ComparedSides, translate: Translate) -> Any:
    """The change of each case with its 99% interval, between the changes that matter."""
    import altair as alt  # noqa: PLC0415 - it comes with the extra

    rows = [
        {"case": case.title, "change": case.effect.change, "low": low, "high": high, "state": translate(_state(case))}
        for case in found.cases
        if case.effect and (ends := case.effect.interval or (case.effect.change, case.effect.change))
        for low, high in [ends]
    ]
    if not rows:
        return None
    names = [translate(one) for one in VERDICTS]
    colour = alt.Color("state:N", title=None, scale=alt.Scale(domain=names, range=[COLOURS[one] for one in VERDICTS]))
    axis = alt.X("low:Q", title=translate("Time"), axis=alt.Axis(format="+.1%"))
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=alt.Y("case:N", sort=None, title=None), color=colour)
    gates = alt.Chart(alt.InlineData(values=[{"at": sign * found.gate} for sign in (-1, 0, 1)]))
    rule = gates.mark_rule(color="#d8dee4").encode(x="at:Q")
    drawn = rule + base.mark_rule(strokeWidth=2).encode(x=axis, x2="high:Q")
    return (drawn + base.mark_point(filled=True, size=60).encode(x="change:Q")).properties(width=520)


def as_json(case: ComparedCase) -> dict[str, Any]:
    """One case as a JSON object; times are changes of the time per unit of work, or to the target, as fractions."""
    told = {**plain(case), "verdict": case.verdict}
    if case.target is not None:
        told["target"] |= {"gap": case.target.gap, "split": case.target.split}
    elif case.alike is not None:
        told["throughputs"] = case.throughputs
    return told

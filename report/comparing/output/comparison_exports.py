"""A comparison for programs: one JSON object a case, and JUnit XML."""

from __future__ import annotations

from math import isfinite
from typing import Any
from xml.etree import ElementTree as Xml

from parsers.io.message import Message

from ...measure.number import signed
from ...results.agreement import LossAgreement, MetricAgreement
from ...wording.markdown import clean
from ...wording.words import Translate, worded
from ..changes import ChangedCondition, StatedPlaces
from ..compared_cases import CaseSide, ComparedCase
from ..sides import ComparedSides
from .comparison_rows import loss_in_words, metric_in_words, remarks_of

SUITE = "tachograph compare"
JUDGED = "{verdict}: {change} (99% interval {low} to {high})"


def as_json(case: ComparedCase, gate: float) -> dict[str, Any]:
    """One case as a JSON object; times are changes of the time per unit of work, as fractions."""
    effect, judged = case.effect, {}
    if effect is not None:
        judged = {
            "time_change": effect.change,
            "interval": list(effect.interval) if effect.interval else None,
            "noise": effect.noise,
            "degrees_of_freedom": effect.degrees,
            "smallest_visible_change": effect.visible,
        }
    return {
        "case": case.title,
        "verdict": case.verdict,
        "reason": str(case.reason) if case.reason else None,
        "gate": gate,
        **judged,
        "unit": case.unit or None,
        "scope": case.scope,
        "protocol": case.protocol.words() if case.protocol else None,
        "steps": list(case.steps) if case.steps else None,
        "a": _side(case.sides[0]),
        "b": _side(case.sides[1]),
        "loss": _loss(case.loss) if case.loss else None,
        "metrics": [_metric(one) for one in case.metrics],
        "differs": [changed_json(change) for change in case.changes],
        "notes": [str(note) for note in case.notes],
    }


def _side(side: CaseSide) -> dict[str, Any] | None:
    if not side.runs:
        return None
    runs = [
        {"log": str(run.log), "throughput": run.throughput, "median": run.median, "lines": list(run.lines)}
        for run in side.runs
    ]
    aside = {"set_aside": str(side.aside.log)} if side.aside else {}
    return {"throughput": side.throughput, "runs": runs, **aside}


def _loss(loss: LossAgreement) -> dict[str, Any]:
    return {
        "verdict": loss.verdict,
        "is_wrong": loss.is_wrong,
        "change": loss.change,
        "interval": list(loss.interval) if loss.interval else None,
        "tolerance": loss.tolerance,
        f"{loss.kind}s": list(loss.steps) if loss.steps else None,
        "reason": str(loss.reason) if loss.reason else None,
    }


def _metric(metric: MetricAgreement) -> dict[str, Any]:
    return {
        "name": metric.name,
        "verdict": metric.verdict,
        "is_wrong": metric.is_wrong,
        "change": metric.change,
        "tolerance": metric.tolerance,
        "a": metric.values[0] if metric.values else None,
        "b": metric.values[1] if metric.values else None,
        "printed": [{"log": str(one.log), "line": one.line, "value": _finite(one.value)} for one in metric.printed],
        "reason": str(metric.reason) if metric.reason else None,
    }


def _finite(value: float) -> float | None:
    """A number that JSON has; None for NaN and infinity."""
    return value if isfinite(value) else None


def changed_json(change: ChangedCondition) -> dict[str, Any]:
    """One thing that differs, with its values and sources on each side."""
    sides = zip("ab", change.values, change.places, strict=True)
    told = {name: {"values": list(values), "sources": _sources(places)} for name, values, places in sides}
    return {"name": change.name, **told}


def _sources(places: StatedPlaces) -> list[dict[str, Any]]:
    return [
        {"file": str(place.file)}
        | ({"line": place.line} if place.line is not None else {})
        | ({"key": place.key} if place.key is not None else {})
        | ({"said_by": str(place.source)} if place.source and place.line is None and place.key is None else {})
        for place in places
    ]


def junit(found: ComparedSides, translate: Translate) -> str:
    """The same as JUnit XML: a test case for each case, failed where it is slower or wrong, in error where unknown.

    One that is new is skipped.
    """
    kinds = [_kind(found, case) for case in found.cases]
    suite = Xml.Element("testsuite", name=SUITE, tests=str(len(found.cases)))
    suite.set("failures", str(kinds.count("failure")))
    suite.set("errors", str(kinds.count("error")))
    suite.set("skipped", str(kinds.count("skipped")))
    for case, kind in zip(found.cases, kinds, strict=True):
        test = Xml.SubElement(suite, "testcase", classname=clean(str(found.paths[1])), name=clean(case.title))
        if kind:
            told = Xml.SubElement(test, kind, message=clean(_message(case, translate)))
            lines = [worded(said, translate) for said in remarks_of(case)]
            told.text = "\n".join(map(clean, lines))
    Xml.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(suite, encoding="unicode")}\n'


def _kind(found: ComparedSides, case: ComparedCase) -> str | None:
    """What a case is in JUnit XML; None where it passes."""
    if found.is_new(case):
        return "skipped"
    if case.is_wrong:
        return "failure"
    if case.is_unanswered and case.verdict != "slower":
        return "error"
    return {"slower": "failure", "unknown": "error"}.get(case.verdict)


def _message(case: ComparedCase, translate: Translate) -> str:
    if case.loss and (case.loss.is_wrong or case.loss.is_unanswered):
        return worded(loss_in_words(case.loss), translate)
    if off := [one for one in case.metrics if one.is_wrong or one.verdict == "unknown"]:
        return worded(metric_in_words(off[0]), translate)
    if case.reason:
        return worded(case.reason, translate)
    if case.effect is None or case.effect.interval is None:
        return translate(case.verdict)
    low, high = map(signed, case.effect.interval)
    told = {"change": signed(case.effect.change), "low": low, "high": high, "verdict": Message(case.verdict)}
    return worded(Message(JUDGED, **told), translate)

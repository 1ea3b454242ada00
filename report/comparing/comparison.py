"""Comparing two sides, case by case: whether B is slower than A, and whether a gate lets it pass.

Speed is compared where a unit of work is shown to be the same on both sides and they train alike; otherwise the time to
a target is, or nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from parsers.io.message import Message
from parsers.sharing.workers import Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.number import percent, printed, signed
from ..measure.protocol import Protocol
from ..results.agreement import LossAgreement, MetricAgreement
from ..views.publish import LOGS
from ..wording.words import Translate, whose
from . import output
from .conditions import Difference, differences, unrecorded
from .effect import GATE, Effect, Verdict, effect, share
from .metrics import LOSS, Better, better, curve_of, final_metric, losses
from .sides import ReadRun, Side, read_side
from .target import SIDES, Target, TimeToTarget, time_to_target, time_to_train
from .window import Notes, measured_alike, other_work

ONLY_ON = "only {side} has this case"
ONE_LOG = "both sides hold the log {log}"
OTHER_MACHINE = "the sides ran on different machines ({names}), whose speeds differ by more than repeats on one machine"
OTHER_TRAINING = "the losses at equal work differ ({change}), so the sides do not train alike"
STATE_A_TARGET = "{reason}; state a target, such as val_loss=3.28"
NO_ORDER = "The logs do not say when the runs began, so drift was not checked."
ASIDE = "Run {log} is set aside: it is {distance} off the others of its side."
NOT_RECORDED = "{side} does not record: {names}; whether these differ is unknown."
OF_LOG = "{log}: {said}"
ARROW = "{a} → {b}"
Runs = tuple[ReadRun, ...]
HEAD = ("Case", "A (runs, spread)", "B (runs, spread)", "Unit", "Change", "99% interval", "Visible", "Verdict")
NUMBERS = (1, 2, 4, 5, 6)
LOGS_HEAD = ("Case", "Side", "Log", "Lines", "Throughput")
STATES = {"higher": "slower", "worse": "slower", "NaN": "slower", "lower": "faster", "better": "faster"}
SIDES_ARE = (
    "A: {a}; B: {b}; slowdowns of {gate} matter. The change of a speed is how much longer B takes per unit of work."
)
RUNS = "{number} ({runs}, {spread})"
ONE_RUN = "{number} (1)"
TO_TARGET = "s to {name} {value}"
TO_TRAIN = "s to train"
MEASURED = "measured: steps {first} to {last}, by {protocol}"
MEASURED_BY = "measured: by {protocol}"
LOSS_AT = {"step": "loss at steps {first} to {last}", "epoch": "loss at epochs {first} to {last}"}
REASON = "{name}: {verdict}: {reason}."
REACHED = "{side}: {name} {mean} at step {step}, by {count} runs"
WITH_P = "{reached} (p = {p})"
SPLIT = "the gap of {gap} s: {steps} s by other steps ({a} → {b}), {each} s by the time of a step"
NOISE = "noise between runs: {noise} ({count} degrees of freedom)"
NOISE_OF_ONE = "noise between runs: {noise} ({count} degree of freedom)"
LEFT_OUT = "Left out"
WITH_WORSE = "{summary} Loss or metrics worse: {count}."
NO_CASES = "No run can be compared."


def tolerances(metrics: Mapping[str, float | str]) -> dict[str, tuple[float, Better]]:
    """By name how far metrics may be off (``"0.5%,lower"``), and which way is better; raises Gate- and MetricError."""
    found: dict[str, tuple[float, Better]] = {}
    for name, told in metrics.items():
        tolerance, _, way = str(told).partition(",")
        found[name] = share(tolerance), better(name, way)
    return found


@dataclass(frozen=True)
class ComparedCase:
    """One case on both sides.

    ``sides``: its runs in the order of their names, with what each gives by one rule.
    ``effect``: how much longer B takes for the same work, or to the target; None where the sides cannot be held against
    each other. ``reason``: why the verdict is unknown. ``changes``: what differs between the sides. ``notes``: a
    sentence each. ``loss``: whether B trains as A does, None where no log prints a loss. ``metrics``: whether B reaches
    the final metrics of A. ``target``: how both get to a target, where their speeds are not compared.
    """

    title: str
    sides: tuple[Runs, Runs]
    effect: Effect | None = None
    reason: Message | None = None
    changes: tuple[Difference, ...] = ()
    notes: tuple[Message, ...] = ()
    loss: LossAgreement | None = None
    metrics: tuple[MetricAgreement, ...] = ()
    target: TimeToTarget | None = None

    @property
    def counted(self) -> tuple[Runs, Runs]:
        """The runs of each side but the one that was set aside."""
        aside = self.effect.aside if self.effect else None
        a, b = (
            tuple(run for at, run in enumerate(runs) if (side, at) != aside) for side, runs in enumerate(self.sides)
        )
        return a, b

    @property
    def throughputs(self) -> tuple[float, float]:
        """The geometric mean of the runs of each side that count, so that those of two sides give their change."""
        a, b = (float(np.exp(np.mean(np.log([run.number.value for run in runs])))) for runs in self.counted)
        return a, b

    @property
    def verdict(self) -> Verdict:
        """Whether B is slower than A."""
        return self.effect.verdict if self.effect and self.reason is None else "unknown"

    @property
    def is_wrong(self) -> bool:
        """Whether B trains worse than A, or does not reach what A does, however fast it is."""
        is_loss_wrong = self.loss is not None and self.loss.verdict in ("higher", "NaN")
        return is_loss_wrong or any(one.is_wrong for one in self.metrics)

    @property
    def is_unanswered(self) -> bool:
        """Whether a tolerance was stated for the loss or a metric, and nothing can be said of it."""
        is_loss_unanswered = self.loss is not None and self.loss.is_unanswered
        return is_loss_unanswered or any(one.verdict == "unknown" for one in self.metrics)


def pairs(a: Side, b: Side) -> Iterator[tuple[str, tuple[Runs, Runs]]]:
    """The cases of two sides, paired by name in the order of A; what only one of them has comes last.

    Where each side has a single case, these are a pair: whoever compares two cases knows that they differ.
    """
    both = [name for name in a.cases if name in b.cases]
    if len(a.cases) == len(b.cases) == 1 and not both:
        (one,), (other,) = a.cases, b.cases
        yield ARROW.format(a=one, b=other), (a.cases[one], b.cases[other])
        return
    alone = [*(name for name in a.cases if name not in both), *(name for name in b.cases if name not in both)]
    yield from ((name, (a.cases.get(name, ()), b.cases.get(name, ()))) for name in (*both, *alone))


def compared_case(
    title: str,
    sides: tuple[Runs, Runs],
    *,
    gate: float,
    protocol: Protocol | None,
    metrics: Mapping[str, tuple[float, Better]],
    target: Target | None,
) -> ComparedCase:
    """Compare one case; the rest as for ``comparison.compare``.

    Raises ExtraError where SciPy is not installed, and LogError where a log cannot be read any more.
    """
    if not all(sides):
        return ComparedCase(title, sides, reason=Message(ONLY_ON, side="A" if sides[0] else "B"))
    stated = [[run.conditions for run in side] for side in sides]
    changes = differences(*stated)
    tolerance, _ = metrics.get(LOSS, (None, None))
    plain = ComparedCase(
        title,
        sides,
        changes=tuple(changes),
        notes=tuple(
            Message(NOT_RECORDED, side=name, names=", ".join(lacking))
            for name, lacking in zip(SIDES, unrecorded(*stated), strict=True)
            if lacking
        ),
        loss=losses(sides, changes, tolerance),
        metrics=tuple(final_metric(name, sides, *of, changes) for name, of in metrics.items() if name != LOSS),
    )
    try:
        found = _by_speed(plain, gate, *measured_alike([run for side in sides for run in side], protocol))
    except NoMeasurement as error:
        found = replace(plain, reason=error.message)
    if machines := [change.name for change in changes if change.is_of_machine]:
        return replace(found, reason=Message(OTHER_MACHINE, names=", ".join(machines)))
    a, b = ({run.sha256: run for run in side} for side in sides)
    if a.keys() == b.keys():
        return replace(found, reason=None, effect=replace(found.effect, verdict="same") if found.effect else None)
    if both := a.keys() & b.keys():
        return replace(found, reason=Message(ONE_LOG, log=a[min(both)].log))
    unlike = _unlike(found) if found.effect else found.reason
    if target is None and unlike is None:
        return found
    return _by_target(replace(found, reason=unlike or found.reason), target, gate)


def _by_speed(plain: ComparedCase, gate: float, runs: Runs, of_window: Notes) -> ComparedCase:
    a, b = runs[: len(plain.sides[0])], runs[len(plain.sides[0]) :]
    order, variance = _order((a, b)), float(np.mean([run.number.variance for run in runs]))
    times = [1 / run.number.value for run in a], [1 / run.number.value for run in b]
    found = effect(times, gate=gate, order=order, variance=variance)
    told = replace(plain, sides=(a, b), effect=found, reason=found.reason)
    notes = [*of_window, *_notes(told), *plain.notes]
    if order is None and found.noise is not None:
        notes.append(Message(NO_ORDER))
    return replace(told, notes=tuple(notes))


def _order(sides: Sequence[Runs]) -> tuple[list[float], list[float]] | None:
    """The places of the runs of each side in the order of their starts; None where one does not say when it began."""
    starts = [run.began for side in sides for run in side]
    known = [start for start in starts if start is not None]
    if len(known) < len(starts):
        return None
    ranks = np.argsort(np.argsort(np.array(known), kind="stable"), kind="stable").astype(float).tolist()
    return ranks[: len(sides[0])], ranks[len(sides[0]) :]


def _unlike(found: ComparedCase) -> Message | None:
    """Why no verdict on speed is right: a unit of work is not shown to be the same, or it does not do the same."""
    if reason := other_work(found.sides, found.sides[0][0].number.unit):
        return reason
    loss = found.loss
    if loss is not None and loss.verdict in ("higher", "lower") and loss.change is not None:
        return Message(OTHER_TRAINING, change=signed(loss.change))
    return None


def _by_target(found: ComparedCase, stated: Target | None, gate: float) -> ComparedCase:
    """The case by the time to the stated target, or to that of MLPerf's logs, or to the loss that A ends with."""
    try:
        target = stated or _loss_of_a(found)
        told = time_to_target(found.sides, target, gate) if target else time_to_train(found.sides, gate)
    except NoMeasurement as error:
        return replace(found, reason=error.message)
    if told is None:
        return replace(found, reason=Message(STATE_A_TARGET, reason=found.reason) if found.reason else None)
    return replace(found, effect=told.effect, reason=told.reason, target=told)


def _loss_of_a(found: ComparedCase) -> Target | None:
    """The loss that all runs of A reach, where the losses of B are others at equal work."""
    if found.loss is None or found.loss.verdict not in ("higher", "lower"):
        return None
    return Target(LOSS, max(float(curve_of(run, LOSS).values[-1]) for run in found.sides[0]), "lower")


def _notes(case: ComparedCase) -> Iterator[Message]:
    """What a reader must know of the numbers."""
    if case.effect and case.effect.aside is not None:
        side, at = case.effect.aside
        run = case.sides[side][at]
        distance = signed(case.throughputs[side] / run.number.value - 1)
        yield Message(ASIDE, log=run.log, distance=distance)
    # What several logs warn of, but for the values in it, is told of the first.
    told: dict[str, Message] = {}
    for run in (run for side in case.sides for run in side):
        of_number = (*run.measurement.diagnostics, *filter(None, [run.measurement.contradiction]))
        for said in (*run.reading.warnings, *(one.message for one in of_number)):
            told.setdefault(said.key, Message(OF_LOG, log=run.log, said=said))
    yield from told.values()


@dataclass(frozen=True)
class Comparison:
    """Side B held against side A; a notebook shows it as the command prints it.

    ``paths``: the two sides. ``gate``: the smallest slowdown that matters, as a fraction of the time. ``cases``: in the
    order of A, then what only B has. ``left_out``: for A and B, why logs do not count.
    """

    paths: tuple[Path, Path]
    gate: float
    cases: tuple[ComparedCase, ...]
    left_out: tuple[tuple[Message, ...], tuple[Message, ...]] = ((), ())

    @property
    def status(self) -> int:
        """What the gate says: 1 where a case is slower or wrong, else 3 where one is unknown or B lacks it, else 0.

        A case that only B has is new, and cannot be slower than before, unless logs of A were left out. Where nothing
        could be compared at all it is 3.
        """
        held = [case for case in self.cases if case.sides[0] or self.left_out[0]]
        if any(case.verdict == "slower" or case.is_wrong for case in held):
            return output.FAILED
        are_known = all(case.verdict != "unknown" and not case.is_unanswered for case in held)
        return output.PASSED if held and are_known else output.UNKNOWN

    def objects(self) -> Iterator[Any]:
        """Each case as JSON can hold it; changes are of the time per unit of work, or to the target, as fractions."""
        for case in self.cases:
            is_of_speed = case.target is None and case.effect is not None
            told = {"verdict": case.verdict, "throughputs": case.throughputs if is_of_speed else None}
            yield output.plain(case) | told

    def document(self) -> output.Document:
        """What it says."""
        a, b = self.paths
        remarks = output.grouped([(case.title, list(_remarks(case))) for case in self.cases])
        if left_out := [one for side in self.left_out for one in side]:
            remarks.append((Message(LEFT_OUT), left_out))
        return output.Document(
            "Comparison",
            Message(SIDES_ARE, a=a, b=b, gate=percent(self.gate)),
            [
                output.Table(HEAD, [row for case in self.cases for row in _rows(case)], NUMBERS),
                output.changes_table(_changes(self.cases)),
                output.Table(LOGS_HEAD, list(_logs(self.cases)), is_detail=True),
            ],
            remarks,
            _summary(self.cases),
            lambda translate, folder: _chart(self, translate),
        )

    def _repr_html_(self) -> str:
        return output.fragment(self.document())


def compare(
    a: str | Path,
    b: str | Path,
    *,
    protocol: str | Protocol | None = None,
    gate: float | str = GATE,
    metrics: Mapping[str, float | str] | None = None,
    target: str | Target | None = None,
    workers: Workers | None = None,
    logs: str | Path = LOGS,
) -> Comparison:
    """Compare the runs of side ``b`` with those of side ``a``.

    A side is a log, a run folder, the folder of a case with its repeats, a suite, any folder that holds such, a page by
    its name or its file, or a ``PAGE.report.json``. Cases are paired by the names of their folders, numbers of
    pages by their addresses; ``logs`` is the folder of the logs of pages. All runs of a case are measured by one
    ``protocol`` (by default the first that they allow) over the steps that all of them have. ``gate``: the smallest
    slowdown that matters, as a share of the time (``0.03``, ``"3%"``). ``metrics``: by the names of final metrics, as
    the logs print them, how much worse those of B may be than those of A, with ``"lower"`` or ``"higher"`` where the
    name does not say which way is better (``{"top1": 0.005, "gap": "1%,lower"}``); ``loss`` is that of training, at
    the same steps. ``target``: compare the time to it instead of the speed (``"val_loss=3.28"``). ``workers``: who
    reads the logs; by default all cores.

    Raises LogError where a side has no log or its only one cannot be read, PageError and ReportError for a page or a
    report with a mistake, ParserError for what is no side, ProtocolError, GateError, MetricError, and ExtraError where
    SciPy is not installed.
    """
    gate, limits = share(gate), tolerances(metrics or {})
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    aim = Target.parse(target) if isinstance(target, str) else target
    one, other = (read_side(Path(side), stated, workers, Path(logs)) for side in (a, b))
    cases = tuple(
        compared_case(title, sides, gate=gate, protocol=stated, metrics=limits, target=aim)
        for title, sides in pairs(one, other)
    )
    return Comparison((one.path, other.path), gate, cases, (one.left_out, other.left_out))


def _rows(case: ComparedCase) -> Iterator[output.Row]:
    """The row of the speed of a case, or of the time to its target, and one for its loss and each metric."""
    if (effect := case.effect) is None:
        yield case.verdict, [case.title, *[output.NONE] * (len(HEAD) - 2), Message(case.verdict)]
    else:
        visible = output.NONE if effect.visible is None else percent(effect.visible)
        change = signed(effect.change), _interval(effect.interval), visible
        yield case.verdict, [case.title, *_measured(case), *change, Message(case.verdict)]
    for name, one, values in _agreements(case):
        if one.change is not None or one.is_wrong:
            interval = one.interval if isinstance(one, LossAgreement) else None
            limit = _interval(interval) if one.tolerance is None else f"±{percent(one.tolerance)}"
            change = output.NONE if one.change is None else signed(one.change), limit, output.NONE
            yield STATES.get(one.verdict, one.verdict), [case.title, *values, name, *change, Message(one.verdict)]


def _interval(ends: tuple[float, float] | None) -> output.Cell:
    return Message(output.TO, low=signed(ends[0]), high=signed(ends[1])) if ends else output.NONE


def _agreements(
    case: ComparedCase,
) -> Iterator[tuple[Message | str, LossAgreement | MetricAgreement, tuple[str, str]]]:
    """The loss and the metrics of a case, by their names and with the values of both sides."""
    if (loss := case.loss) is not None:
        first, last = loss.steps or (0, 0)
        name = Message(LOSS_AT[loss.kind], first=first, last=last) if loss.steps else Message("loss")
        yield name, loss, (output.NONE, output.NONE)
    for one in case.metrics:
        a, b = one.values or (None, None)
        yield one.name, one, (output.NONE if a is None else f"{a:.6g}", output.NONE if b is None else f"{b:.6g}")


def _measured(case: ComparedCase) -> Iterator[str | Message]:
    """What each side gives, and in what unit."""
    if (to := case.target) is not None:
        for side in to.sides:
            yield _runs(side.seconds, f"{math.fsum(side.seconds) / len(side.seconds):.2f}")
        yield Message(TO_TARGET, name=to.target.name, value=f"{to.target.value:g}") if to.target else Message(TO_TRAIN)
    else:
        number = case.sides[0][0].number
        for runs, throughput in zip(case.counted, case.throughputs, strict=True):
            yield _runs([run.number.value for run in runs], printed(throughput, Protocol.parse(number.protocol)))
        yield Message(output.UNIT, unit=number.unit, whose=whose(number.scope))


def _runs(values: Sequence[float], number: str) -> Message:
    if len(values) == 1:
        return Message(ONE_RUN, number=number)
    return Message(RUNS, number=number, runs=len(values), spread=percent(max(values) / min(values) - 1))


def _remarks(case: ComparedCase) -> Iterator[Message]:
    """Why the verdict of a case is unknown, what was measured, and what else must be known."""
    if case.reason:
        yield Message(output.WHY, verdict=Message(case.verdict), reason=case.reason)
    if case.target is not None:
        yield from _of_target(case.target)
    elif case.effect is not None:
        number = case.sides[0][0].number
        told = {"first": number.steps[0], "last": number.steps[1]} if number.steps else {}
        yield Message(MEASURED if number.steps else MEASURED_BY, protocol=number.protocol, **told)
    if case.effect and case.effect.noise is not None:
        yield Message.of_count(case.effect.degrees, NOISE_OF_ONE, NOISE, noise=percent(case.effect.noise))
    for name, one, _ in _agreements(case):
        if one.reason:
            yield Message(REASON, name=name, verdict=Message(one.verdict), reason=one.reason)
    yield from case.notes


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


def _changes(cases: Sequence[ComparedCase]) -> Iterator[tuple[str | Message, Difference]]:
    """What differs in each case; what does in all of several comes once."""
    of_cases = [(case.title, case.changes) for case in cases]
    for title, changes in output.grouped(of_cases, lambda one: (one.name, *one.said)):
        yield from ((title, one) for one in changes)


def _logs(cases: Sequence[ComparedCase]) -> Iterator[output.Row]:
    """A row for each run, with a link to the first line that its throughput is made of."""
    for case in (one for one in cases if one.effect):
        for name, runs in zip("AB", case.sides, strict=True):
            for run in runs:
                first, last = run.number.lines
                link, lines = output.Link(run.log, Path(run.log), first), Message(output.TO, low=first, high=last)
                yield "", [case.title, name, link, lines, f"{run.number.value:.6g} {run.number.unit}"]


def _summary(cases: Sequence[ComparedCase]) -> Message:
    """One line: how many cases have each verdict, and how many are worse."""
    said = output.summary([case.verdict for case in cases], NO_CASES)
    worse = sum(case.is_wrong for case in cases)
    return Message(WITH_WORSE, summary=said, count=worse) if worse else said


def _chart(found: Comparison, translate: Translate) -> Any:
    """The change of each case with its 99% interval, between the changes that matter."""
    import altair as alt  # noqa: PLC0415 - it comes with the extra

    rows = [
        {"case": case.title, "change": case.effect.change, "low": low, "high": high, "state": translate(case.verdict)}
        for case in found.cases
        if case.effect and (ends := case.effect.interval or (case.effect.change, case.effect.change))
        for low, high in [ends]
    ]
    if not rows:
        return None
    colour = output.colour(translate, title=None)
    axis = alt.X("low:Q", title=translate("Change"), axis=alt.Axis(format="+.1%"))
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=alt.Y("case:N", sort=None, title=None), color=colour)
    gates = alt.Chart(alt.InlineData(values=[{"at": sign * found.gate} for sign in (-1, 0, 1)]))
    rule = gates.mark_rule(color="#d8dee4").encode(x="at:Q")
    drawn = rule + base.mark_rule(strokeWidth=2).encode(x=axis, x2="high:Q")
    return (drawn + base.mark_point(filled=True, size=60).encode(x="change:Q")).properties(width=520)

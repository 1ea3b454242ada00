"""Comparing two sides, case by case: whether B is slower than A, and whether a gate lets it pass.

Speed is compared where a unit of work is shown to be the same on both sides and they train alike; otherwise the time to
a target is, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from parsers.io.message import Message
from parsers.sharing.workers import Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.number import percent, printed, signed
from ..measure.protocol import Protocol
from ..results.agreement import LOSS, Agreement
from ..views.publish import LOGS
from ..wording.words import Translate, whose
from . import output
from .conditions import OF_MACHINE, Difference, differences
from .effect import GATE, Effect, Verdict, effect, share
from .metrics import Better, better, curve_of, final_metric, losses, stated_of
from .sides import Cases, ReadRun, read_side
from .target import Target, TimeToTarget, time_to_target
from .window import Notes, measured_alike, other_work

OTHER_MACHINE = "the sides ran on different machines ({names}), whose speeds differ by more than repeats on one machine"
OTHER_TRAINING = "the losses at equal work differ ({change}), so the sides do not train alike"
STATE_A_TARGET = "{reason}; state a target, such as val_loss=3.28"
ASIDE = "Run {log} is set aside: it is {distance} off the others of its side."
RECORDED = "{log} is not there as it was, so that what the report records of it counts."
SIDES_ARE = (
    "A: {a}; B: {b}; slowdowns of {gate} matter. The change of a speed is how much longer B takes per unit of work."
)
REACHED = "{side}: {name} {mean} at step {step}, by {count} runs (p = {p})"
SPLIT = "the gap of {gap} s: {steps} s by other steps ({a} → {b}), {each} s by the time of a step"
NOISE = (
    "noise between runs: {noise} ({count} degree of freedom)",
    "noise between runs: {noise} ({count} degrees of freedom)",
)
LOSS_AT = {"step": "loss at steps {first} to {last}", "epoch": "loss at epochs {first} to {last}"}
HEAD = ("Case", "A (runs, spread)", "B (runs, spread)", "Unit", "Change", "99% interval", "Visible", "Verdict")
NUMBERS = (1, 2, 4, 5, 6)
LOGS_HEAD = ("Case", "Side", "Log", "Lines", "Throughput")
# The verdicts of losses and metrics as those of speeds, whose colours they have.
STATES = {"worse": "slower", "NaN": "slower", "better": "faster"}
Runs = tuple[ReadRun, ...]


@dataclass(frozen=True)
class ComparedCase:
    """One case on both sides.

    ``sides``: its runs in the order of their names, with what each gives by one rule.
    ``effect``: how much longer B takes for the same work, or to the target; None where the sides cannot be held against
    each other. ``reason``: why the verdict is unknown. ``changes``: what differs between the sides. ``notes``: a
    sentence each. ``metrics``: whether B trains as A does, by the loss, where logs print one, and whether it reaches
    the final metrics of A. ``target``: how both get to a target, where their speeds are not compared.
    """

    title: str
    sides: tuple[Runs, Runs]
    effect: Effect | None = None
    reason: Message | None = None
    changes: tuple[Difference, ...] = ()
    notes: tuple[Message, ...] = ()
    metrics: tuple[Agreement, ...] = ()
    target: TimeToTarget | None = None

    @property
    def values(self) -> tuple[list[float], list[float]]:
        """The throughputs of the runs of each side but the one that was set aside."""
        aside = self.effect.aside if self.effect else None
        a, b = (
            [run.number.value for at, run in enumerate(runs) if (side, at) != aside]
            for side, runs in enumerate(self.sides)
        )
        return a, b

    @property
    def throughputs(self) -> tuple[float, float]:
        """The geometric mean of the runs of each side that count, so that those of two sides give their change."""
        a, b = (float(np.exp(np.mean(np.log(values)))) for values in self.values)
        return a, b

    @property
    def verdict(self) -> Verdict:
        """Whether B is slower than A."""
        return self.effect.verdict if self.effect and self.reason is None else "unknown"

    @property
    def is_wrong(self) -> bool:
        """Whether B trains worse than A, or does not reach what A does, however fast it is."""
        return any(one.is_wrong for one in self.metrics)

    @property
    def is_unanswered(self) -> bool:
        """Whether a tolerance was stated for the loss or a metric, and nothing can be said of it."""
        return any(one.verdict == "unknown" and one.tolerance is not None for one in self.metrics)


def pairs(a: Cases, b: Cases) -> Iterator[tuple[str, tuple[Runs, Runs]]]:
    """The cases of two sides, paired by name in the order of A; what only one of them has comes last.

    Where each side has a single case, these are a pair: whoever compares two cases knows that they differ.
    """
    both = a.keys() & b.keys()
    if len(a) == len(b) == 1 and not both:
        (one,), (other,) = a, b
        yield f"{one} → {other}", (a[one], b[other])
        return
    for name in sorted({**a, **b}, key=lambda name: name not in both):  # which keeps their order
        yield name, (a.get(name, ()), b.get(name, ()))


def compared_case(
    title: str,
    sides: tuple[Runs, Runs],
    gate: float,
    protocol: Protocol | None,
    metrics: Mapping[str, tuple[float, Better]],
    target: Target | None,
) -> ComparedCase:
    """Compare one case; ``metrics``: how far each may be off, a share, and which way is better.

    Raises ExtraError where SciPy is not installed, and LogError where a log cannot be read any more.
    """
    if not all(sides):
        return ComparedCase(title, sides, reason=Message("only {side} has this case", side="A" if sides[0] else "B"))
    changes = differences(*([run.conditions for run in side] for side in sides))
    stated = stated_of(sides, changes)
    loss = losses(sides, metrics[LOSS][0] if LOSS in metrics else None, stated)
    reached = [final_metric(name, sides, *of, stated) for name, of in metrics.items() if name != LOSS]
    found = ComparedCase(title, sides, changes=changes, metrics=(*filter(None, [loss]), *reached))
    try:
        found = _by_speed(found, gate, *measured_alike([*sides[0], *sides[1]], protocol))
    except NoMeasurement as error:
        found = replace(found, reason=error.message)
    a, b = ({run.sha256: run for run in side} for side in sides)
    if a.keys() == b.keys() and found.effect is not None:
        numbers = [sorted(run.number.value for run in side) for side in found.sides]
        if numbers[0] == numbers[1]:  # what a report claims of a log may be another number
            return replace(found, reason=None, effect=replace(found.effect, verdict="same"))
    if machines := [change.name for change in changes if change.name in OF_MACHINE]:
        return replace(found, reason=Message(OTHER_MACHINE, names=", ".join(machines)))
    if both := a.keys() & b.keys():
        return replace(found, reason=Message("both sides hold the log {log}", log=a[min(both)].log))
    return _by_target(found, target, gate)


def _by_speed(found: ComparedCase, gate: float, runs: Runs, of_window: Notes) -> ComparedCase:
    """The case with its effect on speed, and with what a reader must know of the numbers."""
    count, starts = len(found.sides[0]), [run.began for run in runs if run.began]
    times, order = [1 / run.number.value for run in runs], None
    if len(starts) == len(runs):
        places = np.argsort(np.argsort(starts, kind="stable"), kind="stable")
        order = places[:count], places[count:]
    variance = fmean(run.number.variance for run in runs)
    told = effect((times[:count], times[count:]), gate=gate, order=order, variance=variance)
    found = replace(found, sides=(runs[:count], runs[count:]), effect=told, reason=told.reason)
    return replace(found, notes=(*of_window, *_notes(found)))


def _notes(found: ComparedCase) -> Iterator[Message]:
    """What a reader must know of the numbers."""
    if found.effect and found.effect.aside is not None:
        side, at = found.effect.aside
        run = found.sides[side][at]
        yield Message(ASIDE, log=run.log, distance=signed(found.throughputs[side] / run.number.value - 1))
    # What several logs warn of, but for the values in it, is told of the first.
    told: dict[str, Message] = {}
    for run in (run for side in found.sides for run in side):
        if run.reading is None or run.measurement is None:
            told.setdefault(RECORDED, Message(RECORDED, log=run.log))
            continue
        of_number = (*run.measurement.diagnostics, *filter(None, [run.measurement.contradiction]))
        for said in (*run.reading.warnings, *(one.message for one in of_number)):
            told.setdefault(said.key, Message("{log}: {said}", log=run.log, said=said))
    yield from told.values()


def _by_target(found: ComparedCase, target: Target | None, gate: float) -> ComparedCase:
    """The case by its speed where none is stated and the work is shown to be the same, and the losses at equal work.

    Else by the time to the stated target, to that of MLPerf's logs, or to the loss that all runs of A reach.
    """
    unlike = found.reason
    loss = next((one for one in found.metrics if one.name == LOSS and one.verdict in ("worse", "better")), None)
    if found.effect:
        unlike = other_work(found.sides, found.sides[0][0].number.unit)
        if unlike is None and loss is not None:
            unlike = Message(OTHER_TRAINING, change=signed(loss.change or 0.0))
    if target is None and unlike is None:
        return found
    found = replace(found, reason=unlike or found.reason)
    try:
        if target is None and loss is not None:
            target = Target(LOSS, max(float(curve_of(run, LOSS).values[-1]) for run in found.sides[0]), "lower")
        told = time_to_target(found.sides, target, gate)
    except NoMeasurement as error:
        return replace(found, reason=error.message)
    if told is not None:
        return replace(found, effect=told.effect, reason=told.reason, target=told)
    return replace(found, reason=Message(STATE_A_TARGET, reason=found.reason) if found.reason else None)


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

    def _repr_html_(self) -> str:
        return self.document().html("en", Path(), output.PART)

    def document(self) -> output.Document:
        """What it says."""
        a, b = self.paths
        remarks = list[output.Remarks]()
        remarks += [(case.title, told) for case in self.cases if (told := list(_remarks(case)))]
        if left_out := [one for side in self.left_out for one in side]:
            remarks.append((Message("Left out"), left_out))
        summary = output.summary([case.verdict for case in self.cases], "No run can be compared.")
        if worse := sum(case.is_wrong for case in self.cases):
            summary = Message("{summary} Loss or metrics worse: {count}.", summary=summary, count=worse)
        return output.Document(
            "Comparison",
            Message(SIDES_ARE, a=a, b=b, gate=percent(self.gate)),
            [
                output.Table(HEAD, [row for case in self.cases for row in _rows(case)], NUMBERS),
                output.changes_table((case.title, one) for case in self.cases for one in case.changes),
                output.Table(LOGS_HEAD, [row for case in self.cases for row in _logs(case)], is_detail=True),
            ],
            remarks,
            summary,
            lambda translate, folder: _chart(self, translate),
        )


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
    gate, limits = share(gate), dict[str, tuple[float, Better]]()
    for name, told in (metrics or {}).items():
        tolerance, _, way = str(told).partition(",")
        limits[name] = share(tolerance), better(name, way)
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    aim = Target.parse(target) if isinstance(target, str) else target
    (one, left_out), (other, left_out_of_b) = (read_side(Path(side), stated, workers, Path(logs)) for side in (a, b))
    cases = tuple(compared_case(title, sides, gate, stated, limits, aim) for title, sides in pairs(one, other))
    return Comparison((Path(a), Path(b)), gate, cases, (left_out, left_out_of_b))


def _rows(case: ComparedCase) -> Iterator[output.Row]:
    """The row of the speed of a case, or of the time to its target, and one for its loss and each metric."""
    change: list[output.Cell] = [output.NONE] * (len(HEAD) - 2)
    if (effect := case.effect) is not None:
        visible = output.NONE if effect.visible is None else percent(effect.visible)
        change = [*_measured(case), signed(effect.change), _interval(effect.interval), visible]
    yield case.verdict, [case.title, *change, Message(case.verdict)]
    for one in case.metrics:
        if one.change is not None or one.is_wrong:
            limit = _interval(one.interval) if one.tolerance is None else f"±{percent(one.tolerance)}"
            change = [output.NONE if value is None else f"{value:.6g}" for value in one.values or (None, None)]
            change += [_named(one), output.NONE if one.change is None else signed(one.change), limit, output.NONE]
            yield STATES.get(one.verdict, one.verdict), [case.title, *change, Message(one.verdict)]


def _interval(ends: tuple[float, float] | None) -> output.Cell:
    return Message("{low} to {high}", low=signed(ends[0]), high=signed(ends[1])) if ends else output.NONE


def _named(one: Agreement) -> output.Cell:
    """What is held against A, and over which steps."""
    return Message(LOSS_AT[one.kind], first=one.steps[0], last=one.steps[1]) if one.steps else one.name


def _measured(case: ComparedCase) -> Iterator[output.Cell]:
    """What each side gives, and in what unit."""
    number = case.sides[0][0].number
    if (to := case.target) is None:
        unit, each = Message("{unit}{whose}", unit=number.unit, whose=whose(number.scope)), case.values
        shown = [printed(mean, Protocol.parse(number.protocol)) for mean in case.throughputs]
    else:
        each = [*to.sides[0].seconds], [*to.sides[1].seconds]
        shown, unit = [f"{fmean(seconds):.2f}" for seconds in each], Message("s to train")
        if to.target:
            unit = Message("s to {name} {value}", name=to.target.name, value=f"{to.target.value:g}")
    for values, number_ in zip(each, shown, strict=True):
        spread = percent(max(values) / min(values) - 1)
        one, several = "{number} (1)", "{number} ({runs}, {spread})"
        yield Message(one if len(values) == 1 else several, number=number_, runs=len(values), spread=spread)
    yield unit


def _remarks(case: ComparedCase) -> Iterator[Message]:
    """Why the verdict of a case is unknown, what was measured, and what else must be known."""
    if case.reason:
        yield Message("{verdict}: {reason}", verdict=Message(case.verdict), reason=case.reason)
    if case.target is not None:
        yield from _of_target(case.target)
    elif case.effect is not None:
        yield Message("measured: by {protocol}", protocol=case.sides[0][0].number.protocol)
    if case.effect and case.effect.noise is not None:
        yield Message.of_count(case.effect.degrees, *NOISE, noise=percent(case.effect.noise))
    for one in case.metrics:
        if one.reason:
            verdict = Message(one.verdict)
            yield Message("{name}: {verdict}: {reason}.", name=_named(one), verdict=verdict, reason=one.reason)
    yield from case.notes


def _of_target(found: TimeToTarget) -> Iterator[Message]:
    """Where each side reaches the target, and what makes the gap."""
    for name, side in zip("AB", found.sides, strict=True):
        if side.step is not None and found.target is not None:
            p = "-" if side.p is None else f"{side.p:.2g}"
            told = {"side": name, "name": found.target.name, "mean": f"{side.mean:.6g}", "step": f"{side.step:g}"}
            yield Message(REACHED, **told, count=len(side.seconds), p=p)
    if (split := found.split) is not None:
        a, b = (f"{side.step:g}" for side in found.sides)
        yield Message(SPLIT, gap=f"{found.gap:+.2f}", steps=f"{split[0]:+.2f}", each=f"{split[1]:+.2f}", a=a, b=b)


def _logs(case: ComparedCase) -> Iterator[output.Row]:
    """A row for each run, with a link to the first line that its throughput is made of."""
    for name, runs in zip("AB", case.sides if case.effect else ((), ()), strict=True):
        for run in runs:
            first, last = run.number.lines
            link, lines = output.Link(run.log, Path(run.log), first), Message("{low} to {high}", low=first, high=last)
            yield "", [case.title, name, link, lines, f"{run.number.value:.6g} {run.number.unit}"]


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

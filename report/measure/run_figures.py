"""Figures of a run beside its throughput: of one card, the time of a step, TFLOP/s and MFU over the records that the
throughput was made of; the loss and the minutes of the whole run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from parsers.grammar.variant import RUN_START, RUN_STOP
from parsers.io.message import Message
from parsers.runs.events import Event, begins_once, time_to_train
from parsers.runs.facts import Fact, Value
from parsers.runs.reading import Reading
from parsers.series import Series

from .checks import Estimate
from .diagnostics import Code, Diagnostic, NoMeasurement, say
from .measure import measure, run_of
from .measurement import Measurement, Use, UseOfRecords
from .number import without_noise
from .operations import Formula, card_of
from .protocol import Protocol
from .quantity import QUANTITIES
from .records import Records, Run, losses_of
from .stated import measure_stated
from .work import thing, tokens_of_a_sample

SCOPES_OPEN = (Code.SCOPE_UNKNOWN, Code.SCOPE_UNSTATED)  # of a rate: a figure of a card says its own
OF_RATES = (*SCOPES_OPEN, Code.RANKS_SUMMED)  # what is not said of a column of another kind
TOLERANCE = 0.02  # TFLOP/s and MFU are printed with two or three digits
SHOWN: Mapping[str, str] = {
    "×": "{value} × {what} = {result}",
    "÷": "{value} ÷ {what} = {result}",
    "over": "{what} ÷ {value} = {result}",
}
CARDS = "{count} cards ({source})"
ONE_CARD = "{count} card ({source})"
PER_STEP = "{count} {counted} per step"
ONE_STEP = "1 step"
MILLISECONDS = "1000 ms/s"
TOKENS = "{count} tokens per sample"
OPERATIONS: Mapping[str, str] = {
    "token": "{count} operations per token ({text}; {source})",
    "sample": "{count} operations per sample ({text}; {source})",
}
TERA = "10^12"
PEAK = "{peak} TFLOP/s ({card}, {precision}, dense; {source})"
PERCENT = "100%"
TIMES = {"seconds": "s", "milliseconds": "ms"}


@dataclass(frozen=True)
class RunNumbers:
    """What is known of one run.

    ``reading``: with the facts that the page states. ``labels``: the case of the page. ``rate``: the unit of throughput
    on the page. ``formula``: that of the model, if the page states one. ``target``: the loss that is to be reached.
    ``throughput``: measures it.
    """

    reading: Reading
    labels: Mapping[str, Value]
    protocol: Protocol
    rate: str
    formula: Formula | None = None
    target: float | None = None
    throughput: Callable[[], Measurement] | None = None

    @cached_property
    def measurement(self) -> Measurement:
        """The throughput, whose records are the window of all rates; raises ``NoMeasurement``."""
        return self.throughput() if self.throughput else measure(self.reading, self.protocol)

    @cached_property
    def parts(self) -> Sequence[Run]:
        """The run as each format of the log reads it; raises ``NoMeasurement`` where nobody says which of several."""
        is_by_rule = self.protocol.run is None and not self.protocol.states_rule and self.reading.facts_of_runs
        return run_of(self.reading, Protocol(run=self.measurement.run) if is_by_rule else self.protocol)

    @property
    def facts(self) -> Mapping[str, Fact]:
        """The facts of the run."""
        return self.parts[0].facts if self.parts else self.reading.facts

    @property
    def tokens_of_a_sample(self) -> float | None:
        """How many tokens a sample has; None where nothing says it."""
        part = self.parts[0]
        return tokens_of_a_sample(part, part.all_records(self.measurement.estimate.kind))


@dataclass(frozen=True)
class Operation:
    """One step of arithmetic: ``×`` or ``÷`` a number, or the number ``over`` the value; ``what`` says what it is."""

    sign: Literal["×", "÷", "over"]
    number: float
    what: Message

    def of(self, value: float) -> float:
        """The result."""
        if self.sign == "×":
            return value * self.number
        return value / self.number if self.sign == "÷" else self.number / value

    def shown(self, value: float) -> Message:
        """The step with its result in words."""
        return Message(SHOWN[self.sign], value=f"{value:.10g}", what=self.what, result=f"{self.of(value):.10g}")


def after(operations: Iterable[Operation], value: float) -> float:
    """What some arithmetic makes of a value."""
    for operation in operations:
        value = operation.of(value)
    return value


def steps(operations: Iterable[Operation], value: float) -> Iterator[Message]:
    """Each step of some arithmetic with its result."""
    for operation in operations:
        yield operation.shown(value)
        value = operation.of(value)


@dataclass(frozen=True)
class RunFigure:
    """A number of one run.

    ``measured``: what was read, with its lines; ``operations``: what makes the number of it; ``remarks``: what a reader
    must know beside the diagnostics of ``measured``.
    """

    measured: Measurement
    operations: tuple[Operation, ...] = ()
    remarks: tuple[Diagnostic, ...] = ()

    @property
    def value(self) -> float:
        """The number, in 15 significant digits."""
        return without_noise(after(self.operations, self.measured.value))

    def steps(self) -> tuple[Message, ...]:
        """The arithmetic, a step each."""
        return tuple(steps(self.operations, self.measured.value))

    def then(self, *operations: Operation) -> RunFigure:
        """The number that further arithmetic makes of this one."""
        return replace(self, operations=(*self.operations, *operations))

    def remarked(self, *remarks: Diagnostic) -> RunFigure:
        """The same number with more remarks."""
        return replace(self, remarks=(*self.remarks, *remarks))


def figure_of(quantity: str, run: RunNumbers) -> RunFigure:
    """The figure of a run that a quantity of a log is, by its name; raises ``NoMeasurement``."""
    return _FIGURES[quantity](run)


def throughput_per_card(run: RunNumbers) -> RunFigure:
    """The throughput of one card: as the log prints it per card, or that of the job over its cards."""
    found = _of_one_card(run, run.measurement)
    if thing(found.measured.unit) != thing(run.rate):
        raise NoMeasurement(say(Code.OTHER_UNIT, wanted=run.rate, unit=found.measured.unit))
    return found


def _of_one_card(run: RunNumbers, found: Measurement) -> RunFigure:
    said = tuple(one for one in found.diagnostics if one.code not in SCOPES_OPEN)
    if found.scope == "card":
        return RunFigure(replace(found, diagnostics=said))
    if found.series.scope == "card" and not (found.ranks and found.ranks.is_summed):
        # In the digits of the log, which its cards multiplied.
        calculation = replace(found.calculation, factor=1.0) if found.calculation else None
        value = calculation.result if calculation else found.series.rate
        estimate = replace(found.estimate, value=value, scope="card")
        return RunFigure(replace(found, estimate=estimate, calculation=calculation, diagnostics=said))
    if found.scope == "unknown":
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="throughput_per_card", fact="scope"))
    name = "cards" if found.scope == "job" else "cards_per_node"
    count = run.parts[0].count(name) if run.parts else None
    if count is None:
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="throughput_per_card", fact=name))
    told = {"count": count, "source": run.facts[name].source.message}
    return RunFigure(found, (Operation("÷", count, Message(ONE_CARD if count == 1 else CARDS, **told)),))


def step_time(run: RunNumbers, unit: str = "s") -> RunFigure:
    """The time of a step, in ``s`` or ``ms``: by the rule that over the records of the throughput.

    By a protocol as printed, by the clock or durations where the protocol is, else by the throughput.
    """
    found = run.measurement
    if not found.protocol.states_rule and found.seconds_per_step is not None:
        figure = RunFigure(_made(run, found.seconds_per_step, "s", found.lines, found.estimate.kind))
    else:
        figure = _printed_time(run) or _computed_time(run)
    if (figure.measured.unit == "ms") == (unit == "ms"):
        return figure
    return figure.then(Operation("×" if unit == "ms" else "÷", 1000, Message(MILLISECONDS)))


def step_milliseconds(run: RunNumbers) -> RunFigure:
    """The same in milliseconds."""
    return step_time(run, "ms")


def _printed_time(run: RunNumbers) -> RunFigure | None:
    """The time of a step in the digits and the unit of the log; None where a log or its protocol has none."""
    if run.protocol.estimate in ("clock", "duration"):
        return None
    # A step is one of all cards, whose times are not added up.
    found = _over_window(run, "step_time", TIMES, scope="unknown")
    return RunFigure(found) if found else None


def _over_window(run: RunNumbers, name: str, units: Mapping[str, str] | str, **meaning: Any) -> Measurement | None:
    """The statistic of what the records of the throughput print in a column, as a number in a unit of its own.

    ``units``: that unit, or by that of the column, which must be among them; ``meaning``: what else the column means.
    None where no format has the column.
    """
    found = run.measurement
    kind = found.estimate.kind
    statistic = found.calculation.statistic if found.calculation else "mean" if found.protocol.states_rule else ""
    rule = {"records": kind, "estimate": "reported", "statistic": statistic or "harmonic_mean"}
    for part in run.parts:
        field = part.fields.get((kind, name))
        unit = units if isinstance(units, str) else units.get(field.unit or "") if field else None
        if field is None or unit is None or name not in part.table or not np.isfinite(part.table[name]).any():
            continue
        table = part.table.rows(part.table.are(kind) & _in_window(part, found))
        as_rate = replace(field, name="throughput", unit=name, **meaning)
        fields = {**part.fields, (kind, "throughput"): as_rate}
        own = replace(part, table=table.having("throughput", table[name]), fields=fields, _known={})
        measured = measure_stated([own], Protocol.of(rule))
        own_words = {"column": name, "unit": unit}
        said = tuple(
            say(one.code, **{key: own_words.get(key, value) for key, value in one.values.items()})
            for one in measured.diagnostics
            if one.code not in OF_RATES and not (one.code == Code.OVER_TIME and unit in TIMES.values())
        )
        estimate = replace(measured.estimate, counted="", unit=unit)
        use = found.use if measured.lines == found.lines else measured.use
        return replace(measured, estimate=estimate, protocol=found.protocol, use=use, diagnostics=said)
    return None


def _in_window(part: Run, found: Measurement) -> np.ndarray:
    """Which records of a format are in the window of a number: those that made it, or that stand among them."""
    lines = part.table["line"]
    own = found.use.lines[np.isin(found.use.reasons, (Use.USED, Use.BETWEEN))]
    of_ranks = [line for of in (found.ranks.lines or {}).values() for line in of] if found.ranks else []
    if found.estimate.kind == "step" and found.series.timer == "clock" and found.protocol.states_rule:
        own = own[own > found.series.begins[0]]
    used = np.isin(lines, np.concatenate([own, np.array(of_ranks, np.int64)]))
    return used if used.any() else (lines >= own[0]) & (lines <= own[-1])


def _computed_time(run: RunNumbers) -> RunFigure:
    """The seconds of a step by the clock or durations where the protocol is, from a rate, or by the throughput."""
    found = run.measurement
    estimate = found.protocol.estimate
    if found.protocol.states_rule:
        keys = {"estimate": estimate, "counts": "steps"} if estimate in ("clock", "duration") else {"estimate": "steps"}
        window = run.protocol.model_dump(exclude_defaults=True, exclude={"counts"})
        try:
            by_steps = measure_stated(run.parts, Protocol.of({**window, **keys}))
            return RunFigure(by_steps, (Operation("over", 1.0, Message(ONE_STEP)),))
        except NoMeasurement:
            pass
    if found.seconds_per_step is None or not found.value:
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="step_time", fact="batch_size"))
    if found.scope != "job":
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="step_time", fact="cards"))
    amount = without_noise(found.seconds_per_step * found.estimate.value)
    told = Message(PER_STEP, count=f"{amount:g}", counted=thing(found.unit))
    return RunFigure(found, (Operation("over", amount, told),))


def _of_column(run: RunNumbers, name: str, unit: str) -> RunFigure | None:
    """What the records of the window print in a column, of one card; None where no format has the column."""
    found = _over_window(run, name, unit)
    return _of_one_card(run, found) if found else None


def hardware_tflops(run: RunNumbers) -> RunFigure:
    """The operations that a card did, in TFLOP/s, those among them that are done again to save memory; as printed."""
    if (found := _of_column(run, "hardware_flops", "TFLOP/s")) is None:
        raise NoMeasurement(say(Code.NOT_PRINTED, column="hardware_flops"))
    return found


def tflops(run: RunNumbers) -> RunFigure:
    """The operations of the model that a card did, in TFLOP/s: as printed, else by the formula of the page."""
    printed = _of_column(run, "flops", "TFLOP/s")
    if run.formula is None:
        if printed is None:
            raise NoMeasurement(say(Code.NOT_PRINTED, column="flops"))
        return printed
    if printed is None:
        return _by_formula(run, run.formula)
    try:
        derived = _by_formula(run, run.formula).value
    except NoMeasurement:  # what it cannot give contradicts nothing
        return printed
    return printed.remarked(*_apart("tflops_per_card", printed.value, derived, "TFLOP/s"))


def _apart(quantity: str, printed: float, derived: float, unit: str) -> Iterator[Diagnostic]:
    """Tell that what the log prints is not what follows; a 0 contradicts nothing."""
    if printed and derived and abs(derived / printed - 1) > TOLERANCE:
        told = {"printed": printed, "derived": derived, "ratio": derived / printed}
        yield say(Code.FIGURES_DIFFER, quantity=quantity, unit=unit, **told)


def _by_formula(run: RunNumbers, formula: Formula) -> RunFigure:
    found = _of_one_card(run, run.measurement)
    counted = thing(found.measured.unit).removesuffix("s")
    if counted != formula.per:
        if {counted, formula.per} != {"token", "sample"}:
            raise NoMeasurement(say(Code.OTHER_UNIT, wanted=f"{formula.per}s/s", unit=found.measured.unit))
        if (length := run.tokens_of_a_sample) is None:
            raise NoMeasurement(say(Code.LACKS_FACT, quantity="tflops_per_card", fact="sequence_length"))
        found = found.then(Operation("×" if counted == "sample" else "÷", length, Message(TOKENS, count=f"{length:g}")))
    operations = formula.operations(run.facts)
    told = {"count": f"{operations:.10g}", "text": formula.text, "source": formula.source}
    needed = Operation("×", operations, Message(OPERATIONS[formula.per], **told))
    return found.then(needed, Operation("÷", 1e12, Message(TERA)))


def mfu(run: RunNumbers) -> RunFigure:
    """The share (percent) that the model's operations are of the dense peak of the card in the precision of the run."""
    own = _of_column(run, "mfu", "%")
    try:
        done = tflops(run)
    except NoMeasurement:
        if own is None:
            raise
        return own.remarked(say(Code.AS_PRINTED))
    told = {name: _told(run, name) for name in ("device", "precision")}
    if lacking := next((name for name, values in told.items() if not values), None):
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="mfu", fact=lacking))
    precision = told["precision"][0].lower()
    card, peak = card_of(told["device"], precision)
    of_peak = {"peak": f"{peak:g}", "card": card.name, "precision": precision, "source": card.source}
    share = done.then(Operation("÷", peak, Message(PEAK, **of_peak)), Operation("×", 100, Message(PERCENT)))
    if share.value > 100:
        raise NoMeasurement(say(Code.ABOVE_PEAK, value=done.value, **of_peak))
    recipe = (*told["precision"], *_told(run, "fp8_recipe"))
    beside = next((said for said in recipe if "fp8" in said.lower()), None)
    if beside is None and _told(run, "fp8_recipe"):
        beside = f"fp8 {_told(run, 'fp8_recipe')[0]}"
    said = [say(Code.FP8_BESIDE, said=beside, precision=precision)] if beside and "fp8" not in precision else []
    return share.remarked(*said, *(_apart("mfu", own.value, share.value, "%") if own else ()))


def _told(run: RunNumbers, name: str) -> list[str]:
    """What the log, and then the page, say of a device or a precision."""
    told = [str(run.facts[name].value)] if name in run.facts else []
    return list(dict.fromkeys([*told, *([str(run.labels[name])] if name in run.labels else [])]))


def imbalance(run: RunNumbers) -> RunFigure:
    """By how much of the median the slowest rank is behind it, in percent, by what each rank prints."""
    found = run.measurement
    if found.ranks is None or len(found.ranks.numbers) < 2:
        raise NoMeasurement(say(Code.NOT_PRINTED, column="speed of ranks"))
    return RunFigure(_made(run, 100 * found.ranks.imbalance, "%", found.lines, found.estimate.kind))


def _made(run: RunNumbers, value: float, unit: str, lines: Sequence[int], kind: str = "step") -> Measurement:
    """A number of its own that some lines show."""
    places, none = np.array(lines, np.int64), np.zeros(0)
    estimate = Estimate(value, "", unit, "job", "", kind, (int(lines[0]), int(lines[-1])), len(lines), 0.0)
    empty = Series("", kind, "", unit, "job", places[:0], places[:0], places[:0], none, none, none)
    use = UseOfRecords(places, np.full(len(places), Use.USED, np.int8))
    return Measurement("unchecked", estimate, run.protocol, empty, use)


def final_loss(run: RunNumbers) -> RunFigure:
    """The last loss of training that the log prints."""
    part, losses = _losses(run, ("step", "epoch"))
    line = int(losses.lines[-1])
    lines = next(one.not_numbers for one in run.reading.parts if one.fields is part.fields)
    if (none := lines[lines > line]).size:
        raise NoMeasurement(say(Code.NOT_A_NUMBER, line=int(none[0])))
    return RunFigure(_made(run, float(losses.numbers("loss")[-1]), "", (line,), losses.kind))


def _losses(run: RunNumbers, kinds: Sequence[str]) -> tuple[Run, Records]:
    if (found := losses_of(run.parts, kinds)) is None:
        raise NoMeasurement(say(Code.NOT_PRINTED, column="loss"))
    return found


def minutes_to_train(run: RunNumbers) -> RunFigure:
    """The minutes from the first start of the run to its last stop after that, as the log prints both."""
    happened = _events(run)
    told = next(iter(time_to_train(happened)), None)
    if told is None:
        _refuse_several([event for event in happened if event.event == RUN_START and not np.isnat(event.time)])
        raise NoMeasurement(say(Code.NOT_PRINTED, column="start and stop of the run"))
    return RunFigure(_made(run, float(told.value), "min", [int(str(line)) for line in told.source.values]))


def _events(run: RunNumbers) -> list[Event]:
    """The events of the run that the protocol means: of several from its own start to before that of the next one."""
    happened = list(run.reading.happened)
    numbers = [part.table["run"] for part in run.reading.parts[:1] if "run" in part.table]
    if not numbers:
        return happened
    records, lines = run.reading.parts[0].table["line"], run.parts[0].table["line"]
    stops = [event.line for event in happened if event.event == RUN_STOP and event.line < lines[0]]
    starts = [event.line for event in happened if event.event == RUN_START and event.line > lines[-1]]
    low = max([*stops, *records[records < lines[0]].tolist()], default=0)
    high = min([*starts, *records[records > lines[-1]].tolist()], default=math.inf)
    return [event for event in happened if low < event.line < high]


def _refuse_several(starts: Sequence[Event]) -> None:
    if not begins_once(starts):
        raise NoMeasurement(say(Code.BEGINS_AGAIN, lines=", ".join(str(event.line) for event in starts)))


def minutes_to_loss(run: RunNumbers) -> RunFigure:
    """The minutes from the start of the run to the first step whose loss is at most the target of the page."""
    if run.target is None:
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="time_to_loss", fact="target"))
    _, losses = _losses(run, ("step",))
    values = losses.numbers("loss")
    rows = np.flatnonzero(values <= run.target)
    if not len(rows):
        raise NoMeasurement(say(Code.NOT_REACHED, target=f"{run.target:g}", lowest=f"{values.min():g}"))
    row, line = int(rows[0]), int(losses.lines[rows[0]])
    told = say(Code.REACHED, loss=f"{values[row]:g}", line=line, target=f"{run.target:g}")
    passed = losses.numbers("elapsed")[: row + 1]
    begins_again = (np.diff(passed[np.isfinite(passed)]) < 0).any()  # as that of a bar of each epoch does
    if np.isfinite(passed[row]) and not begins_again:
        return RunFigure(_made(run, float(passed[row]) / 60, "min", (line,)), remarks=(told,))
    begun = [event for event in _events(run) if event.event == RUN_START and not np.isnat(event.time)]
    if not begun or begun[0].line > line or not np.isfinite(losses.numbers("time")[row]):
        raise NoMeasurement(say(Code.NOT_PRINTED, column="start of the run"))
    _refuse_several([event for event in begun if event.line < line])
    minutes = (losses.table["time"][row] - begun[0].time) / np.timedelta64(1, "m")
    return RunFigure(_made(run, float(minutes), "min", (begun[0].line, line)), remarks=(told,))


@dataclass(frozen=True)
class CardFigure:
    """A number of one card, by the name of its quantity, in its unit."""

    name: str
    value: float
    unit: str


def card_figures(reading: Reading, found: Measurement) -> Iterator[CardFigure]:
    """What a log proves of one card over the records of its throughput, where that is not the throughput itself."""
    run = RunNumbers(reading, {}, found.protocol, found.unit, throughput=lambda: found)
    for quantity in (one for one in QUANTITIES.values() if one.is_of_a_card):
        if (figure := _proven(quantity.name, run)) is None:
            continue
        unit, length = figure.measured.unit, run.tokens_of_a_sample
        if thing(unit) == "samples" and length:
            figure, unit = figure.then(Operation("×", length, Message(TOKENS, count=f"{length:g}"))), "tokens/s"
        if figure.value != found.value:
            yield CardFigure(quantity.name, figure.value, quantity.unit(unit))


def _proven(name: str, run: RunNumbers) -> RunFigure | None:
    """A figure as a page shows it; of an MFU whose peak is not known what the log prints."""
    try:
        return figure_of(name, run)
    except NoMeasurement:
        return _of_column(run, "mfu", "%") if name == "mfu" else None


_FIGURES: Mapping[str, Callable[[RunNumbers], RunFigure]] = {
    "throughput_per_card": throughput_per_card,
    "step_time": step_time,
    "step_milliseconds": step_milliseconds,
    "tflops_per_card": tflops,
    "hardware_tflops_per_card": hardware_tflops,
    "mfu": mfu,
    "imbalance": imbalance,
    "time_to_train": minutes_to_train,
    "time_to_loss": minutes_to_loss,
    "final_loss": final_loss,
}

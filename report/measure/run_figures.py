"""Figures of a run beside its throughput: of one card, the time of a step, TFLOP/s and MFU over the records that the
throughput was made of; the loss and the minutes of the whole run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from parsers.grammar.field import Field
from parsers.grammar.variant import RUN_START, RUN_STOP
from parsers.io.message import Message
from parsers.runs.events import Event, time_to_train
from parsers.runs.facts import Fact, Value
from parsers.runs.reading import Reading
from parsers.series import Lines, Mask, Series

from .checks import Estimate
from .diagnostics import Code, Diagnostic, NoMeasurement, Said, say
from .measure import measure, run_of
from .measurement import Calculation, Measurement, Use, UseOfRecords, use_of
from .number import without_noise
from .operations import Formula, card_of
from .protocol import Protocol
from .quantity import QUANTITIES
from .records import Records, Run, losses_of
from .rule import said_of_column, said_of_digits
from .sources import series_over
from .stated import said_of_statistic
from .work import thing, tokens_of_a_sample

SCOPES_OPEN = (Code.SCOPE_UNKNOWN, Code.SCOPE_UNSTATED)  # of a rate: a figure of a card says its own
TOLERANCE = 0.02  # TFLOP/s and MFU are printed with two or three digits
SHOWN: Mapping[str, str] = {
    "×": "{value} × {what} = {result}",
    "÷": "{value} ÷ {what} = {result}",
    "over": "{what} ÷ {value} = {result}",
}
CARDS = "{count} cards ({source})"
ONE_CARD = "{count} card ({source})"
PER_STEP = "{count} {counted} per step"
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
    on the page. ``formula``: that of the model, if the page states one. ``throughput``: measures it.
    """

    reading: Reading
    labels: Mapping[str, Value]
    protocol: Protocol
    rate: str
    formula: Formula | None = None
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
    what: Said

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

    def then(self, *operations: Operation) -> RunFigure:
        """The number that further arithmetic makes of this one."""
        return replace(self, operations=(*self.operations, *operations))


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
    count = run.parts[0].count(name)
    if count is None:
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="throughput_per_card", fact=name))
    told = {"count": count, "source": run.facts[name].source.message}
    return RunFigure(found, (Operation("÷", count, Message(ONE_CARD if count == 1 else CARDS, **told)),))


def step_time(run: RunNumbers, unit: str = "s") -> RunFigure:
    """The time of a step, in ``s`` or ``ms``, over the records of the throughput.

    By a protocol as printed, unless a clock or durations measure its throughput; else as that follows from it.
    """
    found, told = run.measurement, None
    # A step is one of all cards, whose times are not added up.
    if found.protocol.states_rule and found.protocol.estimate not in ("clock", "duration"):
        told = _over_window(run, "step_time")
    if told is None and not found.protocol.states_rule and found.seconds_per_step is not None:
        told = _made(run, found.seconds_per_step, "s", found.lines, found.estimate.kind)
    figure = RunFigure(told) if told is not None else _time_of(found)
    if (figure.measured.unit == "ms") == (unit == "ms"):
        return figure
    return figure.then(Operation("×" if unit == "ms" else "÷", 1000, Message(MILLISECONDS)))


def _time_of(found: Measurement) -> RunFigure:
    """The seconds in which a throughput does what a step is."""
    if found.seconds_per_step is None or not found.value:
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="step_time", fact="batch_size"))
    if found.scope != "job":
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="step_time", fact="cards"))
    amount = without_noise(found.seconds_per_step * found.estimate.value)
    told = Message(PER_STEP, count=f"{amount:g}", counted=thing(found.unit))
    return RunFigure(found, (Operation("over", amount, told),))


def _over_window(run: RunNumbers, name: str, unit: str = "") -> Measurement | None:
    """What the records of the throughput print in a column, put together as that is; of ranks what the lowest prints.

    ``unit``: its unit, by default that of times of the column. None where no format has the column.
    """
    found = run.measurement
    for part in run.parts:
        field = part.fields.get((found.estimate.kind, name))
        shown = unit or (TIMES.get(field.unit or "") if field else None)
        if field is None or shown is None:
            continue
        records = part.all_records(found.estimate.kind)
        if records.prints(name):
            return _of_records(run, records.rows(_in_window(records, found)), field, shown)
    return None


def _of_records(run: RunNumbers, records: Records, field: Field, unit: str) -> Measurement:
    """What records print in a column, rates or times by its unit, by the statistic of the throughput."""
    found, is_time = run.measurement, unit in TIMES.values()
    own = records.of_lowest_rank(np.isfinite(records.numbers(field.name)))
    own = own.rows(np.isfinite(own.numbers(field.name)))
    values = own.numbers(field.name)
    if not len(own):
        raise NoMeasurement(say(Code.NOT_PRINTED, column=field.name))
    if not values.any():
        raise NoMeasurement(say(Code.ZERO, column=field.name, line=int(own.lines[0])))
    stated = found.calculation.statistic if found.calculation else "mean"
    statistic = stated if found.protocol.states_rule else "harmonic_mean"
    calculation = Calculation(values, statistic, 1.0, are_times=False)
    made = _made(run, calculation.result, unit, own.lines, own.kind, field.name)
    made = replace(made, estimate=replace(made.estimate, scope="job" if is_time else field.scope or "unknown"))
    rows = np.flatnonzero(values > 0)
    seconds = values[rows] if is_time else 1 / values[rows]
    tick = seconds * own.digit(field.name) / 2 / values[rows]
    more = {"work": np.ones(len(rows)), "seconds": seconds, "tick": tick, "values": values[rows]}
    series = series_over(own, rows, field.name, **more, counted="", unit=unit, scope=made.scope)
    said = [*said_of_column(field, statistic, len(own)), *said_of_digits(series)]
    said += [] if is_time else said_of_statistic(series, calculation, made.estimate)
    use = found.use if made.lines == found.lines else use_of(own, made.use.reasons)
    made = replace(made, protocol=found.protocol, use=use, diagnostics=tuple(said))
    return replace(made, calculation=calculation, series=series)


def _in_window(records: Records, found: Measurement) -> Mask:
    """Which records are in the window of a number: those that made it, or that stand among them."""
    lines = records.lines
    own = found.use.lines[np.isin(found.use.reasons, (Use.USED, Use.BETWEEN))]
    if found.estimate.kind == "step" and found.series.timer == "clock" and found.protocol.states_rule:
        own = own[own > found.series.begins[0]]
    used: Mask = np.isin(lines, own)
    return used if used.any() else (lines >= own[0]) & (lines <= own[-1])


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
    return replace(printed, remarks=tuple(_apart("tflops_per_card", printed.value, derived, "TFLOP/s")))


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
        return replace(own, remarks=(say(Code.AS_PRINTED),))
    told = {name: _told(run, name) for name in ("device", "precision")}
    if lacking := next((name for name, values in told.items() if not values), None):
        raise NoMeasurement(say(Code.LACKS_FACT, quantity="mfu", fact=lacking))
    precision = told["precision"][0].lower()
    card, peak = card_of(told["device"], precision)
    of_peak = {"peak": f"{peak:g}", "card": card.name, "precision": precision, "source": card.source}
    share = done.then(Operation("÷", peak, Message(PEAK, **of_peak)), Operation("×", 100, Message(PERCENT)))
    if share.value > 100:
        raise NoMeasurement(say(Code.ABOVE_PEAK, value=done.value, **of_peak))
    said = [*told["precision"], *(f"fp8 {one}" for one in _told(run, "fp8_recipe"))]
    beside = next((one for one in said if "fp8" in one.lower()), None) if "fp8" not in precision else None
    remarks = [say(Code.FP8_BESIDE, said=beside, precision=precision)] if beside else []
    return replace(
        share, remarks=(*done.remarks, *remarks, *(_apart("mfu", own.value, share.value, "%") if own else ()))
    )


def _told(run: RunNumbers, name: str) -> list[str]:
    """What the log, and then the page, say of a device or a precision."""
    told = [str(run.facts[name].value)] if name in run.facts else []
    return list(dict.fromkeys([*told, *([str(run.labels[name])] if name in run.labels else [])]))


def _made(
    run: RunNumbers, value: float, unit: str, lines: Sequence[int] | Lines, kind: str = "step", source: str = ""
) -> Measurement:
    """A number of its own that some lines show."""
    places, none = np.array(lines, np.int64), np.zeros(0)
    estimate = Estimate(value, "", unit, "job", source, kind, (int(lines[0]), int(lines[-1])), len(lines), 0.0)
    empty = Series(source, kind, "", unit, "job", places[:0], places[:0], places[:0], none, none, none)
    use = UseOfRecords(places, np.full(len(places), Use.USED, np.int8))
    return Measurement("unchecked", estimate, run.protocol, empty, use)


def final_loss(run: RunNumbers) -> RunFigure:
    """The last loss of training that the log prints."""
    if (found := losses_of(run.parts, ("step", "epoch"))) is None:
        raise NoMeasurement(say(Code.NOT_PRINTED, column="loss"))
    part, losses = found
    line = int(losses.lines[-1])
    lines = next(one.not_numbers for one in run.reading.parts if one.fields is part.fields)
    if (none := lines[lines > line]).size:
        raise NoMeasurement(say(Code.NOT_A_NUMBER, line=int(none[0])))
    return RunFigure(_made(run, float(losses.numbers("loss")[-1]), "", (line,), losses.kind))


def minutes_to_train(run: RunNumbers) -> RunFigure:
    """The minutes from the first start of the run to its last stop after that, as the log prints both."""
    if (told := next(iter(time_to_train(_events(run))), None)) is None:
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
    "step_milliseconds": partial(step_time, unit="ms"),
    "tflops_per_card": tflops,
    "hardware_tflops_per_card": hardware_tflops,
    "mfu": mfu,
    "time_to_train": minutes_to_train,
    "final_loss": final_loss,
}

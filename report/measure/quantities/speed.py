"""Speeds of a run: throughput of one card, time of a step, operations of a card, and their share of its peak."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from parsers.grammar.field import Field
from parsers.io.message import Message
from parsers.runs.facts import is_count
from parsers.runs.format_records import FormatRecords

from ...measuring.estimate import IMPOSSIBLE, Facts, counting, tokens_of_a_sample
from ...measuring.measurement import Measurement, measure
from ...measuring.scaling import UNSCALED, amount_of_step
from ..diagnostics import NoMeasurement
from ..protocol import Protocol
from .formula import Formula, shown
from .peaks import card_of, of_fp8_as_well
from .run_figure import Operation, RunFigure, RunNumbers

TOLERANCE = 0.02
CARDS = "{count} cards ({source})"
ONE_CARD = "{count} card ({source})"
NEEDS_CARDS = "The number of cards is unknown, so the throughput of one card cannot be computed."
UNKNOWN_SCOPE = "The log does not show whether its throughput is per card, per node or of the whole job."
OTHER_UNIT = "The page uses {unit}, but the log gives {measured}."
NOT_PRINTED = "The {kind} records of the log do not contain {column}."
NO_FORMULA = "{why} The page states no formula of the model either (model_flops)."
HARDWARE = (
    "The log prints the operations of its hardware, in which those count that are done again to save memory, and not "
    "those of its model."
)
PER_STEP = "{count} {counted} per step"
MILLISECONDS = "1000 ms/s"
NEEDS_LENGTH = "The sequence length is unknown, so samples cannot be converted to tokens."
ONE_STEP = "1 step"
TIMES = {"seconds": "s", "milliseconds": "ms"}
TOKENS = "{count} tokens per sample"
OTHER_COUNT = "The formula counts each {per}, but the log gives {measured}."
TERA = "10^12"
PEAK = "{peak} TFLOP/s ({card}, {precision}, dense; {source})"
NO_DEVICE = "The device is unknown, so its peak is unknown, too: state it in the case."
NO_PRECISION = "The precision is unknown, so it is unknown which peak of the card applies: state it in the case."
PERCENT = "100%"
ABOVE_PEAK = (
    "{done} TFLOP/s per card are more than the peak of {peak} TFLOP/s ({card}, {precision}, dense; {source}), so that "
    "the card, the precision or the operations are others."
)
BY_FORMULA = "The log prints {printed} TFLOP/s per card; the formula gives {derived}, {ratio} times as much."
BY_PEAK = (
    "The log prints an MFU of {printed}%, {ratio} times the {derived}% that its TFLOP/s give for this card; it would "
    "be that of a peak of {peak} TFLOP/s."
)
AS_PRINTED = "The log prints no TFLOP/s: this is its own MFU, whose peak is unknown."
PRINTED_MFU = "The MFU is as printed in the log; the peak that it refers to is unknown."


def throughput_per_card(run: RunNumbers) -> RunFigure:
    """The throughput of one card: as the log prints it per card, or that of the job over its cards."""
    found = _of_one_card(run, run.part, run.protocol)
    unit = found.measured.unit
    if counting(unit) != counting(run.rate):
        raise NoMeasurement(OTHER_UNIT, unit=run.rate, measured=unit)
    return found


def _counted(unit: str) -> str:
    """What a rate counts; a sequence is the sample of a language model."""
    counted = counting(unit).removesuffix("/s")
    return "samples" if counted == "sequences" else counted


def _of_one_card(run: RunNumbers, part: FormatRecords, protocol: Protocol) -> RunFigure:
    found = measure(part.table, part.fields, run.facts, protocol)
    field = part.fields.get((protocol.records, "throughput"))
    is_printed = protocol.reads_throughput and field is not None and field.scope == "card"
    if is_printed and not (found.ranks and found.ranks.is_summed):
        found = _unscaled(part, run.facts, protocol)
    if found.scope == "card":
        return RunFigure(_without(found, UNSCALED), part)
    if found.scope == "unknown":
        raise NoMeasurement(UNKNOWN_SCOPE)
    return RunFigure(found, part, (_over_cards(run.facts, "cards" if found.scope == "job" else "cards_per_node"),))


def _unscaled(part: FormatRecords, facts: Facts, protocol: Protocol) -> Measurement:
    """What one card does by a protocol, in the digits of the log."""
    alone = {name: fact for name, fact in facts.items() if name not in ("cards", "nodes")}
    return measure(part.table, part.fields, alone, protocol)


def _without(found: Measurement, key: str) -> Measurement:
    return replace(found, warnings=tuple(said for said in found.warnings if said.key != key))


def _over_cards(facts: Facts, name: str) -> Operation:
    if name not in facts or not is_count(count := facts[name].value):
        raise NoMeasurement(NEEDS_CARDS)
    return Operation(
        "÷", count, Message(ONE_CARD if count == 1 else CARDS, count=count, source=facts[name].source.message)
    )


def step_time(run: RunNumbers) -> RunFigure:
    """The seconds of a step: as printed, by the clock or by durations where the protocol is, else by the throughput."""
    if printed := _printed_time(run):
        figure, unit = printed
        return figure if unit == "s" else figure.then(Operation("÷", 1000, Message(MILLISECONDS)))
    return _computed_time(run)


def step_milliseconds(run: RunNumbers) -> RunFigure:
    """The milliseconds of a step, by the same rules."""
    figure, unit = _printed_time(run) or (_computed_time(run), "s")
    return figure if unit == "ms" else figure.then(Operation("×", 1000, Message(MILLISECONDS)))


def _printed_time(run: RunNumbers) -> tuple[RunFigure, str] | None:
    """The time of a step in the digits of the log, and its unit; None where a log or its protocol has none."""
    if run.protocol.estimate in ("clock", "duration"):
        return None
    protocol = run.by(estimate="reported")
    for part in run.parts:
        field = part.fields.get((protocol.records, "step_time"))
        if field is not None and field.unit in TIMES and _is_printed(part, "step_time"):
            # A step is one of all cards, whose times are not added up.
            times = _read_as_throughput(part, "step_time", replace(field, scope="card"), protocol)
            found = _without(_unscaled(times, run.facts, protocol), UNSCALED)
            return RunFigure(replace(found, unit=TIMES[field.unit]), times), TIMES[field.unit]
    return None


def _is_printed(part: FormatRecords, name: str) -> bool:
    return name in part.table and not np.isnan(part.table[name]).all()


def _read_as_throughput(part: FormatRecords, name: str, field: Field, protocol: Protocol) -> FormatRecords:
    """The records with a column in place of their throughput, so that the same window and statistic are taken of it."""
    table = part.table.having("throughput", part.table[name])
    return replace(part, table=table, fields={**part.fields, (protocol.records, "throughput"): field})


def _computed_time(run: RunNumbers) -> RunFigure:
    """The seconds of a step from a rate, the clock or durations, else by the throughput."""
    estimate = run.protocol.estimate
    keys = {"estimate": estimate, "counts": "steps"} if estimate in ("clock", "duration") else {"estimate": "steps"}
    reasons = []
    for part in run.parts:
        try:
            found = measure(part.table, part.fields, run.facts, run.by(**keys))
        except NoMeasurement as error:
            reasons.append(error)
        else:
            return RunFigure(found, part, (Operation("over", 1.0, Message(ONE_STEP)),))
    try:
        return _by_throughput(run)
    except NoMeasurement:
        raise reasons[0] from None


def _by_throughput(run: RunNumbers) -> RunFigure:
    """The time of a step from the throughput of the job and what all cards do in a step."""
    found = measure(run.part.table, run.part.fields, run.facts, run.protocol)
    by_time = run.by(estimate="step_time")
    kind = run.part.table.are(by_time.records)
    records = run.part.table.rows(np.flatnonzero(kind))
    amount, counted = amount_of_step(records, run.part.fields, run.facts, np.ones(len(records), np.bool_), by_time)
    told = Message(PER_STEP, count=f"{amount:g}", counted=counted)
    figure = RunFigure(found, run.part)
    if (counted, _counted(found.unit)) == ("samples", "tokens"):
        length = _length(run)
        amount, told = amount * length, Message(PER_STEP, count=f"{amount * length:g}", counted="tokens")
    elif counted != _counted(found.unit):
        raise NoMeasurement(OTHER_UNIT, unit=f"{counted}/s", measured=found.unit)
    if found.scope != "job":
        raise NoMeasurement(NEEDS_CARDS)
    if not found.value:
        raise NoMeasurement(IMPOSSIBLE, estimate=found.protocol.estimate, value="0", line=found.ends[0])
    return figure.then(Operation("over", amount, told))


def _length(run: RunNumbers) -> float:
    length = tokens_of_a_sample(run.part.table, run.facts)
    if length is None:
        raise NoMeasurement(NEEDS_LENGTH)
    return length


def _of_column(run: RunNumbers, name: str) -> RunFigure | None:
    """What the records of the window print in a column, of one card; None where no format has the column."""
    protocol = run.by(estimate="reported")
    for part in run.parts:
        field = part.fields.get((protocol.records, name))
        if field is not None and _is_printed(part, name):
            read = _read_as_throughput(part, name, replace(field, unit="TFLOP"), protocol)
            return _of_one_card(run, read, protocol)
    return None


def hardware_tflops(run: RunNumbers) -> RunFigure:
    """The operations that a card did, in TFLOP/s, those among them that are done again to save memory; as printed."""
    found = _of_column(run, "hardware_flops")
    if found is None:
        raise NoMeasurement(NOT_PRINTED, kind=run.protocol.records, column="hardware_flops")
    return found


def tflops(run: RunNumbers) -> RunFigure:
    """The operations of the model that a card did, in TFLOP/s: as printed, else by the formula of the page."""
    printed = _of_column(run, "flops")
    if run.formula is None:
        if printed is None:
            hardware = any((run.protocol.records, "hardware_flops") in part.fields for part in run.parts)
            not_printed = Message(NOT_PRINTED, kind=run.protocol.records, column="flops")
            raise NoMeasurement(NO_FORMULA, why=Message(HARDWARE) if hardware else not_printed)
        return printed
    if printed is None:
        return _by_formula(run, run.formula)
    return printed.remarked(*_apart(run, printed, run.formula))


def _apart(run: RunNumbers, printed: RunFigure, formula: Formula) -> Iterator[Message]:
    """Tell that the formula gives something else; what it cannot give contradicts nothing, nor does a 0."""
    try:
        derived = _by_formula(run, formula).value
    except NoMeasurement:
        return
    if printed.value and abs(derived / printed.value - 1) > TOLERANCE:
        told = {"printed": f"{printed.value:.6g}", "derived": f"{derived:.6g}"}
        yield Message(BY_FORMULA, **told, ratio=f"{derived / printed.value:.3f}")


def _by_formula(run: RunNumbers, formula: Formula) -> RunFigure:
    found = _of_one_card(run, run.part, run.protocol)
    counted = _counted(found.measured.unit).removesuffix("s")
    if counted != formula.per:
        if {counted, formula.per} != {"token", "sample"}:
            raise NoMeasurement(OTHER_COUNT, per=formula.per, measured=found.measured.unit)
        length = _length(run)
        tokens = Message(TOKENS, count=f"{length:g}")
        found = found.then(Operation("×" if counted == "sample" else "÷", length, tokens))
    operations = formula.operations(run.facts)
    return found.then(Operation("×", operations, shown(formula, operations)), Operation("÷", 1e12, Message(TERA)))


def mfu(run: RunNumbers) -> RunFigure:
    """The share (percent) that the model's operations are of the dense peak of the card in the precision of the run."""
    try:
        done = tflops(run)
    except NoMeasurement:
        if (own := _of_column(run, "mfu")) is None:
            raise
        return own.remarked(Message(AS_PRINTED))
    card, precision = _devices(run), _precision(run)
    found, peak = card_of(card, precision)
    told = {"peak": f"{peak:g}", "card": found.name, "precision": precision, "source": found.source}
    share = done.then(Operation("÷", peak, Message(PEAK, **told)), Operation("×", 100, Message(PERCENT)))
    if share.value > 100:
        raise NoMeasurement(ABOVE_PEAK, done=f"{done.value:.6g}", **told)
    return share.remarked(*of_fp8_as_well(run.facts, run.labels, precision), *_against(run, share, done))


def printed_mfu(run: RunNumbers) -> RunFigure:
    """The MFU that the log prints, whatever its peak is; raises ``NoMeasurement`` where it prints none."""
    if (own := _of_column(run, "mfu")) is None:
        raise NoMeasurement(NOT_PRINTED, kind=run.protocol.records, column="mfu")
    return own.remarked(Message(PRINTED_MFU))


def _against(run: RunNumbers, share: RunFigure, done: RunFigure) -> Iterator[Message]:
    """Tell that the log prints another MFU."""
    try:
        own = _of_column(run, "mfu")
    except NoMeasurement:
        return
    if own is None or not own.value > 0 or not share.value or abs(own.value / share.value - 1) <= TOLERANCE:
        return
    told = {"printed": f"{own.value:.4g}", "derived": f"{share.value:.4g}", "ratio": f"{own.value / share.value:.3f}"}
    yield Message(BY_PEAK, **told, peak=f"{done.value / own.value * 100:.4g}")


def _devices(run: RunNumbers) -> list[str]:
    """How the log and the page call the card."""
    told = [str(run.facts["device"].value)] if "device" in run.facts else []
    told += [str(run.labels["device"])] if "device" in run.labels else []
    if not told:
        raise NoMeasurement(NO_DEVICE)
    return list(dict.fromkeys(told))


def _precision(run: RunNumbers) -> str:
    if "precision" in run.facts:
        return str(run.facts["precision"].value).lower()
    if "precision" not in run.labels:
        raise NoMeasurement(NO_PRECISION)
    return str(run.labels["precision"]).lower()

"""Resolving: each cell of a page becomes a result, measured, quoted or computed from others, or with why it is none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from math import isfinite
from pathlib import Path

from parsers.grammar.field import Scope
from parsers.io.errors import ExtraError, ParserError
from parsers.io.message import Message
from parsers.runs.facts import Value
from parsers.runs.provenance import Provenance
from parsers.runs.reading import Reading
from parsers.series import FEW

from ..measure.diagnostics import WITHHELD, Code, Diagnostic, NoEvidenceError, NoMeasurement, Remark, as_told, say
from ..measure.measurement import Measurement, combine
from ..measure.number import printed, quotient
from ..measure.operations import are_other_cards
from ..measure.protocol import Protocol
from ..measure.quantity import Quantity, Shown
from ..measure.run_figures import RunFigure, RunNumbers, figure_of
from ..measure.work import thing
from ..pagefile.consistency import needed
from ..pagefile.page import CellPlace, Page, Quote
from ..pagefile.parts import COMPARED, MARKED, STATED, Axis, Case
from .environment import circumstances
from .made import Made, MadeRun
from .model import CaseValue, Published, Result
from .quality import quality_remarks
from .store import LogStore, Stated, Wanted, filled, run_of, scaled
from .telemetry import Observation, observe, processes_of_run, run_telemetry

LOG, UNIT, CONTRADICTED = "log", "unit", "contradicted"
QUALIFIERS = {"nodes": ("{count} node", "{count} nodes"), "cards": ("{count} card", "{count} cards")}
RECORDS = ("{count} record", "{count} records")
# What is said of the evidence alone: it neither changes a number nor forbids a comparison.
TOLD_WITH_THE_EVIDENCE = (
    Code.ARRIVED,
    Code.NEEDS_PASSES,
    Remark.CUT_LOG,
    Remark.LOSS_AGREES,
    Remark.CONVERGES,
)

RULE = Protocol()
# How a number is printed favours none.
OF_MEASURING = tuple(key for key in Protocol.model_fields if key not in ("decimals", "significant", "rounding"))
SCALED: tuple[Axis, ...] = ("nodes", "cards")
OF_WORK: tuple[Axis, ...] = ("batch_size", "precision")
# What a step is made of, as the page or all logs of a number state it.
ALIKE: tuple[Axis, ...] = (*OF_WORK, "sequence_length", "data")

Runs = tuple[MadeRun, ...]
Remarks = tuple[Diagnostic, ...]


def resolve(page: Page, store: LogStore) -> list[Made]:
    """All cells of a page, in the order of its tables; one that cannot be filled says why.

    A figure that the page quotes stands where nothing was measured; what is computed from others comes last.
    """
    store.prepare(wanted(page, store.folder))
    made = [_made(page, place, store) for place in page.places()]
    numbers = [one for one in made if one.is_throughput and one.result.value]
    return [_computed(one, numbers) if one.shown.quantity.is_quotient else one for one in made]


def wanted(page: Page, logs: Path) -> Iterator[Wanted]:
    """All logs that the page may need, with the protocols by which it may measure them.

    Where the protocols of a row differ its numbers are also measured by the rule.
    """
    for _, row in groupby(page.places(), key=lambda place: (id(place.table), id(place.row))):
        throughputs = list[Wanted]()
        for place in row:
            with suppress(NoEvidenceError):
                (_, paths), protocol, stated = _asked(page, place, logs)
                found = [Wanted(path, protocol, stated) for path in paths]
                yield from found
                throughputs += found if place.column.quantity.is_throughput else []
        if len({tuple(getattr(one.protocol, key) for key in OF_MEASURING) for one in throughputs}) > 1:
            yield from (replace(one, protocol=RULE) for one in throughputs)


def _asked(page: Page, place: CellPlace, logs: Path) -> tuple[tuple[str, Sequence[str]], Protocol, Stated]:
    """The pattern and the logs of a cell, its protocol, and what the page states of them.

    Raises NoEvidenceError.
    """
    run = run_of(page.columns[place.column.column], place.case)
    protocol = run.protocol.overridden(place.column.protocol) if place.column.protocol else run.protocol
    counts = tuple((axis, value) for axis, value in place.case.items() if axis in STATED)
    return filled(run, page.of_model(place.case), logs), protocol, Stated(counts, run.read)


def _made(page: Page, place: CellPlace, store: LogStore) -> Made:
    formula = next((stated.formula for stated in page.model_flops if stated.covers(place.case)), None)
    shown = Shown(place.column.quantity, page.unit_of(place.table), place.column.decimals, formula)
    result = Result(
        id=place.id,
        case={str(axis): CaseValue(value) for axis, value in place.case.items()},
        quantity=shown.quantity.name,
        unit=shown.unit,
        rate=shown.rate,
        origin="missing",
        row=page.row_title(place.table, place.row),
        column=page.column_title(place.column),
    )
    empty = Made(place, shown, result)
    if shown.quantity.is_quotient:
        return empty
    quote = page.quote_of(place)
    try:
        return _measured(page, empty, quote, store)
    except NoEvidenceError as error:
        reason = error.diagnostic
    except ExtraError:  # is of this machine, and no reason for a page to lack a number
        raise
    except ParserError as error:
        reason = say("unreadable_log", error=error.message)
    except NoMeasurement as error:
        cause = error.diagnostic.code if error.diagnostic else ""
        reason = say("not_measured", said=error.message, cause=cause)
    result = replace(result, reason=reason)
    if quote:
        told = {"value": float(quote.value), "digits": quote.value, "source": quote.source}
        result = replace(result, origin="quoted", rests_on_quotes=True, **told)  # type: ignore[arg-type]
    return replace(empty, result=result)


# ---- measured results


def _measured(page: Page, empty: Made, quote: Quote | None, store: LogStore) -> Made:
    """A cell with its number, which is that of its protocol, of its log or of telemetry.

    Raises NoMeasurement, NoEvidenceError, ParserError.
    """
    place, shown, quantity = empty.place, empty.shown, empty.shown.quantity
    (pattern, paths), protocol, stated = _asked(page, place, store.folder)
    if not paths:
        raise NoEvidenceError(Remark.NOT_FOUND, pattern=pattern)
    runs, left_out = _runs(store, [Wanted(path, protocol, stated) for path in paths], empty)
    if protocol.states_rule and not protocol.states_estimate:
        protocol = runs[0].measured.protocol  # which names the first estimate that its log allows
    together = combine([run.measured for run in runs], protocol) if quantity.is_rate else 0.0  # of one unit and scope
    number = together if quantity.is_throughput else quantity.combined([run.value for run in runs], protocol)
    if not isfinite(number):
        told = {"estimate": protocol.estimate, "value": number, "line": runs[0].measured.ends[0]}
        raise NoMeasurement(say(Code.IMPOSSIBLE, **told))
    differing = [one for run in runs for one in _disagreements(place.case, run.reading)]
    remarks = (*left_out, *_unlike(runs), *_remarks(runs, quantity, {Message(one.fact) for one in differing}))
    remarks += tuple(quality_remarks(page, place, runs, protocol, store))
    certain = [one for one in differing if one.is_certain]
    cautions = [one.of_its_log for one in certain]
    cautions += [remark for remark in remarks if not _is_of_the_evidence(place.case, remark)]
    details = [said for said in (*(one.of_its_log for one in differing), *remarks) if said not in cautions]
    caution = page.caution_of(place)
    result = replace(
        empty.result,
        case=_case(place.case, runs, certain),
        origin="measured",
        value=number,
        digits=printed(number, shown.printing(protocol)),
        protocol=protocol.words(len(runs)),
        repeats=quantity.repeats(protocol) if len(runs) > 1 else None,
        details=list(dict.fromkeys(details)),
        published=_published(number, quote) if quote else None,
        circumstances=circumstances(runs),
    )
    said = (caution,) if caution else ()
    made = replace(empty, result=result, runs=runs, cautions=tuple(dict.fromkeys(cautions)), said=said)
    qualifiers = [*(one.qualifier for one in certain), *map(Message, said), *_doubts(made)]
    return replace(made, result=replace(result, qualifiers=list(dict.fromkeys(qualifiers))))


def _runs(store: LogStore, wanted: Sequence[Wanted], empty: Made) -> tuple[Runs, Remarks]:
    """The runs of a cell, and why other logs of it are left out; raises NoEvidenceError when no run is left."""
    found, unfit, unobserved = list[MadeRun](), list[Diagnostic](), list[Diagnostic]()
    quantity = empty.shown.quantity
    for one in wanted:
        if reason := store.unfit(one.path):
            unfit.append(reason)
            continue
        run = _run(store, one, empty.place, empty.shown)
        try:
            is_observed = quantity.origin in ("cards", "processes")
            found.append(replace(run, observation=_observation(run, quantity, store)) if is_observed else run)
        except NoEvidenceError as error:
            unobserved.append(error.diagnostic)
    if not found:
        raise NoEvidenceError((unobserved or unfit)[0])
    return tuple(found), (*unfit, *unobserved)


def _run(store: LogStore, one: Wanted, place: CellPlace, shown: Shown) -> MadeRun:
    reading = store.reading(one.path, one.stated.read)
    # Of the logs of several ranks in a folder that of the first of them is shown.
    log = f"{one.path}/{reading.path.relative_to(reading.folder).as_posix()}" if reading.folder else one.path
    if shown.quantity.of_log:
        of_run, labels = reading.of_run(one.protocol.run), {str(axis): value for axis, value in place.case.items()}
        of_page = labels, one.protocol, shown.rate, shown.formula
        figure = figure_of(
            shown.quantity.name, RunNumbers(scaled(of_run, one.stated), *of_page, lambda: store.measured(one))
        )
    else:
        figure = RunFigure(store.measured(one))
        of_run = reading.of_run(figure.measured.run)
        refuse_other_number(shown.rate, log, figure.measured.unit, figure.measured.scope)
    return MadeRun(log, of_run, replace(figure, measured=_in_word_of(shown.rate, figure.measured)), one)


def refuse_other_number(wanted: str, path: str, unit: str, scope: Scope) -> None:
    """Raise NoEvidenceError for a number that is not of the whole job, or not in the unit of its table."""
    log = Path(path).name
    if scope == "unknown":
        raise NoEvidenceError(Remark.SCOPE_UNKNOWN, log=log)
    if scope != "job":
        raise NoEvidenceError(Remark.OF_ONE, log=log, part=scope)
    if thing(unit) != thing(wanted):
        raise NoEvidenceError(Remark.OTHER_UNIT, unit=wanted, log=log, measured=unit)


def _in_word_of(unit: str, found: Measurement) -> Measurement:
    """A throughput in ``unit`` where it is in another word for it: images/s for samples/s."""
    if found.unit == unit or thing(found.unit) != thing(unit) or not found.estimate.counted:
        return found
    return replace(found, estimate=replace(found.estimate, unit=unit.removesuffix("/s")))


def _observation(run: MadeRun, quantity: Quantity, store: LogStore) -> Observation:
    key = quantity.origin, run.log, run.measured.protocol, run.stated
    if key not in store.watched:
        watched = processes_of_run if quantity.origin == "processes" else partial(run_telemetry, facts=run.facts)
        store.watched[key] = watched(run.log, run.reading, measurement=run.measured)
    return observe(quantity, store.watched[key], run.measured)


# ---- what a reader must know


@dataclass(frozen=True)
class _Disagreement:
    """What a log (or its name) says otherwise than the label of a cell."""

    fact: str
    label: Value
    said: Value
    source: Provenance

    @property
    def of_its_log(self) -> Diagnostic:
        """It without the line of the log, so that it is one sentence for all numbers that it is true of."""
        is_file = self.source.is_name or self.source.kind == "run_file"
        source = self.source.message if is_file else Message(LOG)
        told = {"fact": Message(self.fact.replace("_", " ")), "label": self.label, "source": source, "said": self.said}
        return Diagnostic("label_differs", told)

    @property
    def is_certain(self) -> bool:
        """Whether the label is wrong for certain: names of files say fp16 for whatever is not fp32."""
        return not (self.fact == "precision" and self.source.is_name)

    @property
    def qualifier(self) -> Message:
        """What is so instead of the label, as it stands beside the number."""
        if self.fact in QUALIFIERS and isinstance(self.said, int):
            return Message.of_count(self.said, *QUALIFIERS[self.fact])
        mark = "BS=" if self.fact == "batch_size" else MARKED.get(self.fact, "")  # type: ignore[call-overload]
        return Message(f"{mark}{self.said}".upper())


def _disagreements(case: Case, reading: Reading) -> Iterator[_Disagreement]:
    for axis in COMPARED:
        if axis in case and (fact := reading.facts.get(axis)) is not None and fact.value != case[axis]:
            yield _Disagreement(axis, case[axis], fact.value, fact.source)
    device = reading.facts.get("device")
    if "device" in case and device is not None and are_other_cards(str(case["device"]), str(device.value)):
        yield _Disagreement("device", case["device"], device.value, device.source)


def _case(case: Case, runs: Runs, certain: Iterable[_Disagreement]) -> dict[str, CaseValue]:
    """The case with what the logs say of each axis: one that contradicts it counts before all that confirm it."""
    differing = {one.fact: one for one in certain}
    found = {}
    for axis, value in ((str(axis), value) for axis, value in case.items()):
        facts = [run.reading.facts.get(axis) for run in runs]
        if one := differing.get(axis):
            found[axis] = CaseValue(value, "contradicted", one.said, one.source.message)
        elif all(fact is not None and _is_confirmed(axis, value, fact.value) for fact in facts) and facts[0]:
            found[axis] = CaseValue(value, "confirmed", source=facts[0].source.message)
        else:
            found[axis] = CaseValue(value)
    return found


def _is_confirmed(axis: str, label: object, said: object) -> bool:
    """Whether a log says the same of an axis; names of devices are spelt freely, so that one holds the other."""
    own, other = str(label).casefold(), str(said).casefold()
    if axis == "device":
        return own in other and not are_other_cards(str(label), str(said))
    return own == other and (axis in COMPARED or bool(own))


def _unlike(runs: Runs) -> Iterator[Diagnostic]:
    """That runs which make one number are not repeats of each other, by what their logs state."""
    for axis in COMPARED:
        stated = (run.reading.facts.get(axis) for run in runs)
        values = dict.fromkeys(str(fact.value) for fact in stated if fact)
        if len(values) > 1:
            yield say("unlike_runs", fact=Message(axis), values=", ".join(values))


def _remarks(runs: Runs, quantity: Quantity, told: set[Message]) -> Remarks:
    """The remarks on telemetry and what all runs say, once each; ``told``: the facts already mentioned.

    Diagnostics are about the throughput, so a number that does not rest on it has none of them.
    """
    found = [said for run in runs if run.observation for said in run.observation.remarks]
    found += [said for run in runs for said in run.figure.remarks]
    for run in runs if quantity.rests_on_throughput else ():
        contradiction = run.measured.contradiction
        of_run = [*map(as_told, run.reading.warnings), *run.measured.diagnostics]
        of_run += [contradiction] if contradiction else []
        found += [one for one in of_run if one.values.get("fact") not in told]
    return tuple(dict.fromkeys(found))


def _is_of_the_evidence(case: Case, remark: Diagnostic) -> bool:
    """Whether a remark neither changes the number nor forbids a comparison.

    A file name that says otherwise does neither where the log and the label agree.
    """
    labels = {(Message(axis.replace("_", " ")), str(value)) for axis, value in case.items()}
    said = remark.values.get("fact"), remark.values.get("value")
    return (remark.code == Remark.FACT_DENIED and said in labels) or remark.code in TOLD_WITH_THE_EVIDENCE


def _doubts(one: Made) -> Iterator[Message]:
    """That a number is contradicted, and that it is of too few records to be printed bare."""
    if one.is_contradicted:
        yield Message(CONTRADICTED)
    each = [run.measured for run in one.runs] if one.is_throughput else []
    used = sum(one.records_used for one in each if one.estimate.kind == "step" and one.protocol.statistic != "last")
    if 0 < used < FEW and each[0].protocol.estimate != "clock":
        yield Message(RECORDS[used > 1], count=used)


def _published(number: float, quote: Quote) -> Published:
    """What was published of a number, held against it to the last digit that is published."""
    decimals, significant = len(quote.value.partition(".")[2]), len(quote.value.replace(".", "").lstrip("0"))
    told = [f"decimals={decimals}", f"decimals={decimals},rounding=truncate", f"significant={significant or 1}"]
    ours = {float(printed(number, Protocol.parse(one))) for one in told}
    return Published(quote.value, quote.source, float(quote.value) in ours)


# ---- computed results


def _computed(one: Made, numbers: Sequence[Made]) -> Made:
    """A quotient of two numbers, measured or quoted; without one, with the reason, where one of them is missing."""
    # The same number may stand in several tables; a reader finds it soonest in the one that is before his eyes.
    nearest = sorted(numbers, key=lambda other: other.place.table is not one.place.table)
    compared = one.place.column.against
    parts, ideal = _speed_up(one.place, nearest) if compared else _efficiency(one.place, nearest)
    reason, value, whole = say(Remark.MISSING_PART), 0.0, one.shown.quantity.whole
    if parts:
        values = [part.result.value or 0 for part in parts]
        value = quotient(values[0], values[1], ideal, whole)
    if not parts or not isfinite(value):
        return replace(one, result=replace(one.result, reason=reason))
    of, against = parts
    if unlike := unlike_parts(of, against, tuple(compared.case) if compared else ()):
        cautions = (unlike,) if unlike.code in WITHHELD else ()
        return replace(one, result=replace(one.result, reason=unlike), cautions=cautions)
    said = tuple(dict.fromkeys([*of.said, *against.said]))
    result = replace(
        one.result,
        origin="computed",
        value=value,
        digits=printed(value, one.shown.printing(Protocol())),
        operands=[of.result.id, against.result.id],
        ideal=ideal,
        whole=whole,  # type: ignore[arg-type]
        rests_on_quotes=of.result.rests_on_quotes or against.result.rests_on_quotes,
        qualifiers=list(map(Message, said)),
        circumstances=circumstances([*of.all_runs, *against.all_runs]),
    )
    return replace(one, result=result, said=said, parts=parts)


def _speed_up(place: CellPlace, numbers: Sequence[Made]) -> tuple[tuple[Made, ...], float]:
    """Both numbers, if they are there."""
    found = (next((one for one in numbers if _is_of(one, *key)), None) for key in needed(place))
    parts = tuple(one for one in found if one)
    return parts if len(parts) == 2 else (), 1.0


def _efficiency(place: CellPlace, numbers: Sequence[Made]) -> tuple[tuple[Made, ...], float]:
    """A number and that of the fewest cards of its column and case, and how many times as many cards it has."""
    alike = [
        one
        for one in numbers
        if one.place.column.column == place.column.column
        and _unscaled(one.place.case) == _unscaled(place.case)
        and "cards" in one.place.case
    ]
    of = next((one for one in alike if _is_of(one, place.column.column, place.case)), None)
    if of is None:
        return (), 1.0
    same_unit = [one for one in alike if thing(one.shown.rate) == thing(of.shown.rate)]
    fewest = min(same_unit, key=lambda one: int(one.place.case["cards"]))
    return (of, fewest), int(of.place.case["cards"]) / int(fewest.place.case["cards"])


def _is_of(one: Made, column: str, case: Case) -> bool:
    return one.place.column.column == column and case in (one.place.labels, one.place.case)


def _unscaled(case: Case) -> Case:
    return {axis: value for axis, value in case.items() if axis not in SCALED}


def unlike_parts(of: Made, against: Made, compared: Sequence[Axis] = ()) -> Diagnostic | None:
    """Why one number is not divided by another: a log has other cards than its label says, or units or cases differ.

    ``compared``: the axes in which they are to differ.
    """
    if (of.denied | against.denied) & {*SCALED, *compared}:
        return say(Remark.OTHER_CASE)
    if thing(of.shown.rate) != thing(against.shown.rate):
        return say(Remark.DIFFERS, fact=Message(UNIT), of=of.shown.rate, against=against.shown.rate)
    for axis in (axis for axis in ALIKE if axis not in compared):
        first, second = (_stated(part, axis) for part in (of, against))
        if first != second and None not in (first, second):
            told = {"of": str(first).upper(), "against": str(second).upper()}
            return say(Remark.DIFFERS, fact=Message(axis.replace("_", " ")), **told)
    return None


def _stated(part: Made, axis: Axis) -> Value | None:
    """What the page states of a number, else all of its logs alike; None where they do not."""
    labels: Mapping[str, Value] = part.result.labels
    if axis in OF_WORK or axis in labels:
        return labels.get(axis)
    told = {fact.value if (fact := run.reading.facts.get(axis)) else None for run in part.runs}
    return told.pop() if len(told) == 1 else None

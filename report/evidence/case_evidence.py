"""Evidence: the logs behind a cell, and what they measure by the protocol of the page."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from parsers.io.errors import ExtraError, ParserError
from parsers.io.message import Message
from parsers.runs.facts import Facts
from parsers.runs.reading import Reading
from parsers.sharing.workers import ALL_CORES, Workers

from ..measure.diagnostics import Diagnostic, NoMeasurement
from ..measure.measure import measure
from ..measure.measurement import Measurement, combine
from ..measure.operations import are_other_cards
from ..measure.protocol import Protocol
from ..measure.quantity import Quantity, Shown
from ..measure.run_figures import RunNumbers, figure_of
from ..measure.work import thing
from ..pagefile.addresses import slugs
from ..pagefile.page import Case, CellPlace, Page, Table, TableColumn, TableRow
from ..pagefile.parts import COMPARED, STATED
from . import library
from .case_runs import filled, logs_of, not_found, run_of, unfit, unlike_runs
from .cell import Cell, Disagreement, Proof, Quoted
from .library import Stated, WantedMeasurement, measured, prepare, reading_of, scaled
from .quality.quality_remarks import quality_remarks
from .quotient import divided
from .reason import NoEvidenceError, Remark, as_told
from .telemetry.telemetry_quantities import Observation, observe, observe_processes
from .telemetry.telemetry_window import RunTelemetry, processes_of_run, run_telemetry

Proofs = tuple[Proof, ...]
Remarks = tuple[Diagnostic, ...]
# Why logs are no evidence, as far as that is known, by their paths below the folder of logs.
Known = Mapping[str, Message | None]


def cells(page: Page, logs: Path, workers: Workers = ALL_CORES) -> Iterator[Cell]:
    """All cells of a page, in the order of its tables; a cell that cannot be filled says why.

    A figure that the page quotes stands where nothing was measured; what is computed from others comes last.
    """
    known = prepare(wanted(page, logs), workers)
    addressed = zip(page.places(), slugs(page), strict=True)
    yield from divided(page, [_cell(page, logs, place, slug, known) for place, slug in addressed])


def wanted(page: Page, logs: Path) -> Iterator[WantedMeasurement]:
    """All logs that the page may need, with the protocols by which it may measure them."""
    for place in page.places():
        with suppress(NoEvidenceError):
            pattern, protocol, stated = _asked(page, place.column, place.case, logs)
            yield from (WantedMeasurement(logs, path, protocol, stated) for path in logs_of(logs, pattern))


def row_title(page: Page, table: Table, row: TableRow) -> str:
    """Title of a row, with that of its group and the axes of its case filled in."""
    titles = [written(page, table, row, title) for title in (row.group, row.title) if title]
    return ", ".join(titles)


def written(page: Page, table: Table, row: TableRow, title: str) -> str:
    """A title of a row or of its group, with the axes of its case as the page writes them."""
    case = {**table.case, **row.case}
    return title.format_map({axis: page.label(axis, value) for axis, value in case.items()})


def column_title(page: Page, column: TableColumn) -> str:
    """Title of a column of a table: its own, or that of the page's column."""
    return column.title or page.columns[column.column].title


def _cell(page: Page, logs: Path, place: CellPlace, slug: str, known: Known) -> Cell:
    formula = next((stated.formula for stated in page.model_flops if stated.covers(place.case)), None)
    shown = Shown(place.column.quantity, page.unit_of(place.table), place.column.decimals, formula)
    titles = (row_title(page, place.table, place.row), column_title(page, place.column))
    empty = Cell(place.table.name, *titles, place.case, shown, slug=slug)
    if shown.quantity.is_quotient:
        return empty
    cell = _measured_cell(page, logs, place.column, empty, known)
    quote = page.quote_of(place)
    found = Quoted(quote.value, quote.source) if quote else None
    if not cell.proofs:
        return replace(cell, quoted=found)
    return replace(cell, caution=page.caution_of(place), published=found)


def _measured_cell(page: Page, logs: Path, column: TableColumn, empty: Cell, known: Known) -> Cell:
    try:
        pattern, protocol, stated = _asked(page, column, empty.case, logs)
        cell = replace(empty, of_logs=stated)
        proofs, left_out = _proofs(logs, pattern, protocol, cell, known)
        _refuse_other_numbers(cell.shown.rate, proofs)
        proofs = in_words_of(cell.shown.rate, proofs)
        filled_in = _filled(cell, protocol, proofs, left_out)
        remarks = quality_remarks(page, column.column, filled_in, logs, reading_of)
        return replace(filled_in, remarks=(*filled_in.remarks, *remarks))
    except NoEvidenceError as error:
        return replace(empty, reason=error.diagnostic)
    except ExtraError:  # is of this machine, and no reason for a page to lack a number
        raise
    except ParserError as error:
        return replace(empty, reason=as_told(Message("Cannot read the log: {error}", error=error.message)))
    except NoMeasurement as error:
        cause = error.diagnostic.code if error.diagnostic else ""
        return replace(empty, reason=Diagnostic(Remark.NOT_MEASURED, {"said": error.message, "cause": cause}))


def _asked(page: Page, column: TableColumn, case: Case, logs: Path) -> tuple[str, Protocol, Stated]:
    """Where the logs of a cell are, as a pattern, its protocol, and what the page states of them.

    Raises NoEvidenceError.
    """
    run = run_of(page.columns[column.column], case)
    protocol = run.protocol.overridden(column.protocol) if column.protocol else run.protocol
    return filled(run, page.of_model(case), logs), protocol, stated_by(case, run.read)


def _filled(cell: Cell, protocol: Protocol, proofs: Proofs, left_out: Remarks) -> Cell:
    """A cell with its number, which is that of its protocol or of telemetry; raises NoMeasurement, NoEvidenceError."""
    quantity = cell.shown.quantity
    if protocol.states_rule and not protocol.states_estimate:
        protocol = proofs[0].measurement.protocol  # which names the first estimate that its log allows
    if quantity.of_log:
        number = quantity.combined([proof.value for proof in proofs], protocol)
    elif quantity.is_rate:
        number = combine([proof.measurement for proof in proofs], protocol)
        if quantity.of_runs:
            number = quantity.combined([proof.measurement.value for proof in proofs], protocol)
    else:
        proofs, unobserved = _observed(proofs, quantity, cell.of_logs)
        left_out = (*left_out, *unobserved)
        number = quantity.combined([proof.value for proof in proofs], protocol)
    disagreements = tuple(d for proof in proofs for d in _disagreements(cell.case, proof.reading))
    said = _remarks(proofs, quantity, {Message(d.fact) for d in disagreements})
    remarks = (*left_out, *map(as_told, unlike_runs([proof.reading for proof in proofs])), *said)
    filled_in = replace(cell, proofs=proofs, protocol=protocol, number=number)
    return replace(filled_in, disagreements=disagreements, remarks=remarks)


def _refuse_other_numbers(unit: str, proofs: Proofs) -> None:
    """Raise NoEvidenceError for numbers that are not of the whole job, or not in the unit of their table."""
    for proof in (proof for proof in proofs if proof.figure is None):
        _refuse_other_number(unit, proof.log, proof.measurement)


def _refuse_other_number(unit: str, path: str, found: Measurement) -> None:
    log = Path(path).name
    if found.scope == "unknown":
        raise NoEvidenceError(Remark.SCOPE_UNKNOWN, log=log)
    if found.scope != "job":
        raise NoEvidenceError(Remark.OF_ONE, log=log, part=found.scope)
    if thing(found.unit) != thing(unit):
        raise NoEvidenceError(Remark.OTHER_UNIT, unit=unit, log=log, measured=found.unit)


def _remarks(proofs: Proofs, quantity: Quantity, told: set[Message]) -> Remarks:
    """The remarks on telemetry and what all proofs say, once each; ``told``: the facts already mentioned.

    Diagnostics are about the throughput, so a number that does not rest on it has none of them.
    """
    observed = [as_told(said) for proof in proofs if proof.observation for said in proof.observation.remarks]
    of_figures = [said for proof in proofs if proof.figure for said in proof.figure.remarks]
    of_throughput = proofs if quantity.rests_on_throughput else ()
    said = [one for proof in of_throughput for one in (*map(as_told, proof.reading.warnings), *proof.diagnostics)]
    found = [one for one in said if one.values.get("fact") not in told]
    return tuple(dict.fromkeys([*observed, *of_figures, *found]))


def _proofs(logs: Path, pattern: str, protocol: Protocol, cell: Cell, known: Known) -> tuple[Proofs, Remarks]:
    """The proofs of a cell, and why other logs of it are left out; raises NoEvidenceError when no proof is left."""
    paths = logs_of(logs, pattern)
    if not paths:
        raise NoEvidenceError(not_found(logs, pattern))
    reasons = {path: known[path] if path in known else unfit(logs, path) for path in paths}
    left_out = tuple(as_told(reason) for reason in reasons.values() if reason)
    if len(left_out) == len(paths):
        raise NoEvidenceError(left_out[0])
    fit = [path for path, reason in reasons.items() if not reason]
    return tuple(_proof(logs, path, protocol, cell) for path in fit), left_out


def _proof(logs: Path, path: str, protocol: Protocol, cell: Cell) -> Proof:
    reading, shown = reading_of(logs / path, cell.of_logs.read), cell.shown
    log = _shown_log(path, reading)
    if not shown.quantity.of_log:
        found = measured(logs / path, protocol, cell.of_logs)
        return Proof(log, reading.of_run(found.run), found)
    labels = {str(axis): value for axis, value in cell.case.items()}
    known = scaled(reading.of_run(protocol.run), cell.of_logs)
    of_page = labels, protocol, shown.rate, shown.formula
    figure = figure_of(
        shown.quantity.name, RunNumbers(known, *of_page, lambda: measured(logs / path, protocol, cell.of_logs))
    )
    return Proof(log, reading.of_run(protocol.run), figure.measured, figure=figure)


def _shown_log(path: str, reading: Reading) -> str:
    """The log whose lines are shown: of the logs of several ranks in a folder that of the first of them."""
    return path if reading.folder is None else f"{path}/{reading.path.relative_to(reading.folder).as_posix()}"


def _observed(proofs: Proofs, quantity: Quantity, stated: Stated) -> tuple[Proofs, Remarks]:
    """The proofs with what their telemetry gives, and why others have none; raises NoEvidenceError when none has."""
    observed, reasons = [], []
    for proof in proofs:
        try:
            observed.append(replace(proof, observation=_observation(proof, quantity, stated)))
        except NoEvidenceError as error:
            reasons.append(error.diagnostic)
    if not observed:
        raise NoEvidenceError(reasons[0])
    return tuple(observed), tuple(reasons)


def _observation(proof: Proof, quantity: Quantity, stated: Stated) -> Observation:
    if quantity.origin == "processes":
        return observe_processes(quantity, processes_of_run(proof.log, proof.reading, proof.measurement))
    path = proof.reading.folder or proof.reading.path
    watched = _watched(proof.log, path, proof.measurement.protocol, stated)
    return observe(quantity, watched, proof.measurement)


def facts_of(cell: Cell, proof: Proof) -> Facts:
    """The facts of a log behind a cell, with what the page says of its case where the log says nothing."""
    return reading_of_case(cell, proof).facts


def reading_of_case(cell: Cell, proof: Proof) -> Reading:
    """A log behind a cell with the facts of its case."""
    return scaled(proof.reading, cell.of_logs)


def by_protocol(unit: str, cell: Cell, proof: Proof, protocol: Protocol) -> Measurement:
    """What a log behind a cell gives by another protocol; ``unit`` is that of the page.

    Raises NoMeasurement where the log does not allow it, NoEvidenceError where that is not what the page shows.
    """
    found = measure(reading_of_case(cell, proof), protocol)
    _refuse_other_number(unit, proof.log, found)
    return found


def stated_by(case: Case, read: str | None) -> Stated:
    """What a page states of the logs of a case; ``read``: what a number of them measures."""
    return Stated(tuple((axis, value) for axis, value in case.items() if axis in STATED), read)


@cache
def _watched(log: str, path: Path, protocol: Protocol, stated: Stated) -> RunTelemetry:
    reading, found = reading_of(path, stated.read), measured(path, protocol, stated)
    return run_telemetry(log, reading, scaled(reading, stated).of_run(found.run).facts, found)


def forget() -> None:
    """Let go of all that was read of logs and of what lies beside them: other files may be in their places by now."""
    _watched.cache_clear()
    library.forget()


def _disagreements(case: Case, reading: Reading) -> Iterator[Disagreement]:
    for axis in COMPARED:
        if axis in case and (fact := reading.facts.get(axis)) is not None and fact.value != case[axis]:
            yield Disagreement(axis, case[axis], fact.value, fact.source)
    device = reading.facts.get("device")
    if "device" in case and device is not None and are_other_cards(str(case["device"]), str(device.value)):
        yield Disagreement("device", case["device"], device.value, device.source)


def in_words_of(unit: str, proofs: Iterable[Proof]) -> tuple[Proof, ...]:
    """Proofs whose throughputs are in ``unit`` where they are in another word for it: images/s for samples/s."""
    return tuple(_in_word_of(unit, proof) for proof in proofs)


def _in_word_of(unit: str, proof: Proof) -> Proof:
    found = proof.measurement
    if found.unit == unit or thing(found.unit) != thing(unit) or not found.estimate.counted:
        return proof
    said = tuple(_said(one, found.unit, unit) for one in found.diagnostics)
    measurement = replace(found, estimate=replace(found.estimate, unit=unit.removesuffix("/s")), diagnostics=said)
    if proof.figure is None:
        return replace(proof, measurement=measurement)
    return replace(proof, measurement=measurement, figure=replace(proof.figure, measured=measurement))


def _said(one: Diagnostic, unit: str, instead: str) -> Diagnostic:
    """A diagnostic with another word for a unit."""
    return replace(one, values={name: instead if value == unit else value for name, value in one.values.items()})

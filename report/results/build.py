"""Building a report: a page and its cells become results, the runs behind them, and the page as it is laid out."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import isclose, isfinite, prod
from pathlib import Path

from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.facts import Fact, is_count
from parsers.runs.provenance import RECORDS as RECORDS_SAY
from parsers.runs.reading import Reading
from parsers.scanning.source import Source as Lines
from parsers.scanning.source import clean
from parsers.series import FEW, Series

from ..evidence.case_evidence import column_title, facts_of, written
from ..evidence.cell import Cell, Proof
from ..evidence.circumstances import VERSION, circumstances, library_of, of_cell
from ..evidence.comparison import UnlikeNumbers, comparisons
from ..evidence.measured_log import MeasuredLog
from ..evidence.reason import as_told
from ..evidence.run_begin import first_begin
from ..measure.measurement import Measurement, Use
from ..measure.number import DIGITS, printed
from ..measure.operations import are_other_cards
from ..measure.protocol import Protocol
from ..measure.quantity import THROUGHPUT
from ..measure.ranks import RankSpread
from ..measure.run_figures import RunFigure
from ..pagefile.page import Block as PageBlock
from ..pagefile.page import CellPlace, Code, Grid, Page, Prose, Table, TableRow
from ..pagefile.parts import COMPARED, Case
from ..wording.markdown import path_address
from ..wording.page_words import page_words
from ..wording.words import languages
from . import model
from .environment import environment
from .findings import findings, is_contradicted
from .model import (
    LETTERS,
    CaseValue,
    CheckedBy,
    Column,
    Factor,
    FileLines,
    Log,
    Operation,
    Ranks,
    Records,
    Report,
    Result,
    Row,
    Run,
    Source,
)
from .notes import details, notes

SECTIONS = ("results", "tested", "environment", "setup", "steps")
ENDS = 3  # lines used that are shown of each end of a log: what a run prints at first and at last
LONGEST = 300  # characters of a line that are shown
# The colour of a framework: a word in the title of its column.
FAMILIES = ("paddle", "tensorflow", "torch", "mxnet")
CONTRADICTED = "contradicted"
OF_LOG = "log/1/throughput"  # the address of the result of a log that is of no page
RECORDS = ("{count} record", "{count} records")


def build(name: str, page: Page, stated: str, cells: Sequence[Cell], logs: Path, out: Path) -> Report:
    """The report of a page.

    ``stated``: the text of its page file. ``cells``: all of the page, in its order. ``logs``: the folder of logs, and
    ``out`` that of the page, from which links lead there.
    """
    runs, keys = _runs(cells)
    unlike = list(comparisons(page, cells))
    common = {one.cell: one for found in unlike for one in found.common}
    placed = list(zip(page.places(), cells, strict=True))
    results = [_result(page, place, cell, keys[at], common.get(cell)) for at, (place, cell) in enumerate(placed)]
    source = page.source
    laid_out = model.Page(
        name=name,
        title=page.title,
        model=page.model,
        units=page.units,
        tables=[_table(page, table, cells, unlike) for table in page.tables],
        sections={key: _blocks(getattr(page, key)) for key in SECTIONS if getattr(page, key)},
        findings=list(findings(page, cells)),
        sources={key: Source(one.title, one.url, one.date, one.note, one.commit) for key, one in page.sources.items()},
        environment=environment(page, cells),
        labels={str(axis): dict(labels) for axis, labels in page.labels.items()},
        words={language: page_words(page, language) for language in languages()},
        repository=source.repository if source else None,
        commit=source.commit if source else None,
        licence=source.licence if source else None,
        page_file=stated,
    )
    folder = None if source else Path(os.path.relpath(logs, out)).as_posix()
    return Report(2, laid_out, results, runs, _logs(page, cells, runs, logs), folder)


# ---- runs


def _runs(cells: Sequence[Cell]) -> tuple[dict[str, Run], list[list[str]]]:
    """The runs behind cells, each once by a key, and the keys of each cell."""
    known: dict[tuple[str, ...], str] = {}
    found: dict[str, Run] = {}
    keys = []
    for cell in cells:
        own = []
        for proof in cell.proofs:
            made = _made(cell, proof)
            key = known.setdefault(made, f"r{len(known) + 1}")
            if key not in found:
                found[key] = run_of_proof(cell, proof)
            own.append(key)
        keys.append(own)
    return found, keys


def _made(cell: Cell, proof: Proof) -> tuple[str, ...]:
    """What tells a run from others: its log, how it was measured, and of another quantity than a rate which."""
    shown, found = cell.shown, proof.measurement
    quantity = "" if shown.quantity.is_rate else f"{shown.quantity.name} {shown.formula}"
    return proof.log, found.protocol.words(), found.unit, repr(found.value), repr(cell.of_logs), quantity


def run_of_proof(cell: Cell, proof: Proof) -> Run:
    """What a log gives for a cell, or the telemetry beside it."""
    main, *others = proof.exhibits
    also = [FileLines(one.path, *one.lines, one.used) for one in others]
    if (observed := proof.observation) is not None:
        lines = list(observed.lines)
        shown = Records(lines, LETTERS[Use.USED] * len(lines))
        protocol = proof.measurement.protocol.words()
        return Run(
            main.path, observed.value, cell.shown.unit, "job", "unchecked", protocol, observed.value, cell.shown.unit,
            records=shown, also=also,
        )  # fmt: skip
    figure = proof.figure
    measured = figure.measured if figure else proof.measurement
    return _run(main.path, proof.reading, measured, facts_of(cell, proof), figure, also)


def run_of_log(log: str, measured: MeasuredLog) -> Run:
    """What a log gives by itself; of one that contradicts itself the one side, with the other.

    Raises ``NoMeasurement`` where it has no number.
    """
    found = measured.measurement or measured.throughput()
    return _run(log, measured.reading, found, measured.reading.facts, None, [])


def report_of_log(log: str, measured: MeasuredLog) -> Report:
    """The report of a log of no page, with one result: its throughput, in four significant digits by the rule.

    Of a log that contradicts itself the result is missing, and its run has both sides. Raises ``NoMeasurement`` where
    there is no number.
    """
    found = measured.measurement or measured.throughput()
    proof, protocol = Proof(log, measured.reading, found), found.protocol
    ranks = proof.exhibits[1:]
    run = replace(run_of_log(log, measured), also=[FileLines(one.path, *one.lines, one.used) for one in ranks])
    if not (protocol.states_rule or protocol.model_fields_set & {"decimals", "significant"}):
        protocol = protocol.overridden(f"significant={DIGITS}")
    reason = measured.reason.diagnostic if measured.reason else None
    result = Result(
        id=OF_LOG,
        case={},
        quantity=THROUGHPUT.name,
        unit=run.unit,
        rate=run.unit,
        origin="missing" if reason else "measured",
        row="",
        column=log,
        value=None if reason else run.value,
        digits=None if reason else printed(run.value, protocol),
        protocol=protocol.words(),
        runs=["r1"],
        details=list(dict.fromkeys([*measured.diagnostics, *map(as_told, measured.warnings)])),
        reason=reason,
        circumstances={str(name): said for name, said in circumstances(proof).items()},
    )
    table = model.Table("log", log, "", [Column("throughput", log)], [Row("", [OF_LOG])])
    page = model.Page("log", log, "", [run.unit], [table])
    logs = {one.path: Log(one.sha256, one.format, one.total) for one in ranks}
    return Report(2, page, [result], {"r1": run}, logs | {log: log_of(measured.reading, run)})


def _run(
    log: str,
    reading: Reading,
    found: Measurement,
    facts: Mapping[str, Fact],
    figure: RunFigure | None,
    also: list[FileLines],
) -> Run:
    calculation = found.calculation
    operations = [Operation(one.sign, one.number, one.what) for one in (figure.operations if figure else ())]
    by = found.by.series if found.status == "contradicted" and found.by else None
    return Run(
        log=log,
        value=figure.value if figure else found.value,
        unit=found.unit,
        scope=found.scope,
        status=found.status,
        protocol=found.protocol.words(),
        measured=found.value,
        measured_unit=found.unit,
        source=found.estimate.name,
        column=found.estimate.source,
        records=_records(found),
        statistic=calculation.statistic if calculation else "",
        factor=_factor(found),
        are_times=calculation.are_times if calculation else False,
        counted=found.series.unit if calculation is None else found.estimate.unit,
        factors=factors_of(found, facts),
        operations=operations,
        checks=[
            CheckedBy(
                check.estimate.name,
                check.estimate.value,
                f"{check.estimate.unit}/s",
                check.ratio,
                check.says,
                check.estimate.lines,
                check.series.unit if check.series is not None else "",
            )
            for check in found.checks
            if isfinite(check.ratio)
        ],
        other_side=_stretches(by) if by is not None else None,
        ranks=_ranks(found.ranks),
        also=also,
    )


# The facts whose product is what all cards do in a step, or in an epoch; of several that give it the first.
_PRODUCTS = (
    ("job_batch_tokens",),
    ("job_batch_size",),
    ("batch_size", "cards", "accumulation"),
    ("batch_size", "cards"),
    ("job_batch_size", "sequence_length"),
    ("batch_size", "cards", "accumulation", "sequence_length"),
    ("batch_size", "cards", "sequence_length"),
    ("epoch_samples",),
)
SAMPLES_OF_EPOCH = "samples of an epoch"


def factors_of(found: Measurement, facts: Mapping[str, Fact]) -> list[Factor]:
    """The counts that lead from what the records print to the throughput; none where they print just that."""
    if not found.estimate.counted:  # what was read is no rate
        return []
    series, amount = found.series, found.per_series
    is_summed = found.ranks is not None and found.ranks.is_summed and found.calculation is None
    if is_summed or series.counted == found.estimate.counted:
        scope = "node" if series.scope == "node" else "card"
        is_scaled = not is_summed and series.scope != "job" == found.scope and f"{scope}s" in facts
        return [_factor_of(f"{scope}s", facts)] if is_scaled else []
    for names in _PRODUCTS:
        known = [_factor_of(name, facts) for name in names if name in facts and is_count(facts[name].value)]
        if known and isclose(prod(factor.value for factor in known), amount, rel_tol=1e-12):
            return known
    name = SAMPLES_OF_EPOCH if series.counted == "epochs" else f"{found.estimate.unit} of a step"
    return [Factor(name, amount, RECORDS_SAY.message)]


def _factor_of(name: str, facts: Mapping[str, Fact]) -> Factor:
    return Factor(name, float(facts[name].value), facts[name].source.message)


def _factor(found: Measurement) -> float:
    if found.calculation is not None:
        return found.calculation.factor
    return found.per_series if len(found.series) else 1.0


def _records(found: Measurement) -> Records:
    """All records of its kind: of a statistic its terms, else the work and the seconds of each stretch."""
    lines = found.use.lines.tolist()
    use = "".join(LETTERS[reason] for reason in found.use.reasons.tolist())
    every, series, terms = found.every if found.every is not None else found.series, found.series, found.calculation
    is_used = [letter == LETTERS[Use.USED] for letter in use]
    values: dict[int, float] = {}
    if terms is not None:
        others = every.each if terms.are_times else 1 / every.each if len(every) else every.each
        values = dict(zip(every.lines.tolist(), others.tolist(), strict=True))
    else:
        for one in (every, series):
            if one.values is not None:
                values |= dict(zip(one.lines.tolist(), one.values.tolist(), strict=True))
    listed: list[float | None] = [values.get(line) for line in lines]
    if terms is not None:
        own = iter(terms.values.tolist())
        listed = [next(own) if used else value for used, value in zip(is_used, listed, strict=True)]
    listed = [value if value is not None and isfinite(value) else None for value in listed]
    told = Records(lines, use, listed if any(value is not None for value in listed) else [])
    return told if terms is not None else _with_stretches(told, every, series, is_used)


def _with_stretches(told: Records, every: Series, series: Series, is_used: Sequence[bool]) -> Records:
    """Records with the stretch that ends at each; where a number is made of other stretches, at those used these."""
    if not len(series):
        return told
    own, others = _ends_at(series), _ends_at(every)
    found = [(own if used else others).get(line) for line, used in zip(told.lines, is_used, strict=True)]
    columns = [[one[at] if one else None for one in found] for at in range(3)]
    return Records(told.lines, told.use, told.values, *columns)  # type: ignore[arg-type]


def _ends_at(series: Series) -> dict[int, tuple[int, float, float]]:
    """The begin, the work and the seconds of each stretch, by the line where it ends."""
    rows = zip(series.begins.tolist(), series.work.tolist(), series.seconds.tolist(), strict=True)
    return dict(zip(series.lines.tolist(), rows, strict=True))


def _stretches(series: Series) -> Records:
    lines = series.lines.tolist()
    values = [] if series.values is None else series.values.tolist()
    rows = (series.begins.tolist(), series.work.tolist(), series.seconds.tolist())
    return Records(lines, LETTERS[Use.USED] * len(lines), values, *rows)


def _ranks(found: RankSpread | None) -> Ranks | None:
    if found is None:
        return None
    of_ranks = [*map(int, found.numbers)], [*map(float, found.values)]
    return Ranks(*of_ranks, found.unit, found.cards_per_node, found.are_times, found.is_summed)


# ---- results


def _result(page: Page, place: CellPlace, cell: Cell, runs: list[str], common: object) -> Result:
    shown, quotient = cell.shown, cell.quotient
    is_computed = quotient is not None and cell.digits is not None
    origin = (
        "missing" if cell.digits is None else "quoted" if cell.quoted else "computed" if is_computed else "measured"
    )
    first = first_begin(cell.proofs)
    return Result(
        id=cell.slug,
        case=_case(cell.case, cell),
        quantity=shown.quantity.name,
        unit=shown.unit,
        rate=shown.rate,
        origin=origin,  # type: ignore[arg-type]
        row=cell.row,
        column=cell.column,
        value=cell.value,
        digits=cell.digits,
        protocol=cell.rule,
        repeats=shown.quantity.repeats(cell.protocol) if cell.protocol and len(cell.proofs) > 1 else None,
        runs=runs,
        operands=[quotient.of.slug, quotient.against.slug] if quotient and is_computed else [],
        ideal=quotient.ideal if quotient and is_computed else 1.0,
        whole=quotient.whole if quotient and is_computed else 1,  # type: ignore[arg-type]
        source=cell.quoted.source if cell.quoted else None,
        rests_on_quotes=cell.rests_on_quotes,
        qualifiers=_qualifiers(cell),
        details=details(cell) if cell.printed else [],
        reason=cell.reason,
        common=_common(common),
        published=_published(cell),
        circumstances={str(name): said for name, said in of_cell(cell).items()},
        begun=str(first.astype("M8[D]")) if first is not None else "",
    )


def _published(cell: Cell) -> model.Published | None:
    """What was published of a number, held against it to the last digit that is published."""
    if cell.published is None or cell.number is None:
        return None
    digits, source = cell.published.digits, cell.published.source
    decimals, significant = len(digits.partition(".")[2]), len(digits.replace(".", "").lstrip("0"))
    told = [f"decimals={decimals}", f"decimals={decimals},rounding=truncate", f"significant={significant or 1}"]
    ours = {float(printed(cell.number, Protocol.parse(one))) for one in told}
    return model.Published(digits, source, float(digits) in ours)


def _common(found: object) -> model.Common | None:
    if found is None:
        return None
    protocol = found.protocol.words(len(found.cell.proofs))  # type: ignore[attr-defined]
    return model.Common(protocol, found.number, found.ratio, found.published_ratio)  # type: ignore[attr-defined]


def _qualifiers(cell: Cell) -> list[Message]:
    """What is so instead of its labels, what its page says, and what it is too little to be printed bare."""
    told = [one.qualifier for one in cell.certain_disagreements] + list(cell.cautions)
    if is_contradicted(cell):
        told.append(Message(CONTRADICTED))
    steps = [proof.measurement for proof in cell.proofs if cell.shown.quantity.is_throughput]
    used = sum(one.records_used for one in steps if one.estimate.kind == "step" and one.protocol.statistic != "last")
    if steps and 0 < used < FEW and steps[0].protocol.estimate != "clock":
        told.append(Message(RECORDS[used > 1], count=used))
    return list(dict.fromkeys(told))


def _case(case: Case, cell: Cell) -> dict[str, CaseValue]:
    """The case with what the logs say of each axis: one that contradicts it counts before all that confirm it."""
    differing = {one.fact: one for one in cell.certain_disagreements}
    found = {}
    for axis, value in ((str(axis), value) for axis, value in case.items()):
        if one := differing.get(axis):
            found[axis] = CaseValue(value, "contradicted", one.said, one.source.message)
            continue
        facts = [proof.reading.facts.get(axis) for proof in cell.proofs]
        told = [fact for fact in facts if fact is not None and _is_confirmed(axis, value, fact.value)]
        if told and len(told) == len(facts):
            found[axis] = CaseValue(value, "confirmed", source=told[0].source.message)
        else:
            found[axis] = CaseValue(value)
    return found


def _is_confirmed(axis: str, label: object, said: object) -> bool:
    """Whether a log says the same of an axis; names of devices are spelt freely, so that one holds the other."""
    own, other = str(label).casefold(), str(said).casefold()
    if axis == "device":
        return own in other and not are_other_cards(str(label), str(said))
    return own == other and (axis in COMPARED or bool(own))


# ---- tables


def _table(page: Page, table: Table, cells: Sequence[Cell], unlike: Sequence[UnlikeNumbers]) -> model.Table:
    width = len(table.columns)
    own = [cell for cell in cells if cell.table == table.name]
    rows = [own[start : start + width] for start in range(0, len(own), width)]
    return model.Table(
        name=table.name,
        title=table.title,
        corner=table.corner or "Row",
        columns=[_column(page, table, at, [row[at] for row in rows]) for at in range(width)],
        rows=[_row(page, table, row, found) for row, found in zip(table.rows, rows, strict=True)],
        facts=list(table.facts),
        notes=notes(rows, [one for one in unlike if one.table == table.name]),
        blocks=_blocks(table.notes),
        charts=list(table.charts),
    )


def _column(page: Page, table: Table, at: int, down: Sequence[Cell]) -> Column:
    stated, of_page = table.columns[at], page.columns[table.columns[at].column]
    shown, title = down[0].shown, column_title(page, table.columns[at])
    named = [word for word in FAMILIES if word in of_page.title.lower()]
    is_of_page = shown.quantity.is_throughput and shown.rate == page.unit
    return Column(
        key=stated.column,
        title=title,
        short=of_page.short if not stated.title else "",
        quantity=shown.quantity.name,
        unit=shown.unit,
        version=_version(down) if VERSION not in table.facts and shown.quantity.is_throughput else "",
        family=named[0] if len(named) == 1 else "",
        is_plain=is_of_page or shown.quantity.is_over_another,
        is_titled=stated.title is not None,
        is_against_another=bool(stated.against and stated.against.column),
    )


def _version(down: Sequence[Cell]) -> str:
    """The version of the framework, with its name where that is known, if all runs of a column have the same."""
    found = {(library_of(cell), of_cell(cell).get(VERSION, "")) for cell in down if cell.proofs}
    library, version = found.pop() if len(found) == 1 else ("", "")
    return f"{library} {version}".strip() if version else ""


def _row(page: Page, table: Table, row: TableRow, cells: Sequence[Cell]) -> Row:
    group = written(page, table, row, row.group) if row.group else ""
    places = [CellPlace(table, row, column, page.columns[column.column].aliases) for column in table.columns]
    taken = [
        [] if column.against and column.against.column else page.taken(place)
        for column, place in zip(table.columns, places, strict=True)
    ]
    facts = [_facts(page, cells, str(name)) for name in table.facts]
    return Row(
        written(page, table, row, row.title), [cell.slug for cell in cells], group, taken if any(taken) else [], facts
    )


def _facts(page: Page, cells: Sequence[Cell], name: str) -> list[tuple[str, list[int]]]:
    """What the runs of a row were measured with; where they differ, which columns have it so."""
    shown = [(at, cell) for at, cell in enumerate(cells) if cell.digits]
    own = [one for one in shown if not one[1].parts] or shown
    told: dict[str, list[int]] = {}
    for at, cell in own:
        told.setdefault(_fact(page, cell, name), []).append(at)
    return [(said, places if len(told) > 1 else []) for said, places in told.items()]


def _fact(page: Page, cell: Cell, name: str) -> str:
    if cell.quoted:
        return page.sources[cell.quoted.source].date if name == "date" else ""
    told = {str(key): said for key, said in of_cell(cell).items()}
    library = library_of(cell) if name == VERSION and VERSION in told else ""
    return f"{library} {told.get(name, '')}".strip()


def _blocks(stated: Iterable[PageBlock]) -> list[model.Block]:
    return [_block(block) for block in stated]


def _block(block: PageBlock) -> model.Block:
    if isinstance(block, Code):
        return model.Block(code=block.code, language=block.language)
    if isinstance(block, Prose):
        return model.Block(texts=dict(block.root))
    if isinstance(block, Grid):
        return model.Block(grid=[list(row) for row in (block.columns, *block.rows)])
    return model.Block(text=block)


# ---- logs


def _logs(page: Page, cells: Sequence[Cell], runs: Mapping[str, Run], logs: Path) -> dict[str, Log]:
    """The files behind the results, each once, with the lines that panels and ``why`` show."""
    wanted: dict[str, set[int]] = {}
    for run in runs.values():
        used = run.records.used
        wanted.setdefault(run.log, set()).update((*used[:ENDS], *used[-ENDS:]))
    found: dict[str, Log] = {}
    for proof in (proof for cell in cells for proof in cell.proofs):
        for exhibit in proof.exhibits:
            if exhibit.path not in found:
                facts = proof.reading.facts if exhibit.path == proof.log else {}
                found[exhibit.path] = Log(
                    exhibit.sha256,
                    exhibit.format,
                    exhibit.total,
                    _url(page, exhibit.path),
                    {name: (fact.value, fact.source.message) for name, fact in facts.items()},
                    excerpt(logs / exhibit.path, wanted.get(exhibit.path, set())),
                )
    return dict(sorted(found.items()))


def log_of(reading: Reading, run: Run) -> Log:
    """The log of a run that is of no page, as a report has it."""
    used = run.records.used
    name = reading.format.name if reading.format else None
    facts = {name: (fact.value, fact.source.message) for name, fact in reading.facts.items()}
    shown = excerpt(reading.path, {*used[:ENDS], *used[-ENDS:]})
    return Log(reading.sha256, name, reading.account.total, None, facts, shown)  # type: ignore[arg-type]


def _url(page: Page, path: str) -> str | None:
    """Where a log was published, if others did that."""
    if page.source and page.source.has(path):
        return page.source.url.format(commit=page.source.commit, path=path_address(path).removeprefix("./"))
    return None


def excerpt(path: Path, lines: set[int]) -> dict[int, str]:
    """Some lines of a log, made printable, cut where they are long; raises LogError."""
    if not lines:
        return {}
    numbered = enumerate(islice(_lines(path), max(lines)), start=1)
    return {number: _shown(line) for number, line in numbered if number in lines}


def _shown(line: bytes) -> str:
    text = clean(line).decode("utf-8", "replace").strip()
    return printable(text[:LONGEST]) + (" …" if len(text) > LONGEST else "")


def _lines(path: Path) -> Iterator[bytes]:
    for block in Lines(path).blocks():
        yield from block.removesuffix(b"\n").split(b"\n")

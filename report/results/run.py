"""Runs: what one execution gives for a number, with all its records, as a report has it; and the report of one log."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress, islice
from math import isclose, isfinite, prod
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from parsers.io.printable import printable
from parsers.runs.facts import Fact, is_count
from parsers.runs.provenance import RECORDS as RECORDS_SAY
from parsers.runs.reading import Reading
from parsers.scanning.source import clean
from parsers.scanning.text import LogText
from parsers.series import Series

from ..measure.measurement import Measurement, Use
from ..measure.number import DIGITS, printed
from ..measure.quantity import THROUGHPUT
from ..measure.run_figures import RunFigure
from . import model
from .environment import circumstances
from .made import MadeRun
from .measured_log import MeasuredLog
from .model import LETTERS, CheckedBy, Column, Factor, Log, Records, Report, Result, Row, Run

T = TypeVar("T")
Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
ENDS = 3  # lines used that are shown of each end of a log: what a run prints at first and at last
LONGEST = 300  # characters of a line that are shown
OF_LOG = "log/1/throughput"  # the address of the result of a log that is of no page


def run_of(made: MadeRun, unit: str) -> Run:
    """What a log gives, or the telemetry beside it, in ``unit``."""
    (main, _), *others = made.files
    also = [one for one, _ in others]
    found = made.measured
    if (observed := made.observation) is not None:
        lines = list(observed.lines)
        return Run(
            main.path,
            observed.value,
            unit,
            "job",
            "unchecked",
            found.protocol.words(),
            observed.value,
            unit,
            records=Records(lines, LETTERS[Use.USED] * len(lines)),
            also=also,
        )
    calculation = found.calculation
    other_side = found.by.series if found.status == "contradicted" and found.by else None
    return Run(
        log=main.path,
        value=made.value,
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
        factor=calculation.factor if calculation else found.per_series if len(found.series) else 1.0,
        are_times=calculation.are_times if calculation else False,
        counted=found.series.unit if calculation is None else found.estimate.unit,
        factors=_factors_of(found, made.facts),
        operations=list(made.figure.operations),
        checks=[
            CheckedBy(
                check.estimate.name,
                check.estimate.value,
                f"{check.estimate.unit}/s",
                check.ratio,
                check.says,
                check.estimate.lines,
                check.series.unit if check.series is not None else check.estimate.unit,
            )
            for check in found.checks
            if isfinite(check.ratio)
        ],
        other_side=_intervals(other_side) if other_side is not None else None,
        ranks=replace(found.ranks, lines=None) if found.ranks else None,
        also=also,
        read=made.stated.read,
    )


def report_of_log(log: str, measured: MeasuredLog) -> Report:
    """The report of a log of no page, with one result: its throughput, in four significant digits by the rule.

    Of a log that contradicts itself the result is missing, and its run has both sides. Raises ``NoMeasurement`` where
    there is no number.
    """
    found = measured.measurement or measured.throughput()
    made, protocol = MadeRun(log, measured.reading, RunFigure(found)), found.protocol
    run = run_of(made, found.unit)
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
        details=list(dict.fromkeys([*measured.diagnostics, *measured.remarks])),
        reason=reason,
        circumstances=circumstances([made]),
    )
    table = model.Table("log", log, "", [Column("throughput", log)], [Row("", [OF_LOG])])
    page = model.Page("log", log, "", [run.unit], [table])
    own, *ranks = ((one.path, file) for one, file in made.files)
    logs = dict(ranks) | {log: with_lines(own[1], made.reading, made.reading.path, shown_lines(run))}
    return Report(2, page, [result], {"r1": run}, logs)


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


def _factors_of(found: Measurement, facts: Mapping[str, Fact]) -> list[Factor]:
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


def _records(found: Measurement) -> Records:
    """All records of its kind: of a statistic its terms, else the work and the seconds of the interval at each."""
    lines, is_used = found.use.lines.tolist(), (found.use.reasons == Use.USED).tolist()
    every, series, terms = found.every if found.every is not None else found.series, found.series, found.calculation
    columns: dict[str, tuple[Array, Array]] = {}
    if terms is not None:
        columns["values"] = terms.values, every.each if terms.are_times else 1 / every.each
    elif len(series):
        columns = {name: (getattr(series, name), getattr(every, name)) for name in ("begins", "work", "seconds")}
        if series.values is not None:
            columns["values"] = series.values, np.zeros(0) if every.values is None else every.values
    told = {}
    for name, (own, others) in columns.items():
        by_line = dict(zip(every.lines.tolist(), others.tolist(), strict=False))
        each = _at_records(lines, is_used, (series.lines.tolist(), own.tolist()), by_line)
        told[name] = [one if one is not None and isfinite(one) else None for one in each]
    use = "".join(LETTERS[reason] for reason in found.use.reasons.tolist())
    return Records(lines, use, **{name: each for name, each in told.items() if any(one is not None for one in each)})


def _at_records(
    lines: Sequence[int], is_used: Sequence[bool], own: tuple[Sequence[int], Sequence[T]], others: Mapping[int, T]
) -> list[T | None]:
    """What stands at each record: at those used ``own``, which are of some lines, at others what is of their line.

    Own ones are taken in their order where there is one for each record used, for a line may hold several.
    """
    by_line = map(dict(zip(*own, strict=False)).get, compress(lines, is_used))
    used = iter(own[1]) if len(own[1]) == sum(is_used) else by_line
    return [next(used) if one else others.get(line) for line, one in zip(lines, is_used, strict=True)]


def _intervals(series: Series) -> Records:
    lines = series.lines.tolist()
    values = [] if series.values is None else series.values.tolist()
    rows = (series.begins.tolist(), series.work.tolist(), series.seconds.tolist())
    return Records(lines, LETTERS[Use.USED] * len(lines), values, *rows)


# ---- files


def shown_lines(run: Run) -> set[int]:
    """The lines of the log of a run that panels and ``why`` show."""
    return {*run.records.used[:ENDS], *run.records.used[-ENDS:]}


def with_lines(log: Log, reading: Reading | None, path: Path, lines: set[int]) -> Log:
    """A file behind a number with some of its lines, and what it states, if it is that of a ``reading``.

    Raises LogError.
    """
    facts = {name: (fact.value, fact.source.message) for name, fact in (reading.facts if reading else {}).items()}
    return replace(log, facts=facts, excerpt=_excerpt(path, lines))  # type: ignore[arg-type]


def _excerpt(path: Path, lines: set[int]) -> dict[int, str]:
    """Some lines of a log, made printable, cut where they are long; raises LogError."""
    if not lines:
        return {}
    numbered = enumerate(islice(_lines(path), max(lines)), start=1)
    return {number: _shown(line) for number, line in numbered if number in lines}


def _shown(line: bytes) -> str:
    text = clean(line).decode("utf-8", "replace").strip()
    return printable(text[:LONGEST]) + (" …" if len(text) > LONGEST else "")


def _lines(path: Path) -> Iterator[bytes]:
    for block in LogText(path).data():
        yield from block.removesuffix(b"\n").split(b"\n")

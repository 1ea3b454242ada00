"""Derivations: how the number of a cell comes out of the values that its logs print, step by step."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..evidence.cell import Cell, Proof, Quotient
from ..measure.measurement import Measurement

USED = "Records used: {used} of {available}."
STATISTIC = "Values: {count}; {statistic}: {value}"
ALL_CARDS = "Values: {count}; {statistic}: {value} {unit}"
OF_RANKS = "Each value is the mean of {count} ranks."
SUM_OF_RANKS = "The sum of {count} ranks: {result} {unit}"
SCALED = "{value} × {factor} = {result} {unit}"
TIMED = "{factor} {counted} in {value} s = {result} {unit}"
OBSERVED = "Computed from the marked lines: {result} {unit}"
REPEATS = "{repeats}, of {values}: {result}"
RUNS = "From runs {values}: {result}"
QUOTIENT = "{of} ÷ {against} = {result}"
WHOLE = "{of} ÷ {against} ÷ {ideal} × {whole} = {result}"
SIGNS = ("%", "×")
PRINTED = "Rounded: {printed}"


class Step(NamedTuple):
    """One step: a message that the catalogues translate, and its values; ``statistic`` and ``repeats`` are keys."""

    message: str
    values: Mapping[str, object]


@dataclass(frozen=True)
class DerivationSteps:
    """How one run gives its number: what is read in each physical line that is used, and the steps."""

    by_line: dict[int, str]
    steps: list[Step]


def derivations(cells: Iterable[Cell]) -> Mapping[int, DerivationSteps]:
    """How the logs of cells give their throughputs, by the identity of the proof."""
    return {id(proof): of_run(proof) for cell in cells for proof in cell.proofs}


def of_run(proof: Proof) -> DerivationSteps:
    """How a log gives its throughput; the values are those of its lines, in the unit and the scope of the log."""
    figure = proof.figure
    measured = figure.measured if figure else proof.measurement
    done = [Step(said.key, said.values) for said in figure.steps()] if figure else []
    if measured.calculation is None and not len(measured.series):
        return DerivationSteps({}, [Step(OBSERVED, _result(measured)), *done])
    counts = Step(USED, {"used": measured.records_used, "available": measured.available})
    return DerivationSteps(_values(measured), [counts, *_reduced(measured), *done])


def _values(measured: Measurement) -> dict[int, str]:
    """What is read in each line; of a clock nothing, as its numbers stand between lines."""
    if (found := measured.calculation) is not None:
        return {line: _digits(value) for line, value in zip(measured.lines, found.values.tolist(), strict=True)}
    if (values := measured.series.values) is None:
        return {}
    return {line: _digits(value) for line, value in zip(measured.series.lines.tolist(), values.tolist(), strict=True)}


def _reduced(measured: Measurement) -> Iterator[Step]:
    found, series = measured.calculation, measured.series
    if found is None:
        sums = {"factor": _digits(float(series.work.sum())), "value": _digits(float(series.seconds.sum()))}
        unit = {"counted": series.unit, "unit": f"{series.unit}/s", "result": _digits(series.rate)}
        yield Step(TIMED, sums | unit)
        if measured.ranks and measured.ranks.is_summed:
            yield Step(SUM_OF_RANKS, {"count": len(measured.ranks.numbers), **_result(measured)})
        elif measured.per_series != 1:
            factor = {"value": _digits(series.rate), "factor": _digits(measured.per_series)}
            yield Step(SCALED, factor | _result(measured))
        return
    value = {"value": _digits(found.of_values)}
    reduced = {"count": len(found.values), "statistic": f"statistic_{found.statistic}", **value}
    if found.factor == 1 and not found.are_times:
        yield Step(ALL_CARDS, {**reduced, "unit": measured.unit})
        return
    if measured.ranks and measured.ranks.is_summed:
        yield Step(OF_RANKS, {"count": len(measured.ranks.numbers)})
    yield Step(STATISTIC, reduced)
    scaled = {**value, "factor": _digits(found.factor), "counted": measured.estimate.unit, **_result(measured)}
    yield Step(TIMED if found.are_times else SCALED, scaled)


def _result(measured: Measurement) -> dict[str, object]:
    return {"result": _digits(measured.value), "unit": measured.unit}


def of_telemetry(cell: Cell, value: float) -> Step:
    """What the telemetry of one run shows."""
    return Step(OBSERVED, {"result": _digits(value), "unit": cell.shown.unit})


def of_quotient(quotient: Quotient) -> Step:
    """How a number is computed from two others."""
    values = {"of": quotient.of.digits, "against": quotient.against.digits, "result": _digits(quotient.value)}
    if quotient.whole != 1:
        return Step(WHOLE, {**values, "ideal": _digits(quotient.ideal), "whole": quotient.whole})
    return Step(QUOTIENT, values)


def of_cell(cell: Cell) -> Iterator[Step]:
    """How the values of all runs become the number, and how that is printed."""
    if cell.quotient and cell.digits:
        yield of_quotient(cell.quotient)
        yield Step(PRINTED, {"printed": with_unit(str(cell.printed), cell)})
    if cell.protocol is None or cell.number is None:
        return
    if len(cell.proofs) > 1:
        values = ", ".join(_digits(proof.value) for proof in cell.proofs)
        of_runs = {"values": values, "result": _digits(cell.number)}
        if cell.shown.quantity.of_runs:
            yield Step(RUNS, of_runs)
        else:
            yield Step(REPEATS, {**of_runs, "repeats": f"repeats_{cell.shown.quantity.repeats(cell.protocol)}"})
    yield Step(PRINTED, {"printed": with_unit(str(cell.printed), cell)})


def with_unit(digits: str, cell: Cell, mark: str = "") -> str:
    """Digits of a cell with its unit and a mark; a sign of percent or times stands at the digits."""
    unit = cell.shown.unit
    return f"{digits}{unit}{mark}" if unit in SIGNS else f"{digits}{mark} {unit}"


def _digits(value: float) -> str:
    return f"{value:.10g}"

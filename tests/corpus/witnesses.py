"""Witnesses: every other number for the throughput of a log, from its records, its own summary and its raw text."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from parsers.grammar.format import METRICS
from report.evidence.log_summary import Summary
from report.measure.protocol import Protocol
from report.measuring.crosscheck import SAME, by, protocols
from report.measuring.measurement import Measurement, NoMeasurement, measure
from report.measuring.record_columns import Columns
from report.measuring.scaling import amount_of_step
from report.measuring.windows.record_use import RecordUse
from tests.corpus.second_computations import named_batch, step_rates, tokens_of_a_step

TOLERANCE = 0.05

COLOUR = re.compile(r"\x1b\[[\d;]*m")
KIND = r"(?P<kind{n}>samples?|images?|img|sequences?|seq|tokens?|tok|words?|frames?)"
NUMBER = r"(?P<number{n}>\d[\d,]*(?:\.\d+)?(?:e\+?\d+)?)"
STATED = re.compile(
    "|".join(
        pattern.replace("{n}", str(n))
        for n, pattern in enumerate(
            (
                rf"{NUMBER}\s*{KIND}\s*(?:/|per\s|_per_)\s*s(?:ec|econd)?\b(?!/)",
                rf"{KIND}(?:/|_per_| per )s(?:ec|econd)?\b(?!/)[^\d\n]{{1,12}}{NUMBER}(?![\w.])",
            )
        )
    ),
    re.IGNORECASE,
)
SUMS_UP = re.compile(
    r"total|final|overall|average|avg|mean|summary|performance|throughput|samples_per_second", re.IGNORECASE
)
OTHER_WORK = re.compile(r"eval|valid|\bval|test|infer|predict|data|load", re.IGNORECASE)
BESIDE = "steps printed beside it"
IS_COUNTED = {"img": "samples", "seq": "samples", "tok": "tokens"}


@dataclass(frozen=True)
class Witness:
    """Another number for the same throughput, and how many times the first one it is."""

    name: str
    value: float
    ratio: float


def witnesses(found: Summary, text: str) -> Iterator[Witness]:
    """Every other number for the throughput of a log that it allows or states, in the same unit and scope."""
    number = found.measurement
    if number is None or number.value <= 0:
        return
    for check in (*found.checks, *found.own):
        yield Witness(check.measurement.protocol.words(), check.measurement.value, check.ratio)
    for other in _of_other_records(found, number):
        yield Witness(other.protocol.words(), other.value, other.value / number.value)
    if number.scope == "job" and (value := stated(_of_run(found, text), _counted(number.unit))):
        yield Witness("stated in the text", value, value / number.value)
    if number.protocol.counts != "epochs":
        yield from _of_steps(found, number, text)


def _of_run(found: Summary, text: str) -> str:
    """The text of the run that was measured: from its first record to the one before the first of the next run."""
    first = {run.number: run.lines[0] - 1 for run in found.runs}
    number = found.measurement.protocol.run if found.measurement else None
    if not isinstance(number, int) or number not in first:
        return text
    return "\n".join(text.split("\n")[first[number] : first.get(number + 1)])


def _of_steps(found: Summary, number: Measurement, text: str) -> Iterator[Witness]:
    """What the lines used say of the steps a second, times what a step has: by the log's facts, or as the text names.

    A size that the text names counts where it agrees: which of several it is nobody knows.
    """
    lines = _lines_used(number)
    known = _amount_of_step(found, number)
    amount, beside = (known, ()) if known else (tokens_of_a_step(text, lines), _beside(found, number))
    for name, rate in (*step_rates(text, lines, is_clock=number.protocol.estimate == "clock"), *beside):
        if (each := amount or named_batch(text, number.value / rate)) is not None:
            yield Witness(name, each * rate, each * rate / number.value)


def _lines_used(number: Measurement) -> list[int]:
    """The lines of the records that made a number, also those between the two of a clock or before the last.

    A line on which a bar is drawn again and again holds many records.
    """
    of_stretch = (RecordUse.USED, RecordUse.BETWEEN, RecordUse.NOT_LAST)
    found: list[int] = np.unique(number.use.lines[np.isin(number.use.reasons, of_stretch)]).tolist()
    return found


def _amount_of_step(found: Summary, number: Measurement) -> float | None:
    """What a step has of what a number counts, by the facts of its log; None where they do not tell."""
    if number.unit == "steps/s":
        return 1.0
    records = Columns(found.part.table).of_kind(number.protocol.records)
    used = np.isin(records["line"], number.use.used)
    by_time = Protocol.of({"records": number.protocol.records, "estimate": "step_time"})
    try:
        amount, counted = amount_of_step(records, found.part.fields, found.reading.facts, used, by_time)
    except NoMeasurement:
        return None
    return float(amount) if number.scope == "job" and SAME.get(counted, counted) == _counted(number.unit) else None


def _beside(found: Summary, number: Measurement) -> Iterator[tuple[str, float]]:
    """The steps a second that the records print beside the throughput that was read."""
    if number.protocol.estimate == "reported":
        try:
            in_steps = by("steps", number.protocol)
            beside = measure(found.part.table, found.part.fields, found.reading.facts, in_steps)
        except NoMeasurement:
            return
        yield BESIDE, beside.value


def _of_other_records(found: Summary, number: Measurement) -> Iterator[Measurement]:
    part = found.part
    present = [kind for kind in METRICS if part.table.are(kind).any() and kind != number.protocol.records]
    run = {} if number.protocol.run is None else {"run": str(number.protocol.run)}
    for protocol in protocols(present, run):
        try:
            other = measure(part.table, part.fields, found.reading.facts, protocol)
        except NoMeasurement:
            continue
        if (_counted(other.unit), other.scope) == (_counted(number.unit), number.scope):
            yield other


def _counted(unit: str) -> str:
    what = unit.removesuffix("/s")
    return SAME.get(what, what)


def stated(text: str, counted: str) -> float | None:
    """The last speed of training that a text sums itself up with, in what is counted ("samples", "tokens").

    A line sums up that has a word of sums and a number with a unit, and of whose shape there are at most two.
    """
    lines = [line for line in lines_of(text) if SUMS_UP.search(line) and not OTHER_WORK.search(line)]
    shapes = Counter(shape_of(line) for line in lines)
    found = [_number(line, counted) for line in lines if shapes[shape_of(line)] <= 2]
    return next((number for number in reversed(found) if number), None)


def shape_of(line: str) -> str:
    """What lines share that are equal but for numbers and signs."""
    return re.sub(r"[\W\d_]+", " ", line)


def _number(line: str, counted: str) -> float | None:
    """The only speed of this kind that a line states; None where it states several or none."""
    found = set()
    for match in STATED.finditer(line):
        kind = (match["kind0"] or match["kind1"]).lower()
        kind = IS_COUNTED.get(kind, kind if kind.endswith("s") else f"{kind}s")
        if SAME.get(kind, kind) == counted:
            found.add(float((match["number0"] or match["number1"]).replace(",", "")))
    return found.pop() if len(found) == 1 else None


def contradicts(witness: Witness) -> bool:
    """Whether a witness is more than 5 % off."""
    return abs(witness.ratio - 1) > TOLERANCE


def are_near(one: Witness, other: Witness) -> bool:
    """Whether to tell of one witness is to tell of the other: they are near each other, or as far off."""
    if min(one.ratio, other.ratio) <= 0:
        return False
    off, apart = math.log(other.ratio), math.log(one.ratio / other.ratio)
    return abs(one.value - other.value) <= TOLERANCE * other.value or abs(apart) <= TOLERANCE * abs(off)


def is_told(witness: Witness, warnings: Iterable[str]) -> bool:
    """Whether a warning prints the witness's number, to half a percent."""
    numbers = (
        float(digits)
        for said in warnings
        for digits in re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", said.replace(",", ""))
    )
    return any(abs(number - witness.value) <= 0.005 * witness.value for number in numbers)


def lines_of(text: str) -> list[str]:
    """The lines of a text as they are seen last, without colours."""
    return re.split(r"[\r\n]+", COLOUR.sub("", text))

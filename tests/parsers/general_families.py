"""What the general reader gives for the golden logs of a family, held against what the family's own grammar reads."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np

from parsers.general.drafting import Draft, NoDraft
from parsers.runs.facts import Fact
from parsers.runs.reading import Reading, read

# What a log is read by that prints no speed.
CLOCKS = ("elapsed",)
# The columns that say how fast, each with those that say the same in another way.
SPEEDS = ("throughput", "mean_throughput", "step_time", "mean_step_time", "step_rate", "duration")
SAME_AS = {
    "throughput": ("throughput", "mean_throughput"),
    "step_time": ("step_time", "mean_step_time", "duration"),
    "step_rate": ("step_rate",),
    "duration": ("duration",),
}
_SECONDS = {"milliseconds": 1e-3}
SAME, PART, OTHER, WRONG, REFUSED = "same", "part", "other", "wrong", "refused"
TOLERANCE = 1e-3

Values = Mapping[tuple[int, int], float]


def speeds(reading: Reading, columns: Sequence[str] = SPEEDS) -> dict[tuple[str, str], Values]:
    """The numbers of each column of speed, in seconds where it is a time, by line and place among the records of it."""
    found: dict[tuple[str, str], Values] = {}
    for (record, name), field in reading.fields.items():
        rows = reading.records[reading.records["record"] == record]
        if name not in columns or name not in rows:
            continue
        values = rows[name].to_numpy(dtype=np.float64, na_value=np.nan) * _SECONDS.get(field.unit or "", 1.0)
        lines = rows["line"].to_numpy()
        seen: dict[int, int] = {}
        column = {}
        for line, value in zip(lines.tolist(), values.tolist(), strict=True):
            seen[line] = seen.get(line, -1) + 1
            if np.isfinite(value) and value > 0:
                column[line, seen[line]] = value
        if column:
            found[record, name] = column
    return found


def verdict(log: Path, found: Draft | NoDraft) -> tuple[str, str]:
    """Whether a draft gives the same as the grammar of a log, a part of it, nothing, or another number; and why."""
    if isinstance(found, NoDraft):
        return REFUSED, "; ".join(map(str, found.reasons))
    said, grammar = speeds(found.reading), read(log)
    if not (said or speeds(grammar)):
        return _of_clocks(found.reading, grammar)
    # A record of several lines has the number of its first.
    spans = any(variant.spans for variant in grammar.format.variants) if grammar.format else False
    units = {key[1]: field.unit for key, field in found.reading.fields.items()}
    means = {key for key, field in grammar.fields.items() if field.kind == "running_mean"}
    verdicts = {
        key: _of_column(key[1], values, _of_unit(units[key[1]], key[1], grammar), means, spans=spans)
        for key, values in said.items()
    }
    told = ", ".join(f"{key[1]} {v}" for key, v in verdicts.items())
    for which in (WRONG, SAME, PART, OTHER):
        if which in verdicts.values():
            return which, told
    return REFUSED, told


def _of_clocks(drafted: Reading, grammar: Reading) -> tuple[str, str]:
    """The verdict on two readings that know the speed by the same clock, with the steps that it stands beside."""
    said, own = (
        {key: (values, _steps(reading)) for key, values in speeds(reading, CLOCKS).items()}
        for reading in (drafted, grammar)
    )
    return (SAME, "elapsed same") if said and said == own else (REFUSED, "")


def _steps(reading: Reading) -> list[float]:
    return reading.records["step"].tolist() if "step" in reading.records else []


def _of_unit(unit: str | None, name: str, reading: Reading) -> dict[tuple[str, str], Values]:
    """The numbers of a reading, of a throughput only those that count the same, where that is known."""
    own = speeds(reading)
    if name != "throughput" or unit == "unknown":
        return own
    return {key: values for key, values in own.items() if reading.fields[key].unit in (unit, None)}


def _of_column(
    name: str, values: Values, own: Mapping[tuple[str, str], Values], means: Collection[tuple[str, str]], *, spans: bool
) -> str:
    # A quantity that the grammar does not read at all is another one; so is the rate of a record where it reads means.
    best = WRONG if any(key[1] in SAME_AS[name] for key in own if key not in means) else OTHER
    for (_, other), expected in own.items():
        if other not in SAME_AS[name]:
            continue
        if all(_is_among(value, None if spans else line, expected) for (line, _), value in values.items()):
            best = SAME if len(values) == len(expected) else best if best == SAME else PART
    return best


def _is_among(value: float, line: int | None, expected: Values) -> bool:
    """Whether a value is one of a line, of one beside it, as where each line is printed twice, or of any line."""
    near = [other for (at, _), other in expected.items() if line is None or abs(at - line) <= 1]
    return any(abs(value / other - 1) <= TOLERANCE for other in near)


def samples_of_step(facts: Mapping[str, Fact]) -> int | None:
    """How many samples all cards train in a step by what a log states; None where it does not say so."""
    known = {name: fact.value for name, fact in facts.items() if isinstance(fact.value, int)}
    if "job_batch_size" in known:
        return known["job_batch_size"]
    if not {"batch_size", "cards"} <= known.keys():
        return None
    return known["batch_size"] * known["cards"] * known.get("accumulation", 1)

"""Terms: what is made of the numbers that one record prints before the statistic is taken, in awk."""

from dataclasses import dataclass

import numpy as np

from ..estimate import Facts, Values
from ..scaling import scale
from ..window import Fields
from .sample import Sample

COUNTS = ("sample_count", "token_count")


@dataclass(frozen=True)
class Term:
    """An expression of awk for the value of a record: of the numbers ``{0}`` and ``{1}`` in these ``columns``."""

    columns: tuple[str, ...]
    awk: str


def term(sample: Sample, fields: Fields, facts: Facts, kind: str) -> Term | None:
    """Return what is made of the records of a kind; None where it is made of more than one record, or of the clock."""
    if sample.timed is not None or not _is_printed(sample):
        return None
    is_milliseconds = sample.field is not None and sample.field.unit == "milliseconds"
    seconds = "{0} / 1000" if is_milliseconds else "{0}"
    if sample.amounts is not None:
        return _rate(sample, sample.amounts, f"({seconds})" if is_milliseconds else seconds, fields, facts, kind)
    return Term((sample.column,), "1 / {0}" if sample.column == "step_rate" else seconds)


def _is_printed(sample: Sample) -> bool:
    """Whether the values are what the records print: a running mean that is undone is made of two of them."""
    if sample.column == "duration" or sample.field is None:
        return True
    printed = sample.records[sample.column].to_numpy(dtype=np.float64)
    if sample.column == "step_rate":
        printed = 1 / printed
    elif sample.field.unit == "milliseconds":
        printed = printed / 1000
    return bool(np.array_equal(printed, sample.values))


def _rate(sample: Sample, amounts: Values, seconds: str, fields: Fields, facts: Facts, kind: str) -> Term | None:
    """What a record did over the time that it took: the same in all records, or as each of them prints it."""
    if (amounts == amounts[0]).all():
        return Term((sample.column,), f"{float(amounts[0])!r} / {seconds}")
    name = next((name for name in COUNTS if name in sample.records and sample.records[name].notna().all()), None)
    if name is None:
        return None
    times, _, _ = scale(fields[(kind, name)], facts)
    return Term((sample.column, name), f"{{1}} * {times} / {seconds}" if times > 1 else f"{{1}} / {seconds}")

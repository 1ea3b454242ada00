"""Factors: what the number of a log is multiplied by to be the whole job's, each with its witness."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from parsers.facts import is_count

from ..estimate import Facts
from ..measurement import Measurement
from ..scaling import scale
from .sample import Sample

RECORDS = "the records"


@dataclass(frozen=True)
class Factor:
    """A count by its name ("cards"), and who says so ("line 12", "run.json", "page", an option)."""

    name: str
    value: float
    witness: str


def factors(sample: Sample, facts: Facts, measured: Measurement) -> tuple[Factor, ...]:
    """Return the counts that lead from what the records print to the throughput; none where they print just that."""
    if sample.step is not None:
        return tuple(_of_a_step(*sample.step, facts))
    if sample.column == "throughput" and sample.field is not None and sample.field.scope != measured.scope:
        return (_stated(f"{sample.field.scope}s", facts),)
    return ()


def factor(sample: Sample, facts: Facts) -> int:
    """Return what a printed throughput is multiplied by."""
    return 1 if sample.field is None else scale(sample.field, facts)[0]


def _stated(name: str, facts: Facts) -> Factor:
    return Factor(name, int(facts[name].value), facts[name].witness)


def _of_a_step(amount: float, counted: str, facts: Facts) -> Iterator[Factor]:
    for names in (("job_batch_tokens",), ("job_batch_size",), ("batch_size", "cards", "accumulation")):
        known = [name for name in names if name in facts and is_count(facts[name].value)]
        if known and prod(int(facts[name].value) for name in known) == amount:
            yield from (_stated(name, facts) for name in known)
            return
    yield Factor(f"{counted} of a step", amount, RECORDS)

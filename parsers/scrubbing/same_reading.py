"""Likeness: whether a copy of a log reads as the log does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..io.lazy import pd
from ..runs.facts import Value, name_facts
from ..runs.provenance import Provenance
from ..runs.reading import Reading, survey


@dataclass(frozen=True)
class TableShape:
    """A table of records without its values: their columns with types, and of each row its line and a hash."""

    columns: tuple[tuple[str, str], ...]
    lines: NDArray[np.int64]
    rows: NDArray[np.uint64]


@dataclass(frozen=True)
class Likeness:
    """What must be the same of a log and its copy; it is small, so that large logs are in memory one at a time."""

    format: str | None
    tables: tuple[TableShape, ...]
    facts: dict[str, tuple[Value, Provenance]]
    recognised: NDArray[np.bool_]
    account: tuple[int, int, int]


def likeness(log: Path, name: Path, changed: Callable[[bytes], bytes], *, format: str | Path | None = None) -> Likeness:
    """Read a log. The facts of its name are those of ``name``; ``changed`` is applied to the values of facts.

    Raises LogError, FormatError or GrammarError when it cannot be read.
    """
    reading = survey(log, format=format, facts=name_facts(name))
    account = reading.account
    return Likeness(
        reading.format.name if reading.format else None,
        tuple(map(_table, _records(reading))),
        {fact.name: (_value(fact.value, changed), fact.source) for fact in reading.facts.values()},
        account.recognised,
        (account.total, account.matched, account.ignored),
    )


def difference(log: Likeness, copy: Likeness) -> str | None:
    """Where a copy reads otherwise than its log, as the subject of a sentence; None where it reads the same."""
    if log.format != copy.format or len(log.tables) != len(copy.tables):
        return "its format"
    for one, other in zip(log.tables, copy.tables, strict=True):
        if line := _different_line(one, other):
            return f"line {line}"
        if one.columns != other.columns:
            return f"the column {next(iter(set(one.columns) ^ set(other.columns)))[0]}"
    for name in sorted(log.facts.keys() | copy.facts.keys()):
        if log.facts.get(name) != copy.facts.get(name):
            return f"the fact {name}"
    if log.account[0] == copy.account[0] and (unlike := np.flatnonzero(log.recognised != copy.recognised)).size:
        return f"line {unlike[0]}"
    return None if log.account == copy.account else "its number of lines"


def _records(reading: Reading) -> Iterator[pd.DataFrame]:
    """The tables of a log; what an event says is left out, for it may hold a name."""
    yield from (part.records for part in reading.parts)
    yield reading.events.drop(columns="text")


def _table(records: pd.DataFrame) -> TableShape:
    columns = tuple((str(name), str(dtype)) for name, dtype in records.dtypes.items())
    rows = pd.util.hash_pandas_object(records, index=False).to_numpy().astype(np.uint64)
    return TableShape(columns, records["line"].to_numpy(np.int64), rows)


def _different_line(one: TableShape, other: TableShape) -> int | None:
    """The line of the first row that differs; None where all are the same."""
    both = min(len(one.rows), len(other.rows))
    unlike = np.flatnonzero((one.rows[:both] != other.rows[:both]) | (one.lines[:both] != other.lines[:both]))
    if unlike.size:
        return int(one.lines[unlike[0]])
    longer = max(one.lines, other.lines, key=len)
    return int(longer[both]) if len(longer) > both else None


def _value(value: Value, changed: Callable[[bytes], bytes]) -> Value:
    if not isinstance(value, str):
        return value
    return changed(value.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")

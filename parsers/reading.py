"""Reading a log: records, facts and the line account, with the proof of where each came from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .account import Account, account
from .clock import ARRIVAL, arrivals, clock
from .detect import detect, formats
from .errors import FormatError, LogError
from .facts import Fact, Facts, line_facts, name_facts
from .field import Field
from .format import METRICS, Format, load
from .lines import Lines
from .runfile import run_facts, run_problem
from .scan import Scanner
from .source import Source, is_text
from .table import table


@dataclass(frozen=True)
class Reading:
    """What a log holds.

    ``records``: DataFrame, one row a metric line in file order: ``line`` (int64, physical number from 1), ``record``
    (category: step, epoch or summary), ``rank`` where lines name one, and the fields of the format (float64, int64,
    datetime64[us]; NaN or NaT where a line lacks one). Where no line prints a ``time``, it is when the line arrived by
    the run's clock.csv, if there is one (UTC; its field is ``clock.ARRIVAL``). ``fields`` says for each (record,
    column) what it means.
    ``sha256`` and ``bytes`` are of the file as it lies on disk.
    """

    path: Path
    sha256: str
    bytes: int
    format: Format | None
    records: pd.DataFrame
    fields: dict[tuple[str, str], Field]
    facts: Facts
    account: Account
    warnings: tuple[str, ...] = field(default=())


def read(path: str | Path, *, format: str | Path | None = None, facts: Iterable[Fact] = ()) -> Reading:
    """Read one log, plain or compressed (gz, xz, zst).

    ``format``: name of a known format or path of a grammar; by default it is found by itself. ``facts``: what the
    caller knows, believed before all other witnesses. Raises LogError when the log cannot be read, FormatError when no
    format or more than one fits, GrammarError when a grammar has a mistake.
    """
    reading = survey(path, format=format, facts=facts)
    if reading.format is None:
        names = ", ".join(fmt.name for fmt in formats())
        raise FormatError(f"{path}: no known format fits any of its {reading.account.total} lines; known are {names}.")
    return reading


def survey(path: str | Path, *, format: str | Path | None = None, facts: Iterable[Fact] = ()) -> Reading:
    """As ``read``, but a text of no known format gives a reading without records: all its lines are unrecognised."""
    path = Path(path)
    fmt = known_format(format) if format else detect(path, formats())
    source, scanner = Source(path), Scanner(fmt.variants if fmt else ())
    lines = {id(variant): Lines(variant) for variant in (fmt.variants if fmt else ())}
    for block in _text_blocks(source):
        for found in scanner.feed(block):
            lines[id(found.variant)].add(found)
    metric, stated, noise = (_of(lines.values(), kinds) for kinds in (METRICS, ("fact",), ("noise",)))
    counted = account(scanner.total, [x.numbers() for x in (*metric, *stated)], [x.numbers() for x in noise])
    meanings = {(x.variant.record, f.name): f for x in metric for f in x.variant.fields}
    records = table(metric)
    if (arrived := _arrived(records, source)) is not None:
        records["time"] = arrived
        meanings |= {(x.variant.record, ARRIVAL.name): ARRIVAL for x in metric}
    told = _facts(facts, stated, path)
    warnings = tuple(_warnings(told, scanner.torn, source, metric))
    return Reading(path, source.sha256, source.bytes, fmt, records, meanings, told, counted, warnings)


def known_format(name: str | Path) -> Format:
    """A format by name, or a grammar file by its path; raises FormatError that lists the known names."""
    if str(name).endswith(".lark"):
        return load(Path(name))
    found = next((fmt for fmt in formats() if fmt.name == str(name)), None)
    if found is None:
        raise FormatError(f"There is no format {name!r}; known are {', '.join(fmt.name for fmt in formats())}.")
    return found


def _text_blocks(source: Source) -> Iterator[bytes]:
    for number, block in enumerate(source.blocks()):
        if number == 0 and not is_text(block[:65536]):
            raise LogError(f"{source.path}: is a binary file, not a text log.")
        yield block


def _of(found: Iterable[Lines], kinds: Sequence[str]) -> list[Lines]:
    return [lines for lines in found if lines.variant.record in kinds and len(lines)]


def _arrived(records: pd.DataFrame, source: Source) -> NDArray[np.datetime64] | None:
    """When the lines of records arrived; None where they print a time themselves, or the run has no clock."""
    if records.empty or ("time" in records and records["time"].notna().any()):
        return None
    found = clock(source.path, source.sha256)
    return None if found is None else arrivals(found, records["line"].to_numpy())


def _facts(given: Iterable[Fact], stated: Sequence[Lines], path: Path) -> Facts:
    facts = Facts([*given, *run_facts(path)])
    facts.tell_lines(line_facts(stated))
    facts.tell(name_facts(path))
    facts.derive()
    return facts


def _warnings(facts: Facts, torn: Sequence[int], source: Source, metric: Sequence[Lines]) -> Iterator[str]:
    if problem := run_problem(source.path, source.sha256):
        yield problem
    for first, other in facts.disputes:
        yield _both(first, other, "neither is used")
    for believed, other in facts.contradictions:
        yield _both(believed, other, "the first is used")
    if torn:
        yield f"Output runs together, first in line {min(torn)} ({len(torn)} in all); what is whole there is used."
    if source.cut:
        yield "The last line has no newline: it may be cut off, so a number that it ends with is not used."
    if metric and not np.any([len(lines) for lines in metric if lines.variant.record == "step"]):
        yield "The log has no step lines."


def _both(one: Fact, other: Fact, then: str) -> str:
    return f"{one.name} is {one.value} by {one.witness}, but {other.value} by {other.witness}; {then}."

"""Scrubbing: a copy of a log that names nobody, and still reads as the log does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..io.errors import ParserError, WriteError
from ..io.lazy import pd
from ..runs import runfile
from ..runs.facts import Value, name_facts
from ..runs.provenance import Provenance
from ..runs.reading import Reading, survey
from ..runs.run_folder import RUN_FILE, SIDE_FILES
from ..runs.sidefile import configurations
from .identities import Identity, identities
from .placeholders import Placeholders, ReplacementTally
from .rewriting import rewrite, text_blocks


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


CREDENTIAL = "credential"


class ScrubError(ParserError):
    """A log cannot be scrubbed so that it still reads as before."""


class Stream(Protocol):
    """Output without its credentials, line ends unchanged; after whole lines nothing is held back."""

    @property
    def count(self) -> int:
        """How many credentials were replaced so far."""

    def feed(self, chunk: bytes, /) -> bytes:
        """Take the next bytes and return what may be written now."""

    def finish(self) -> bytes:
        """Return the rest."""


class Secrets(NamedTuple):
    """How credentials are taken out of what is published."""

    stream: Callable[[], Stream]
    """For a log, from its begin."""
    document: Callable[[Any], Any]
    """A document of JSON without its credentials."""


def named(log: Path, secrets: Secrets) -> dict[Identity, None]:
    """The identities of a log, its run.json and its configurations, in their order.

    Those of several logs go into one dict. Raises LogError when the log cannot be read.
    """
    found: dict[Identity, None] = {}
    for path in (log, *filter(Path.exists, [log.with_name(RUN_FILE)]), *configurations(log)):
        stream = secrets.stream()
        for block in text_blocks(path):
            found |= dict.fromkeys(identities(stream.feed(block)))
        found |= dict.fromkeys(identities(stream.finish()))
    return found


def scrubbed(
    log: Path, copy: Path, placeholders: Placeholders, secrets: Secrets, *, format: str | Path | None = None
) -> dict[str, ReplacementTally]:
    """Write a copy of a log with placeholders for all identities and credentials, and say what was replaced.

    That is said by the name of the file, of all but run.json.

    What lies beside the log and is of its run (run.json, clock.csv, gpu.csv and the like, its configuration) is
    scrubbed and written beside the copy, whose folder must be there and be of no other run. run.json describes the
    copy; the SHA-256 of the log it described stands under ``source``. ``format``: as for ``read``. Raises ScrubError
    when the copy would not read as the log does: it is removed then. Raises LogError, FormatError or GrammarError when
    the log cannot be read.
    """
    tallies, written = {copy.name: ReplacementTally()}, [copy]
    before = likeness(log, log, placeholders.replaced, format=format)
    try:
        rewrite(log, copy, _Scrubber(placeholders, secrets, tallies[copy.name]).block)
        for path in (*filter(Path.exists, map(log.with_name, SIDE_FILES)), *configurations(log)):
            written.append(copy.with_name(path.name))
            tally = tallies.setdefault(path.name, ReplacementTally())
            rewrite(path, written[-1], _Scrubber(placeholders, secrets, tally).block)
        if run := _run(log, copy, placeholders, secrets):
            written.append(copy.with_name(RUN_FILE))
            written[-1].write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if unlike := difference(before, likeness(copy, log, bytes, format=format)):
            raise ScrubError(f"{log}: {unlike} would be read differently; keep the name concerned with --keep.")
    except BaseException as error:
        for path in written:
            path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise WriteError(copy, error.strerror or str(error)) from error
        raise
    return tallies


class _Scrubber:
    """What is made of the blocks of one file, in their order."""

    def __init__(self, placeholders: Placeholders, secrets: Secrets, tally: ReplacementTally) -> None:
        self._placeholders, self._tally = placeholders, tally
        self._stream = secrets.stream()
        self._lines = 0

    def block(self, block: bytes) -> bytes:
        """The next whole lines without identities and credentials; only the last block may end within a line."""
        public = self._placeholders.replaced(block, self._tally, self._lines)
        found = self._stream.count
        redacted = self._stream.feed(public) + (b"" if block.endswith(b"\n") else self._stream.finish())
        if more := self._stream.count - found:
            self._tally.note(CREDENTIAL, (), self._lines + _first_unlike(public, redacted), more)
        self._lines += block.count(b"\n")
        return redacted


def _first_unlike(one: bytes, other: bytes) -> int:
    """The number, from 1, of the first line in which two texts differ."""
    pairs = zip(one.split(b"\n"), other.split(b"\n"), strict=False)
    return next((number for number, (line, another) in enumerate(pairs, 1) if line != another), 1)


def _run(log: Path, copy: Path, placeholders: Placeholders, secrets: Secrets) -> dict[str, Any]:
    """The run.json for the folder of a copy; empty where the log has none, or where it is of another log there."""
    run = runfile.run_file(log)
    described = runfile.describes(run, log, sha256 := runfile.sha256_of(log)) if run else None
    if not run or (described is None and copy.with_name(RUN_FILE).exists()):
        return {}
    public = dict(secrets.document(json.loads(placeholders.replaced(json.dumps(run, ensure_ascii=False).encode()))))
    if described:
        source = public["source"] if isinstance(public.get("source"), dict) else {}
        public["source"] = {**source, "sha256": source.get("sha256", sha256)}
        public["log"] |= {"sha256": runfile.sha256_of(copy), "bytes": copy.stat().st_size}
    return public

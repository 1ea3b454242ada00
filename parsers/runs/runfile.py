"""The files beside a log: its run.json, and what the launcher writes besides.

``clock.csv`` says when each line arrived, for logs that print no time; ``gpu.csv`` and ``cpu.csv`` what the graphics
cards and the processes did, once a second. Each is of this very log only if a run.json says so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import Field
from ..io import files
from ..io.cache import pd
from ..io.errors import CANNOT_BE_READ, LogError, reason_of
from ..io.files import data_of, text_of
from ..io.message import Message
from .facts import SCALING, Fact, is_count, name_facts
from .provenance import FORMER_NAME, Provenance
from .run_folder import (
    CLOCK,
    CLOCK_COLUMNS,
    DONE,
    FAILED,
    LATER_COLUMNS,
    LOG,
    PROCESS_COLUMNS,
    RUN_FILE,
    SCHEMA,
    SIDE_FILES,
    TELEMETRY,
    TELEMETRY_COLUMNS,
)

RunFile = Mapping[str, Any]

FROM_RUN_FILE = Provenance("run_file", (RUN_FILE,))  # where a fact comes from that its case states
UNPACKED = "unpacked_sha256"  # of the text of a log that was found packed
NOT_DONE = "According to run.json, this run {said}."
ANOTHER_LOG = "The log does not match run.json: the SHA-256 differs."
NO_COUNT = "{name} is {said}; expected a whole number of at least 1."
NO_FILE_BESIDE = "the log of the run is {name}; expected the name of a file beside run.json."
UNKNOWN_SCHEMA = (
    "has schema {schema}, but this version of Tachograph reads schemas 1 to {newest}; upgrade Tachograph to read it."
)
TOO_DEEP = "holds folders that are nested more than {count} deep; pass the folder of the logs in it."
DEEPEST = 64  # folders above a log; nobody nests more, and Python cannot go down into a thousand
NOT_JSON = "is not valid JSON: {reason}."
NO_CASE = "is not the run.json of a run folder: it needs a 'case' with names and values."


def run_facts(run: RunFile, log: Path) -> Iterator[Fact]:
    """The facts of the case in the run.json beside a log, as ``run_file`` gives it; raises LogError for a mistake."""
    for name, said in run.get("case", {}).items():
        if name in SCALING and not is_count(said):
            raise LogError.at(log.parent / RUN_FILE, NO_COUNT, name=name, said=repr(said))
        if isinstance(said, int | float | str):
            yield Fact(str(name), said, FROM_RUN_FILE)


def run_problems(run: RunFile, log: Path, sha256: str) -> Iterator[Message]:
    """What the run.json beside a log says against it: the run is not done, or the log is not the one it describes.

    ``run``: as ``run_file`` gives it. ``sha256`` is that of the log.
    """
    status = status_of(run)
    if status != DONE:
        ended = Message(FAILED) if status == FAILED else Message("was {status}", status=status)
        if "exit_status" in run:
            ended = Message("{ended} (exit status {exit_status})", ended=ended, exit_status=run["exit_status"])
        yield Message(NOT_DONE, said=ended)
    if describes(run, log, sha256) is False:
        yield Message(ANOTHER_LOG)


def status_of(run: RunFile) -> str:
    """How a run ended by its run.json: done, failed, interrupted; a log without any run.json is that of a done run."""
    return str(run.get("status", DONE))


def describes(run: RunFile, log: Path, sha256: str) -> bool | None:
    """Whether a log is the one that a run.json gives the SHA-256 of; None where it gives none, or of another file."""
    described = run.get("log")
    if not isinstance(described, dict) or described.get("file", log.name) != log.name:
        return None
    said = described.get("sha256")
    return said == sha256 if said else None


def first_run(case: Path) -> Path | None:
    """The first run folder in the folder of a case; None where it holds none."""
    return next((found.parent for found in sorted(case.glob(f"[0-9]*/{RUN_FILE}"))), None)


def folders_below(top: Path) -> Iterator[tuple[Path, list[str] | None]]:
    """Each folder from ``top`` on with the names of its files, sorted; None of these for a run folder.

    Hidden names, links to folders, and what is in a run folder are passed over. Raises LogError for a folder that
    cannot be listed, or is nested deeper than any of logs.
    """

    def refuse(error: OSError) -> None:
        raise LogError.at(Path(error.filename), CANNOT_BE_READ, reason=reason_of(error)) from error

    for where, folders, names in os.walk(top, onerror=refuse):
        if len(Path(where).parts) - len(top.parts) > DEEPEST:
            raise LogError.at(top, TOO_DEEP, count=DEEPEST)
        is_run = RUN_FILE in names
        folders[:] = [] if is_run else sorted(name for name in folders if not name.startswith("."))
        yield Path(where), None if is_run else sorted(name for name in names if not name.startswith("."))


def log_of(path: Path) -> Path:
    """The log of a run folder, which its run.json names; any other path as it is.

    Raises LogError when the run.json is broken, or names no file as its log.
    """
    if not (path / RUN_FILE).exists():
        return path
    described = run_file(path / LOG).get("log")
    name = described.get("file", LOG) if isinstance(described, dict) else LOG
    if (file := Path(str(name)).name) in ("", "..") or "\0" in file:
        raise LogError.at(path / RUN_FILE, NO_FILE_BESIDE, name=repr(name))
    return path / file


def sha256_of(path: Path) -> str:
    """Hexadecimal digest of a file as it lies on disk; raises LogError when it cannot be read."""
    try:
        return files.sha256_of(path)
    except OSError as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error


def run_file(log: Path) -> dict[str, Any]:
    """What the ``run.json`` of a log's folder holds, nothing when there is none.

    Raises LogError when it is broken, or has a schema that this version does not know.
    """
    path = log.parent / RUN_FILE
    if not path.exists():
        return {}
    try:
        run = dict(_parsed(text_of(path)))
    except OSError as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    except (ValueError, RecursionError) as error:
        raise LogError.at(path, NOT_JSON, reason=error) from error
    if not isinstance(run.get("case"), dict):
        raise LogError.at(path, NO_CASE)
    if refusal := unknown_schema(run):
        raise LogError.at(path, refusal)
    return run


def unknown_schema(run: RunFile) -> Message | None:
    """Why this version cannot read a run.json, whose keys may mean something else; None where it can.

    One without a schema says what the oldest did.
    """
    schema = run.get("schema", 1)
    if is_count(schema) and schema <= SCHEMA:
        return None
    return Message(UNKNOWN_SCHEMA, schema=shortened(schema), newest=SCHEMA)


@lru_cache(1)
def _parsed(text: str) -> dict[str, Any]:
    """What a run.json says, nothing if it is no object; it is asked for several times while one log is read."""
    run = json.loads(text)
    json.dumps(run, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    return run if isinstance(run, dict) else {}


def files_of_run(log: Path) -> list[Path]:
    """A log, and the files of its run that may lie beside it."""
    return [log, *(log.with_name(name) for name in (RUN_FILE, *SIDE_FILES))]


def told_by_name(run: RunFile, log: Path) -> Iterator[Fact]:
    """The facts that the name of a log states; of an ingested log the name that it had in its source.

    ``run``: the run.json beside it, as ``run_file`` gives it.
    """
    source, described = run.get("source"), run.get("log")
    path = source.get("path") if isinstance(source, dict) else None
    if isinstance(path, str) and isinstance(described, dict) and described.get("file") == log.name:
        yield from (replace(fact, source=FORMER_NAME) for fact in name_facts(Path(path)))
    else:
        yield from name_facts(log)


# ---- what the launcher writes beside a log

# What the column `time` of records means when no line prints it.
ARRIVAL = Field("time", "ARRIVAL")
BAD_LINE = (
    "line {line} is {text}; expected a number for each of {columns}: of lines whole and ascending ones, of cards whole "
    "ones from 0."
)
# What no card and no process has less than none of, and how much of its memory (MiB) a card tells of.
COUNTED_COLUMNS = ("utilisation", "memory", "power", "sm_clock", "memory_clock", "process_memory", "processes", "load")
MEMORY_COLUMNS = ("memory", "process_memory")
LOG_SUFFIXES = (".log", ".out", ".err", ".txt", ".jsonl")
GREATEST = 1e12  # no time, size or clock that a side file states comes near it


def side_file(log: Path, sha256: str, name: str) -> Path | None:
    """The side file of a log's run; None where there is none, or where no run.json says that it is of this very log.

    ``sha256`` is that of the log. Raises LogError when run.json is broken.
    """
    path = log.with_name(name)
    return path if path.exists() and describes(run_file(log), log, sha256) else None


def side_table(
    path: Path, columns: Sequence[str], later: Sequence[str] = (), *, whole: str = "", ascends: bool = False
) -> pd.DataFrame:
    """The table of a side file: these columns, one row a physical line from the second on; NaN where a cell is empty.

    The first two columns are never empty. ``later``: the last columns, which a file of an older version lacks, and are
    NaN then. ``whole``: the column of whole numbers from 0 (int64), which ``ascends`` from 1 or does not; ``time``
    becomes datetime64[us] in UTC, exact to the millisecond, all others float64. Raises LogError that names the line
    where the file has other columns, another number of cells, or what is no such number.
    """
    try:
        text = data_of(path).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    lines = text.removesuffix("\n").split("\n")
    rows = [line.split(",") for line in lines]
    head = list(columns[: max(len(rows[0]), len(columns) - len(later))])

    def refuse(wrong: Iterable[int]) -> None:
        for row in wrong:
            told = {"text": shortened(lines[row]), "columns": ",".join(columns)}
            raise LogError.at(path, BAD_LINE, line=row + 1, **told)

    refuse(row for row, cells in enumerate(rows) if len(cells) != len(head) or (row == 0 and cells != head))
    cells = pd.DataFrame(rows[1:], columns=head, dtype=object)
    numbers = pd.DataFrame({name: pd.to_numeric(cells[name], errors="coerce").astype(np.float64) for name in cells})
    is_empty = (cells == "") & ~numbers.columns.isin(columns[:2])
    is_wrong = ~((numbers.abs() < GREATEST) | is_empty).all(axis=1).to_numpy()
    if whole:
        counts = numbers[whole].to_numpy()
        is_wrong |= (counts % 1 != 0) | (np.diff(counts, prepend=0) <= 0 if ascends else counts < 0)
    refuse(np.flatnonzero(is_wrong) + 1)
    times = pd.to_datetime((numbers["time"] * 1000).round().astype(np.int64), unit="ms").astype("datetime64[us]")
    table = numbers.reindex(columns=list(columns)).assign(time=times)
    return table.astype({whole: np.int64}) if whole else table


def clock(log: Path, sha256: str) -> pd.DataFrame | None:
    """The ``clock.csv`` beside a log: ``line`` (int64, from 1, ascending) and ``time`` (datetime64[us], UTC).

    A row says that the lines from ``line`` up to the next row's arrived at ``time``. ``sha256``, and None: as of
    ``side_file``. Raises LogError, which names the line, when it is broken.
    """
    path = side_file(log, sha256, CLOCK)
    return None if path is None else side_table(path, CLOCK_COLUMNS, whole="line", ascends=True)


def arrivals(clock: pd.DataFrame, lines: NDArray[np.int64]) -> NDArray[np.datetime64]:
    """When lines (physical numbers from 1) arrived (datetime64[us], UTC); NaT for lines before those of the clock."""
    rows = np.searchsorted(clock["line"].to_numpy(), lines, side="right") - 1
    known = np.append(clock["time"].to_numpy(), np.datetime64("NaT", "us"))
    found: NDArray[np.datetime64] = known[rows]  # -1 is the last one, which is not a time
    return found


@dataclass(frozen=True)
class Telemetry:
    """The ``gpu.csv`` of a run, or its ``cpu.csv``.

    ``samples``: DataFrame, one row a row of the file, in its order: ``line`` (int64, physical number from 1), ``time``
    (datetime64[us], UTC), and the columns of ``run_folder`` in their units: ``card`` int64, all others float64, NaN
    where the file does not tell. ``lines``: how many physical lines the file has, its head included.
    """

    path: Path
    sha256: str
    lines: int
    samples: pd.DataFrame


def telemetry(log: Path, sha256: str, name: str = TELEMETRY) -> Telemetry | None:
    """The ``gpu.csv`` beside a log, or its ``cpu.csv``; ``sha256``, None and LogError: as of ``clock``."""
    path = side_file(log, sha256, name)
    return None if path is None else telemetry_file(path)


def telemetry_file(path: Path) -> Telemetry:
    """What a ``gpu.csv`` or a ``cpu.csv`` says; raises LogError, which names the line, when it is broken."""
    if path.name == TELEMETRY:
        table = side_table(path, TELEMETRY_COLUMNS, LATER_COLUMNS, whole="card")
    else:  # files of older runs have the power of the processors behind what is read
        table = side_table(path, (*PROCESS_COLUMNS, "power"), ("power",))
    table.insert(0, "line", np.arange(2, len(table) + 2))
    return Telemetry(path, sha256_of(path), len(table) + 1, table)

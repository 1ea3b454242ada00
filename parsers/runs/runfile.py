"""The files beside a log: its run.json, what the launcher writes besides, and the configuration of its program.

``clock.csv`` says when each line arrived, for logs that print no time; ``gpu.csv`` and ``cpu.csv`` what the graphics
cards and the processes did, once a second. Each is of this very log only if a run.json says so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from os.path import lexists
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
from ..scanning.detection import common
from ..scanning.prefix import line_pattern
from .facts import SCALING, Fact, is_count, name_facts, of_one_model, value
from .provenance import FORMER_NAME, Provenance
from .run_folder import (
    CLOCK,
    CLOCK_COLUMNS,
    DONE,
    FAILED,
    LATER_COLUMNS,
    LOG,
    PROCESS_COLUMNS,
    PROCESSES,
    RUN_FILE,
    SCHEMA,
    SIDE_FILES,
    TELEMETRY,
    TELEMETRY_COLUMNS,
)

RunFile = Mapping[str, Any]

FROM_RUN_FILE = Provenance("run_file", (RUN_FILE,))  # where a fact comes from that its case states
# Where programs keep their configuration.
CONFIGURATIONS = (
    *("config.yaml", "config.yml", "config.json", "config.toml"),
    *("ds_config.json", "hparams.yaml", "args.json"),
)
UNPACKED = "unpacked_sha256"  # of the text of a log that was found packed
NOT_DONE = "According to run.json, this run {said}."
ANOTHER_LOG = "The log does not match run.json: the SHA-256 differs."
NO_COUNT = "{name} is {said}; expected a whole number of at least 1."
NO_FILE_BESIDE = "the log of the run is {name}; expected the name of a file beside run.json."
UNKNOWN_SCHEMA = (
    "has schema {schema}, but this version of Tachograph reads schemas 1 to {newest}; upgrade Tachograph to read it."
)
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
    cannot be listed.
    """

    def refuse(error: OSError) -> None:
        raise LogError.at(Path(error.filename), CANNOT_BE_READ, reason=reason_of(error)) from error

    for where, folders, names in os.walk(top, onerror=refuse):
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
    """A log, the files of its run that may lie beside it, and the configurations that do."""
    beside = [log.with_name(name) for name in (RUN_FILE, *SIDE_FILES)]
    return [log, *beside, *(log.with_name(name) for name in CONFIGURATIONS if lexists(log.parent / name))]


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
NOT_ASCENDING = "line {line}: line is {said}; line numbers must be whole numbers, start at 1 or later and ascend."
# What no card and no process has less than none of, and how much of its memory (MiB) a card tells of.
COUNTED_COLUMNS = ("utilisation", "memory", "power", "sm_clock", "memory_clock", "process_memory", "processes", "load")
MEMORY_COLUMNS = ("memory", "process_memory")
NO_CARD = "line {line}: card is {said}; expected a card number from 0."
NO_HEAD = "line 1 is not the expected header {columns}."
NO_NUMBER = "line {line}: {column} is {said}; expected a number."
OTHER_WIDTH = "line {line}: expected {width} columns, found {count}."
LARGEST = 1 << 20  # of a configuration
LOG_SUFFIXES = (".log", ".out", ".err", ".txt", ".jsonl")
GREATEST = 1e12  # no time, size or clock that a side file states comes near it


def side_file(log: Path, sha256: str, name: str) -> Path | None:
    """The side file of a log's run; None where there is none, or where no run.json says that it is of this very log.

    ``sha256`` is that of the log. Raises LogError when run.json is broken.
    """
    path = log.with_name(name)
    return path if path.exists() and describes(run_file(log), log, sha256) else None


def side_table(path: Path, columns: Sequence[str], needed: Sequence[str], later: Sequence[str] = ()) -> pd.DataFrame:
    """The table of a side file: these columns, float64, one row a physical line from the second on; NaN where empty.

    ``later``: the last columns, which a file of an older version lacks, and are NaN then. Raises LogError that
    names the line where the file has other columns, no number, or an empty cell of a ``needed`` column.
    """
    try:
        text = data_of(path).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError as error:
        raise LogError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    rows = [line.split(",") for line in text.removesuffix("\n").split("\n")]
    heads = (list(columns), list(columns[: len(columns) - len(later)]))
    widths = {len(rows[0])} & set(map(len, heads)) or set(map(len, heads))
    for number, row in enumerate(rows, 1):
        if len(row) not in widths:
            raise LogError.at(path, OTHER_WIDTH, line=number, count=len(row), width=max(widths))
    if rows[0] not in heads:
        raise LogError.at(path, NO_HEAD, columns=",".join(columns))
    texts = pd.DataFrame(rows[1:], columns=rows[0], dtype=object)
    numbers = pd.DataFrame({name: pd.to_numeric(texts[name], errors="coerce").astype(np.float64) for name in texts})
    allowed = (numbers.abs() < GREATEST) | ((texts == "") & ~numbers.columns.isin(needed))
    for row, column in np.argwhere(~allowed.to_numpy())[:1]:
        said = repr(texts.iat[row, column])
        raise LogError.at(path, NO_NUMBER, line=row + 2, column=texts.columns[column], said=said)
    return numbers.reindex(columns=list(columns))


def _whole(path: Path, numbers: pd.Series[float], is_wrong: NDArray[np.bool_], told: str) -> pd.Series[int]:
    """A column of whole numbers; raises LogError for the first that is none, or is wrong."""
    is_wrong = is_wrong | (numbers % 1 != 0).to_numpy()
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        raise LogError.at(path, told, line=row + 2, said=f"{numbers.iat[row]:g}")
    return numbers.astype(np.int64)


def _times(seconds: pd.Series[float]) -> pd.Series[pd.Timestamp]:
    """Unix seconds as datetime64[us] in UTC, exact to the millisecond that a side file states."""
    return pd.to_datetime((seconds * 1000).round().astype(np.int64), unit="ms").astype("datetime64[us]")


def clock(log: Path, sha256: str) -> pd.DataFrame | None:
    """The ``clock.csv`` beside a log: ``line`` (int64, from 1, ascending) and ``time`` (datetime64[us], UTC).

    A row says that the lines from ``line`` up to the next row's arrived at ``time``. ``sha256``, and None: as of
    ``side_file``. Raises LogError, which names the line, when it is broken.
    """
    path = side_file(log, sha256, CLOCK)
    if path is None:
        return None
    table = side_table(path, CLOCK_COLUMNS, CLOCK_COLUMNS)
    is_falling = np.diff(table["line"].to_numpy(), prepend=0) <= 0
    lines = _whole(path, table["line"], is_falling, NOT_ASCENDING)
    return pd.DataFrame({"line": lines, "time": _times(table["time"])})


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


def telemetry(log: Path, sha256: str) -> Telemetry | None:
    """The ``gpu.csv`` beside a log; ``sha256``, None and LogError: as of ``clock``."""
    path = side_file(log, sha256, TELEMETRY)
    return None if path is None else telemetry_file(path)


def telemetry_file(path: Path) -> Telemetry:
    """What a ``gpu.csv`` says; raises LogError, which names the line, when it is broken."""
    table = side_table(path, TELEMETRY_COLUMNS, TELEMETRY_COLUMNS[:2], LATER_COLUMNS)
    cards = _whole(path, table["card"], (table["card"] < 0).to_numpy(), NO_CARD)
    return _telemetry(path, table.assign(card=cards))


def process_telemetry(log: Path, sha256: str) -> Telemetry | None:
    """The ``cpu.csv`` beside a log; ``sha256``, None and LogError: as of ``clock``."""
    path = side_file(log, sha256, PROCESSES)
    if path is None:
        return None
    # Files of older runs have the power of the processors behind what is read.
    return _telemetry(path, side_table(path, (*PROCESS_COLUMNS, "power"), PROCESS_COLUMNS[:2], ("power",)))


def _telemetry(path: Path, table: pd.DataFrame) -> Telemetry:
    samples = table.assign(time=_times(table["time"]))
    samples.insert(0, "line", np.arange(2, len(table) + 2))
    return Telemetry(path, sha256_of(path), len(table) + 1, samples)


# ---- configurations


def configured(log: Path) -> list[Fact]:
    """The facts of the configurations beside a log, by the arguments that any program may have, each with its line.

    None where other logs lie there, unless a run.json says that the folder is that of one run; none of a name that the
    lines give several values.
    """
    try:
        told = [fact for path in configurations(log) for fact in _of_configuration(path)]
    except OSError:
        return []
    values = {(fact.name, fact.value): fact for fact in of_one_model(told)}
    names = [name for name, _ in values]
    return [fact for (name, _), fact in values.items() if names.count(name) == 1]


def configurations(log: Path) -> list[Path]:
    """The configurations beside a log that are its own, none that is too large; raises OSError."""
    present = [path for path in map(log.with_name, CONFIGURATIONS) if path.is_file()]
    beside = [path.name for path in log.parent.iterdir()] if present else []
    return [path for path in present if path.stat().st_size <= LARGEST] if are_of(log.name, beside) else []


def are_of(log: str, beside: Iterable[str]) -> bool:
    """Whether the configurations in the folder of a log are its own, by the names of all files there.

    They are where no other log lies there, or a run.json that says that the folder is that of one run.
    """
    names = set(beside)
    return RUN_FILE in names or not any(name != log and Path(name).suffix in LOG_SUFFIXES for name in names)


def _of_configuration(path: Path) -> Iterator[Fact]:
    stated = [variant for variant in common().variants if variant.record == "fact"]
    for number, line in enumerate(data_of(path).splitlines(), 1):
        source = Provenance("side_line", (path.name, number))
        for variant in stated:
            if variant.may_stand_in(line) and (found := line_pattern(variant).fullmatch(line)):
                for field, said in zip(variant.groups, found.groups(), strict=True):
                    if said is not None:
                        text = said.decode("utf-8", "replace")
                        yield Fact(field.name, value(field.name, field.type, text), source)

"""Reading the logs of all ranks of a run, in a folder, as one log: the records of each carry its rank.

The log of the lowest rank that prints a speed leads: its lines are those that a number is shown with, and its facts
count before those of the others. The records of the other ranks stand behind its own, in the order of the ranks.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, count, pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from ..grammar.format import ROOM, Format
from ..io.errors import CANNOT_BE_READ, LogError, reason_of
from ..io.files import SUFFIXES, leading_out
from ..io.message import Message
from ..scanning.record_table import Array, RecordTable, finest, missing
from .boundaries import as_one
from .facts import SCALING, Fact, Value
from .format_records import OWN_LINE, FormatRecords, RankLog
from .provenance import Provenance
from .reading import Reading, of_known_format
from .reading import survey as survey_file
from .runfile import LOG_SUFFIXES

Counts = Literal["job", "node"]

NAMES = ROOM / "rank_names.toml"
DEPTH = 5  # torchrun's stdout.log lies three folders below the one that it is given

NO_RANKS = "is a folder without run.json, and without logs of ranks such as rank_0.log and rank_1.log; pass a file."
NAME_ONE = "is a folder without run.json, and without logs of ranks such as rank_0.log; pass a log of it: {log}"
OF_SEVERAL = "holds logs of ranks of several runs, such as {first} and {second}; pass the folder of one of them."
SEVERAL_IN_ONE = "holds lines of {count} ranks, and is not the log of rank {rank} alone."
LACKING = "Of the ranks 0 to {last}, {count} have no log in the folder, or an empty one; the first is rank {rank}."
UNREAD = "{count} other logs in the folder are not read; the first is {first}."
ONLY_LAST_RUN = "The logs of the ranks hold several runs; only the last one is read."
ELSEWHERE = "{count} more logs of ranks have warnings of their own; {file}: {said}"
SAME_LOG = "{first} and {second} are the same, byte for byte; if one is a copy, what its rank did is counted twice."


class RankFile(NamedTuple):
    """The log of one rank: its number, which of its streams it is ("" where there is one), and its path."""

    rank: int
    stream: str
    path: Path


@dataclass(frozen=True)
class RankFiles:
    """The logs of the ranks of one run, ascending by rank, two streams of a rank side by side.

    ``counts``: what their numbers count. ``logs``: all files of the folder that may be logs.
    """

    folder: Path
    files: tuple[RankFile, ...]
    counts: Counts
    logs: tuple[Path, ...]

    @property
    def streams(self) -> dict[str, list[RankFile]]:
        """The files of each stream, but for empty ones: a rank need not print anything."""
        found: dict[str, list[RankFile]] = {}
        for file in (file for file in self.files if file.path.stat().st_size):
            found.setdefault(file.stream, []).append(file)
        return found


# ---- the files


def rank_files(folder: Path) -> RankFiles:
    """The logs of the ranks of a run in a folder.

    Links that lead out of the folder are none of them. Raises LogError where there are not the logs of two ranks, all
    of them are empty, or they are of several runs.
    """

    def refuse(error: OSError) -> None:
        raise LogError.at(folder, CANNOT_BE_READ, reason=reason_of(error)) from error

    paths = list[Path]()
    for at, folders, names in os.walk(folder, onerror=refuse):
        if len(Path(at).relative_to(folder).parts) >= DEPTH - 1:
            folders.clear()
        files = (Path(at, name) for name in names if not name.startswith("."))
        paths += [path for path in files if not path.is_symlink() or leading_out([path], folder) is None]
    families: dict[tuple[str, Counts], list[RankFile]] = {}
    for path in sorted(paths):
        if named := _named(path, folder):
            families.setdefault(named[0], []).append(named[1])
    chosen = {key: files for key, files in families.items() if len({file.rank for file in files}) > 1}
    # Two logs are one too many of two families, and of one rank, as 1 and 01.
    firsts = [files[0] for files in chosen.values()]
    by_rank = sorted(chain.from_iterable(chosen.values()), key=lambda file: file[:2])
    twins = [pair for pair in pairwise(by_rank) if pair[0][:2] == pair[1][:2]]
    if pairs := [*pairwise(firsts), *twins]:
        first, second = (file.path.relative_to(folder) for file in pairs[0])
        raise LogError.at(folder, OF_SEVERAL, first=first, second=second)
    logs = tuple(path for path in sorted(paths) if path.suffix in LOG_SUFFIXES)
    found = [RankFiles(folder, tuple(by_rank), counts, logs) for _, counts in chosen]
    if not found or not found[0].streams:
        raise LogError.at(folder, NAME_ONE if logs else NO_RANKS, log=logs[0] if logs else "")
    return found[0]


def _named(path: Path, folder: Path) -> tuple[tuple[str, Counts], RankFile] | None:
    """What the name of a file says of the rank that wrote it, after its family: the path but for number and stream.

    The first of the patterns counts.
    """
    packed = path.suffix if path.suffix in SUFFIXES else ""
    text = f"/{path.relative_to(folder).as_posix()}".removesuffix(packed)
    for pattern, counts in _patterns():
        if found := pattern.search(text):
            begin, end = found.span("number")
            stream = found.groupdict().get("stream") or ""
            rest = text[end : found.start("stream")] + text[found.end("stream") :] if stream else text[end:]
            return (f"{text[:begin]}#{rest}", counts), RankFile(int(found["number"]), stream, path)
    return None


@cache
def _patterns() -> Sequence[tuple[re.Pattern[str], Counts]]:
    said = tomllib.loads(NAMES.read_text(encoding="utf-8"))["names"]
    return [(re.compile(rf"{one['pattern']}\Z", re.ASCII), one["counts"]) for one in said]


# ---- reading


def read(path: str | Path, *, format: str | Path | None = None, facts: Iterable[Fact] = ()) -> Reading:
    """Read a log as ``parsers.runs.reading.read`` does, or the logs of the ranks of one run in a folder."""
    return of_known_format(survey(path, format=format, facts=facts))


def survey(
    path: str | Path, *, format: str | Path | Format | Sequence[Format] | None = None, facts: Iterable[Fact] = ()
) -> Reading:
    """As ``read``, but logs of no known format give a reading without records; see ``parsers.runs.reading.survey``.

    Raises LogError where a folder does not hold the logs of the ranks of one run, one of them cannot be read, or holds
    lines of other ranks.
    """
    path, facts = Path(path), list(facts)
    if not path.is_dir():
        return survey_file(path, format=format, facts=facts)
    found, readings = rank_files(path), dict[RankFile, Reading]()

    def of(file: RankFile) -> Reading:
        if file not in readings:
            readings[file] = survey_file(file.path, format=format, facts=facts)
        return readings[file]

    files, *others = found.streams.values()
    if others:  # the one that tells most of speed, by what its first or its last rank prints
        files = min([files, *others], key=lambda files: min(of(files[at]).parts[0].rank for at in (0, -1)))
    lead = next((file for file in files if of(file).prints_speed), files[0])
    return _together(found, files, lead, readings, facts)


def again(path: Path, lead: Reading, facts: Iterable[Fact], each: Callable[[Path], Reading] | None = None) -> Reading:
    """The logs of the ranks in a folder, read as that of one of them, ``lead``, was: by its formats, or by ``each``.

    ``each`` reads a log of a program that no format describes.
    """
    found = rank_files(path)
    first = next(file for file in found.files if file.path == lead.path)
    files = found.streams[first.stream]
    readings = {file: each(file.path) for file in files if file is not first} if each else {}
    return _together(found, files, first, {**readings, first: lead}, list(facts))


def by_rank(reading: Reading) -> Iterator[tuple[Path, RecordTable]]:
    """The path of each log of a reading, and its records, whose lines are those of that log."""
    table = reading.parts[0].table
    if not reading.ranks:
        yield reading.path, table
    for log in reading.ranks:
        first, end = np.searchsorted(table["line"], (log.before + 1, log.before + log.account.total + 1)).tolist()
        rows = table.rows(slice(first, end))
        yield log.path, rows.having("line", rows[OWN_LINE]).columns(name for name in table if name != OWN_LINE)


def _together(
    found: RankFiles,
    files: Sequence[RankFile],
    lead: RankFile,
    readings: dict[RankFile, Reading],
    facts: Sequence[Fact],
) -> Reading:
    """The reading of all files of a run, whose ``lead`` was read; the others are read as its formats."""
    known = [part.format for part in readings[lead].parts if part.format] or None
    ordered = [lead, *(file for file in files if file is not lead)]
    for file in files:
        if file not in readings:
            readings[file] = survey_file(file.path, format=known, facts=facts)
    read = [_of_last_run(readings[file]) for file in ordered]
    logs, before = list[RankLog](), 0
    for file, reading in zip(ordered, read, strict=True):
        logs.append(RankLog(file.rank, file.path, reading.sha256, reading.bytes, reading.account, before))
        before += reading.account.total
    parts = tuple(_part(part, logs, read) for part in read[0].parts)
    _hear(read, found)
    warnings = [*read[0].warnings, *read[0].facts.warnings(), *_of_folder(found, files)]
    if any(readings[file].facts_of_runs for file in ordered):
        warnings.append(Message(ONLY_LAST_RUN))
    warnings += _of_others(read, found.folder)
    return replace(
        read[0], parts=parts, warnings=tuple(dict.fromkeys(warnings)), ranks=tuple(logs), folder=found.folder
    )


def _of_last_run(reading: Reading) -> Reading:
    if not reading.facts_of_runs:
        return reading
    parts = tuple(as_one(part.of_run(len(reading.facts_of_runs))) for part in reading.parts)
    return replace(reading.of_run("last"), parts=parts, facts_of_runs=())


def _part(part: FormatRecords, logs: Sequence[RankLog], readings: Sequence[Reading]) -> FormatRecords:
    """What one format reads in all logs."""
    if not len(part.table):
        return part
    fields, tables, not_numbers = dict(part.fields), [], []
    for log, reading in zip(logs, readings, strict=True):
        for own in (own for own in reading.parts if own.name == part.name):
            tables.append(_of_rank(own.table, log))
            not_numbers.append(own.not_numbers + log.before)
            fields = own.fields | fields
    columns = {name: _stacked(name, tables) for name in dict.fromkeys(name for table in tables for name in table)}
    table = RecordTable(columns, finest(table.digits for table in tables))
    return FormatRecords(part.format, table, fields, np.concatenate(not_numbers))


def _of_rank(table: RecordTable, log: RankLog) -> RecordTable:
    """The records of a log with its rank, which its lines may name in another way, and with lines that go on."""
    if "rank" in table and (named := len(np.unique(table["rank"][np.isfinite(table["rank"])]))) > 1:
        raise LogError.at(log.path, SEVERAL_IN_ONE, count=named, rank=log.rank)
    ranks = np.full(len(table), log.rank, np.int64)
    return table.having("rank", ranks).having(OWN_LINE, table["line"]).having("line", table["line"] + log.before)


def _stacked(name: str, tables: Sequence[RecordTable]) -> Array:
    """A column of some tables, in their order; what a table lacks is missing in its rows."""
    likes = [table[name] for table in tables if name in table]
    # A count that some rows lack cannot be a whole number.
    like = likes[0] if len(likes) == len(tables) or likes[0].dtype.kind not in "iu" else likes[0].astype(np.float64)
    return np.concatenate([table[name] if name in table else missing(len(table), like) for table in tables])


def _hear(readings: Sequence[Reading], found: RankFiles) -> None:
    """Tell the facts of the first reading what lines of the others state, and how many cards the logs are of."""
    facts, told = readings[0].facts, dict[tuple[str, Value], Fact]()
    for reading in readings[1:]:
        file = str(reading.path.relative_to(found.folder))
        for fact in (fact for fact in reading.facts.values() if fact.source.kind in ("line", "lines")):
            source = Provenance("side_line", (file, fact.source.values[0]))
            told.setdefault((fact.name, fact.value), replace(fact, source=source))
    facts.hear((fact for fact in told.values() if fact.name in SCALING), of_lines=True)
    facts.hear(told.values(), fills=True)
    ranks = {file.rank for file in found.files}
    if ranks == set(range(len(ranks))):
        name = "cards_per_node" if found.counts == "node" else "cards"
        facts.hear([Fact(name, len(ranks), Provenance("rank_files", (len(ranks),)))], of_lines=True)
    facts.derive()


def _of_folder(found: RankFiles, files: Sequence[RankFile]) -> Iterator[Message]:
    """What a reader must know of the files of a folder, of which some are read."""
    ranks, last = {file.rank for file in files}, found.files[-1].rank
    lacking = last + 1 - len(ranks)
    if lacking and len(files) > 1:  # else only one rank prints anything, as is usual
        yield Message(LACKING, last=last, count=lacking, rank=next(rank for rank in count() if rank not in ranks))
    if unread := [path for path in found.logs if path not in {file.path for file in files} and path.stat().st_size]:
        yield Message(UNREAD, count=len(unread), first=unread[0].relative_to(found.folder))


def _of_others(readings: Sequence[Reading], folder: Path) -> Iterator[Message]:
    """That two logs with a speed are one; and what the first other log that says anything says against itself."""
    known: dict[str, Path] = {}
    for reading in (one for one in readings if one.prints_speed):
        if (first := known.setdefault(reading.sha256, reading.path)) is not reading.path:
            yield Message(SAME_LOG, first=first.relative_to(folder), second=reading.path.relative_to(folder))
            break
    own = set(readings[0].warnings)
    others = [(one, said) for one in readings[1:] for said in one.warnings if said not in own]
    for reading, said in others[:1]:
        file = reading.path.relative_to(folder)
        yield Message(ELSEWHERE, count=len({id(one) for one, _ in others}), file=file, said=said)

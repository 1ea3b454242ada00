"""Runs to compare: what lies in a run folder, a case, a suite or any folder of logs, each run read once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from parsers.io.errors import CANNOT_BE_READ, LogError, ParserError, TachographError, reason_of
from parsers.io.message import Message
from parsers.io.packed import SUFFIXES
from parsers.runs.reading import Reading
from parsers.runs.run_folder import LOG, RUN_FILE
from parsers.runs.runfile import RunFile, log_of, run_file
from parsers.runs.side_files import LOG_SUFFIXES
from parsers.scanning.detection import formats
from parsers.sharing.workers import Workers

from ..measure.diagnostics import NoMeasurement
from ..measure.measurement import Measurement
from ..measure.protocol import Protocol
from ..results.measured_log import measured_log
from ..results.store import unfit

NOTHING_THERE = "contains no run folder and no log ({endings})."
NO_THROUGHPUT = "{log} skipped: {reason}"
TWICE = "{log} skipped: it is a copy of {other}."
# What tells cases apart where logs lie in no run folders.
COORDINATES = ("model", "framework", "device", "nodes", "cards", "precision", "batch_size", "sequence_length")


@dataclass(frozen=True)
class FoundRun:
    """A log of a side: below the folder ``root`` at ``path``; ``case``: the folder of its case below the side.

    ``is_loose``: it lies in no run folder, so that its case is known by its facts alone.
    """

    root: Path
    path: str
    case: str
    is_loose: bool = False

    @property
    def log(self) -> Path:
        """Where the log is."""
        return self.root / self.path


@dataclass(frozen=True)
class ComparedRun:
    """A run that counts: where it was found, what its log holds and gives, and what its run.json says, if anything.

    ``formats``: the names of the known formats that read the log.
    """

    found: FoundRun
    reading: Reading
    measurement: Measurement
    formats: tuple[str, ...]
    run: RunFile

    @property
    def case(self) -> str:
        """The name of its case: its folder; of a loose log with what its facts say."""
        if not self.found.is_loose:
            return self.found.case
        facts = self.reading.facts
        told = " ".join(str(facts[name].value) for name in COORDINATES if name in facts)
        return "/".join(part for part in (self.found.case, told) if part)


@dataclass(frozen=True)
class SideRuns:
    """One side of a comparison: its runs in the order of their names, and why other logs do not count."""

    path: Path
    runs: tuple[ComparedRun, ...]
    left_out: tuple[Message, ...]


def runs_of_side(
    side: Path,
    protocol: Protocol | None = None,
    workers: Workers | None = None,
    found: Sequence[FoundRun] | None = None,
) -> SideRuns:
    """Read all runs of a side: a log, a run folder, a case, a suite, or any folder that holds such.

    ``protocol``: the stated one; without it the rule measures. ``found``: its runs, where it is something else. A run
    that is not done, is not the one of its run.json, gives no throughput or contradicts itself is left out with the
    reason. Raises LogError where there is nothing that may be a log, and ParserError where the only log cannot be read.
    """
    found = found_runs(side) if found is None else found
    if len(found) == 1:
        read = [run_or_reason(protocol, found[0])]
    else:
        with suppress(ParserError):  # each log tells it
            formats()  # before processes are forked, which then have them
        with (workers or Workers()).each(partial(_told, protocol), found, _bytes) as results:
            read = list(results)
    return SideRuns(side, *_without_copies(read))


def found_runs(side: Path, log_name: Callable[[Path], str] | None = None) -> list[FoundRun]:
    """The logs of a side by name, none of them read; raises LogError where there are none.

    ``log_name``: gives the name of the log of a run folder, where that is known without reading its run.json.
    """
    if not side.is_dir():
        return [FoundRun(side.parent, side.name, "", is_loose=True)]
    if (side / RUN_FILE).exists():
        # The names of the case and its suite state facts of the log; what leads out of its folder is not read.
        return [FoundRun(side, log_of(side).name, _name_of(side.parent))]
    runs = list(_below(side, log_name or name_of_log))
    in_folders = [run for run in runs if not run.is_loose]
    if found := in_folders or runs:
        return found
    raise LogError.at(side, NOTHING_THERE, endings=", ".join(f"*{ending}" for ending in LOG_SUFFIXES))


def _below(side: Path, log_name: Callable[[Path], str]) -> Iterator[FoundRun]:
    """The runs below a folder; hidden names, and links to folders, are passed over."""
    for top, folders, files in os.walk(side):
        folder = Path(top)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        place = folder.relative_to(side)
        if RUN_FILE in files:
            folders.clear()
            case = place.parent.as_posix() if len(place.parts) > 1 else _name_of(side)
            yield FoundRun(side, (place / log_name(folder)).as_posix(), case)
            continue
        for name in sorted(files):
            if _may_be_log(name):
                where = "" if place == Path() else place.as_posix()
                yield FoundRun(side, (place / name).as_posix(), where, is_loose=True)


def name_of_log(folder: Path) -> str:
    """The name of the log of a run folder, by its run.json."""
    try:
        return log_of(folder).name
    except LogError:  # reading the run tells what is wrong
        return LOG


def _name_of(folder: Path) -> str:
    return folder.resolve().name


def _may_be_log(name: str) -> bool:
    plain = Path(name)
    return not name.startswith(".") and (plain.stem if plain.suffix in SUFFIXES else name).endswith(LOG_SUFFIXES)


def _bytes(run: FoundRun) -> int:
    try:
        return run.log.stat().st_size
    except OSError:
        return 0


def _told(protocol: Protocol | None, run: FoundRun) -> ComparedRun | Message:
    """One of several runs; one that cannot be read keeps none of the others."""
    try:
        return run_or_reason(protocol, run)
    except TachographError as error:
        return Message(NO_THROUGHPUT, log=run.path, reason=error.message)


def run_or_reason(protocol: Protocol | None, run: FoundRun) -> ComparedRun | Message:
    """Read one run, or say why it does not count; raises TachographError where it cannot be read."""
    try:
        reason = unfit(run.root, run.path)
    except OSError as error:
        raise LogError.at(run.log, CANNOT_BE_READ, reason=reason_of(error)) from error
    if reason:
        return reason
    log = measured_log(run.log, protocol)
    try:
        # A stated protocol says which of the sources counts where they contradict each other.
        found = log.measurement if protocol and protocol.states_rule and log.measurement else log.throughput()
        return ComparedRun(run, log.reading, found, tuple(log.formats), run_file(run.log))
    except NoMeasurement as error:
        return Message(NO_THROUGHPUT, log=run.path, reason=error.message)


def _without_copies(read: Sequence[ComparedRun | Message]) -> tuple[tuple[ComparedRun, ...], tuple[Message, ...]]:
    """The runs, each log once in a case: a copy is not a repeat. And what does not count, with the reason."""
    runs, left_out = dict[tuple[str, str], ComparedRun](), list[Message]()
    for one in read:
        if isinstance(one, Message):
            left_out.append(one)
        elif (first := runs.setdefault((one.case, one.reading.sha256), one)) is not one:
            left_out.append(Message(TWICE, log=one.found.path, other=first.found.path))
    return tuple(runs.values()), tuple(left_out)

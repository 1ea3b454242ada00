"""Indexed runs: the records of all runs of some suites, read where the index does not know them as they are now."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from parsers.io.errors import ParserError
from parsers.runs.run_folder import RUN_FILE
from parsers.scanning.detection import formats
from parsers.sharing.workers import Workers

from ...measure.protocol import Protocol
from ..compared_runs import FoundRun, found_runs, name_of_log
from .history_index import HistoryIndex, IndexPlace, Key
from .run_record import FileStamp, RunRecord, hash_of, run_record, stamp_of

# A file that was changed so shortly before an index was written may have changed again without showing it.
DOUBTFUL_NS = 2_000_000_000


@dataclass(frozen=True)
class _Wanted:
    """A run to read again; ``known``: what the index says of it, if anything."""

    found: FoundRun
    known: RunRecord | None


def indexed_runs(
    suites: Sequence[Path],
    protocol: Protocol | None = None,
    *,
    index: Path | None = None,
    workers: Workers | None = None,
) -> list[RunRecord]:
    """The records of all runs of some suites, by suite and path.

    What the index knows is believed where size and time of change of its files are the same, or their hashes are.
    ``index``: its file; by default it lies in the user's caches. Raises LogError where a suite has no log, WriteError,
    and ExtraError where pyarrow is not installed.
    """
    place = IndexPlace([str(suite) for suite in suites], protocol, index)
    place.refuse_other()
    known, began = place.load(), time.time_ns()
    found = {(str(run.root), run.path): run for suite in suites for run in _found(suite, known)}
    stamps = {key: stamp_of(run.log) for key, run in found.items()}
    records = {key: known.records[key] for key in found if _is_certain(known, key, stamps[key])}
    wanted = [_Wanted(run, known.records.get(key)) for key, run in found.items() if key not in records]
    records |= _read(wanted, protocol, workers or Workers())
    ordered = [records[key] for key in found]
    lasting = {key: record for key, record in records.items() if record.is_text and record.log_sha256}
    if known.records != lasting:
        place.save([lasting[key] for key in found if key in lasting], began)
    return ordered


def _found(suite: Path, known: HistoryIndex) -> list[FoundRun]:
    return found_runs(suite, partial(_log_name, _logs_of_folders(known, str(suite)), suite))


def _logs_of_folders(known: HistoryIndex, root: str) -> Mapping[Path, RunRecord]:
    return {Path(one.path).parent: one for one in known.records.values() if one.root == root and not one.is_loose}


def _log_name(known: Mapping[Path, RunRecord], suite: Path, folder: Path) -> str:
    """The name of the log of a run folder, which an unchanged run.json says as it did before."""
    record = known.get(folder.relative_to(suite))
    with suppress(OSError):
        found = (folder / RUN_FILE).stat()
        if record and record.stamp.run == (found.st_size, found.st_mtime_ns):
            return Path(record.path).name
    return name_of_log(folder)


def _is_certain(known: HistoryIndex, key: Key, stamp: FileStamp) -> bool:
    record = known.records.get(key)
    return record is not None and record.stamp == stamp and stamp.newest < known.written - DOUBTFUL_NS


def _read(wanted: Sequence[_Wanted], protocol: Protocol | None, workers: Workers) -> dict[Key, RunRecord]:
    """The records of runs, each made anew where its files are not those that were read before."""
    if not wanted:
        return {}
    with suppress(ParserError):  # each log tells it
        formats()  # before processes are forked, which then have them
    work: Callable[[_Wanted], RunRecord] = partial(_renewed, protocol)
    with workers.each(work, wanted, _bytes) as results:
        return {(one.root, one.path): one for one in results}


def _renewed(protocol: Protocol | None, wanted: _Wanted) -> RunRecord:
    known, log = wanted.known, wanted.found.log
    stamp = stamp_of(log)
    if known is not None and known.beside == stamp.beside:
        hashes = hash_of(log), hash_of(log.with_name(RUN_FILE))
        if hashes == (known.log_sha256, known.run_sha256):
            return replace(known, log_mtime_ns=stamp.log[1], run_mtime_ns=stamp.run[1])
    return run_record(wanted.found, protocol)


def _bytes(wanted: _Wanted) -> int:
    try:
        return wanted.found.log.stat().st_size
    except OSError:
        return 0

"""The store of a history: what was read of its runs, in SQLite; it is made of logs alone and only saves reading them.

A run is believed as long as the same version of the program read it, by the same protocol, and its files look as they
did. The store lies in the user's folder of caches, or in a file that the user names; it may be deleted at any time.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from parsers.io.cache import caches
from parsers.io.errors import WriteError
from parsers.io.message import Message
from parsers.runs.run_folder import CLOCK, RUN_FILE
from parsers.runs.runfile import CONFIGURATIONS

NAME = Path("tachograph", "history.sqlite")
NO_STORE = "it is a file of another kind, not the store of histories"
OURS = 0x7AC40  # the application_id of a store
TABLE = """CREATE TABLE IF NOT EXISTS runs
    (log TEXT, made_by TEXT, stamp TEXT, told TEXT, PRIMARY KEY (log, made_by)) WITHOUT ROWID"""
# A file that was changed so shortly before it was read may have changed again without showing it.
DOUBTFUL_NS = 2_000_000_000


@contextmanager
def _opened(file: Path | None) -> Iterator[sqlite3.Connection]:
    """The store in a file, or in the caches; one in memory where the caches cannot hold it.

    Raises WriteError where a named file is there and is no store: it is not ours to replace.
    """
    try:
        place = file or caches() / NAME
        if file is None:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(place)
        (ours,) = connection.execute("PRAGMA application_id").fetchone()
        is_empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
        if ours != OURS and not is_empty:
            raise sqlite3.DatabaseError(NO_STORE)
        connection.execute(f"PRAGMA application_id = {OURS}")
        connection.execute(TABLE)
    except (sqlite3.Error, OSError) as error:
        if file is not None:
            raise WriteError(file, Message(NO_STORE)) from error
        connection = sqlite3.connect(":memory:")
        connection.execute(TABLE)
    with closing(connection):
        yield connection


class Store:
    """What is known of runs by the paths of their logs, as far as it can be believed, as JSON.

    ``file``: the store, None in the user's caches; ``protocol``: by whose words the runs were measured.
    """

    def __init__(self, file: Path | None, protocol: str) -> None:
        self._file, self._made_by = file, f"{version('tachograph')} {protocol}"

    def load(self, stamps: Mapping[str, str]) -> dict[str, str]:
        """What is known of logs whose files look as their ``stamps``; raises WriteError for a file of another kind."""
        with _opened(self._file) as connection:
            every = connection.execute("SELECT log, stamp, told FROM runs WHERE made_by = ?", (self._made_by,))
            return {log: told for log, stamp, told in every if stamps.get(log) == stamp}

    def save(self, told: Mapping[str, str], stamps: Mapping[str, str]) -> None:
        """Keep what was read of logs, but of those that changed just now; raises WriteError where it cannot."""
        now = time.time_ns()
        rows: Sequence[tuple[str, str, str, str]] = [
            (log, self._made_by, stamps[log], text)
            for log, text in told.items()
            if log.isprintable() and _newest(stamps[log]) < now - DOUBTFUL_NS
        ]
        try:
            with _opened(self._file) as connection, connection:
                connection.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", rows)
        except sqlite3.Error as error:
            if self._file is not None:
                raise WriteError(self._file, Message(str(error))) from error


def stamp_of(log: Path) -> str:
    """How the files of a run look: the size and the time of change (ns) of those that are there, by name."""
    found: dict[str, tuple[int, int]] = {}
    with suppress(OSError), os.scandir(log.parent) as entries:
        for entry in entries:
            if entry.name in (log.name, RUN_FILE, CLOCK, *CONFIGURATIONS):
                with suppress(OSError):
                    of = entry.stat()
                    found[entry.name] = of.st_size, of.st_mtime_ns
    return json.dumps(found, sort_keys=True)


def _newest(stamp: str) -> int:
    return max((changed for _, changed in json.loads(stamp).values()), default=0)

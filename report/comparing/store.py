"""The store of histories: what was read of their runs, in SQLite; it is made of logs alone and only saves reading them.

A run is believed as long as the same version of the program read it, by the same protocol, and its files look as they
did. The store lies in the user's folder of caches; it may be deleted at any time, and where it cannot be used, all is
read again.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from parsers.io.cache import caches
from parsers.runs.run_folder import CLOCK, RUN_FILE

NAME = Path("tachograph", "runs.sqlite")
TABLE = """CREATE TABLE IF NOT EXISTS runs
    (log TEXT, made_by TEXT, stamp TEXT, told TEXT, PRIMARY KEY (log, made_by)) WITHOUT ROWID"""
# A file that was changed so shortly before it was read may have changed again without showing it.
DOUBTFUL_NS = 2_000_000_000


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    place = caches() / NAME
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(TABLE)
        yield connection


class Store:
    """What is known of runs by the paths of their logs, as far as it can be believed, as JSON.

    ``protocol``: by whose words the runs were measured.
    """

    def __init__(self, protocol: str) -> None:
        self._made_by = f"{version('tachograph')} {protocol}"

    def load(self, stamps: Mapping[str, str]) -> dict[str, str]:
        """What is known of logs whose files look as their ``stamps``."""
        with suppress(sqlite3.Error, OSError), _opened() as connection:
            every = connection.execute("SELECT log, stamp, told FROM runs WHERE made_by = ?", (self._made_by,))
            return {log: told for log, stamp, told in every if stamps.get(log) == stamp}
        return {}

    def save(self, told: Mapping[str, str], stamps: Mapping[str, str]) -> None:
        """Keep what was read of logs, but of those that changed just now."""
        now = time.time_ns()
        rows = [
            (log, self._made_by, stamps[log], text)
            for log, text in told.items()
            if log.isprintable() and _newest(stamps[log]) < now - DOUBTFUL_NS
        ]
        with suppress(sqlite3.Error, OSError), _opened() as connection:
            connection.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", rows)


def stamp_of(log: Path) -> str:
    """How the files of a run look: the size and the time of change (ns) of those that are there, by name."""
    found: dict[str, tuple[int, int]] = {}
    with suppress(OSError), os.scandir(log.parent) as entries:
        for entry in entries:
            if entry.name in (log.name, RUN_FILE, CLOCK):
                with suppress(OSError):
                    of = entry.stat()
                    found[entry.name] = of.st_size, of.st_mtime_ns
    return json.dumps(found, sort_keys=True)


def _newest(stamp: str) -> int:
    return max((changed for _, changed in json.loads(stamp).values()), default=0)

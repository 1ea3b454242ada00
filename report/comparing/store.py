"""The store of histories: what was read of their runs, in SQLite; it is made of logs alone and only saves reading them.

A run is believed as long as the same version of the program read it, by the same protocol, and its files look as they
did. The store lies in the user's folder of caches; it may be deleted at any time, and where it cannot be used, all is
read again.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
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


def load(made_by: str, stamps: Mapping[str, str]) -> dict[str, str]:
    """What is known of runs by the paths of their logs, as JSON, of those whose files look as their ``stamps``.

    ``made_by``: what reads them, which is believed as long as it is the same.
    """
    with suppress(sqlite3.Error, OSError), _opened() as connection:
        every = connection.execute("SELECT log, stamp, told FROM runs WHERE made_by = ?", (made_by,))
        return {log: told for log, stamp, told in every if stamps.get(log) == stamp}
    return {}


def save(made_by: str, told: Mapping[str, str], stamps: Mapping[str, str]) -> None:
    """Keep what was read of logs, but of those that changed just now."""
    before = time.time_ns() - DOUBTFUL_NS
    rows = [
        (log, made_by, stamps[log], text)
        for log, text in told.items()
        if log.isprintable() and all(changed < before for _, changed in json.loads(stamps[log]).values())
    ]
    with suppress(sqlite3.Error, OSError), _opened() as connection:
        connection.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", rows)


def stamp_of(log: Path) -> str:
    """How the files of a run look: the size and the time of change (ns) of those that are there, by name."""
    found: dict[str, tuple[int, int]] = {}
    for name in sorted({log.name, RUN_FILE, CLOCK}):
        with suppress(OSError):
            of = log.with_name(name).stat()
            found[name] = of.st_size, of.st_mtime_ns
    return json.dumps(found)

"""Claims: one runner at a time fills a run folder, and first ends what a killed one left."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from . import processes
from .folders import RunFolder
from .said import say

# The capture of a runner that died ends the job within twice the grace.
_PATIENCE = 2 * processes.GRACE + 5
_LOOK = 0.1


@contextmanager
def claimed(folder: RunFolder, signals: Sequence[int] = ()) -> Iterator[None]:
    """Hold a run folder as the only runner, and end what is left of the job of a runner that was killed.

    `signals`: those received so far; the first one ends the waiting. Raises click.ClickException where another runner
    holds the folder.
    """
    folder.path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder.lock, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not _locked(folder.lock, lock):
            _wait_for_orphans(folder, lock, signals)
        _end_job(folder)
        yield
        folder.lock.unlink()
    finally:
        os.close(lock)


def _wait_for_orphans(folder: RunFolder, lock: int, signals: Sequence[int]) -> None:
    """Wait until the processes that a killed runner left have let go of the folder; kill its job at the end."""
    if not folder.is_orphaned():
        raise click.ClickException(f"{folder.path} is being filled by another runner; wait until that has ended.")
    told = f"The runner that filled {folder.path} was killed"
    say(f"{told}; waiting up to {_PATIENCE:.0f} s until what it started has ended.", err=True)
    mark, deadline = folder.mark(), time.monotonic() + _PATIENCE
    while not _locked(folder.lock, lock):
        # Another runner that waited as well may have come first.
        if signals or not folder.is_orphaned() or time.monotonic() > deadline + processes.GRACE:
            raise click.ClickException(f"{told}, and {folder.path} is still held; the same command tries again.")
        if mark and time.monotonic() > deadline:
            processes.kill(mark)
        time.sleep(_LOOK)


def _end_job(folder: RunFolder) -> None:
    """End the processes of the job of an earlier runner; that they are its own is known by the mark that they carry."""
    mark = folder.mark()
    if mark and (left := processes.members(mark)):
        say(f"The runner that filled {folder.path} was killed; {len(left)} processes of its job end.", err=True)
        processes.end(mark)


def _locked(path: Path, lock: int) -> bool:
    """Lock an open file, for this process and those that it forks, until the last of them has ended."""
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Who held it before may have removed the file after it was opened here: then nothing is held.
        return os.path.samestat(path.stat(), os.fstat(lock))
    return False

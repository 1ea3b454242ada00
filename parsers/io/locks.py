"""Locks: who holds a file or a folder holds it until the last process that inherited it has ended."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path


def locked(path: Path, descriptor: int) -> bool:
    """Lock what was opened at a path; False where another process holds it."""
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Who held it before may have removed it after it was opened here: then nothing is held.
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    return False

"""What tests need to know of a run that goes on."""

from __future__ import annotations

import time

import psutil
from native_checkout import Native


def wait_until_printed(native: Native) -> None:
    """Wait until the running job has printed its first line."""
    deadline = time.monotonic() + 30
    log = native.unfinished / "train.log"
    while not (log.exists() and log.read_bytes()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def trainers(native: Native) -> list[psutil.Process]:
    """The processes that train in the checkout."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(native.repo) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found

"""Signals that ask for the end, collected so that nothing is left half done."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def collected() -> Iterator[list[int]]:
    """Collect SIGINT, SIGTERM and SIGHUP instead of obeying them; yields the numbers received so far."""
    received: list[int] = []

    def collect(number: int, _frame: object) -> None:
        received.append(number)

    earlier = {number: signal.signal(number, collect) for number in _ASKING}
    try:
        yield received
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)

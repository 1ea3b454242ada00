"""Telemetry: what the cards of this node, and the processes of a run, do while it goes on."""

from __future__ import annotations

import csv
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from . import accelerators
from .card_sample import CardSample
from .process_tree import Members, ProcessTree, TreeSample

INTERVAL = 1.0  # seconds
COLUMNS = ("time", "card", *CardSample._fields)
PROCESS_COLUMNS = ("time", *TreeSample._fields)
Row = list[int | float | None]
_PATIENCE = 5.0  # seconds for a card to answer at the end


@contextmanager
def recorded(path: Path) -> Iterator[bool]:
    """Write what every card reports into `path`, once a second, until the block ends; yields whether there is a card.

    The columns are time (unix seconds), card, and those of `CardSample`; a value that is not told is empty. All cards
    of the node are written, by the number that they have there: CUDA_VISIBLE_DEVICES is not interpreted. Without a card
    no file is made. Raises OSError where `path` cannot be opened; nothing that goes wrong later reaches the run.
    """
    with accelerators.asked() as ask:
        if ask is None:
            yield False
            return
        with _sampled(path, COLUMNS, lambda: [[card, *sample] for card, sample in ask()]):
            yield True


@contextmanager
def processes_recorded(path: Path, members: Members) -> Iterator[None]:
    """Write what the processes of a run take into `path`, once a second, until the block ends.

    The columns are time (unix seconds) and those of `TreeSample`; a value that is not known is empty. A moment without
    any process has no row. Raises OSError where `path` cannot be opened; nothing that goes wrong later reaches the run.
    """
    tree = ProcessTree(members)

    def rows() -> list[Row]:
        found = tree.sample()
        return [list(found)] if found.processes else []

    with _sampled(path, PROCESS_COLUMNS, rows):
        yield


@contextmanager
def _sampled(path: Path, columns: Sequence[str], rows: Callable[[], list[Row]]) -> Iterator[None]:
    """Write the rows of every full interval, behind its time, in a thread of their own."""
    left = threading.Event()
    arguments = (path.open("w", encoding="utf-8", newline=""), columns, rows, left)
    thread = threading.Thread(target=_write, args=arguments, name="telemetry", daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join(_PATIENCE)  # a card that is slow to answer keeps the run no longer


def _write(file: TextIO, columns: Sequence[str], rows: Callable[[], list[Row]], left: threading.Event) -> None:
    with suppress(OSError), closing(file):  # on a full disk the samples end and the run goes on
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        for moment in _moments(left):
            table.writerows([f"{moment:.3f}", *row] for row in rows())
            file.flush()  # a run that is killed keeps its samples


def _moments(left: threading.Event) -> Iterator[float]:
    """Give the unix time at every full interval since now; one that has passed meanwhile is left out."""
    start, count = time.monotonic(), 0
    while not left.wait(max(0.0, start + count * INTERVAL - time.monotonic())):
        yield time.time()
        count = max(count, int((time.monotonic() - start) / INTERVAL)) + 1

"""Telemetry: what the NVIDIA cards of this node do while a run goes on."""

from __future__ import annotations

import csv
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from . import gpus

INTERVAL = 1.0  # seconds
COLUMNS = ("time", "card", *gpus.CardSample._fields)
_PATIENCE = 5.0  # seconds for a card to answer at the end


@contextmanager
def recorded(path: Path) -> Iterator[bool]:
    """Write what every card reports into `path`, once a second, until the block ends; yields whether there is a card.

    The columns are time (unix seconds), card, utilisation (%), memory (MiB), power (W), sm_clock and memory_clock
    (MHz), temperature (degrees Celsius); a value that a card cannot tell is empty. All cards of the node are written,
    by the index that NVML gives them: CUDA_VISIBLE_DEVICES is not interpreted. Without a card no file is made.
    Raises OSError where `path` cannot be opened; nothing that goes wrong later reaches the run.
    """
    with gpus.cards() as cards:
        if not cards:
            yield False
            return
        left = threading.Event()
        arguments = (cards, path.open("w", encoding="utf-8", newline=""), left)
        thread = threading.Thread(target=_write, args=arguments, name="telemetry", daemon=True)
        thread.start()
        try:
            yield True
        finally:
            left.set()
            thread.join(_PATIENCE)  # a card that is slow to answer keeps the run no longer


def _write(cards: list[gpus.Card], file: TextIO, left: threading.Event) -> None:
    with suppress(OSError), closing(file):  # on a full disk the samples end and the run goes on
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        for moment in _moments(left):
            rows.writerows(_row(moment, card) for card in cards)
            file.flush()  # a run that is killed keeps its samples


def _moments(left: threading.Event) -> Iterator[float]:
    """Give the unix time at every full interval since now; one that has passed meanwhile is left out."""
    start, count = time.monotonic(), 0
    while not left.wait(max(0.0, start + count * INTERVAL - time.monotonic())):
        yield time.time()
        count = max(count, int((time.monotonic() - start) / INTERVAL)) + 1


def _row(moment: float, card: gpus.Card) -> list[str | int | float | None]:
    return [f"{moment:.3f}", card.index, *card.sample()]

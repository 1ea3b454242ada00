"""Telemetry: what the cards of this node, and the processes of a run, do while it goes on."""

from __future__ import annotations

import csv
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Generic, NamedTuple, TextIO, TypeVar

from parsers.runs.run_folder import CARD_PROCESS_COLUMNS, PROCESS_COLUMNS, TELEMETRY_COLUMNS, TreeSample

from . import accelerators
from .card_processes import CardProcesses
from .card_sample import CardAnswer
from .process_tree import Members, ProcessTree

INTERVAL = 1.0  # seconds
Row = Sequence[int | float | str | None]
Asked = TypeVar("Asked")
_PATIENCE = 5.0  # seconds for a card to answer at the end


@contextmanager
def recorded(path: Path, processes: Path) -> Iterator[bool]:
    """Write what every card reports into `path`, once a second, until the block ends; yields whether there is a card.

    The columns are time (unix seconds), card, and those of `CardSample`; a value that is not told is empty. All cards
    of the node are written, by the number that they have there: CUDA_VISIBLE_DEVICES is not interpreted. Into
    `processes` go time and the columns of `ProcessRow`, whenever a process of a card comes, changes or goes. Without a
    card no file is made. Raises OSError where one cannot be opened; nothing that goes wrong later reaches the run.
    """
    with accelerators.asked() as ask:
        if ask is None:
            yield False
            return
        cards: _SampleFile[list[CardAnswer]] = _SampleFile(
            path, TELEMETRY_COLUMNS, lambda told: ([one.card, *one.sample] for one in told)
        )
        held: _SampleFile[list[CardAnswer]] = _SampleFile(processes, CARD_PROCESS_COLUMNS, CardProcesses().changes)
        with _sampled(ask, cards, held):
            yield True


@contextmanager
def processes_recorded(path: Path, members: Members) -> Iterator[None]:
    """Write what the processes of a run take into `path`, once a second, until the block ends.

    The columns are time (unix seconds) and those of `TreeSample`; a value that is not known is empty. A moment without
    any process has no row. Raises OSError where `path` cannot be opened; nothing that goes wrong later reaches the run.
    """
    table: _SampleFile[TreeSample] = _SampleFile(
        path, PROCESS_COLUMNS, lambda found: [found] if found.processes else []
    )
    with _sampled(ProcessTree(members).sample, table):
        yield


class _SampleFile(NamedTuple, Generic[Asked]):
    """A file of samples: its columns, and its rows, behind the time, by what was asked at a moment."""

    path: Path
    columns: Sequence[str]
    rows: Callable[[Asked], Iterable[Row]]


@contextmanager
def _sampled(ask: Callable[[], Asked], *tables: _SampleFile[Asked]) -> Iterator[None]:
    """Write the rows of every full interval, in a thread of their own."""
    left = threading.Event()
    with ExitStack() as opened:
        files = [opened.enter_context(table.path.open("w", encoding="utf-8", newline="")) for table in tables]
        arguments = (ask, list(zip(files, tables, strict=True)), left, opened.pop_all())
    thread = threading.Thread(target=_write, args=arguments, name="telemetry", daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join(_PATIENCE)  # a card that is slow to answer keeps the run no longer


def _write(
    ask: Callable[[], Asked], tables: list[tuple[TextIO, _SampleFile[Asked]]], left: threading.Event, opened: ExitStack
) -> None:
    with suppress(OSError), opened:  # on a full disk the samples end and the run goes on
        writers = [csv.writer(file, lineterminator="\n") for file, _ in tables]
        for writer, (_, table) in zip(writers, tables, strict=True):
            writer.writerow(table.columns)
        for moment in _moments(left):
            found = ask()
            for writer, (file, table) in zip(writers, tables, strict=True):
                writer.writerows([f"{moment:.3f}", *row] for row in table.rows(found))
                file.flush()  # a run that is killed keeps its samples


def _moments(left: threading.Event) -> Iterator[float]:
    """Give the unix time at every full interval since now; one that has passed meanwhile is left out."""
    start, count = time.monotonic(), 0
    while not left.wait(max(0.0, start + count * INTERVAL - time.monotonic())):
        yield time.time()
        count = max(count, int((time.monotonic() - start) / INTERVAL)) + 1

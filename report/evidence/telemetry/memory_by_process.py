"""Memory of the cards by process: who held how much of it, as the gpu_processes.csv of a run says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from parsers.io.message import Message, joined
from parsers.runs.run_folder import CARD_PROCESSES
from parsers.runs.telemetry import Telemetry

HELD = "Card memory by process, the peak of each ({file}): {processes}."
PROCESS = "card {card} {process} {memory} MiB (line {line})"
OTHERS, OTHER = "{first}, and {count} others", "{first}, and 1 other"
_MOST = 8  # that a sentence names


@dataclass(frozen=True)
class ProcessMemory:
    """The most memory (MiB) that a process held of a card during a run, and the line that says it first."""

    card: int
    number: int
    name: str
    memory: float
    line: int

    @property
    def process(self) -> str:
        """The program, if it is known, and the number that the process had."""
        return f"{self.name} (pid {self.number})" if self.name else f"pid {self.number}"

    @property
    def message(self) -> Message:
        """The process with what it held."""
        return Message(PROCESS, card=self.card, process=self.process, memory=f"{self.memory:.0f}", line=self.line)

    def row(self) -> tuple[str, str, str]:
        """Name, value with its unit, and source, as text."""
        held = f"card {self.card} {self.process} {self.memory:.0f} MiB"
        return "card_process", held, f"{CARD_PROCESSES} line {self.line}"

    def as_json(self) -> dict[str, Any]:
        """The same for JSON; ``name`` is null where it is not known."""
        told = {"card": self.card, "pid": self.number, "name": self.name or None}
        return {**told, "memory": self.memory, "unit": "MiB", "line": self.line, "witness": CARD_PROCESSES}


def memory_by_process(processes: Telemetry, cards: Collection[int]) -> tuple[ProcessMemory, ...]:
    """What each process held of these cards, by card and from the greatest; without those whose memory is not told."""
    told = processes.samples[processes.samples["card"].isin(cards)]
    told = told[told["memory"] > 0]  # a process that ended holds none; what it held may not have been told
    greatest = told.loc[told.groupby(["card", "pid", "name"])["memory"].idxmax()]
    columns = greatest[["card", "pid", "name", "memory", "line"]].itertuples(index=False)
    found = (
        ProcessMemory(int(card), int(pid), str(name), float(memory), int(line))
        for card, pid, name, memory, line in columns
    )
    return tuple(sorted(found, key=lambda one: (one.card, -one.memory, one.number)))


def remarks(held: Collection[ProcessMemory]) -> Iterator[Message]:
    """One sentence of all that held memory; none where it is not known."""
    if held:
        named = joined("{first}; {second}", _named(held))
        more = len(held) - _MOST
        if more > 0:
            named = Message(OTHER, first=named) if more == 1 else Message(OTHERS, first=named, count=more)
        yield Message(HELD, file=CARD_PROCESSES, processes=named)


def _named(held: Iterable[ProcessMemory]) -> Iterator[Message]:
    return (one.message for one in islice(held, _MOST))

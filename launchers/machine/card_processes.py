"""The processes on the cards of this node: who they are, and when what they hold has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from parsers.runs.run_folder import ProcessRow, program_name

from .card_sample import CardAnswer, CardProcess

# What a process has open that computes on a card, of NVIDIA, AMD, Intel and Ascend.
_DEVICES = ("/dev/nvidia", "/dev/kfd", "/dev/dri/", "/dev/davinci")
_REMOVED = " (deleted)"


class CardProcesses:
    """What was said of the processes of all cards, so that only what has changed is said again."""

    def __init__(self) -> None:
        self._said: dict[tuple[int, int], ProcessRow] = {}

    def changes(self, answers: Iterable[CardAnswer]) -> Iterator[ProcessRow]:
        """What differs from the answers before; a card that does not answer leaves what was said of it."""
        for answer in answers:
            if answer.processes is not None:
                yield from self._of_card(answer.card, _held(answer.processes))

    def _of_card(self, card: int, now: dict[int, float | None]) -> Iterator[ProcessRow]:
        for key in [key for key in self._said if key[0] == card and key[1] not in now]:
            yield self._said.pop(key)._replace(memory=0)
        for number, memory in now.items():
            said = self._said.get((card, number))
            if said is None or said.memory != memory:
                row = ProcessRow(card, number, program(number) if said is None else said.name, memory)
                self._said[card, number] = row
                yield row


def _held(processes: Iterable[CardProcess]) -> dict[int, float | None]:
    """The memory of each process, of whom parts of a card may list several shares; None where one is not told."""
    held: dict[int, float | None] = {}
    for one in processes:
        before = held.get(one.number, 0)
        held[one.number] = None if before is None or one.memory is None else before + one.memory
    return held


def program(number: int, processes: Path = Path("/proc")) -> str | None:
    """Name the program that a process runs: that of its file, without its arguments, which may hold secrets.

    Drivers give the number that a process has on the machine, which in a container may be that of another one. So None
    where the process of this number has no card open, and where nobody but another user may see that.
    """
    with suppress(OSError):
        if _has_card_open(processes / str(number)):
            name = (processes / str(number) / "exe").readlink().name.removesuffix(_REMOVED)
            return program_name(name) or None
    return None


def _has_card_open(process: Path) -> bool:
    return any(_target(entry).startswith(_DEVICES) for entry in (process / "fd").iterdir())


def _target(link: Path) -> str:
    with suppress(OSError):  # it was closed meanwhile
        return str(link.readlink())
    return ""

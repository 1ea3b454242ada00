"""The processes of a run: what they take of the cores and of the main memory, and what the processors draw."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from parsers.runs.run_folder import TreeSample

POWERCAP = Path("/sys/class/powercap")
_PACKAGES = "intel-rapl:[0-9]*"  # AMD's processors have that name there, too
_MIB = 2**20
# The processes that there are at the moment.
Members = Callable[[], list[psutil.Process]]
_MICROJOULES = 1e6


def below(root: int) -> Members:
    """All that descend from a process, but for this one, which only looks."""

    def members() -> list[psutil.Process]:
        try:
            found = psutil.Process(root).children(recursive=True)
        except psutil.Error:
            return []
        return [process for process in found if process.pid != os.getpid()]

    return members


def within(first: Callable[[], int | None]) -> Members:
    """The first process of a container, and all that descend from it; it is asked for until it is known."""
    known: list[psutil.Process] = []

    def members() -> list[psutil.Process]:
        try:
            if not known and (number := first()):
                known.append(psutil.Process(number))
            return [*known, *(child for root in known for child in root.children(recursive=True))]
        except psutil.Error:
            return []

    return members


class ProcessTree:
    """The processes of a run, sample by sample; `powercap`: where Linux tells the energy of the processors."""

    def __init__(self, members: Members, powercap: Path = POWERCAP) -> None:
        self._members, self._packages = members, list(_packages(powercap))
        self._time, self._used, self._energy = time.monotonic(), self._busy()[0], self._joules()

    def sample(self) -> TreeSample:
        """Look at all processes that there are now."""
        moment, energy = time.monotonic(), self._joules()
        used, memory = self._busy()
        passed = moment - self._time
        # Of a process that has ended since, and of one that began, only what was seen of it counts.
        busy = sum(seconds - self._used.get(key, 0.0) for key, seconds in used.items())
        counters = zip(self._energy, energy, self._packages, strict=True)
        drawn = [_grown(old, new, package) for old, new, package in counters]
        self._time, self._used, self._energy = moment, used, energy
        known = [joules for joules in drawn if joules is not None]
        power = sum(known) / passed if passed > 0 and known and len(known) == len(drawn) else None
        return TreeSample(
            processes=len(used),
            load=round(busy / passed, 3) if passed > 0 else None,
            memory=memory // _MIB,
            power=None if power is None else round(power, 3),
        )

    def _busy(self) -> tuple[dict[tuple[int, float], float], int]:
        """The CPU seconds of each process by its number and its start, and the bytes of all in main memory."""
        used, memory = {}, 0
        for process in self._members():
            with suppress(psutil.Error):
                with process.oneshot():
                    times, key = process.cpu_times(), (process.pid, process.create_time())
                    memory += process.memory_info().rss
                used[key] = times.user + times.system
        return used, memory

    def _joules(self) -> list[float | None]:
        return [_number(package / "energy_uj", _MICROJOULES) for package in self._packages]


def _packages(powercap: Path) -> Iterator[Path]:
    """The processors whose energy may be read; their cores and their memory, which are parts of it, are left out."""
    for package in sorted(powercap.glob(_PACKAGES)):
        if package.name.count(":") == 1 and _number(package / "energy_uj", _MICROJOULES) is not None:
            yield package


def _grown(old: float | None, new: float | None, package: Path) -> float | None:
    """By how many joules a counter grew, which begins anew at its greatest value."""
    if old is None or new is None:
        return None
    if new >= old:
        return new - old
    greatest = _number(package / "max_energy_range_uj", _MICROJOULES)
    return None if greatest is None else new + greatest - old


def _number(path: Path, unit: float) -> float | None:
    try:
        return int(path.read_text(encoding="ascii")) / unit
    except (OSError, ValueError):
        return None

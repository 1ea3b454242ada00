"""Telemetry: what the cards of this node, the processes of a run and those of others do while it goes on."""

from __future__ import annotations

import csv
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil

from parsers.runs.run_folder import PROCESS_COLUMNS, TELEMETRY_COLUMNS, Foreign, TreeSample, program_name

from .cards import AmdCard, CardAnswer, NvidiaCard, cards

INTERVAL = 1.0  # seconds
FOREIGN = 5.0  # % of the cores: what others may take before it is said
_PATIENCE = 5.0  # seconds for a card to answer at the end
DEVICES = ("/dev/nvidia", "/dev/kfd", "/dev/dri/")  # what a process has open that computes on a card
_UNKNOWN = "unknown"  # the program of a process on a card whose name this user may not see
# The processes that there are at the moment.
Members = Callable[[], list[psutil.Process]]
Row = Sequence[int | float | str | None]


def below(root: Callable[[], int | None], *, with_root: bool = False) -> Members:
    """All that descend from a process, but for this one, which only looks; `root` is asked until it is known."""
    known: list[psutil.Process] = []

    def members() -> list[psutil.Process]:
        try:
            if not known and (number := root()):
                known.append(psutil.Process(number))
            found = [child for process in known for child in process.children(recursive=True)]
        except psutil.Error:
            return []
        return [*(known if with_root else []), *(process for process in found if process.pid != os.getpid())]

    return members


class RunLoad:
    """What the processes of a run take of this machine, sample by sample, and what others take meanwhile.

    Others are all but the processes of the run and this one.
    """

    def __init__(self, members: Members) -> None:
        self._members = members
        self._load_average = os.getloadavg()[0]
        self._first = self._last = machine_seconds()
        self._time = time.monotonic()
        self._numbers, self._used, _ = self._look()
        self._own = sum(psutil.Process().cpu_times()[:4])
        self._taken = 0.0  # CPU seconds of the run and of this process since then
        self._on_cards: dict[int, str | None] | None = None

    def sample(self) -> TreeSample:
        """Look at all processes of the run that there are now."""
        moment = time.monotonic()
        numbers, used, memory = self._look()
        own, passed = sum(psutil.Process().cpu_times()[:4]), moment - self._time
        # Both fall where a process ends that none of the run waited for.
        busy = max(0.0, used - self._used)
        self._taken += max(0.0, used + own - self._used - self._own)
        self._last = machine_seconds()
        self._numbers |= numbers
        self._time, self._used, self._own = moment, used, own
        load = round(busy / passed, 3) if passed > 0 else None
        return TreeSample(processes=len(numbers), load=load, memory=memory // 2**20)

    def see_cards(self, answers: Iterable[CardAnswer]) -> None:
        """Note who computes on the cards. Those at first are others, for the run needs longer to begin.

        Later only whoever has a name is surely another: in a container, drivers give the numbers of the machine.
        """
        now = {process.number for answer in answers for process in answer.processes or ()}
        known = self._on_cards or {}
        if come := now - known.keys():
            self._numbers |= {process.pid for process in self._members()}
        unknown = _UNKNOWN if self._on_cards is None else None
        self._on_cards = known | {number: program(number) or unknown for number in come}

    def foreign(self) -> Foreign:
        """What others took up to the last sample: % of all cores, the load average at first, programs on cards."""
        busy, of_all = (last - first for last, first in zip(self._last, self._first, strict=True))
        names = {name for number, name in (self._on_cards or {}).items() if name and number not in self._numbers}
        return {
            "cpu_percent": round(100 * max(0.0, busy - self._taken) / of_all, 1) if of_all > 0 else 0.0,
            "load_average": round(self._load_average, 2),
            "gpu_processes": sorted(names),
        }

    def _look(self) -> tuple[set[int], float, int]:
        """The numbers of the processes, their CPU seconds, and the bytes that they take in main memory.

        Those of the ended ones that any of them waited for are among the seconds.
        """
        numbers, seconds, memory = set[int](), 0.0, 0
        for process in self._members():
            with suppress(psutil.Error):
                with process.oneshot():
                    times = process.cpu_times()
                    memory += process.memory_info().rss
                numbers.add(process.pid)
                seconds += sum(times[:4])
        return numbers, seconds, memory


def foreign_remark(found: Foreign) -> str | None:
    """Say what others took during a run; None where that was at most 5 % of the CPU, and nothing of its cards."""
    percent, average, names = found["cpu_percent"], found["load_average"], found["gpu_processes"]
    on_cpu = [f"took {percent:.0f}% of the CPU (load average at its start: {average:.1f})"] if percent > FOREIGN else []
    on_cards = [f"computed on its GPUs ({', '.join(names)})"] if names else []
    parts = " and ".join([*on_cpu, *on_cards])
    return f"During the run, other processes {parts}." if parts else None


def worst(nodes: Iterable[Foreign]) -> Foreign:
    """Put together what others took on the nodes of a run, one at least: the greatest numbers, and all programs."""
    listed = list(nodes)
    return {
        "cpu_percent": max(float(node["cpu_percent"]) for node in listed),
        "load_average": max(float(node["load_average"]) for node in listed),
        "gpu_processes": sorted({program_name(name) for node in listed for name in node["gpu_processes"]}),
    }


def machine_seconds() -> tuple[float, float]:
    """The CPU seconds that processes took on this machine since its start, and those that all of its cores had."""
    times = psutil.cpu_times()
    return times.user + times.nice + times.system, sum(times[:8])  # those of guests are within the first two


def program(number: int, processes: Path = Path("/proc")) -> str | None:
    """Name the program that a process runs: that of its file, without its arguments, which may hold secrets.

    Drivers give the number that a process has on the machine, which in a container may be that of another one. So None
    where the process of this number has no card open. Those of other users, which nobody else may see, are taken to
    have one open, and their own name for their program.
    """
    process, name = processes / str(number), ""
    with suppress(OSError):
        try:
            if any(map(_is_device, (process / "fd").iterdir())):
                name = (process / "exe").readlink().name.removesuffix(" (deleted)")
        except PermissionError:
            name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    return program_name(name) or None


def _is_device(link: Path) -> bool:
    with suppress(OSError):  # it was closed meanwhile
        return str(link.readlink()).startswith(DEVICES)
    return False


@contextmanager
def recorded(path: Path, processes: Path, load: RunLoad | None) -> Iterator[bool]:
    """Write what cards and processes report, once a second, until the block ends; yields whether there is a card.

    Into `path` go time (unix seconds), card, and the columns of `CardSample`; a value that is not told is empty. All
    cards of the node are written, by the number that they have there: CUDA_VISIBLE_DEVICES is not interpreted. Into
    `processes` go time and the columns of `TreeSample`, as long as the run whose `load` that is has any. No file is
    made without a card, or without a load. Raises OSError where one cannot be opened; nothing that goes wrong later
    reaches the run.
    """
    with ExitStack() as samples:
        if found := samples.enter_context(cards()):
            samples.enter_context(_sampled(partial(_of_cards, found, load), path, TELEMETRY_COLUMNS))
        if load:
            samples.callback(load.sample)  # what others took is known up to the end
            samples.enter_context(_sampled(partial(_of_run, load), processes, PROCESS_COLUMNS))
        yield bool(found)


def _of_cards(found: Sequence[NvidiaCard | AmdCard], load: RunLoad | None) -> list[Row]:
    answers = [card.answer() for card in found]
    if load:
        load.see_cards(answers)
    return [[answer.card, *answer.sample] for answer in answers]


def _of_run(load: RunLoad) -> list[Row]:
    sample = load.sample()
    return [sample] if sample.processes else []


@contextmanager
def _sampled(ask: Callable[[], Iterable[Row]], path: Path, columns: Sequence[str]) -> Iterator[None]:
    """Write the rows that `ask` gives at every full interval, in a thread of their own."""
    left = threading.Event()
    opened = path.open("w", encoding="utf-8", newline="")

    def write() -> None:
        start = time.monotonic()
        with suppress(OSError), opened as file:  # on a full disk the samples end and the run goes on
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            while True:
                moment = f"{time.time():.3f}"
                writer.writerows([moment, *row] for row in ask())
                file.flush()  # a run that is killed keeps its samples
                if left.wait(INTERVAL - (time.monotonic() - start) % INTERVAL):
                    return

    thread = threading.Thread(target=write, name="telemetry", daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join(_PATIENCE)  # a card that is slow to answer keeps the run no longer

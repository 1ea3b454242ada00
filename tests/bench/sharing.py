"""Showing 100,000 small logs in one process, in two, and on two workers of a Dask cluster; `make bench` runs it.

`tachograph show --json` with `--jobs 1`, `--jobs 2`, and `--scheduler` on this machine; the outputs are the same byte
for byte. CPU time is summed over all processes; efficiency is that of one process divided by it.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from launchers.machine.facts import processor
from tests.bench.speed import DOCUMENT, MIB, write_section
from tests.parsers.corpus_logs import REAL_LOGS
from tests.parsers.golden_logs import LOGS

NUMBER = 100_000
LARGEST = 1 << 15
# The names of so many logs are more than a command line may have.
SHOW = """import sys, tachograph
sys.argv += [f"{number // 1000}/{number}.log" for number in range(int(sys.argv.pop(1)))]
tachograph.main()"""
DASK = "from distributed.cli.dask_{0} import main; main()"
HEAD = (
    "| {count:,} logs, {size:.0f} MiB | CPU time, s | ms a log | efficiency | wall-clock, s | command, MiB "
    "| worker, MiB | scheduler, MiB |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
)


@dataclass(frozen=True)
class Taken:
    """What a call took: seconds, seconds of CPU time, MiB of each kind of process, and the hash of what it printed."""

    wall: float
    cpu: float
    command: float
    worker: float | None
    scheduler: float | None
    printed: str


def make_logs(folder: Path, count: int) -> int:
    """Write the logs, no two of the same bytes; returns how many bytes they have."""
    real = [log.path for log in REAL_LOGS if log.path.stat().st_size <= LARGEST]
    texts = [log.read_bytes() for log in [*LOGS, *real]]
    written = 0
    for number in range(count):
        below = folder / str(number // 1000)
        below.mkdir(exist_ok=True)
        written += (below / f"{number}.log").write_bytes(texts[number % len(texts)] + b"\ncopy %d\n" % number)
    return written


def shown(folder: Path, count: int, options: Sequence[str], others: Sequence[psutil.Process]) -> Taken:
    """Show all logs of a folder; ``others``: the scheduler and its workers, if they take part."""
    start, before = time.perf_counter(), sum(map(cpu_time, others))
    command = [sys.executable, "-c", SHOW, str(count), "show", "--json", *options]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    printed, largest = hashlib.sha256(), 0.0
    assert process.stdout
    while some := process.stdout.read(MIB):
        printed.update(some)
        children = psutil.Process(process.pid).children()
        largest = max([largest, *map(_peak, children)])
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise RuntimeError(f"show ended with {os.waitstatus_to_exitcode(status)}")
    cpu = used.ru_utime + used.ru_stime + sum(map(cpu_time, others)) - before
    scheduler, *workers = map(_peak, others) if others else (None, largest or None)
    worker = max(filter(None, workers), default=None)
    return Taken(time.perf_counter() - start, cpu, used.ru_maxrss / 1024, worker, scheduler, printed.hexdigest())


def cpu_time(process: psutil.Process) -> float:
    """Seconds of CPU time that a process took so far."""
    times = process.cpu_times()
    return times.user + times.system


def _peak(process: psutil.Process) -> float:
    """MiB of memory that a process had at most; 0 for one that has ended."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[psutil.Process]]]:
    """The address of a scheduler; its process and those of two workers."""
    file = folder / "scheduler.json"
    known = ["--scheduler-file", str(file)]
    started = [_started("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *known)]
    worker = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
    started += [_started("worker", *known, *worker, "--name", name) for name in "ab"]
    try:
        while not file.is_file():
            time.sleep(0.1)
        yield _address(file), [psutil.Process(one.pid) for one in started]
    finally:
        for one in reversed(started):
            one.terminate()
            one.wait()


def _started(part: str, *options: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", DASK.format(part), *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _address(file: Path) -> str:
    return str(json.loads(file.read_text(encoding="utf-8"))["address"])


def table(folder: Path, count: int) -> str:
    """All that was measured, as Markdown."""
    (folder / "logs").mkdir()
    size = make_logs(folder / "logs", count) / MIB
    found = {
        name: shown(folder / "logs", count, ["--jobs", name.split()[0]], []) for name in ("1 process", "2 processes")
    }
    with cluster(folder) as (address, others):
        found["2 Dask workers"] = shown(folder / "logs", count, ["--scheduler", address], others)
    if len({taken.printed for taken in found.values()}) != 1:
        raise RuntimeError("the outputs differ")
    alone = next(iter(found.values())).cpu
    rows = [_row(name, taken, alone, count) for name, taken in found.items()]
    return "\n".join([HEAD[0].format(count=count, size=size), HEAD[1], *rows])


def _row(name: str, taken: Taken, alone: float, count: int) -> str:
    memory = ("-" if peak is None else f"{peak:.0f}" for peak in (taken.command, taken.worker, taken.scheduler))
    times = (f"{taken.cpu:.1f}", f"{taken.cpu / count * 1000:.2f}", f"{alone / taken.cpu:.0%}", f"{taken.wall:.0f}")
    return f"| {' | '.join([name, *times, *memory])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write it into {DOCUMENT}, too")
    parser.add_argument("--count", type=int, default=NUMBER, help="how many logs")
    options = parser.parse_args()
    machine = f"Measured on: {processor()}, {os.cpu_count()} cores."
    with tempfile.TemporaryDirectory() as folder:
        text = "\n\n".join([str(__doc__).strip(), table(Path(folder), options.count), machine])
    sys.stdout.write(f"{text}\n")
    if options.write:
        write_section("## Sharing work", text)


if __name__ == "__main__":
    main()

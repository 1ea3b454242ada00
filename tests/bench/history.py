"""The history of 10,000 runs: read, read again with nothing new, and its page; `make bench` runs it.

Generated: 100 cases of 100 runs each, with logs of 250 steps, three changes of speed, and a few failed runs.
`tachograph history` with two processes; 100,000 runs with two workers of a Dask cluster on this machine. CPU time is
that of the command and of its workers.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import psutil

from launchers.machine.facts import processor
from tests.bench.sharing import cluster, cpu_time
from tests.bench.speed import DOCUMENT, write_section
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import CASE, ENVIRONMENT, log_of

RUNS_OF_A_CASE = 100
STEPS = 250
NOISE = 0.005
# The command, which at last says how much CPU time it and its workers took, and the memory of the larger.
HISTORY = """import atexit, os, resource, sys, tachograph
def told():
    used = os.times()
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(used.user + used.system, used.children_user + used.children_system, peak / 1024, file=sys.stderr)
atexit.register(told)
tachograph.main()"""
HEAD = (
    "| {runs:,} runs | command, s of CPU time | workers, s | on two idle cores, s | peak MiB |",
    "| --- | ---: | ---: | ---: | ---: |",
)


def make_suite(suite: Path, runs: int) -> None:
    """Write the runs of a suite."""
    numbers = np.random.default_rng(1)
    for case in range(runs // RUNS_OF_A_CASE):
        levels = np.cumsum(np.isin(np.arange(RUNS_OF_A_CASE), (25, 50, 75)) * numbers.choice([-0.03, 0.03]))
        times = 100 * np.exp(levels + numbers.normal(0, NOISE, RUNS_OF_A_CASE))
        for number, milliseconds in enumerate(times.tolist(), 1):
            seed = case * RUNS_OF_A_CASE + number
            log = log_of(milliseconds, seed=seed, steps=STEPS)
            make_run(suite / f"case{case:04d}" / str(number), log, **_said(case, number))


def _said(case: int, number: int) -> dict[str, object]:
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=12 * number)
    driver = "550.54" if number < 10 * (case % 10) else "560.28"
    return {
        "case": CASE,
        "environment": {**ENVIRONMENT, "driver": driver},
        "source": {"commit": f"{number // 3:040x}"},
        "start": start.isoformat(),
        "status": "failed" if number % 40 == 0 else "done",
    }


def measured(name: str, suite: Path, *options: str, others: Sequence[psutil.Process] = ()) -> str:
    """What a call of the command took, as a row of the table; ``others``: a scheduler and its workers."""
    before = sum(map(cpu_time, others))
    command = [sys.executable, "-c", HISTORY, "history", str(suite), *options]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    own, workers, peak = map(float, done.stderr.split()[-3:])
    workers += sum(map(cpu_time, others)) - before
    times = (own, workers, own + workers / 2)
    return f"| {' | '.join([name, *(f'{one:.1f}' for one in times), f'{peak:.0f}'])} |"


def rows(folder: Path, runs: int) -> Iterator[str]:
    """The rows of the table."""
    suite = folder / "nightly"
    make_suite(suite, runs)
    time.sleep(3)  # files that were just changed are read again
    told = ["--store", str(folder / "store.sqlite"), "--jobs", "2"]
    yield measured("read", suite, *told)
    yield measured("again, nothing new", suite, *told)
    yield measured("again, with the HTML page", suite, *told, "--html", str(folder / "history.html"))


def rows_of_cluster(folder: Path, runs: int) -> Iterator[str]:
    """The rows of the table of what a Dask cluster reads."""
    suite = folder / "many"
    make_suite(suite, runs)
    time.sleep(3)
    told = ["--store", str(folder / "many.sqlite")]
    with cluster(folder) as (address, others):
        yield measured("read", suite, *told, "--scheduler", address, others=others)
        yield measured("again, nothing new", suite, *told, "--scheduler", address, others=others)
    yield measured("again, with the HTML page", suite, *told, "--html", str(folder / "many.html"))


def table(runs: int, rows: Iterator[str]) -> str:
    """A table of its rows, as Markdown."""
    return "\n".join([HEAD[0].format(runs=runs), HEAD[1], *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write it into {DOCUMENT}, too")
    parser.add_argument("--count", type=int, default=10_000, help="how many runs")
    parser.add_argument("--of-cluster", type=int, default=100_000, help="how many of the Dask cluster")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = [table(options.count, rows(Path(folder), options.count))]
        tables += [table(options.of_cluster, rows_of_cluster(Path(folder), options.of_cluster))]
    text = "\n\n".join([str(__doc__).strip(), *tables, f"Measured on: {processor()}, {os.cpu_count()} cores."])
    sys.stdout.write(f"{text}\n")
    if options.write:
        write_section("## Histories", text)


if __name__ == "__main__":
    main()

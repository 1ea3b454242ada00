"""What commands take: CPU time and memory of all their processes, on generated data; `make bench` runs it.

A log of 1 GiB, every third line of which is a metric line. A page of 500 cells from 2,000 run folders, logs of 300
lines, in two languages. Small logs, copies of the golden ones, which each of one process, two processes and two workers
of a Dask cluster show, with the same output byte for byte. A suite of 10,000 runs, 100 of each case, logs of 250 steps.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import psutil
from distributed import LocalCluster

from tests.bench.bench import make_log
from tests.bench.speed import is_written, machine, table, tell
from tests.parsers.golden_logs import LOGS
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import CASE, ENVIRONMENT, log_of

SMALL_LOGS, RUNS, RUNS_OF_A_CASE = 5_000, 10_000, 100
# The names of so many logs are more than a command line may have: those of a folder stand for it.
PROGRAM = """import sys, tachograph
from pathlib import Path
sys.argv[1:] = [name for word in sys.argv[1:] for name in (sorted(map(str, Path(word[1:]).rglob("*.log")))
    if word[0] == "@" else [word])]
tachograph.main()"""

MODELS, PRECISIONS, CARDS, BATCH_SIZES, REPEATS = "ABCDE", ("fp32", "amp"), (1, 8, 16, 32, 64), (32, 64), 4
PROTOCOLS = ("tipc", "skip_records=10", "statistic=median", "estimate=step_time", "take_first=100")
LINE = (
    "[2031/05/17 {clock}] ppcls INFO: [Train][Epoch 1/1][Iter: {step}/250]lr(Piecewise): 0.125, top1: 0.05058, loss: "
    "{loss:.5f}, batch_cost: {seconds:.5f}s, reader_cost: 0.00686, ips: {speed:.5f} samples/s, eta: 0:12:00"
)
PAGE = """title = "Throughput by five protocols"
model = "A"
unit = "samples/s"
tested = ["Numbers that nobody measured, so many that a page is hard to build."]
"""
COLUMN = """[columns.c{0}]
title = "By protocol {0}"
logs = "c{0}/{{model}}_bs{{batch_size}}_{{precision}}_C{{cards}}/*/train.log"
protocol = "{1}"
"""
TABLE = """[[tables]]
name = "{model}-{precision}"
title = "{model}, {precision}"
corner = "Cards and batch size"
case = {{ model = "{model}", device = "Example Card 40GB", precision = "{precision}" }}
columns = [{columns}]
rows = [{rows}]
"""
ROW = '{{ title = "{{cards}} cards, BS={{batch_size}}", case = {{ cards = {0}, batch_size = {1} }} }}'


def write_page(folder: Path) -> None:
    """Write the page file, and the run folders of its cells, no two logs of which have the same bytes."""
    rows = ", ".join(ROW.format(*case) for case in product(CARDS, BATCH_SIZES))
    shown = ", ".join(f'"c{number}"' for number in range(len(PROTOCOLS)))
    parts = [PAGE, *(COLUMN.format(*column) for column in enumerate(PROTOCOLS))]
    for model, precision in product(MODELS, PRECISIONS):
        parts.append(TABLE.format(model=model, precision=precision, columns=shown, rows=rows))
    (folder / "many.toml").write_text("\n".join(parts), encoding="utf-8")
    cells = product(range(len(PROTOCOLS)), MODELS, PRECISIONS, CARDS, BATCH_SIZES, range(1, REPEATS + 1))
    for seed, (column, model, precision, cards, size, repeat) in enumerate(cells):
        run = folder / "runs" / f"c{column}" / f"{model}_bs{size}_{precision}_C{cards}" / str(repeat)
        case = {"model": model, "precision": precision, "cards": cards, "batch_size": size}
        make_run(run, "\n".join([*_lines(size, Random(seed)), ""]).encode(), case=case)  # noqa: S311 - no secret


def _lines(size: int, numbers: Random) -> Iterator[str]:
    """The lines of one log; the first records are slow, and after every fifth comes a line that no format knows."""
    for step in range(1, 251):
        speed = 400 * numbers.uniform(0.98, 1.02) * (0.5 if step < 4 else 1)
        clock = f"09:{30 + step // 60}:{step % 60:02d}"
        yield LINE.format(step=step, clock=clock, loss=7 - step / 100, speed=speed, seconds=size / speed)
        if step % 5 == 0:
            yield f"    a remark of the runtime on operator {step}"


def write_small_logs(folder: Path) -> None:
    """Write the small logs, no two of the same bytes."""
    texts = [log.read_bytes() for log in LOGS]
    for number in range(SMALL_LOGS):
        (folder / "small" / str(number // 1000)).mkdir(parents=True, exist_ok=True)
        log = folder / f"small/{number // 1000}/{number}.log"
        log.write_bytes(texts[number % len(texts)] + b"\ncopy %d\n" % number)


def write_suite(folder: Path) -> None:
    """Write a suite of nightly runs: three changes of speed in each case, a new driver, and a few failed runs."""
    numbers = np.random.default_rng(1)
    for case in range(RUNS // RUNS_OF_A_CASE):
        levels = np.cumsum(np.isin(np.arange(RUNS_OF_A_CASE), (25, 50, 75)) * numbers.choice([-0.03, 0.03]))
        times = 100 * np.exp(levels + numbers.normal(0, 0.005, RUNS_OF_A_CASE))
        for number, milliseconds in enumerate(times.tolist(), 1):
            start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=12 * number)
            make_run(
                folder / f"nightly/case{case:04d}/{number}",
                log_of(milliseconds, seed=case * RUNS_OF_A_CASE + number, steps=250),
                case=CASE,
                environment={**ENVIRONMENT, "driver": "550.54" if number < 10 * (case % 10) else "560.28"},
                source={"commit": f"{number // 3:040x}"},
                start=start.isoformat(),
                status="failed" if number % 40 == 0 else "done",
            )
    time.sleep(3)  # files that were just changed are read again


def taken(folder: Path, words: Sequence[str]) -> tuple[str, str]:
    """Of a command, as cells of a table: CPU seconds of all processes, wall-clock, MiB of the largest; what it printed.

    Processes that are there already and work for it, such as those of a cluster, are children of this one.
    """
    start, before = time.perf_counter(), _of_children()
    command = [sys.executable, "-c", PROGRAM, *words]
    own = {"XDG_CACHE_HOME": str(folder / "caches")} if words[0] == "history" else {}  # for its store
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **own}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout
    printed = hashlib.sha256()
    while piece := process.stdout.read(1 << 20):
        printed.update(piece)
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1: a log without a number, or one that contradicts itself
        raise RuntimeError(f"{words} ended with {os.waitstatus_to_exitcode(status)}")
    cpu = used.ru_utime + used.ru_stime + _of_children() - before
    wall = time.perf_counter() - start
    return f"{cpu:.1f} | {wall:.1f} | {used.ru_maxrss / 1024:.0f}", printed.hexdigest()


def _of_children() -> float:
    """CPU seconds of this process and of its children that go on."""
    mine = psutil.Process()
    return sum(sum(process.cpu_times()[:2]) for process in (mine, *mine.children(recursive=True)))


@contextmanager
def clustered() -> Iterator[str]:
    """The address of the scheduler of two workers."""
    local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")  # type: ignore[no-untyped-call]
    with local as cluster:
        yield cluster.scheduler_address


# What is made before, and the commands that are measured then.
PARTS: list[tuple[Callable[[Path], object], dict[str, list[str]]]] = [
    (
        lambda folder: make_log(folder / "gib.log", 1 << 30, 3),
        {
            "`show` of 1 GiB": ["show", "gib.log"],
            "`parse` of it to csv": ["parse", "gib.log", "--out", "records.csv"],
        },
    ),
    (
        write_page,
        {
            "`report` of 500 cells": ["report", "many.toml", "--logs", "runs"],
            "`report --html` of them": ["report", "many.toml", "--logs", "runs", "--html"],
        },
    ),
    (
        write_suite,
        {
            f"`history` of {RUNS:,} runs": ["history", "nightly", "--jobs", "2"],
            "again, nothing new": ["history", "nightly", "--jobs", "2"],
            "again, with the HTML page": ["history", "nightly", "--jobs", "2", "--html", "history.html"],
        },
    ),
]


def main() -> None:
    write = is_written(__doc__)
    rows = ["| CPU time, s | wall-clock, s | largest process, MiB"]
    with tempfile.TemporaryDirectory() as top, clustered() as address:
        for number, (make, commands) in enumerate(PARTS):
            folder = Path(top, str(number))
            folder.mkdir()
            make(folder)
            rows += [f"{name} | {taken(folder, words)[0]}" for name, words in commands.items()]
        write_small_logs(Path(top))
        ways = {"1 process": ("--jobs", "1"), "2 processes": ("--jobs", "2"), "Dask": ("--scheduler", address)}
        found = {way: taken(Path(top), ["show", "--json", "@small", *options]) for way, options in ways.items()}
        rows += [f"`show --json` of {SMALL_LOGS:,} small logs, {way} | {cells}" for way, (cells, _) in found.items()]
    tell("## Commands", __doc__, table(*rows), machine(), write=write)
    if len({printed for _, printed in found.values()}) != 1:
        raise SystemExit("the outputs of small logs differ")


if __name__ == "__main__":
    main()

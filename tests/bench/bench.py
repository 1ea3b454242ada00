"""Parsing speed, compared with Lark line by line, a hand-written script and grep; `make bench` runs it.

Two generated logs of 100 MiB each: in the dense one every third line is a metric line, in the sparse one every
hundredth. All candidates run in one process, pinned to one core; CPU time is measured.

Reading a log detects the format, reads the metric lines and all their fields into typed columns, accounts for every
line and hashes the file; Lark only parses the lines, and the script extracts one field.
"""

import argparse
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
from lark.exceptions import UnexpectedInput

from launchers.machine.machine_facts import processor
from parsers.runs.reading import known_format, read
from report.evidence.log_summary import as_json, summarise
from tests.bench.document import DOCUMENT, write_section

MIB = 1 << 20
SIZE = 100 * MIB
SLICE = 2 * MIB
FORMAT = "paddleclas_static"
LOGS = {"dense": 3, "sparse": 100}
BEST_OF = 3
PEAK = "import resource, sys; from parsers.runs.reading import read; r = read(sys.argv[1]); r.records.shape;"
PEAK += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"

METRIC = (
    "[2031/05/{day:02d} {hour:02d}:{minute:02d}:{second:02d}] ppcls INFO: epoch:{epoch:<3d} train step:{step:<4d}"
    " lr: 0.100000, loss: {loss:7.4f} top1: {top1:7.4f} top5: {top5:7.4f} batch_cost: {cost:.5f} s,"
    " reader_cost: {reader:.5f} s, ips: {ips:.5f} samples/sec.\n"
)
BANNER = """LAUNCH INFO 2031-05-17 09:30:01,310 -----------  Configuration  ----------------------
LAUNCH INFO 2031-05-17 09:30:01,310 devices: 0,1,2,3
LAUNCH INFO 2031-05-17 09:30:01,310 ips: 127.0.0.1
LAUNCH INFO 2031-05-17 09:30:01,310 nnodes: 1
LAUNCH INFO 2031-05-17 09:30:01,310 training_script_args: ['-o', 'DataLoader.Train.sampler.batch_size=256']
[2031/05/17 09:30:01] ppcls INFO:     use_amp : False
"""
NOISE = (
    "I0517 09:30:{second:02d}.123456 {step:5d} executor.cc:237] a remark of the runtime on operator {step}\n",
    "W0517 09:30:{second:02d}.123456 {step:5d} gpu_resources.cc:275] WARNING: a warning of the runtime, which is long"
    " because it says what to do about it, and that it may be switched off\n",
    "[2031/05/{day:02d} 09:30:{second:02d}] ppcls INFO: Already save model in ./output/toy/{step}\n",
    "not ready endpoints:['127.0.0.1:6{step:04d}', '127.0.0.1:6{step:04d}', '127.0.0.1:6{step:04d}']\n",
    "/opt/python/site-packages/toy/layers.py:{step}: UserWarning: the dtype of left and right are not the same\n",
    "  format(lhs_dtype, rhs_dtype, lhs_dtype))\n",
    "\n",
)

Contender = Callable[[Path], object]


def make_log(path: Path, size: int, one_in: int) -> None:
    """Write a log of about so many bytes, one in so many lines of it a metric line."""
    numbers = np.random.default_rng(one_in)
    chunk = "".join(_line(numbers, i, one_in) for i in range(30_000)).encode()
    with path.open("wb") as file:
        file.write(BANNER.encode())
        while file.tell() < size:
            file.write(chunk)


def _line(numbers: np.random.Generator, i: int, one_in: int) -> str:
    shape = METRIC if i % one_in == 0 else NOISE[i % len(NOISE)]
    loss, top1, top5, cost, reader = numbers.random(5).tolist()
    clock = {"day": 1 + i // 86400, "hour": i // 3600 % 24, "minute": i // 60 % 60, "second": i % 60}
    losses = {"loss": 7 * loss, "top1": top1, "top5": top5, "cost": cost + 0.1, "reader": reader}
    return shape.format(**clock, **losses, epoch=i // 5000, step=i % 5000, ips=256 / (cost + 0.1))


def show(path: Path) -> object:
    """What `tachograph show --json` prints."""
    return as_json(summarise(path, None, ()))


def lark(path: Path) -> int:
    """Lark's parser on every line of the first MiBs."""
    parse, refused = known_format(FORMAT).judge.parse, 0
    for line in path.read_bytes()[:SLICE].decode().split("\n"):
        try:
            parse(line)
        except UnexpectedInput:
            refused += 1
    return refused


def script(path: Path) -> list[str]:
    """What people write by hand, for one field."""
    found = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            found += re.findall(r"ips: (\S+)", line)
    return found


def grep(path: Path) -> bytes:
    """The fastest look at a log that there is."""
    return subprocess.run(["grep", "-c", "samples/sec", path], capture_output=True, check=True).stdout


CONTENDERS: dict[str, tuple[Contender, int]] = {
    "read: records, facts, account, sha256": (read, SIZE),
    "show: that, and the throughput": (show, SIZE),
    "Lark, line by line": (lark, SLICE),
    "a script: `re.findall` for one field": (script, SIZE),
    "`grep -c`": (grep, SIZE),
}


def speed(contender: Contender, path: Path, size: int) -> float:
    """MiB in a second of CPU time, children's included, best of some runs."""
    taken = []
    for _ in range(BEST_OF):
        start = _cpu()
        contender(path)
        taken.append(_cpu() - start)
    return size / MIB / min(taken)


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def table(speeds: dict[str, dict[str, float]]) -> str:
    """A Markdown table of the speeds, with their ratios to Lark and to the script."""
    columns = ["", *(f"{log}, MiB/s | x Lark | x script" for log in LOGS)]
    rows = [" | ".join(columns), " | ".join(["---", *["---:"] * 3 * len(LOGS)])]
    for name in CONTENDERS:
        cells = [name, *(_cells(speeds[log], name) for log in LOGS)]
        rows.append(" | ".join(cells))
    return "\n".join(f"| {row} |" for row in rows)


def _cells(speeds: dict[str, float], name: str) -> str:
    base, hand, own = speeds["Lark, line by line"], speeds["a script: `re.findall` for one field"], speeds[name]
    return f"{own:.1f} | {own / base:.2f} | {own / hand:.2f}"


def machine() -> str:
    """What ran this, without the name of the host."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("lark", "numpy", "pandas"))
    return f"{processor()}, one core; Python {platform.python_version()}; {packages}"


def peak(folder: Path) -> str:
    """Peak memory of a process of its own that reads a dense log of 1 GiB."""
    make_log(folder / "gib.log", 1 << 30, LOGS["dense"])
    said = subprocess.run([sys.executable, "-c", PEAK, folder / "gib.log"], capture_output=True, check=True, text=True)
    return f"Peak memory of reading a dense log of 1 GiB: {int(said.stdout) / 1024:.0f} MiB."


def compare(folder: Path) -> str:
    """Make both logs and measure all contenders on each."""
    speeds = {}
    for log, one_in in LOGS.items():
        make_log(folder / f"{log}.log", SIZE, one_in)
        speeds[log] = {name: speed(run, folder / f"{log}.log", size) for name, (run, size) in CONTENDERS.items()}
    return table(speeds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", action="store_true", help="also read 1 GiB and tell the peak memory")
    parser.add_argument("--write", action="store_true", help=f"write it into {DOCUMENT}, too")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        memory = [peak(Path(folder))] if options.gib else []
        speeds = compare(Path(folder))
    text = "\n\n".join([str(__doc__).strip(), speeds, *memory, f"Measured on: {machine()}."])
    sys.stdout.write(f"{text}\n")
    if options.write:
        write_section("# Parsing speed", text)


if __name__ == "__main__":
    main()

"""Capturing the output of a job, compared with `tee`; `make bench` runs it.

A child prints 100,000 lines as fast as it can, 20 MB in all. `tee` copies them to a file and to /dev/null; the capture
also records when they arrive and searches for secrets. Wall-clock time, median of nine alternating runs on two cores.
The runner starts Python unbuffered, so that each line arrives when it is printed; `buffered` is Python's default.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from launchers.run.execution import execute
from launchers.run.screen import Screen
from launchers.secrets.redaction import Redactor
from tests.bench.document import write_section

RUNS = 9
LINE = (
    "[2031/05/17 09:30:01] ppcls INFO: [Train][Epoch 1/2][Iter: 10/16]lr(PiecewiseDecay): 0.10000000, top1: 0.00000,"
    " batch_cost: 0.80387s, reader_cost: 0.00014, ips: 4.97591 samples/s, eta: 0:00:17"
)
CHILD = [sys.executable, "-c", f"for _ in range(100_000): print({LINE!r})"]


def tee(environment: Mapping[str, str], folder: Path) -> None:
    """Run the child with `tee` behind it."""
    child = subprocess.Popen(CHILD, stdout=subprocess.PIPE, env=environment)
    subprocess.run(["tee", folder / "train.log"], stdin=child.stdout, stdout=subprocess.DEVNULL, check=True)
    child.wait()


def capture(environment: Mapping[str, str], folder: Path) -> None:
    """Run the child as the runner does."""
    with Path(os.devnull).open("wb") as out:
        screen = Screen(out.fileno())
        with screen.following(folder / "train.log"):
            execute(CHILD, environment, folder, [], redactor=Redactor())
        screen.finish([])


def seconds(run: Callable[[Mapping[str, str], Path], None], environment: Mapping[str, str]) -> float:
    """Wall time of one run."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        run(environment, Path(folder))
        return time.perf_counter() - start


def row(name: str, environment: Mapping[str, str]) -> str:
    """A row of the table: how long both take, and their ratio."""
    pairs = [(seconds(tee, environment), seconds(capture, environment)) for _ in range(RUNS)]
    first, second = (statistics.median(times) for times in zip(*pairs, strict=True))
    return f"| {name} | {first:.3f} | {second:.3f} | {second / first:.2f} |"


def main() -> None:
    """Measure, and write what was found into docs/benchmark.md."""
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    rows = [row("unbuffered, as the runner starts it", {**plain, "PYTHONUNBUFFERED": "1"}), row("buffered", plain)]
    table = ["| child | tee, s | capture, s | ratio |", "| --- | ---: | ---: | ---: |", *rows]
    text = "\n".join([str(__doc__), *table, ""])
    sys.stdout.write(text)
    write_section("## Capturing a log", text)


if __name__ == "__main__":
    main()

"""The clock of a run tells when each line of its log arrived."""

from __future__ import annotations

import csv
import time

from native_checkout import PRINT, Native


def clock(native: Native) -> list[tuple[int, float]]:
    """The rows of clock.csv."""
    with (native.run / "clock.csv").open() as file:
        return [(int(row["line"]), float(row["time"])) for row in csv.DictReader(file)]


def test_the_clock_tells_when_each_line_arrived_with_its_last_byte(native: Native) -> None:
    program = "import sys, time\nprint('one', flush=True); time.sleep(0.2); print('half', end='', flush=True)\n"
    program += "time.sleep(0.2); now = time.time(); print(flush=True); time.sleep(0.2)\n"
    program += f"{PRINT}sys.stdout.flush(); time.sleep(0.2); print(now, end='')\n"
    native.trains(program)
    start = time.time()
    native.launch()
    lines, moments = zip(*clock(native), strict=True)
    assert (lines, start < moments[0], moments[-1] < time.time()) == ((1, 2, 3, 4), True, True)
    now = float((native.run / "train.log").read_text().split()[-1])
    assert moments[1] >= now - 0.001
    assert (moments[1] - moments[0] >= 0.3, moments[3] - moments[2] >= 0.1) == (True, True)

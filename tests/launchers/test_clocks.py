"""The clock of a run tells when each line of its log arrived."""

from __future__ import annotations

import csv
import time

from native_checkout import PRINT, Native


def clock(native: Native) -> list[tuple[int, float]]:
    """The rows of clock.csv."""
    with (native.run / "clock.csv").open() as file:
        return [(int(row["line"]), float(row["time"])) for row in csv.DictReader(file)]


def test_the_clock_starts_with_the_first_line(native: Native) -> None:
    start = time.time()
    native.launch()
    [(line, moment)] = clock(native)
    assert (line, start < moment < time.time()) == (1, True)


def test_the_clock_tells_when_each_line_arrived(native: Native) -> None:
    native.trains(f"import time\nfor _ in range(3):\n    {PRINT}    time.sleep(0.2)\n")
    native.launch()
    (one, first), (two, second), (three, third) = clock(native)
    assert ((one, two, three), second - first >= 0.1, third - second >= 0.1) == ((1, 2, 3), True, True)


def test_a_line_in_pieces_arrives_with_its_last_byte(native: Native) -> None:
    program = f"import sys, time\nsys.stdout.write('half')\ntime.sleep(0.3)\nnow = time.time()\n{PRINT}print(now)"
    native.trains(program)
    native.launch()
    assert clock(native)[0][1] >= float((native.run / "train.log").read_text().split()[-1]) - 0.001


def test_a_last_line_without_newline_is_on_the_clock(native: Native) -> None:
    native.trains(f"import time\n{PRINT}time.sleep(0.2)\nprint('cut', end='')\n")
    native.launch()
    assert [line for line, _ in clock(native)] == [1, 2]

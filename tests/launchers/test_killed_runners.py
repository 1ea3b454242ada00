"""A runner that is killed loses nothing that was printed, and its run is repeated."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from native_checkout import PRINT, Native
from running import trainers, wait_until_printed, wait_until_released

pytestmark = pytest.mark.slow

SLEEP = f"import time\n{PRINT}time.sleep(60)\n"
# Prints numbered lines, and counts in a file those that were printed to the end.
COUNT = """
import mmap, os, struct
with open({counter!r}, "r+b") as file:
    counter = mmap.mmap(file.fileno(), 8)
number = 0
while True:
    number += 1
    os.write(1, b"[Train] line %d of many, ips: 4.97591 samples/s\\n" % number)
    counter[:] = struct.pack("q", number)
"""


@pytest.mark.parametrize("seed", range(30))
def test_a_killed_runner_loses_nothing_that_was_printed(native: Native, tmp_path: Path, seed: int) -> None:
    counter = tmp_path / "counter"
    counter.write_bytes(bytes(8))
    native.trains(COUNT.format(counter=str(counter)))
    process = native.started()
    wait_until_printed(native)
    time.sleep(random.Random(seed).random())  # noqa: S311 - a moment, no secret
    process.kill()
    process.communicate(timeout=30)
    wait_until_released(native)
    printed = int.from_bytes(counter.read_bytes(), "little")
    lines = (native.unfinished / "train.log").read_bytes().splitlines()
    assert len(lines) >= printed > 0
    assert lines == [b"[Train] line %d of many, ips: 4.97591 samples/s" % number for number in range(1, len(lines) + 1)]
    assert trainers(native) == []


def test_a_run_whose_runner_was_killed_is_repeated(native: Native) -> None:
    native.trains(SLEEP)
    process = native.started()
    wait_until_printed(native)
    process.kill()
    process.communicate(timeout=30)
    wait_until_released(native)
    assert not native.run.exists()
    native.trains(PRINT)
    native.launch()
    assert (native.facts()["status"], native.unfinished.exists()) == ("done", False)

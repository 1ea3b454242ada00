"""What a runner that was killed left is ended and kept, and its run is repeated."""

from __future__ import annotations

import pytest
from native_checkout import METRIC, PRINT, Native
from running import trainers, wait_until_printed

pytestmark = pytest.mark.slow

DEAF = f"import signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{PRINT}time.sleep(60)\n"


def test_a_launch_ends_the_job_of_a_runner_that_was_killed_and_keeps_what_it_printed(native: Native) -> None:
    native.trains(DEAF)
    process = native.started()
    wait_until_printed(native)
    process.kill()
    process.communicate(timeout=30)
    assert len(trainers(native)) == 1
    native.trains(PRINT)
    answer = native.launch()
    assert (answer.returncode, trainers(native), native.facts()["status"]) == (0, [], "done")
    [kept] = native.run.parent.glob(".1.unfinished-*")
    assert (kept / "train.log").read_text() == METRIC

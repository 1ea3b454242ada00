"""A job that prints nothing for long is ended where that was asked for."""

from __future__ import annotations

import pytest
from native_checkout import PRINT, Native
from running import trainers

SILENT = "import time\ntime.sleep(60)\n"
SILENT_LATER = f"import time\n{PRINT}import sys; sys.stdout.flush()\ntime.sleep(60)\n"
BUSY = f"import time\n{PRINT}for number in range(4):\n    print(number, flush=True)\n    time.sleep(0.5)\n"


@pytest.mark.slow
@pytest.mark.parametrize("program", [SILENT, SILENT_LATER])
def test_a_run_that_prints_nothing_for_long_is_ended(native: Native, program: str) -> None:
    native.trains(program)
    native.launch("--stall", "1")
    assert (native.facts()["status"], native.facts()["reason"]) == ("failed", "Stopped: no output for 1 s.")
    assert trainers(native) == []


@pytest.mark.slow
def test_a_run_that_prints_again_and_again_goes_on(native: Native) -> None:
    native.trains(BUSY)
    native.launch("--stall", "1")
    assert native.facts()["status"] == "done"

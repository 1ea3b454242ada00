"""What the telemetry of a run says against its cards is a warning of `show`."""

import json
from pathlib import Path

import pytest

from parsers.runs.run_folder import TELEMETRY_COLUMNS
from tests.commandline import run
from tests.parsers.run_folders import make_run

LOG = b"".join(b"step %d: loss 2.5, 1000 tokens/s\n" % step for step in range(1, 21))
LOWERED = "Heat or power supply lowered clocks in {share}% of the samples of gpu.csv (card numbers: {cards})."


def warnings(folder: Path, *samples: tuple[int, object]) -> list[str]:
    """What is told of samples, of which each has a card and why its clock is not higher."""
    log = make_run(folder, LOG, case={"cards": 2, "nodes": 1})
    rows = [
        f"{1935619200 + at},{card},97,30000,300,1980,2619,55,{throttle},0,0,,,,,,"
        for at, (card, throttle) in enumerate(samples)
    ]
    text = "\n".join([",".join(TELEMETRY_COLUMNS), *rows, ""])
    log.with_name("gpu.csv").write_text(text, encoding="utf-8")
    said: list[str] = json.loads(run("show", "--json", folder).stdout)["warnings"]
    return [one for one in said if "gpu.csv (card numbers" in one]


@pytest.mark.parametrize("reason", [0x8, 0x20, 0x40, 0x80, 0x8 | 0x4])
def test_clocks_that_heat_or_power_supply_lowered_are_told_with_their_share(tmp_path: Path, reason: int) -> None:
    told = warnings(tmp_path, (0, 0), (1, 0), (0, 0), (1, reason))
    assert told == [LOWERED.format(share="25.0", cards="1")]


@pytest.mark.parametrize("reason", [0, 0x1, 0x4, ""])
def test_an_idle_card_and_a_limit_of_power_are_no_faults(tmp_path: Path, reason: object) -> None:
    assert warnings(tmp_path, (0, reason), (1, reason), (0, reason), (1, reason)) == []

"""The times of real repeats, which a study of run-to-run noise collected."""

import csv
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
STATS = Path(os.environ.get("TACHOGRAPH_STATS") or ROOT.parent / "shared" / "stats") / "run_times.csv"
ABSENT = "the times of real repeats are neither at ../shared/stats/run_times.csv nor in $TACHOGRAPH_STATS"


def real_sets() -> list[list[float]]:
    """The time per unit of work of each run, set by set; skips the test where they are not there."""
    if not STATS.is_file():
        pytest.skip(ABSENT)
    sets: dict[tuple[str, str], list[float]] = {}
    with STATS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sets.setdefault((row["suite"], row["case"]), []).append(float(row["time_per_unit"]))
    return list(sets.values())

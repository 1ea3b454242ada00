"""Series whose steps are known: three of 3% in 100 times, in noise of several kinds; and how many of them are found."""

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

# The standard deviation of the noise, the share of runs that stall, and the drift over the series.
KINDS = {
    "noise 0.3%": (0.003, 0.0, 0.0),
    "noise 1%": (0.01, 0.0, 0.0),
    "outliers": (0.01, 0.04, 0.0),
    "drift": (0.01, 0.0, 0.01),
    "noise 2%": (0.02, 0.0, 0.0),
}
COUNT, STEPS, APART, SIZE = 100, 3, 12, np.log(1.03)
NEAR = 5  # places that a step may be found beside


@dataclass(frozen=True)
class MadeSeries:
    """Times, and the places of the first after each step."""

    times: list[float]
    steps: tuple[int, ...]


def made_series(kind: str, seed: int) -> MadeSeries:
    """A series of a kind, the same for the same seed."""
    noise, outliers, drift = KINDS[kind]
    random = np.random.default_rng(seed)
    steps = _steps(random)
    logs = np.linspace(0, drift, COUNT) + random.normal(0, noise, COUNT)
    for step in steps:
        logs[step:] += SIZE * random.choice([-1, 1])
    stalled = random.random(COUNT) < outliers
    logs[stalled] += random.uniform(0.05, 0.3, int(stalled.sum()))
    return MadeSeries(np.exp(logs).tolist(), steps)


def _steps(random: np.random.Generator) -> tuple[int, ...]:
    while True:
        steps = np.sort(random.choice(np.arange(APART, COUNT - APART), STEPS, replace=False))
        if (np.diff(steps) >= APART).all():
            return tuple(steps.tolist())


def f1(found: Sequence[tuple[MadeSeries, Sequence[int]]]) -> float:
    """How well places match the steps of series: 1 where all are found and nothing else."""
    right = sum(len(_matched(series.steps, places)) for series, places in found)
    said = sum(len(places) for _, places in found)
    return 2 * right / (said + sum(len(series.steps) for series, _ in found))


def _matched(steps: Sequence[int], places: Sequence[int]) -> set[int]:
    """The steps that are found; each place finds the nearest one that no other did."""
    left = set(steps)
    for place in places:
        near = [step for step in left if abs(step - place) <= NEAR]
        left -= {min(near, key=lambda step: abs(step - place))} if near else set()
    return set(steps) - left


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

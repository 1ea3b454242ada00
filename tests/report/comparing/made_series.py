"""Series whose steps are known: three of 3% in 100 times, in noise of several kinds; and how many of them are found."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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

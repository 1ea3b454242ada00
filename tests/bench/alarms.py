"""The alarms of histories: how many steps are found, and how often quiet series alarm; `python -m tests.bench.alarms`.

Steps: three of 3% in each of 200 series of 100 runs, in noise of several kinds. Quiet: series of 100 runs drawn, with
replacement, from the real repeats of one case (1,761 sets of repeats, a suite at a time) or from normal noise of 1%;
watched: the same, judged again after each of the nights 6 to 60, as a gate does.
"""

import argparse
import csv
import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from report.comparing.change_points import change_points
from tests.report.comparing.made_series import KINDS, STATS, f1, made_series

GATE, STEPS, QUIET, NIGHTS = 0.03, 200, 100, 60


def found(times: list[float] | NDArray[np.float64]) -> list[int]:
    """The places of the changes of a series."""
    return [point.at for point in change_points(np.log(times), GATE)]


def is_watched_in_vain(times: NDArray[np.float64]) -> bool:
    """Whether a quiet series alarms after any night."""
    nights = (change_points(np.log(times[:night]), GATE) for night in range(6, NIGHTS + 1))
    return any(points and points[-1].change > 0 for points in nights)


def quiet(count: int) -> Iterator[tuple[str, list[NDArray[np.float64]]]]:
    """The quiet series of each suite."""
    random = np.random.default_rng(1)
    sets: dict[str, dict[str, list[float]]] = {}
    with STATS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sets.setdefault(row["suite"], {}).setdefault(row["case"], []).append(float(row["time_per_unit"]))
    for suite, cases in sets.items():
        repeats = [times for times in cases.values() if len(times) > 2]
        yield suite, [random.choice(repeats[at], QUIET) for at in random.integers(len(repeats), size=count)]
    yield "normal noise of 1%", list(np.exp(random.normal(0, 0.01, (count, QUIET))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400, help="quiet series of each suite")
    options = parser.parse_args()
    sys.stdout.write("| steps of 3% in | F1 |\n| --- | ---: |\n")
    for kind in KINDS:
        series = [made_series(kind, seed) for seed in range(STEPS)]
        sys.stdout.write(f"| {kind} | {f1([(one, found(one.times)) for one in series]):.3f} |\n")
    sys.stdout.write("\n| quiet series of | changes in 100 runs | alarmed in 60 nights |\n| --- | ---: | ---: |\n")
    for suite, each in quiet(options.count):
        changes = np.mean([len(found(times)) for times in each])
        alarmed = np.mean([is_watched_in_vain(times) for times in each])
        sys.stdout.write(f"| {suite} | {changes:.3f} | {100 * alarmed:.1f}% |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

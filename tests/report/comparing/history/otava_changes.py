"""A program for the environment of Apache Otava: series of speeds come in as JSON, the places of changes go out.

Its argument is the smallest change that counts, as a fraction.
"""

import json
import sys

from otava.series import AnalysisOptions, Metric, Series  # type: ignore[import-not-found]


def places(speeds: "list[float]", smallest: float) -> "list[int]":
    options = AnalysisOptions()
    options.min_magnitude = smallest
    series = Series("test", None, list(range(len(speeds))), {"speed": Metric(1, 1.0)}, {"speed": speeds}, {})
    return [int(change.index) for change in series.analyze(options).change_points["speed"]]


if __name__ == "__main__":
    known, least = json.load(sys.stdin), float(sys.argv[1])
    json.dump({kind: [places(one, least) for one in series] for kind, series in known.items()}, sys.stdout)

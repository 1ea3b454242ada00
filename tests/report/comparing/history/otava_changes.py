"""A program for the environment of Apache Otava: series of speeds come in as JSON, the places of changes go out."""

import json
import sys

from otava.series import Metric, Series


def places(speeds: "list[float]") -> "list[int]":
    series = Series("test", None, list(range(len(speeds))), {"speed": Metric(1, 1.0)}, {"speed": speeds}, {})
    return [int(change.index) for change in series.analyze().change_points["speed"]]


if __name__ == "__main__":
    known = json.load(sys.stdin)
    json.dump({kind: [places(one) for one in series] for kind, series in known.items()}, sys.stdout)

"""Change points against those that Apache Otava finds in the same series, in an environment of its own."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from report.comparing.history.change_points import change_points
from tests.report.comparing.history.made_history import GATE
from tests.report.comparing.history.made_series import KINDS, MadeSeries, f1, made_series
from tests.report.conftest import Environment

pytestmark = pytest.mark.slow
SERIES = 200  # of each kind
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def otava(environment: Environment) -> dict[str, list[list[int]]]:
    """What Otava finds in the series of each kind."""
    speeds = {kind: [[1 / time for time in one.times] for one in series] for kind, series in MADE.items()}
    done = subprocess.run(
        [environment("apache-otava") / "python", HERE / "otava_changes.py"],
        input=json.dumps(speeds),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[list[int]]] = json.loads(done.stdout)
    return found


MADE = {kind: [made_series(kind, seed) for seed in range(SERIES)] for kind in KINDS}


def ours(series: MadeSeries) -> list[int]:
    return [point.at for point in change_points(np.log(series.times), GATE).points]


@pytest.mark.parametrize("kind", KINDS)
def test_no_fewer_steps_are_found_than_otava_finds(kind: str, otava: dict[str, list[list[int]]]) -> None:
    theirs = f1(list(zip(MADE[kind], otava[kind], strict=True)))
    assert f1([(series, ours(series)) for series in MADE[kind]]) >= theirs > 0.3

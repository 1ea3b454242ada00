"""Change points against those that Apache Otava finds in the same series, in an environment of its own."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from report.comparing.change_points import change_points
from tests.report.comparing.history.made_history import GATE
from tests.report.comparing.history.made_series import KINDS, MadeSeries, f1, made_series
from tests.report.comparing.history.otava_data import EXPECTED, otava_data
from tests.report.conftest import Environment

pytestmark = pytest.mark.slow
SERIES = 80  # of each kind
OWN_CHANGE = 0.05  # smallest change in the series of Otava's tests that these expect
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def python(environment: Environment) -> Path:
    """The Python that has Otava."""
    return environment("apache-otava") / "python"


def speeds(times: Sequence[float]) -> list[float]:
    return [1 / time for time in times]


def found_by_otava(
    python: Path, series: dict[str, list[list[float]]], smallest: float = 0.0
) -> dict[str, list[list[int]]]:
    """The places of changes in series of speeds, as long as they are at least so large."""
    command = [str(python), str(HERE / "otava_changes.py"), str(smallest)]
    done = subprocess.run(command, input=json.dumps(series), capture_output=True, text=True, check=True)
    found: dict[str, list[list[int]]] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def otava(python: Path) -> dict[str, list[list[int]]]:
    """What Otava finds in the series of each kind."""
    return found_by_otava(python, {kind: [speeds(one.times) for one in series] for kind, series in MADE.items()})


MADE = {kind: [made_series(kind, seed) for seed in range(SERIES)] for kind in KINDS}


def ours(series: MadeSeries) -> list[int]:
    return [point.at for point in change_points(np.log(series.times), GATE).points]


@pytest.mark.parametrize("kind", KINDS)
def test_no_fewer_steps_are_found_than_otava_finds(kind: str, otava: dict[str, list[list[int]]]) -> None:
    theirs = f1(list(zip(MADE[kind], otava[kind], strict=True)))
    assert f1([(series, ours(series)) for series in MADE[kind]]) >= theirs > 0.3


def test_no_fewer_changes_than_otava_finds_are_found_in_the_series_of_its_own_tests(
    python: Path, tmp_path: Path
) -> None:
    data = otava_data(tmp_path)
    known = [MadeSeries(series, EXPECTED[key]) for key, series in data.items()]
    of_otava = found_by_otava(python, {"its own": list(data.values())}, OWN_CHANGE)["its own"]
    of_ours = [[point.at for point in change_points(-np.log(one), 2 * OWN_CHANGE).points] for one in data.values()]
    assert f1(list(zip(known, of_ours, strict=True))) >= f1(list(zip(known, of_otava, strict=True))) > 0.8

"""The history of one case: its segments, what explains a change, and how its speed is now."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from parsers.io.message import Message
from report.comparing.history.case_histories import CaseHistories
from report.comparing.history.case_history import FEW_RUNS, HIDDEN, NEWEST_IS_GAP, NO_RUNS, SUSPECT_RUNS
from report.comparing.history.run_order import COPY, IN_FUTURE, NO_COMMIT, NO_DATE, NO_VERSION
from report.comparing.history.run_record import RunRecord, message_json
from tests.report.comparing.history.made_history import environment, history_of, noisy, record

SLOWER = [1.0] * 20 + [1.05] * 10


def runs(levels: Sequence[float], *, noise: float = 0.003, seed: int = 1, **said: Any) -> list[RunRecord]:
    """A run for each level, a day after the other; ``said``: a value for all, or one by the number of the run."""
    return [
        record(number, time, **{name: told(number) if callable(told) else told for name, told in said.items()})
        for number, time in enumerate(noisy(levels, noise, seed), 1)
    ]


def driver_from(first: int) -> Any:
    return lambda number: environment(driver="550" if number < first else "560", cpu="a")


def test_a_slowdown_is_confirmed_with_its_size() -> None:
    found = history_of(runs(SLOWER))
    (series,), (step,) = found.series, found.series[0].steps
    assert (found.state, [len(segment.runs) for segment in series.segments]) == ("slower", [20, 10])
    assert step.change == pytest.approx(0.05, abs=0.005)
    assert step.after.path == "case/21/train.log"


def in_between(number: int) -> str:
    """An environment that was there before at the old speed."""
    return environment(driver="560" if 5 <= number < 9 or number >= 21 else "550")


@pytest.mark.parametrize(
    ("levels", "said", "state"),
    [
        (SLOWER[::-1], {}, "faster"),
        ([1.0] * 30, {}, "same"),
        (SLOWER, {"environment": driver_from(21)}, "environment"),
        (SLOWER, {"environment": driver_from(10)}, "slower"),
        (SLOWER, {"environment": in_between}, "slower"),
        (SLOWER, {"environment": lambda number: environment(node=str(number))}, "slower"),
        (SLOWER, {"environment": lambda at: environment(**({"driver": "560"} if at > 20 else {}))}, "slower"),
        (
            SLOWER,
            {"first_step": lambda at: 1 if at < 21 else 500, "last_step": lambda at: 100 if at < 21 else 600},
            "unknown",
        ),
    ],
    ids=[
        *("faster", "equal", "another driver", "another driver long before", "a driver of before"),
        *("another node each time", "a driver that only later runs record", "other steps"),
    ],
)
def test_a_case_is_what_its_runs_and_their_environments_say(
    levels: Sequence[float], said: dict[str, Any], state: str
) -> None:
    assert history_of(runs(levels, **said)).state == state


def test_changes_of_the_environment_alone_never_alarm() -> None:
    states = set()
    for seed in range(60):
        random = np.random.default_rng(seed)
        size, at = random.uniform(-0.1, 0.1), int(random.integers(10, 90))
        levels = [1.0] * (at - 1) + [1 + size] * (101 - at)
        noise = float(random.uniform(0.001, 0.02))
        states.add(history_of(runs(levels, noise=noise, seed=seed, environment=driver_from(at))).state)
    assert "slower" not in states
    assert "environment" in states


@pytest.mark.parametrize(
    ("name", "other"), [("unit", "samples/s"), ("scope", "card"), ("formats", "timm"), ("protocol", "records=epoch")]
)
def test_series_of_another_meaning_are_not_joined(name: str, other: str) -> None:
    said: dict[str, Any] = {name: lambda number: other if number > 20 else "as before"}
    made = runs([1.0] * 20 + [2.0] * 10, **said)
    found = history_of(made)
    assert ([len(series.runs) for series in found.series], found.state) == ([20, 10], "same")


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (runs([1.0] * 4), FEW_RUNS),
        (runs([1.0] * 20, noise=0.08), HIDDEN),
        (runs([1.0] * 20 + [1.05] * 2), SUSPECT_RUNS),
        (runs([]), NO_RUNS),
        ([*runs([1.0] * 20), record(21, 1.0, throughput=None, reason=message_json(Message("x")))], NEWEST_IS_GAP),
    ],
)
def test_what_cannot_be_judged_is_unknown_with_a_reason(made: list[RunRecord], reason: str) -> None:
    found = history_of(made)
    assert found.state == "unknown"
    assert found.reason
    assert found.reason.key == reason


@pytest.mark.parametrize(
    ("said", "by", "reason"),
    [
        ({"began": None}, "date", NO_DATE),
        ({"began": None}, "commit", NO_DATE),
        ({"commit": None}, "commit", NO_COMMIT),
        ({"version": None}, "version", NO_VERSION),
        ({"began": (datetime.now(UTC) + timedelta(days=400)).replace(tzinfo=None).isoformat()}, "date", IN_FUTURE),
        ({"log_sha256": f"{1:064x}"}, "date", COPY),
    ],
)
def test_a_run_without_a_place_is_a_gap(said: dict[str, Any], by: Any, reason: str) -> None:
    found = history_of([*runs([1.0] * 20), record(21, 1.0, **said)], by)
    assert [gap.reason.key for gap in found.gaps] == [reason]
    assert found.state == ("unknown" if reason == COPY else "same")


def test_commits_stand_in_the_order_of_their_first_runs() -> None:
    made = [record(number, 1.0, commit=commit) for number, commit in enumerate(("b", "a", "b", "a"), 1)]
    (series,) = history_of(made, "commit").series
    assert [run.commit for run in series.runs] == ["b", "b", "a", "a"]


def test_versions_stand_in_the_order_of_pep_440() -> None:
    versions = ["2.10.0", "2.9.1", "2.10.0rc1", "unknown", "2.10.0.dev1"]
    made = [record(number, 1.0, version=version) for number, version in enumerate(versions, 1)]
    (series,) = history_of(made, "version").series
    assert [run.version for run in series.runs] == ["2.9.1", "2.10.0.dev1", "2.10.0rc1", "2.10.0", "unknown"]


@pytest.mark.parametrize(
    ("states", "status"),
    [
        (("same", "slower", "unknown"), 1),
        (("same", "unknown"), 3),
        (("same", "environment", "faster"), 0),
        ((), 3),
    ],
)
def test_the_gate_says_what_the_worst_case_is(states: tuple[Any, ...], status: int) -> None:
    made = {
        "same": runs([1.0] * 20),
        "slower": runs(SLOWER),
        "unknown": runs([1.0] * 3),
        "faster": runs(SLOWER[::-1]),
        "environment": runs(SLOWER, environment=driver_from(21)),
    }
    cases = tuple(history_of(made[state]) for state in states)
    assert [case.state for case in cases] == list(states)
    assert CaseHistories((), "date", 0.03, cases).status == status

"""The history of one case: its segments, what explains a change, how its speed is now, and what was read before."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import report.comparing.history as reasons
from parsers.io.message import Message
from report.comparing.change_points import change_points
from report.comparing.history import By, CaseHistory, History, case_history, history
from report.comparing.sides import COPY, Run
from tests.commandline import git
from tests.report.comparing.made_series import KINDS, f1, made_series, real_sets
from tests.report.comparing.made_sides import FIRST, GATE, log_of, make_suite, noisy, record, runs

SLOWER = [1.0] * 20 + [1.05] * 10
LONG_AGO = 1_700_000_000


def history_of(records: Sequence[Run], by: By = "date") -> CaseHistory:
    return case_history("case", records, by, GATE)


def test_a_slowdown_is_confirmed_with_its_size() -> None:
    found = history_of(runs(SLOWER))
    ((_, segment),) = found.series
    assert (found.state, [len(one.runs) for one in found.series[0]]) == ("slower", [20, 10])
    assert segment.change == pytest.approx(0.05, abs=0.005)
    assert segment.runs[0].log == "suite/case/21/train.log"


@pytest.mark.parametrize(
    ("name", "other"), [("unit", "samples/s"), ("scope", "card"), ("formats", "timm"), ("protocol", "records=epoch")]
)
def test_series_of_another_meaning_are_not_joined(name: str, other: str) -> None:
    said: dict[str, Any] = {name: lambda number: other if number > 20 else "as before"}
    found = history_of(runs([1.0] * 20 + [2.0] * 10, **said))
    assert ([sum(len(one.runs) for one in series) for series in found.series], found.state) == ([20, 10], "same")


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (runs([1.0] * 4), reasons.FEW_RUNS),
        (runs([1.0] * 20, noise=0.08), reasons.HIDDEN),
        (runs([1.0] * 20 + [1.05] * 2), reasons.SUSPECT),
        (runs([1.0] * 3 + [1.1] * 3), reasons.SUSPECT),
        (runs(SLOWER, steps=lambda at: (1, 100) if at < 21 else (500, 600)), reasons.OTHER_STEPS),
        (runs([]), reasons.NO_RUNS),
        ([*runs([1.0] * 20), record(21, 1.0, reason=Message("x"))], reasons.NEWEST_IS_GAP),
    ],
    ids=["few runs", "noise", "the newest two", "three after three", "other steps", "none", "a gap"],
)
def test_what_cannot_be_judged_is_unknown_with_a_reason(made: list[Run], reason: str) -> None:
    found = history_of(made)
    assert (found.state, found.reason.key if found.reason else "") == ("unknown", reason)


@pytest.mark.parametrize(
    ("said", "by", "reason"),
    [
        ({"began": None}, "date", reasons.NO_PLACE),
        ({"commit": None}, "commit", reasons.NO_PLACE),
        ({"began": f"{datetime.now(UTC) + timedelta(days=400):%FT%T}"}, "date", reasons.WRONG_CLOCK),
        ({"sha256": f"{1:064x}"}, "date", COPY),
    ],
)
def test_a_run_without_a_place_is_a_gap(said: dict[str, Any], by: Any, reason: str) -> None:
    found = history_of([*runs([1.0] * 20), record(21, 1.0, **said)], by)
    (why,) = [gap.reason.values["reason"] for gap in found.gaps if gap.reason]
    assert isinstance(why, Message)
    assert why.key == reason
    assert found.state == ("unknown" if reason == COPY else "same")


def test_commits_stand_in_the_order_of_their_first_runs() -> None:
    made = [record(number, 1.0, commit=commit) for number, commit in enumerate(("b", "a", "b", "a"), 1)]
    ((segment,),) = history_of(made, "commit").series
    assert [run.commit for run in segment.runs] == ["b", "b", "a", "a"]


def test_undated_runs_are_ordered_by_the_numbers_in_their_names_with_a_word() -> None:
    made = runs(SLOWER, began=None, commit=None, log=lambda number: f"suite/run{number}.log")
    found = history_of(made[::-1])
    assert (found.state, found.gaps, found.word and found.word.key) == ("slower", (), reasons.BY_NAME)


def test_undated_runs_are_ordered_by_commits_that_git_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    commits = []
    for number in range(4):
        git(tmp_path, "commit", "-qm", str(number), "--allow-empty")
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
    monkeypatch.chdir(tmp_path)
    made = [record(at, 1.0, began=None, commit=one, log=f"{9 - at}.log") for at, one in enumerate(commits)]
    found = history_of(made[::-1])
    assert [run.commit for run in found.series[0][0].runs] == commits
    assert found.word
    assert found.word.key == reasons.BY_COMMIT


def test_the_gate_says_what_the_worst_case_is() -> None:
    same, unknown, slower = (history_of(runs(levels)) for levels in ([1.0] * 20, [1.0] * 3, SLOWER))
    each = ((same, slower, unknown), (same, unknown), ())
    assert [History((), "date", GATE, cases).status for cases in each] == [1, 3, 3]


def make_old(suite: Path) -> Path:
    """As if nothing had changed for long."""
    for path in suite.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    return suite


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return make_old(make_suite(tmp_path / "nightly", (100.0, 101.0, 102.0)))


def every(suite: Path) -> dict[str, Run]:
    """The runs of a suite by their numbers."""
    found = [one for case in history(suite).cases for one in case.series]
    return {Path(run.log).parent.name: run for series in found for segment in series for run in segment.runs}


def test_a_run_holds_what_its_log_and_its_run_json_say_read_again_or_not(suite: Path) -> None:
    first, again = every(suite), every(suite)
    assert first == again
    run = first["1"]
    number = run.number
    assert (run.case, number.unit, number.scope, number.formats) == ("GPT-2", "tokens/s", "job", "nanogpt")
    assert number.steps == (3, 20)
    assert number.value == pytest.approx(12 * 1024 / 0.1, rel=0.01)
    assert (run.began, run.commit) == ("2026-01-02T00:00:00.000000", f"{1:040x}")


@pytest.mark.parametrize("is_old", [True, False])
def test_what_changed_is_read_again(is_old: bool, suite: Path) -> None:
    if not is_old:  # a log that was changed just before it was read may change again without showing it
        make_suite(suite, (100.0, 101.0, 102.0))
    log = suite / "GPT-2/1/train.log"
    before, when = every(suite), log.stat().st_mtime_ns
    (suite / "GPT-2/3").rename(suite.parent / "gone")
    size = log.stat().st_size
    log.write_bytes(log_of(200, steps=20, seed=99)[:size].ljust(size, b"\n"))
    run_json = log.with_name("run.json")
    told = json.loads(run_json.read_text(encoding="utf-8"))
    if isinstance(told.get("log"), dict):
        told["log"].pop("sha256", None)
        run_json.write_text(json.dumps(told), encoding="utf-8")
    if not is_old:
        os.utime(log, ns=(when, when))
    after = every(suite)
    assert after["2"] == before["2"]
    assert after.get("1") != before["1"]
    assert "3" not in after


def test_a_store_that_cannot_be_used_keeps_no_history(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = every(suite)
    monkeypatch.setattr("report.comparing.store.caches", lambda: suite.parent)
    folder = suite.parent / "tachograph"
    folder.mkdir()
    (folder / "runs.sqlite").write_text("mine", encoding="utf-8")
    assert every(suite) == before


@pytest.mark.parametrize(
    ("start", "began"),
    [
        ("2026-01-01T10:00:00+08:00", "2026-01-01T02:00:00.000000"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00.000000"),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        (17, None),
    ],
)
def test_starts_are_in_universal_time(start: object, began: str | None, tmp_path: Path) -> None:
    (run,) = every(make_suite(tmp_path / "a", (100.0,), start=start)).values()
    assert run.began == began


def test_a_time_with_a_zone_leaves_earlier_runs_out(suite: Path) -> None:
    third = FIRST + timedelta(days=3)
    zone = timezone(timedelta(hours=8))
    for since in (third, third.astimezone(zone), third.replace(tzinfo=None)):
        (case,) = history(suite, since=since).cases
        assert len(case.series[0][0].runs) == 1


def found(times: list[float], gate: float = GATE) -> list[int]:
    return [point.at for point in change_points(np.log(times), gate)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "noise 2%"])
def test_steps_of_three_percent_are_found(kind: str) -> None:
    series = [made_series(kind, seed) for seed in range(10)]
    assert f1([(one, found(one.times)) for one in series]) > 0.9


@pytest.mark.parametrize("noise", [0.003, 0.01])
def test_noise_is_no_step(noise: float) -> None:
    assert [found(noisy([1.0] * 100, noise, seed)) for seed in range(40)] == [[]] * 40


@pytest.mark.parametrize(
    ("times", "gate", "places"),
    [
        (noisy([1.0] * 40 + [1.01] * 40, 0.001), GATE, []),
        (noisy([1.0] * 40 + [1.01] * 40, 0.001), 0.015, [40]),
        (noisy([1.0] * 40 + [1.04] * 4), GATE, [40]),
        (np.where(np.isin(np.arange(60), (20, 21, 40)), 1.6, noisy([1.0] * 60)).tolist(), GATE, []),
        *((times, GATE, []) for times in ([], [1.0], [1.0, 1.2], [1.0] * 50)),
    ],
    ids=["below half the gate", "a smaller gate", "at the end", "stalled", "none", "one", "two", "equal"],
)
def test_a_step_is_found_where_enough_runs_differ_by_half_of_the_gate(
    times: list[float], gate: float, places: list[int]
) -> None:
    assert found(times, gate) == places


def watched(times: NDArray[np.float64], nights: int = 60) -> bool:
    """Whether a series alarms in one of the nights in which its end is watched."""
    points = (change_points(np.log(times[:night]), GATE) for night in range(6, nights + 1))
    return any(one and one[-1].change > 0 for one in points)


@pytest.mark.slow
def test_series_of_real_repeats_of_one_case_seldom_alarm() -> None:
    random, sets = np.random.default_rng(3), [times for times in real_sets() if len(times) >= 3]
    drawn = [random.choice(sets[at], 100) for at in random.integers(len(sets), size=300)]
    assert sum(len(found(list(times))) for times in drawn) / len(drawn) <= 0.05
    assert np.mean([watched(times) for times in drawn[:100]]) <= 0.05

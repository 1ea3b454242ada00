"""Two sides of runs, from their logs to a verdict."""

import json
import shutil
from pathlib import Path

import pytest

from parsers.io.errors import LogError
from report.comparing.notebook import compare
from report.comparing.sides import GateError
from tests.report.comparing.made_sides import STEADY, log_of, make_side, only, sides


@pytest.mark.parametrize(
    ("factor", "verdict", "status"), [(1.05, "slower", 1), (1.0, "same", 0), (0.95, "faster", 0), (1.005, "same", 0)]
)
def test_logs_whose_times_are_scaled_are_told_apart(factor: float, verdict: str, status: int, tmp_path: Path) -> None:
    found = compare(*sides(tmp_path, factor))
    assert (only(found).verdict, found.status) == (verdict, status)
    assert only(found).effect is not None
    assert only(found).effect.change == pytest.approx(factor - 1, abs=0.001)  # type: ignore[union-attr]


def test_noise_that_hides_the_gate_is_unknown(tmp_path: Path) -> None:
    a = make_side(tmp_path / "a", (100, 103, 97))
    b = make_side(tmp_path / "b", (103, 106, 100))
    found = compare(a, b)
    assert (only(found).verdict, found.status) == ("unknown", 3)
    assert str(only(found).reason).startswith("the noise hides it; smallest visible change ")


def test_a_smaller_gate_needs_less_noise(tmp_path: Path) -> None:
    a, b = sides(tmp_path, 1.004)
    assert (only(compare(a, b)).verdict, only(compare(a, b, gate=0.005)).verdict) == ("same", "slower")


@pytest.mark.parametrize("gate", [0.0, 1.0, -0.03, 3.0])
def test_a_gate_is_a_share_of_the_time(gate: float, tmp_path: Path) -> None:
    with pytest.raises(GateError, match=r"above 0 and below 1"):
        compare(tmp_path, tmp_path, gate=gate)


@pytest.mark.parametrize("place", ["", "GPT-2_bs12_N1C1", "GPT-2_bs12_N1C1/1"])
def test_a_side_is_a_suite_a_case_or_a_run(place: str, tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    case = only(compare(a / place, b / place))
    assert (case.title, {len(side.runs) for side in case.sides}) == ("GPT-2_bs12_N1C1", {1 if "1/1" in place else 3})


def test_one_run_a_side_is_no_verdict(tmp_path: Path) -> None:
    a, b = sides(tmp_path, 2.0)
    found = compare(a / "GPT-2_bs12_N1C1/1", b / "GPT-2_bs12_N1C1/2/train.log")
    assert (only(found).verdict, found.status) == ("unknown", 3)
    assert str(only(found).reason) == "one run per side, so the noise between runs is unknown; repeat the runs"


def test_earlier_repeats_tell_the_noise(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    earlier = make_side(tmp_path / "earlier", (100, 100.1, 99.9, 100.2, 99.8, 100))
    found = compare(a / "GPT-2_bs12_N1C1/1", b / "GPT-2_bs12_N1C1/2", earlier=[earlier])
    assert (only(found).verdict, found.status) == ("same", 0)


def test_a_run_of_a_side_is_no_earlier_one(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    found = only(compare(a, b, earlier=[a])).effect
    assert found is not None
    assert found.degrees == 4


def test_how_many_earlier_runs_count_and_which_do_not_is_told(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    earlier = make_side(tmp_path / "earlier", STEADY)
    make_side(tmp_path / "earlier", STEADY, case="failed", said={"status": "failed"})
    found = compare(a, b, earlier=[earlier])
    assert "Earlier runs of this case, also used to estimate its noise: 3." in map(str, only(found).notes)
    assert [len(reasons) for reasons in found.left_out] == [0, 0, 3]


def test_cases_are_paired_by_their_names(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    for suite, factor in ((a, 1.0), (b, 1.1)):
        make_side(suite, [50 * factor * time / 100 for time in STEADY], case="GPT-2_bs6_N1C1", batch=6)
    found = compare(a, b)
    assert {case.title: case.verdict for case in found.cases} == {"GPT-2_bs12_N1C1": "same", "GPT-2_bs6_N1C1": "slower"}


def test_a_case_that_b_lacks_forbids_an_answer_and_one_that_a_lacks_does_not(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    make_side(a, STEADY, case="old")
    assert compare(a, b).status == 3
    assert [str(case.reason) for case in compare(a, b).cases] == ["None", "only A has this case"]
    assert compare(b, a).status == 0
    assert str(compare(b, a).cases[1].reason) == "only B has this case"


def test_a_case_whose_runs_of_a_were_left_out_is_not_new(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    make_side(a, STEADY, case="other", said={"status": "failed"})
    make_side(b, STEADY, case="other")
    assert compare(a, b).status == 3


def test_a_gate_lets_nothing_pass_where_no_run_can_be_compared(tmp_path: Path) -> None:
    a = make_side(tmp_path / "a", STEADY, said={"status": "failed"})
    b = make_side(tmp_path / "b", STEADY, said={"status": "failed"})
    assert (compare(a, b).cases, compare(a, b).status) == ((), 3)


def test_two_cases_of_other_names_are_a_pair_where_there_are_no_others(tmp_path: Path) -> None:
    a = make_side(tmp_path / "a", STEADY, case="one")
    b = make_side(tmp_path / "b", STEADY, case="other")
    assert only(compare(a, b)).title == "one → other"


def test_of_two_suites_a_case_that_went_and_one_that_came_are_no_pair(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    make_side(a, STEADY, case="went")
    make_side(b, [2 * time for time in STEADY], case="came")
    assert [case.title for case in compare(a, b).cases] == ["GPT-2_bs12_N1C1", "went", "came"]


def test_logs_in_no_run_folder_are_repeats_where_their_facts_agree(tmp_path: Path) -> None:
    for side, factor in (("a", 1.0), ("b", 1.05)):
        (tmp_path / side).mkdir()
        for number, time in enumerate(STEADY):
            log = log_of(time * factor, seed=number + len(side) * int(100 * factor))
            (tmp_path / side / f"run{number}.log").write_bytes(log)
    found = compare(tmp_path / "a", tmp_path / "b")
    assert only(found).verdict == "slower"
    assert [len(side.runs) for side in only(found).sides] == [3, 3]
    assert "The logs do not say when the runs began, so drift was not checked." in map(str, only(found).notes)


def test_runs_are_compared_over_the_steps_that_all_have(tmp_path: Path) -> None:
    a, b = sides(tmp_path, steps=30)
    case = only(compare(a, b))
    assert (case.steps, case.verdict) == ((4, 30), "same")
    assert case.protocol is not None
    assert "take_first=27steps" in case.protocol.words()


def test_runs_that_print_fewer_of_their_steps_are_compared_over_the_same_ones(tmp_path: Path) -> None:
    case = only(compare(*sides(tmp_path, 1.05, every=5)))
    assert (case.steps, case.verdict) == ((6, 56), "slower")
    assert [len(range(*side.runs[0].lines)) + 1 for side in case.sides] == [51, 11]


def test_runs_without_a_step_in_common_are_not_compared(tmp_path: Path) -> None:
    a, b = sides(tmp_path, first=1000)
    assert str(only(compare(a, b)).reason) == (
        "The runs of this case cannot be measured by one protocol: The runs of this case have no steps in common: one "
        "ends at step 60, another begins at step 1001."
    )


def test_a_stated_protocol_keeps_its_window(tmp_path: Path) -> None:
    case = only(compare(*sides(tmp_path, 1.05), protocol="estimate=step_time,skip_records=10,take_first=20"))
    assert (case.steps, case.verdict) == ((11, 30), "slower")


def test_runs_that_slow_down_one_after_the_other_are_unknown(tmp_path: Path) -> None:
    times = [100 * 1.005**number for number in range(6)]
    a = make_side(tmp_path / "a", times[:3], starts=(1, 2, 3))
    b = make_side(tmp_path / "b", times[3:], starts=(4, 5, 6))
    assert str(only(compare(a, b)).reason) == "the speed drifts by +0.50% per run; run the sides alternately (A B B A)"


def test_runs_that_slow_down_are_judged_where_the_sides_alternate(tmp_path: Path) -> None:
    times = [100 * 1.002**number for number in range(8)]
    a = make_side(tmp_path / "a", [times[n] for n in (0, 3, 4, 7)], starts=(0, 3, 4, 7))
    b = make_side(tmp_path / "b", [times[n] for n in (1, 2, 5, 6)], starts=(1, 2, 5, 6))
    assert only(compare(a, b)).verdict == "same"


def test_one_stalled_run_is_set_aside_and_named(tmp_path: Path) -> None:
    a = make_side(tmp_path / "a", (100, 100.1, 99.9, 100.05, 140))
    b = make_side(tmp_path / "b", (100.02, 100.1, 99.9, 100.05, 99.97))
    case = only(compare(a, b))
    assert case.verdict == "same"
    assert case.sides[0].aside is not None
    assert case.sides[0].aside.log.parent.name == "5"
    assert f"Run {case.sides[0].aside.log} is set aside: it is +40.0% off the others of its side." in map(
        str, case.notes
    )


def test_runs_that_failed_do_not_count_and_are_named(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    path = b / "GPT-2_bs12_N1C1/2/run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"status": "failed"}))
    found = compare(a, b)
    assert len(only(found).sides[1].runs) == 2
    assert list(map(str, found.left_out[1])) == ["GPT-2_bs12_N1C1/2/train.log skipped: its run.json says failed."]


def test_a_copy_of_a_run_is_no_repeat(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    shutil.copytree(b / "GPT-2_bs12_N1C1/1", b / "GPT-2_bs12_N1C1/4")
    found = compare(a, b)
    assert len(only(found).sides[1].runs) == 3
    assert "is a copy of GPT-2_bs12_N1C1/1/train.log" in str(found.left_out[1][0])


def test_a_run_on_both_sides_is_no_comparison(tmp_path: Path) -> None:
    a, _ = sides(tmp_path)
    found = compare(a, a)
    assert (found.status, str(only(found).reason)[:23]) == (3, "both sides hold the log")


def test_a_log_behind_a_link_is_not_read(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    (b / "GPT-2_bs12_N1C1/1/train.log").unlink()
    (b / "GPT-2_bs12_N1C1/1/train.log").symlink_to(a / "GPT-2_bs12_N1C1/1/train.log")
    (said,) = compare(a, b).left_out[1]
    assert str(said) == "GPT-2_bs12_N1C1/1/train.log skipped: train.log points outside the log folder."


def test_a_folder_without_logs_is_told(tmp_path: Path) -> None:
    a, _ = sides(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(LogError, match="contains no run folder and no log"):
        compare(a, tmp_path / "empty")


def test_a_broken_log_among_others_is_left_out(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    (b / "GPT-2_bs12_N1C1/1/run.json").write_text("{")
    found = compare(a, b)
    assert len(only(found).sides[1].runs) == 2
    assert "is not valid JSON" in str(found.left_out[1][0])

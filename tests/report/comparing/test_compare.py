"""Two sides of runs, from their logs to a verdict."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from parsers.io.errors import LogError, ParserError
from parsers.io.message import Message
from report.comparing.comparison import Comparison, compare
from report.measure.protocol import Protocol
from report.pagefile.page_file import PageError
from tests.commandline import run
from tests.parsers.golden_logs import GOLDEN
from tests.report.comparing.made_sides import CASE, ENVIRONMENT, STEADY, log_of, make_side, only, sides
from tests.report.page_text import HEAD, column

# Milliseconds a step of each run of A and of B, and the minutes when these began.
Sides = tuple[tuple[Sequence[float], Sequence[int]], tuple[Sequence[float], Sequence[int]]]
FIRST, SECOND = (1, 4, 5), (2, 3, 6)


def slowing(factor: float, *places: int) -> tuple[list[float], tuple[int, ...]]:
    """Runs that each take so many times as long as the one before, at their places in the order of all."""
    return [100 * factor**place for place in places], places


@pytest.mark.parametrize(
    ("made", "gate", "verdict", "status"),
    [
        *(
            (((STEADY, FIRST), ([factor * time for time in STEADY], SECOND)), gate, verdict, status)
            for factor, gate, verdict, status in [
                (1.05, 0.03, "slower", 1),
                (1.0, 0.03, "same", 0),
                (0.95, 0.03, "faster", 0),
                (1.005, 0.03, "same", 0),
                (1.005, 0.006, "slower", 1),
            ]
        ),
        (((STEADY[:1], (1,)), ([200.0], (2,))), 0.03, "unknown", 3),
        ((((100, 103, 97), FIRST), ((103, 106, 100), SECOND)), 0.03, "unknown", 3),
        ((slowing(1.005, 1, 2, 3), slowing(1.005, 4, 5, 6)), 0.03, "unknown", 3),
        ((slowing(1.002, 0, 3, 4, 7), slowing(1.002, 1, 2, 5, 6)), 0.03, "same", 0),
    ],
    ids=[
        *("slower", "equal", "faster", "hardly slower", "a smaller gate"),
        *("one run a side", "noise", "drift", "drift, alternating"),
    ],
)
def test_times_of_runs_come_to_a_verdict_and_a_status(
    made: Sides, gate: float, verdict: str, status: int, tmp_path: Path
) -> None:
    a, b = (make_side(tmp_path / side, times, starts=starts) for side, (times, starts) in zip("ab", made, strict=True))
    found = compare(a, b, gate=gate)
    assert (only(found).verdict, found.status) == (verdict, status)


@pytest.mark.parametrize(
    ("of_a", "of_b", "status"),
    [
        ({"case": "other"}, None, 3),
        (None, {"case": "other"}, 0),
        ({"case": "other", "said": {"status": "failed"}}, {"case": "other"}, 3),
    ],
    ids=["only A has it", "only B has it", "its runs of A failed"],
)
def test_a_case_that_b_lacks_forbids_an_answer_and_one_that_a_lacks_does_not(
    of_a: dict[str, Any] | None, of_b: dict[str, Any] | None, status: int, tmp_path: Path
) -> None:
    both = sides(tmp_path)
    for side, more in zip(both, (of_a, of_b), strict=True):
        if more:
            make_side(side, STEADY, **more)
    assert compare(*both).status == status


@pytest.mark.parametrize("place", ["", "GPT-2_bs12_N1C1", "GPT-2_bs12_N1C1/1"])
def test_a_side_is_a_suite_a_case_or_a_run(place: str, tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    case = only(compare(a / place, b / place))
    assert (case.title, {len(runs) for runs in case.sides}) == ("GPT-2_bs12_N1C1", {1 if "1/1" in place else 3})


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
    assert (only(found).title, only(found).verdict) == ("batch_size=12 sequence_length=1024", "slower")
    assert list(map(len, only(found).sides)) == [3, 3]


def test_runs_are_compared_over_the_steps_that_all_have(tmp_path: Path) -> None:
    a, b = sides(tmp_path, steps=30)
    case = only(compare(a, b))
    number = case.sides[0][0].number
    assert (number.steps, case.verdict) == ((4, 30), "same")
    assert "take_first=27steps" in number.protocol


def test_a_stated_protocol_keeps_its_window(tmp_path: Path) -> None:
    case = only(compare(*sides(tmp_path, 1.05), protocol="estimate=step_time,skip_records=10,take_first=20"))
    number = case.sides[0][0].number
    assert (number.protocol.endswith("statistic=mean"), number.lines) == (True, (14, 33))
    assert case.verdict == "slower"


def test_one_stalled_run_is_set_aside_and_named(tmp_path: Path) -> None:
    a = make_side(tmp_path / "a", (100, 100.1, 99.9, 100.05, 140))
    b = make_side(tmp_path / "b", (100.02, 100.1, 99.9, 100.05, 99.97))
    case = only(compare(a, b))
    assert case.verdict == "same"
    assert case.effect
    assert case.effect.aside == (0, 4)


def failed(run: Path) -> None:
    told = json.loads((run / "run.json").read_text(encoding="utf-8"))
    (run / "run.json").write_text(json.dumps(told | {"status": "failed"}), encoding="utf-8")


def linked(run: Path) -> None:
    (run / "train.log").rename(run.parents[2] / "elsewhere")
    (run / "train.log").symlink_to(run.parents[2] / "elsewhere")


def copied(run: Path) -> None:
    shutil.copytree(run.parent / "1", run, dirs_exist_ok=True)


def broken(run: Path) -> None:
    (run / "run.json").write_text("{", encoding="utf-8")


@pytest.mark.parametrize("change", [failed, linked, copied, broken])
def test_what_is_no_run_of_its_own_does_not_count_and_is_named(change: Callable[[Path], None], tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    change(b / "GPT-2_bs12_N1C1/2")
    found = compare(a, b)
    (said,) = found.left_out[1]
    assert (len(only(found).sides[1]), "GPT-2_bs12_N1C1/2/train.log" in str(said)) == (2, True)


def test_a_side_is_the_same_as_itself_and_a_run_on_both_sides_is_no_repeat(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    assert [(only(compare(side, side)).verdict, compare(side, side).status) for side in (a, b)] == [("same", 0)] * 2
    shutil.copytree(a / "GPT-2_bs12_N1C1/1", b / "GPT-2_bs12_N1C1/4")
    assert compare(a, b).status == 3


def test_a_log_that_contradicts_itself_is_left_out_with_both_sides() -> None:
    log = GOLDEN / "nanochat_old/rate_of_one_pass_of_two.log"
    found = compare(log, log)
    (said,) = found.left_out[0]
    reason = said.values["reason"]
    assert isinstance(reason, Message)
    assert (reason.values["value"], reason.values["other"]) == ("258,000", "129,000")
    assert (found.cases, found.status) == ((), 3)


def test_of_a_log_that_contradicts_itself_a_protocol_says_what_counts_and_a_note_gives_both_sides() -> None:
    log = GOLDEN / "dllogger_bert_pytorch/total_of_planned_steps.log"
    case = only(compare(log, log, protocol="summary"))
    assert case.throughputs == pytest.approx([26.2, 26.2], abs=0.05)
    assert any("other" in said.values for note in case.notes if isinstance(said := note.values.get("said"), Message))


@pytest.mark.parametrize(
    ("log", "protocol"),
    [
        ("nanogpt/current", "records=step estimate=step_time statistic=mean"),
        ("bigdl/cluster", "records=step estimate=reported statistic=harmonic_mean"),
        ("deepspeed_old/memory", "records=step estimate=instant statistic=harmonic_mean"),
        ("detectron2/stdout", "records=step estimate=instant statistic=mean"),
        ("hrnet/pidnet", "records=step estimate=instant counts=steps statistic=mean"),
        ("caffe_train/old", "records=step estimate=clock counts=steps"),
        ("pix2pix/maps", "records=epoch estimate=duration statistic=harmonic_mean"),
        ("keras_fit/bars", "records=epoch estimate=duration counts=epochs statistic=harmonic_mean"),
        ("lambda_thermal/two_cards", "records=step estimate=reported statistic=last"),
        ("cleanrl/dqn", "records=summary estimate=reported statistic=last"),
    ],
)
def test_the_common_window_reads_the_source_that_the_rule_chose_as_work_over_time(log: str, protocol: str) -> None:
    found = only(compare(GOLDEN / f"{log}.log", GOLDEN / f"{log}.log")).sides[0][0].number
    assert Protocol.parse(found.protocol).without_window().words() == protocol


@pytest.mark.parametrize(
    ("of_a", "of_b", "verdict"),
    [
        ("", "", "unknown"),
        ("batch_size = 12", "batch_size = 12", "slower"),
        ("batch_size = 12", "batch_size = 24", "unknown"),
    ],
    ids=["unstated", "one size", "two sizes"],
)
def test_steps_are_compared_where_their_size_is_shown_to_be_one(
    of_a: str, of_b: str, verdict: str, tmp_path: Path
) -> None:
    """The logs state no length of a sequence, so that their speed is in steps."""
    for side, head, factor in (("a", of_a, 1.0), ("b", of_b, 1.1)):
        (tmp_path / side).mkdir()
        for number, time in enumerate(STEADY):
            log = log_of(time * factor, seed=number + 10 * len(head) + ord(side)).decode().partition("\niter ")
            (tmp_path / side / f"{number}.log").write_text(f"{head}\niter {log[2]}", encoding="utf-8")
    assert only(compare(tmp_path / "a", tmp_path / "b")).verdict == verdict


PAGE = """\
title = "Toy"
model = "GPT-2"
unit = "tokens/s"
tested = ["A toy."]
[columns.gpt]
title = "GPT"
logs = "suite/GPT-2_bs12_N1C1/*/train.log"
protocol = "records=step,estimate=step_time,skip_records=10,statistic=mean"
[[tables]]
name = "main"
title = "Main"
case = { model = "GPT-2", nodes = 1, cards = 1 }
columns = [{ column = "gpt" }]
rows = [{ title = "12", case = { batch_size = 12 } }]
"""


def test_a_side_is_a_page_or_its_report_with_its_logs_or_without(tmp_path: Path) -> None:
    reports = []
    for name, factor in (("old", 1.0), ("new", 1.05)):
        make_side(tmp_path / name / "logs/suite", [time * factor for time in STEADY])
        (tmp_path / name / "toy.toml").write_text(PAGE, encoding="utf-8")
        run("report", "toy.toml", "--out", "pages", cwd=tmp_path / name)
        reports.append(tmp_path / name / "pages/toy.report.json")
    logs = tmp_path / "new/logs"
    of_page = only(compare(reports[0], tmp_path / "new/toy.toml", logs=logs))
    assert (of_page.title, of_page.verdict, len(of_page.changes)) == ("main/bs12/gpt", "slower", 0)
    logs_of_old = sorted((tmp_path / "old/logs").rglob("train.log"))
    logs_of_old[0].write_bytes(logs_of_old[0].read_bytes() + b"\n")
    some = only(compare(*reports))
    shutil.rmtree(tmp_path / "old/logs")
    for case in (some, only(compare(*reports))):
        assert (case.verdict, [len(runs) for runs in case.sides]) == ("slower", [3, 3])
        assert case.effect
        assert case.effect.change == pytest.approx(0.05, abs=0.001)
    assert only(compare(reports[0], reports[0])).verdict == "same"
    assert only(compare(reports[1], tmp_path / "new/toy.toml", logs=logs)).verdict == "same"
    assert only(compare(*reports, protocol="estimate=step_time,statistic=median")).verdict == "unknown"


@pytest.mark.parametrize(
    ("side", "error"), [("no-such", ParserError), ("no-such.toml", PageError), ("vgg16", LogError)]
)
def test_what_is_no_side_is_told(side: str, error: type[ParserError], tmp_path: Path) -> None:
    with pytest.raises(error):
        compare(side, *sides(tmp_path)[:1], logs=tmp_path)


def test_a_log_is_read_as_its_page_says(tmp_path: Path) -> None:
    lines = [f"it {at} loss 2.{at:03d} dt {250 + at % 7}.25" for at in range(1, 60)]
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/own.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    page = HEAD.replace("images", "samples") + column(
        "own", "own.log", "estimate=step_time,statistic=mean", of_runs='read = "dt=ms/step"'
    )
    table = 'name = "main"\ntitle = "Main"\ncase = { cards = 1 }\ncolumns = [{ column = "own" }]\n'
    (tmp_path / "own.toml").write_text(
        f'{page}[[tables]]\n{table}rows = [{{ title = "1", case = {{ batch_size = 1 }} }}]\n', encoding="utf-8"
    )
    found = only(compare(tmp_path / "own.toml", tmp_path / "own.toml", logs=tmp_path / "logs"))
    assert [run.number.value for runs in found.sides for run in runs] == pytest.approx([3.95] * 2, rel=0.01)


def names(found: Comparison) -> list[str]:
    return [change.name for change in only(found).changes]


def changed(**of_environment: Any) -> dict[str, Any]:
    return {"environment": {**ENVIRONMENT, **of_environment}}


SOURCE = {"repository": "https://example.org/gpt", "commit": "a" * 40, "dirty": False}
COMMAND = ["python", "train.py", "--lr=0.001", "--workers", "8", "--batch-size", "12"]
NEWER_TORCH = {
    "packages": {"torch": "2.5.0", "numpy": "2.1.0"},
    "frameworks": {"torch": {"version": "2.5.0+cu121", "cuda": "12.1"}},
}
NEWER_NUMPY = {"torch": "2.4.0", "numpy": "2.2.0"}


def with_word(place: int, word: str) -> dict[str, Any]:
    return {"command": [*COMMAND[:place], word, *COMMAND[place + 1 :]]}


@pytest.mark.parametrize(
    ("name", "values", "of_a", "of_b"),
    [
        ("driver", ("550.54", "560.28"), {}, changed(driver="560.28")),
        ("environment.packages.numpy", ("2.1.0", "-"), {}, changed(packages={"torch": "2.4.0"})),
        ("environment.packages.torch", ("2.4.0", "2.5.0"), {}, changed(**NEWER_TORCH)),
        ("environment.variables.NCCL_ALGO", ("Ring", "Tree"), {}, changed(variables={"NCCL_ALGO": "Tree"})),
        ("environment.variables.MORE", ("-", "1"), {}, changed(variables={"NCCL_ALGO": "Ring", "MORE": "1"})),
        ("data", ("-", "synthetic"), {}, {"case": {**CASE, "data": "synthetic"}}),
        ("source.commit", ("a" * 40, "b" * 40), {"source": SOURCE}, {"source": {**SOURCE, "commit": "b" * 40}}),
        ("command", ("--lr=0.001", "--lr=0.002"), {"command": COMMAND}, with_word(2, "--lr=0.002")),
        ("command", ("--workers 8", "--workers 16"), {"command": COMMAND}, with_word(4, "16")),
        ("command", ("train.py", "'my train.py'"), {"command": COMMAND}, with_word(1, "my train.py")),
        ("variables.STEPS", ("60", "80"), {"variables": {"STEPS": "60"}}, {"variables": {"STEPS": "80"}}),
    ],
)
def test_what_differs_is_named_once_with_its_values_and_where_they_stand(
    name: str, values: tuple[str, str], of_a: dict[str, Any], of_b: dict[str, Any], tmp_path: Path
) -> None:
    a = make_side(tmp_path / "a", STEADY, said=of_a)
    b = make_side(tmp_path / "b", STEADY, said=of_b)
    (change,) = only(compare(a, b)).changes
    assert (change.name, change.said) == (name, values)
    assert {Path(one.file).name for side in change.sides for one in side} <= {"run.json"}


def test_another_card_is_no_slowdown(tmp_path: Path) -> None:
    said = {**changed(gpus=["NVIDIA A100"]), "case": {**CASE, "device": "NVIDIA A100"}}
    found = compare(*sides(tmp_path, 2.0, said=said))
    assert (only(found).verdict, found.status, names(found)) == ("unknown", 3, ["device"])


def test_other_nodes_are_other_machines_and_other_jobs_are_not(tmp_path: Path) -> None:
    first, other = ({"scheduler": {"job": job, "nodes": nodes}} for job, nodes in (("1", "node1"), ("2", "node2")))
    a = make_side(tmp_path / "a", STEADY, said=first)
    b = make_side(tmp_path / "b", STEADY, said=other)
    c = make_side(tmp_path / "c", STEADY, said={"scheduler": {"job": "3", "nodes": "node1"}})
    assert (names(compare(a, b)), only(compare(a, b)).verdict) == (["scheduler.nodes"], "unknown")
    assert (names(compare(a, c)), only(compare(a, c)).verdict) == ([], "same")


def test_what_one_side_does_not_record_is_no_difference(tmp_path: Path) -> None:
    a, b = sides(tmp_path)
    for path in b.glob("*/*/run.json"):
        run = json.loads(path.read_text())
        del run["environment"]
        path.write_text(json.dumps(run))
    found = compare(a, b)
    assert names(found) == []

"""A page file drives the launches: what it lacks is run, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from native_checkout import METRIC, PRINT, TOP, Native

pytestmark = pytest.mark.slow

PAGE = """
title = "Toy"
model = "ResNet50"
unit = "samples/s"
tested = ["A toy."]

[columns.toy]
title = "Toy"
launcher = "paddleclas_resnet50"

[[columns.toy.runs]]
logs = "toy/{model}_bs{batch_size}_{precision}_N{nodes}C{cards}/*/train.log"
protocol = "plain"
repeats = 2
options = { device = "cpu", data = "data", steps = 2 }
extra = ["-o", "Global.print_batch_step=1"]

[[tables]]
name = "toy"
title = "Toy"
case = { model = "ResNet50", device = "CPU", nodes = 1, cards = 1, precision = "fp32" }
columns = [{ column = "toy" }]
rows = [{ title = "{batch_size}", case = { batch_size = 4 } }, { title = "{batch_size}", case = { batch_size = 8 } }]
"""
FAIL_AT_4 = f"import sys\nif '4' in [word[-1] for word in sys.argv if 'batch_size' in word]:\n    sys.exit(3)\n{PRINT}"


@pytest.fixture
def page(native: Native) -> Path:
    """A page of two cells, each of two runs, none of which is there."""
    path = native.top / "toy.toml"
    path.write_text(PAGE)
    return path


def launch(native: Native, page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `tachograph launch PAGE`."""
    command = [sys.executable, "-c", "import tachograph; tachograph.main()", "launch", str(page)]
    place = ["--repo", str(native.repo), "--into", str(native.top / "logs")]
    environment = os.environ | native.environment
    return subprocess.run(
        [*command, *place, *arguments], cwd=TOP, env=environment, capture_output=True, text=True, check=False
    )


def runs(native: Native) -> list[str]:
    """The run folders that are there."""
    return sorted(str(path.parent.relative_to(native.top / "logs")) for path in native.top.rglob("run.json"))


ALL = [f"toy/ResNet50_bs{size}_fp32_N1C1/{repeat}" for size in (4, 8) for repeat in (1, 2)]


def test_a_page_has_all_its_runs_made(native: Native, page: Path) -> None:
    assert (launch(native, page).returncode, runs(native)) == (0, ALL)


def test_the_runs_of_a_page_have_the_options_that_it_says(native: Native, page: Path) -> None:
    launch(native, page)
    variables = json.loads((native.top / "logs" / ALL[0] / "run.json").read_text())["variables"]
    assert (variables["STEPS"], variables["EXTRA"]) == ("2", "-o Global.print_batch_step=1")


def test_the_cases_of_a_page_take_turns_each_time_in_the_opposite_order(native: Native, page: Path) -> None:
    launch(native, page)
    taken = [ALL[0], ALL[2], ALL[3], ALL[1]]
    starts = [path.stat().st_mtime_ns for path in (native.top / "logs" / run / "run.json" for run in taken)]
    assert starts == sorted(starts)


def test_a_run_that_was_deleted_is_the_only_one_that_is_repeated(native: Native, page: Path) -> None:
    launch(native, page)
    before = {run: (native.top / "logs" / run / "run.json").stat().st_mtime_ns for run in ALL}
    shutil.rmtree(native.top / "logs" / ALL[1])
    launch(native, page)
    after = {run: (native.top / "logs" / run / "run.json").stat().st_mtime_ns for run in ALL}
    assert [run for run in ALL if before[run] != after[run]] == [ALL[1]]


def test_of_a_page_that_lacks_nothing_nothing_is_run_and_that_is_said(native: Native, page: Path) -> None:
    launch(native, page)
    assert launch(native, page).stderr == "Nothing to run.\n"


def test_the_cases_of_a_page_can_be_chosen(native: Native, page: Path) -> None:
    launch(native, page, "--only", "batch_size=8")
    assert runs(native) == ALL[2:]


def test_the_number_of_repeats_can_be_chosen(native: Native, page: Path) -> None:
    launch(native, page, "--repeats", "1")
    assert runs(native) == [ALL[0], ALL[2]]


def test_after_a_failed_case_the_others_go_on(native: Native, page: Path) -> None:
    native.trains(FAIL_AT_4)
    answer = launch(native, page)
    assert (answer.returncode, runs(native)) == (1, [ALL[0], ALL[2], ALL[3]])
    assert answer.stderr.splitlines()[-1].startswith(
        "Error: 1 of 4 runs failed (skipped after a failure of the same case: 1): "
    )


def test_a_dry_run_is_a_script_that_runs_without_tachograph(native: Native, page: Path) -> None:
    script = launch(native, page, "--dry-run").stdout
    assert runs(native) == []
    environment = os.environ | native.environment
    subprocess.run(["bash"], input=script, env=environment, cwd=native.top, text=True, check=True, capture_output=True)
    assert [(native.top / "logs" / run / "train.log").read_text() for run in ALL] == [METRIC] * 4


def test_options_of_a_case_are_refused_with_a_page(native: Native, page: Path) -> None:
    answer = launch(native, page, "--cards", "8")
    assert (answer.returncode, "A page file sets how its cases run" in answer.stderr) == (2, True)


def test_a_page_that_does_not_exist_is_said(native: Native) -> None:
    answer = launch(native, native.top / "nowhere.toml")
    assert (answer.returncode, "nowhere.toml not found" in answer.stderr) == (2, True)


def test_a_word_that_is_no_recipe_and_no_page_is_said_with_what_there_is(native: Native) -> None:
    answer = launch(native, Path("resnet51"))
    assert (answer.returncode, "paddleclas_resnet50" in answer.stderr) == (2, True)


def test_a_case_that_needs_another_place_is_left_out_and_the_others_run(native: Native, page: Path) -> None:
    page.write_text(PAGE.replace("batch_size = 8 } }]", "batch_size = 8, nodes = 2, cards = 2 } }]"))
    answer = launch(native, page)
    assert (answer.returncode, runs(native)) == (0, ALL[:2])
    assert "Skipped: paddleclas_resnet50 on 2 nodes requires --on slurm" in answer.stderr


def test_a_filter_that_fits_no_case_is_refused_with_what_there_is(native: Native, page: Path) -> None:
    answer = launch(native, page, "--only", "batch_size=5")
    assert (answer.returncode, "No case of the page matches batch_size=5" in answer.stderr) == (2, True)
    assert "batch_size=4|8" in answer.stderr


def test_the_options_of_a_page_are_held_against_the_runs_that_are_there(native: Native, page: Path) -> None:
    launch(native, page, "--repeats", "1")
    page.write_text(PAGE.replace("steps = 2", "steps = 7"))
    answer = launch(native, page)
    assert (answer.returncode, "contains a different run (STEPS=" in answer.stderr) == (1, True)


@pytest.mark.parametrize("value", ['"a[$(touch made)]"', '"two"', "0", '"3; touch made"'])
def test_a_count_of_a_page_that_is_no_count_is_refused(native: Native, page: Path, value: str) -> None:
    page.write_text(PAGE.replace("steps = 2", f"steps = {value}"))
    answer = launch(native, page, "--dry-run")
    assert (answer.returncode, "expected a whole number of at least 1" in answer.stderr) == (2, True)
    assert list(native.top.rglob("made")) == []


def test_a_checkout_of_another_repository_is_refused_for_a_page(native: Native, page: Path) -> None:
    subprocess.run(["git", "init", "-q", str(native.repo)], check=True)
    other = "https://github.com/PaddlePaddle/PaddleSeg"
    subprocess.run(["git", "-C", str(native.repo), "remote", "add", "origin", other], check=True)
    answer = launch(native, page)
    assert (answer.returncode, "requires a checkout of" in answer.stderr, runs(native)) == (2, True, [])


def test_a_done_run_with_other_options_is_not_taken_for_this_one(native: Native) -> None:
    native.launch()
    answer = native.launch("--steps", "7")
    assert (answer.returncode, b"contains a different run (STEPS=" in answer.stderr) == (1, True)

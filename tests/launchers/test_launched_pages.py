"""A page file drives the launches: what it lacks is run, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from unittest.mock import patch

import pytest
from native_checkout import METRIC, PRINT, TOP, Native

from tests.commandline import run

pytestmark = pytest.mark.slow

PAGE = """
title = "Toy"
model = "ResNet50"
unit = "samples/s"
tested = ["A toy."]

[columns.toy]
title = "Toy"
logs = "toy/{model}_bs{batch_size}_{precision}_N{nodes}C{cards}/*/train.log"
protocol = "plain"

[[tables]]
name = "toy"
title = "Toy"
case = { model = "ResNet50", device = "CPU", nodes = 1, cards = 1, precision = "fp32" }
columns = [{ column = "toy" }]
rows = [{ title = "{batch_size}", case = { batch_size = 4 } }, { title = "{batch_size}", case = { batch_size = 8 } }]
"""
LAUNCH = """
[toy]
launcher = "paddleclas_resnet50"
repeats = 2
options = { device = "cpu", data = "data", steps = 2 }
extra = ["-o", "Global.print_batch_step=1"]
"""
FAIL_AT_4 = f"import sys\nif '4' in [word[-1] for word in sys.argv if 'batch_size' in word]:\n    sys.exit(3)\n{PRINT}"


@pytest.fixture
def page(native: Native) -> Path:
    """A page of two cells, each of two runs, none of which is there."""
    path = native.top / "toy.toml"
    path.write_text(PAGE)
    path.with_suffix(".launch.toml").write_text(LAUNCH)
    return path


def launch(native: Native, page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `tachograph launch PAGE`."""
    place = ["--repo", str(native.repo), "--into", str(native.top / "logs")]
    with patch.dict(os.environ, native.environment):
        return run("launch", page, *place, *arguments, cwd=TOP)


def runs(native: Native) -> list[str]:
    """The run folders that are there."""
    return sorted(str(path.parent.relative_to(native.top / "logs")) for path in native.top.rglob("run.json"))


ALL = [f"toy/ResNet50_bs{size}_fp32_N1C1/{repeat}" for size in (4, 8) for repeat in (1, 2)]


def written(native: Native, *names: str) -> list[int]:
    """When the run.json of each of these runs was written."""
    return [(native.top / "logs" / name / "run.json").stat().st_mtime_ns for name in names]


def test_a_page_has_all_its_runs_made_in_turns_with_the_options_that_it_says(native: Native, page: Path) -> None:
    assert (launch(native, page).returncode, runs(native)) == (0, ALL)
    starts = written(native, ALL[0], ALL[2], ALL[3], ALL[1])
    assert starts == sorted(starts)
    variables = json.loads((native.top / "logs" / ALL[0] / "run.json").read_text())["variables"]
    assert (variables["STEPS"], variables["EXTRA"]) == ("2", "-o Global.print_batch_step=1")


def test_a_run_that_was_deleted_is_the_only_one_that_is_repeated(native: Native, page: Path) -> None:
    launch(native, page)
    before = written(native, *ALL)
    assert launch(native, page).stderr == "Nothing to run.\n"
    shutil.rmtree(native.top / "logs" / ALL[1])
    launch(native, page)
    after = written(native, *ALL)
    assert [name for name, old, new in zip(ALL, before, after, strict=True) if old != new] == [ALL[1]]


@pytest.mark.parametrize(
    ("words", "made"), [(("--only", "batch_size=8"), ALL[2:]), (("--repeats", "1"), [ALL[0], ALL[2]])]
)
def test_cases_and_repeats_of_a_page_can_be_chosen(
    native: Native, page: Path, words: tuple[str, ...], made: list[str]
) -> None:
    launch(native, page, *words)
    assert runs(native) == made


def test_after_a_failed_case_the_others_go_on(native: Native, page: Path) -> None:
    native.trains(FAIL_AT_4)
    answer = launch(native, page)
    assert (answer.returncode, runs(native)) == (1, [ALL[0], ALL[2], ALL[3]])


def test_a_dry_run_is_a_script_that_runs_without_tachograph(native: Native, page: Path) -> None:
    script = launch(native, page, "--dry-run").stdout
    assert runs(native) == []
    environment = os.environ | native.environment
    subprocess.run(["bash"], input=script, env=environment, cwd=native.top, text=True, check=True, capture_output=True)
    assert [(native.top / "logs" / run / "train.log").read_text() for run in ALL] == [METRIC] * 4


@pytest.mark.parametrize(
    ("words", "named"), [(("--cards", "8"), "cards"), (("--only", "batch_size=5"), "batch_size=4|8")]
)
def test_options_that_do_not_fit_a_page_are_refused(
    native: Native, page: Path, words: tuple[str, ...], named: str
) -> None:
    answer = launch(native, page, *words)
    assert (answer.returncode, named in answer.stderr) == (2, True)


@pytest.mark.parametrize(("name", "named"), [("nowhere.toml", "nowhere.toml"), ("resnet51", "did you mean resnet50?")])
def test_a_page_that_does_not_exist_is_said_with_what_there_is(native: Native, name: str, named: str) -> None:
    answer = launch(native, Path(name))
    assert (answer.returncode, named in answer.stderr) == (2, True)


def test_a_case_that_needs_another_place_is_left_out_and_the_others_run(native: Native, page: Path) -> None:
    page.write_text(PAGE.replace("batch_size = 8 } }]", "batch_size = 8, nodes = 2, cards = 2 } }]"))
    answer = launch(native, page)
    assert (answer.returncode, runs(native)) == (0, ALL[:2])


def test_the_options_of_a_page_are_held_against_the_runs_that_are_there(native: Native, page: Path) -> None:
    launch(native, page, "--repeats", "1")
    page.with_suffix(".launch.toml").write_text(LAUNCH.replace("steps = 2", "steps = 7"))
    answer = launch(native, page)
    assert (answer.returncode, "contains a different run (STEPS=" in answer.stderr) == (1, True)


@pytest.mark.parametrize("value", ['"a[$(touch made)]"', '"two"', "0", '"3; touch made"'])
def test_a_count_of_a_page_that_is_no_count_is_refused(native: Native, page: Path, value: str) -> None:
    page.with_suffix(".launch.toml").write_text(LAUNCH.replace("steps = 2", f"steps = {value}"))
    answer = launch(native, page, "--dry-run")
    assert (answer.returncode, list(native.top.rglob("made"))) == (2, [])


def test_a_checkout_of_another_repository_is_refused_for_a_page(native: Native, page: Path) -> None:
    subprocess.run(["git", "init", "-q", str(native.repo)], check=True)
    other = "https://github.com/PaddlePaddle/PaddleSeg"
    subprocess.run(["git", "-C", str(native.repo), "remote", "add", "origin", other], check=True)
    answer = launch(native, page)
    assert (answer.returncode, runs(native)) == (2, [])

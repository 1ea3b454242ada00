"""Wrong options of a launch start nothing; several values are several cases; a script needs no checkout."""

from __future__ import annotations

import re

import pytest
from git_checkout import git
from native_checkout import Native
from room_commands import main

from tests.commandline import run


@pytest.mark.parametrize(
    "words",
    [
        "--precision amp",
        "--nodes 2 --cards 3 --master a:1",
        "--nodes 2 --cards 2",
        "--steps 10 --epochs 3",
        "--cards 0",
        "--cards 1,1",
        "--cards 1,x",
        "--repo /nowhere",
        "--on mpirun",
        "--only cards",
        "--only cards=1,cards=2",
        "--only cards=1",
        "--timeout 0",
    ],
)
def test_a_wrong_option_starts_nothing(native: Native, words: str) -> None:
    assert (native.launch(*words.split()).returncode, native.suite.exists()) == (2, False)


def test_an_option_that_the_recipe_does_not_read_is_refused(native: Native) -> None:
    answer = run("launch", "paddleseg_deeplabv3p", "--repo", native.repo, "--epochs", "2", main=main)
    assert (answer.returncode, "EPOCHS" in answer.stderr) == (2, True)


def test_each_combination_of_values_is_a_case_and_cases_take_turns(native: Native) -> None:
    native.launch("--batch-size", "4,8", "--epochs", "1", "--steps", "1", "--repeats", "2")
    runs = sorted(native.suite.glob("*/[12]/run.json"), key=lambda path: path.stat().st_mtime_ns)
    assert [path.parent.relative_to(native.suite).as_posix() for path in runs] == [
        *("ResNet50_bs4_fp32_N1C1/1", "ResNet50_bs8_fp32_N1C1/1"),
        *("ResNet50_bs8_fp32_N1C1/2", "ResNet50_bs4_fp32_N1C1/2"),
    ]


def test_cases_that_differ_in_what_their_names_lack_have_folders_of_their_own() -> None:
    words = ["--cards", "1", "--dali", "on,off", "--repeats", "1", "--dry-run"]
    script = run("launch", "nvidia_pytorch_resnet50", *words, main=main)
    folders = re.findall(r"tee (\S+)", script.stdout)
    assert (len(folders), len(set(folders))) == (2, 2)


@pytest.mark.parametrize("recipe", ["paddleclas_resnet50", "nvidia_pytorch_resnet50"])
def test_a_script_is_printed_without_a_checkout_and_demands_one(recipe: str) -> None:
    script = run("launch", recipe, "--dry-run", "--repeats", "1", "--on", "slurm", main=main).stdout
    assert ("${REPO:?" in script, '"$WORK"' in script) == (True, True)
    assert run("launch", recipe, main=main).returncode == 2


def test_a_checkout_of_another_repository_is_refused(native: Native) -> None:
    git(native.repo, "init", "-q")
    git(native.repo, "remote", "add", "origin", "https://github.com/PaddlePaddle/PaddleSeg")
    assert (native.launch().returncode, native.suite.exists()) == (2, False)

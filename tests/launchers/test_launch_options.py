"""Wrong options of a launch start nothing."""

from __future__ import annotations

import pytest
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

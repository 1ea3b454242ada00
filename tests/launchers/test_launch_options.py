"""What the options of a launch do, and what is said where they are wrong."""

from __future__ import annotations

import os
import subprocess

import pytest
from native_checkout import TOP, Native


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--precision", "amp"], "does not train in amp on a cpu; possible: fp32."),
        (
            ["--nodes", "2", "--cards", "3", "--master", "a:1"],
            "2 nodes cannot share 3 cards; a multiple of 2 is possible.",
        ),
        (
            ["--nodes", "2", "--cards", "2"],
            "--on slurm or --on mpirun, or --master and --node-rank on each.",
        ),
        (
            ["--steps", "10", "--epochs", "3"],
            "3 epochs cannot share 10 steps; a multiple of 3 is possible, such as --steps 9.",
        ),
        (["--cards", "0"], "0 is not in the range x>=1."),
        (["--repo", "/nowhere"], "Directory '/nowhere' does not exist."),
        (["--on", "mpirun"], "--on mpirun and -H go together"),
        (["--only", "cards"], "'cards' is no filter; one such as cards=8,precision=amp is possible."),
        (["--only", "cards=1,cards=2"], "gives an axis twice"),
        (["--only", "cards=1"], "--only chooses cases of a page"),
        (["--timeout", "0"], "0 is not in the range x>=1."),
    ],
)
def test_a_wrong_option_is_explained_and_starts_nothing(native: Native, arguments: list[str], words: str) -> None:
    answer = native.launch(*arguments)
    said = " ".join(answer.stderr.decode().split())
    assert (answer.returncode, words in said, native.suite.exists()) == (2, True, False)


def test_an_option_that_the_recipe_does_not_read_is_refused(native: Native) -> None:
    options = [word.replace("paddleclas_resnet50", "paddleseg_deeplabv3p") for word in native.options]
    command = [*native.command, *options, "--epochs", "2"]
    answer = subprocess.run(command, cwd=TOP, capture_output=True, env=os.environ, check=False)
    assert (answer.returncode, b"does not read EPOCHS" in answer.stderr) == (2, True)

"""What the options of a launch do, and what is said where they are wrong."""

from __future__ import annotations

import os
import subprocess

import pytest
from native_checkout import TOP, Native


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--precision", "amp"], "does not support amp on cpu; supported: fp32."),
        (
            ["--nodes", "2", "--cards", "3", "--master", "a:1"],
            "3 cards cannot be split evenly across 2 nodes; use a multiple of 2.",
        ),
        (
            ["--nodes", "2", "--cards", "2"],
            "--on slurm or --on mpirun, or --master and --node-rank on each node.",
        ),
        (
            ["--steps", "10", "--epochs", "3"],
            "--steps 10 cannot be split evenly across 3 epochs; use a multiple of 3, such as --steps 9.",
        ),
        (["--cards", "0"], "0 is not in the range x>=1."),
        (["--repo", "/nowhere"], "Directory '/nowhere' does not exist."),
        (["--on", "mpirun"], "--on mpirun and -H must be used together"),
        (["--only", "cards"], "'cards' is not a filter; expected AXIS=VALUE pairs, such as cards=8,precision=amp."),
        (["--only", "cards=1,cards=2"], "sets an axis more than once"),
        (["--only", "cards=1"], "--only selects cases of a page"),
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
    assert (answer.returncode, b"does not have the option EPOCHS" in answer.stderr) == (2, True)

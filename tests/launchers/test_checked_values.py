"""The check of a recipe finds values that a native program does not allow."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked_repository import ARGPARSE, CONFIGURED, write

from launchers.native import check, native_configs, recipes
from launchers.native.native_commands import NativeCommand
from launchers.native.outcome import Checked, CheckOutcome, summary

LISTED = "parser.add_argument('-b', '--backend', choices=BACKENDS)\nparser.add_argument('--lr', choices=(1, 2))\n"


def refused(repo: Path, command: str) -> dict[str, str]:
    """Check one command: each option whose value is not allowed, and what is said of it."""
    items = check.examine([NativeCommand(f"cd {repo} && {command}", repo)], repo)
    return {item.option: item.refused for item in items if item.refused}


def test_a_value_that_a_program_lists_is_allowed_and_another_one_is_not(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": f"{ARGPARSE}BACKENDS = ['dali', 'torch']\n{LISTED}"})
    assert refused(tmp_path, "python train.py --backend dali --lr=2") == {}
    said = {"-b": "fast; possible: dali, torch", "--lr": "3; possible: 1, 2"}
    assert refused(tmp_path, "python train.py -b fast --lr=3") == said


def test_values_that_are_put_together_at_run_time_are_not_checked(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": f"{ARGPARSE}BACKENDS = [*known()]\n{LISTED}"})
    assert refused(tmp_path, "python train.py --backend fast") == {}


def test_a_literal_type_and_the_choices_of_a_field_list_values(tmp_path: Path) -> None:
    fields = "    a: Literal['x', 'y'] = 'x'\n    b: str = field(default='u', metadata={'choices': ['u', 'v']})\n"
    write(tmp_path, {"train.py": f"class Arguments:\n{fields}HfArgumentParser(Arguments)\n"})
    assert refused(tmp_path, "python train.py --a z --b v") == {"--a": "z; possible: x, y"}


def test_a_number_and_a_truth_value_of_a_config_are_replaced_by_such(tmp_path: Path) -> None:
    config = "steps: 1\nlr: 0.1\namp: False\nname: x\nnothing: null\n"
    write(tmp_path, {"train.py": ARGPARSE + CONFIGURED, "config.yml": config})
    command = "python train.py -c config.yml -o steps=2 -o lr=1e-4 -o amp=True -o name=3 -o nothing=x -o steps=None"
    assert refused(tmp_path, command) == {}
    wrong = {"-o steps": "2.5; expected a whole number", "-o lr": "fast; expected a number"}
    command = "python train.py -c config.yml -o steps=2.5 -o lr=fast -o amp=O1"
    assert refused(tmp_path, command) == {**wrong, "-o amp": "O1; expected true or false"}


def test_a_key_without_an_option_overrides_a_config_that_the_command_names(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "print()", "config.yml": "epochs: 1\n"})
    command = "python train.py train cfg=config.yml epochs=few"
    assert refused(tmp_path, command) == {"epochs": "few; expected a whole number"}


@pytest.mark.parametrize(
    ("kind", "value"), [("int", "499.5/1334"), ("float", "1."), ("bool", "yes"), ("str", "{"), ("int", "")]
)
def test_what_may_become_of_a_value_fits(kind: str, value: str) -> None:
    assert native_configs.fits(kind, value)


def test_the_summary_of_a_check_says_which_value_is_not_allowed() -> None:
    items = (Checked("--lr", "train.py", "train.py:7", "3; possible: 1, 2"),)
    assert (
        summary(CheckOutcome("x", "", None, items, ())) == "All 1 options exist. Not allowed: --lr 3; possible: 1, 2."
    )


def test_an_option_that_a_library_may_define_is_listed_as_not_checked(tmp_path: Path) -> None:
    program = "class Arguments(TrainingArguments):\n    a: int = 1\nHfArgumentParser(Arguments)\n"
    write(tmp_path, {"examples/pytorch/language-modeling/run_clm.py": program})
    outcome = check.check(recipes.read("hf_gpt2"), tmp_path)
    assert (outcome.unknown, "--max_steps" in outcome.unchecked) == ([], True)

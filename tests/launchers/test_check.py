"""The check of a recipe finds where a program has each option, and says which one it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from git_checkout import git
from native_checkout import executable

from launchers.recipes.command_line import CheckOutcome, check


def write(repo: Path, files: Mapping[str, str]) -> None:
    """Write files, folders included, and let git track them."""
    for name, content in files.items():
        executable(repo / name, content)
    git(repo, "init", "-q")
    git(repo, "add", ".")


def checked(repo: Path, command: str) -> CheckOutcome:
    return check([f'cd "$REPO" && {command}'], repo)


FOUND: dict[str, tuple[dict[str, str], str, dict[str, str]]] = {
    "options": (
        {"train.py": "import lib\np.add_argument(\n    '-b',\n    '--batch-size')\np.add_argument('-j', '--lr')\n"}
        | {"lib/flags.py": "DEFINE_bool(\n    'xla', True)\nclick.option('--dali/--no-dali')\np('--amp')\n"},
        "python train.py --batch-size 4 --lr=0.1 -j5 --batch 4 --sede -1 --noxla --no-dali --no-amp",
        {"--batch-size": "train.py:4", "--lr": "train.py:5", "-j5": "train.py:5", "--noxla": "lib/flags.py:2"}
        | {"--no-dali": "lib/flags.py:3", "--no-amp": "lib/flags.py:4"},
    ),
    "the file that is nearest to the program": (
        dict.fromkeys(("a/flags.py", "b/c/flags.py", "d/flags.py"), "p.add_argument('--seed')\n")
        | {"b/train.py": "import c.flags\n", "b/train.sh": "--lr 1\n", "README.md": "`--lr`"},
        "python b/train.py --seed 1 --lr 2",
        {"--seed": "b/c/flags.py:1"},
    ),
    "fields and variables": (
        {"train.py": "seed = 1\nclass Arguments:\n    batch_size: int = 1\n    fast: bool = True\n"},
        "python train.py --training.batch_size 4 --batch-size 4 --seed=1 --no-fast --training.bacth_size 4",
        {"--training.batch_size": "train.py:3", "--batch-size": "train.py:3", "--seed": "train.py:1"}
        | {"--no-fast": "train.py:4"},
    ),
    "keys of configs": (
        {"train.py": "p.add_argument('-c')\np.add_argument('-o')\nx = config['model'].get('depth')\n"}
        | {"config.yml": "model:\n  name: x\nops:\n  - Crop: {size: 1}\n", "own.py": "model = dict(norm=1)\n"},
        "python train.py -c config.yml -o model.name=y -oops.0.Crop.size=2 model.depth=3 model.norm=1 model.depht=3",
        {"-c": "train.py:1", "model.name": "config.yml:2", "ops.0.Crop.size": "config.yml:4"}
        | {"model.depth": "train.py:3", "model.norm": "own.py:1"},
    ),
}
ABSENT = {
    "options": ["--batch", "--sede"],
    "the file that is nearest to the program": ["--lr"],
    "fields and variables": ["--training.bacth_size"],
    "keys of configs": ["model.depht"],
}


@pytest.mark.parametrize("case", FOUND)
def test_an_option_is_found_where_the_checkout_has_it(tmp_path: Path, case: str) -> None:
    files, command, known = FOUND[case]
    write(tmp_path, files)
    outcome = checked(tmp_path, command)
    assert (outcome.known, outcome.unknown) == (known, ABSENT[case])


def test_a_config_that_is_not_in_the_checkout_is_told_and_data_is_not(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "", "config.yml": "cfg: 1\ndata: 2\n"})
    outcome = checked(tmp_path, "python train.py cfg=config.yml cfg=none.yaml data=./none.yaml")
    assert outcome.unknown == ["none.yaml"]


def test_an_option_before_the_first_program_belongs_to_what_starts_it(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "p.add_argument('--lr')", "python": ""})
    outcome = checked(tmp_path, "env -u X python -m some.launch --nnodes=2 --rank 0 train.py --lr 1")
    assert (outcome.unchecked, outcome.unknown) == (["-u", "-m", "--nnodes", "--rank"], [])


def test_a_command_without_a_program_of_the_checkout_and_a_folder_without_git_are_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    with pytest.raises(click.ClickException):
        checked(tmp_path, "python train.py --lr 1")
    write(tmp_path, {})
    with pytest.raises(click.ClickException):
        checked(tmp_path, "python tools/train.py --lr 1")

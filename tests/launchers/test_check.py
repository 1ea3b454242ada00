"""The check of a recipe looks at every case of its launcher, and says what it found and could not find out."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import click
import pytest
from checked_repository import ARGPARSE, CONFIGURED, write

from launchers.native import check, outcome, recipes


@pytest.fixture
def clas(tmp_path: Path) -> Path:
    """A checkout with all that the launcher of PaddleClas' ResNet50 asks for, but one key."""
    write(tmp_path, {"tools/train.py": ARGPARSE + CONFIGURED})
    config = tmp_path / "ppcls/configs/ImageNet/ResNet/ResNet50.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(
        "Global: {device: gpu, epochs: 1, iter_per_epoch: 1, eval_during_train: True}\n"
        "Arch: {pretrained: True}\nAMP: {use_amp: False}\n"
        "DataLoader: {Train: {sampler: {batch_size: 1}, dataset: {image_root: x, cls_label_path: x}}}\n",
        encoding="utf-8",
    )
    return tmp_path


def test_the_options_of_every_precision_and_size_are_checked(clas: Path) -> None:
    found = check.check(recipes.read("paddleclas_resnet50"), clas)
    assert [item.option for item in found.unknown] == ["-o AMP.level"]
    assert {"--nproc_per_node", "--master"} <= set(found.unchecked)


def test_the_text_of_a_check_says_what_does_not_exist(clas: Path) -> None:
    recipe = recipes.read("paddleclas_resnet50")
    assert outcome.text(recipe, check.check(recipe, clas)).endswith("1 of 12 options do not exist: -o AMP.level.")


def test_a_checkout_that_does_not_tell_its_commit_is_mentioned(clas: Path) -> None:
    recipe = recipes.read("paddleclas_resnet50")
    assert f"The commit of the checkout is unknown; {recipe.name} pins" in outcome.text(
        recipe, check.check(recipe, clas)
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_checkout_on_another_commit_is_mentioned(clas: Path) -> None:
    git = ["git", "-C", str(clas), "-c", "user.name=x", "-c", "user.email=x@y.z"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "another"], check=True)
    recipe = recipes.read("paddleclas_resnet50")
    found = check.check(recipe, clas)
    assert f"The checkout is at {found.commit}; {recipe.name} pins" in outcome.text(recipe, found)


def test_a_launcher_that_has_no_command_is_refused_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(
        click.ClickException, match=r"paddleclas_resnet50 cannot build a command for DEVICE=gpu .*No such file"
    ):
        check.check(recipes.read("paddleclas_resnet50"), tmp_path / "missing")

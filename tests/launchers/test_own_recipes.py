"""Recipes of one's own: a script outside of Tachograph is launched, checked and listed as those in it are."""

import hashlib
import json
import subprocess
from pathlib import Path

import click
import pytest
from checkouts import TACHOGRAPH, Native, git, run_file

from launchers.recipes import recipe as recipes

# They call the program.
pytestmark = pytest.mark.slow

TRAIN = """\
import argparse
parser = argparse.ArgumentParser()
for name in ("data", "batch_size", "steps", "precision", "device", "output_dir", "lr"):
    parser.add_argument(f"--{name}")
for step in range(1, int(parser.parse_args().steps) + 1):
    print(f"step {step}: loss {4 - step / 20:.4f}, {1000 + step % 3} tokens/s")
"""
LAUNCH = ("launch", "mine.sh", "--repo", "checkout", "--device", "cpu", "--steps", "12", "--repeats", "1")
PAGE = """\
title = "T"
model = "M"
unit = "tokens/s"
tested = ["x"]
[columns.c]
title = "C"
logs = "lab/{precision}_N{nodes}C{cards}/*/train.log"
protocol = "plain"
[[tables]]
name = "t"
title = "T"
case = { nodes = 1, cards = 1, precision = "fp32", batch_size = 4 }
columns = ["c"]
rows = [{ title = "1" }]
"""


@pytest.fixture
def recipe(native: Native) -> Path:
    """The draft of a recipe, for a program in a checkout of its own."""
    (native.repo / "train.py").write_text(TRAIN, encoding="utf-8")
    git(native.repo, "init", "-q")
    git(native.repo, "remote", "add", "origin", "https://example.com/acme/program")
    git(native.repo, "add", "-A")
    git(native.repo, "commit", "-qm", "first")
    draft = (recipes.ROOM / "recipe.sh.draft").read_text(encoding="utf-8")
    (native.top / "mine.sh").write_text(draft.replace("owner/repository", "acme/program"), encoding="utf-8")
    return native.top / "mine.sh"


def launch(native: Native, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Launch the recipe where it is."""
    return native.tachograph(*LAUNCH, *arguments, cwd=native.top, main=None)


def test_the_draft_is_a_clean_shell_script(recipe: Path) -> None:
    done = subprocess.run([TACHOGRAPH.with_name("shellcheck"), recipe], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)


def test_a_recipe_outside_is_launched_by_its_path(native: Native, recipe: Path) -> None:
    done = launch(native, "--", "--lr", "0.1")
    assert (done.returncode, done.stdout.count(" tokens/s\n")) == (0, 12)
    (found,) = map(run_file, native.top.glob("logs/*/*/1"))
    assert found["native"].endswith('--device cpu --output_dir "$WORK" --lr 0.1')
    assert (found["recipe"], found["command"]) == ("mine", ["bash", "mine.sh"])
    assert found["launcher"] == hashlib.sha256(recipe.read_bytes()).hexdigest()
    assert str(native.top) not in json.dumps(found)
    here = recipes.ROOM.parent
    assert found.get("tachograph_commit") == (git(here, "rev-parse", "HEAD") if (here / ".git").exists() else None)


def test_a_copy_of_a_recipe_finds_what_all_share_and_is_refused_for_another_checkout(
    native: Native, recipe: Path
) -> None:
    recipe.write_bytes((recipes.ROOM / "paddleclas_vgg16.sh").read_bytes())
    done = launch(native)
    assert (done.returncode, "https://github.com/PaddlePaddle/PaddleClas" in done.stderr) == (2, True)
    git(native.repo, "remote", "set-url", "origin", "https://github.com/PaddlePaddle/PaddleClas")
    done = launch(native, "--dry-run")
    assert (done.returncode, "tools/train.py -c ppcls/configs/ImageNet/VGG/VGG16.yaml" in done.stdout) == (0, True)


@pytest.mark.usefixtures("recipe")
def test_a_page_runs_its_missing_cases_by_a_recipe_outside(native: Native) -> None:
    (native.top / "page.toml").write_text(PAGE, encoding="utf-8")
    launch = '[c]\nlauncher = "mine.sh"\noptions = { device = "cpu", steps = 12 }\n'
    (native.top / "page.launch.toml").write_text(launch, encoding="utf-8")
    assert native.tachograph("launch", "page.toml", "--repo", "checkout", cwd=native.top, main=None).returncode == 0
    assert (native.top / "logs/lab/fp32_N1C1/1/train.log").is_file()


def test_a_script_that_lacks_what_a_recipe_says_is_refused_and_an_unknown_name_answered(recipe: Path) -> None:
    whole = recipe.read_text(encoding="utf-8")
    lacking = {
        "# licence: unknown\n": "",
        "# metric: ^step [0-9]+": "# metric: (",
        "# gpu: fp32 bf16\n# cpu: fp32\n": "",
        '"${STEPS:=200}"': "",
    }
    for before, after in lacking.items():
        assert before in whole
        recipe.write_text(whole.replace(before, after), encoding="utf-8")
        with pytest.raises(click.UsageError):
            recipes.find(str(recipe))
    with pytest.raises(click.UsageError, match="nanogpt"):
        recipes.find("nanogtp")

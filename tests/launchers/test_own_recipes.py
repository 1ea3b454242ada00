"""Recipes of one's own: a script outside of Tachograph is launched, checked and listed as those in it are."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pytest
from git_checkout import git
from native_checkout import executable
from own_program import TACHOGRAPH

from launchers.recipes import recipe as recipes
from tests.commandline import run

# They call the program.
pytestmark = pytest.mark.slow

TRAIN = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--data")
parser.add_argument("--batch_size")
parser.add_argument("--steps")
parser.add_argument("--precision")
parser.add_argument("--device")
parser.add_argument("--output_dir")
parser.add_argument("--lr")
for step in range(1, int(parser.parse_args().steps) + 1):
    print(f"step {step}: loss {4 - step / 20:.4f}, {1000 + step % 3} tokens/s")
"""
LAUNCH = ("--repo", "program", "--device", "cpu", "--steps", "12", "--repeats", "1")


@dataclass
class Bench:
    """A folder with the checkout of a program, in which a recipe is drafted."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        with patch.dict(os.environ, self.environment):
            return run(*arguments, cwd=self.folder)

    @property
    def recipe(self) -> Path:
        """The script."""
        return self.folder / "mine.sh"

    def facts(self) -> dict[str, Any]:
        """The run.json of its only run."""
        (path,) = self.folder.glob("logs/mine/*/1/run.json")
        return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "program").mkdir()
    (tmp_path / "program/train.py").write_text(TRAIN, encoding="utf-8")
    git(tmp_path / "program", "init", "-q")
    git(tmp_path / "program", "remote", "add", "origin", "https://example.com/acme/program")
    git(tmp_path / "program", "add", "-A")
    git(tmp_path / "program", "commit", "-qm", "first")
    executable(tmp_path / "bin/python", f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')  # without packages
    made = Bench(tmp_path, {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"})
    draft = (recipes.ROOM / "recipe.sh.draft").read_text(encoding="utf-8")
    made.recipe.write_text(draft.replace("owner/repository", "acme/program"), encoding="utf-8")
    return made


def test_the_draft_is_a_clean_shell_script(bench: Bench) -> None:
    done = subprocess.run(
        [TACHOGRAPH.with_name("shellcheck"), bench.recipe], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("", 0)


def test_a_recipe_outside_is_launched_by_its_path(bench: Bench) -> None:
    done = bench.run("launch", "mine.sh", *LAUNCH, "--", "--lr", "0.1")
    assert (done.returncode, done.stdout.count(" tokens/s\n")) == (0, 12)
    facts = bench.facts()
    assert facts["native"].endswith('--device cpu --output_dir "$WORK" --lr 0.1')
    assert (facts["recipe"], facts["command"]) == ("mine", ["bash", "mine.sh"])
    assert facts["launcher"] == hashlib.sha256(bench.recipe.read_bytes()).hexdigest()
    assert str(bench.folder) not in json.dumps(facts)
    here = recipes.ROOM.parent
    assert facts.get("tachograph_commit") == (git(here, "rev-parse", "HEAD") if (here / ".git").exists() else None)


def test_a_copy_of_a_recipe_finds_what_all_share_and_is_refused_for_another_checkout(bench: Bench) -> None:
    bench.recipe.write_bytes((recipes.ROOM / "paddleclas_vgg16.sh").read_bytes())
    done = bench.run("launch", "mine.sh", *LAUNCH)
    assert (done.returncode, "https://github.com/PaddlePaddle/PaddleClas" in done.stderr) == (2, True)
    git(bench.folder / "program", "remote", "set-url", "origin", "https://github.com/PaddlePaddle/PaddleClas")
    done = bench.run("launch", "mine.sh", *LAUNCH, "--dry-run")
    assert (done.returncode, "tools/train.py -c ppcls/configs/ImageNet/VGG/VGG16.yaml" in done.stdout) == (0, True)


def test_a_page_runs_its_missing_cases_by_a_recipe_outside(bench: Bench) -> None:
    page = """\
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
    (bench.folder / "page.toml").write_text(page, encoding="utf-8")
    launch = '[c]\nlauncher = "mine.sh"\noptions = { device = "cpu", steps = 12 }\n'
    (bench.folder / "page.launch.toml").write_text(launch, encoding="utf-8")
    done = bench.run("launch", "page.toml", "--repo", "program")
    assert (done.returncode, [*bench.folder.glob("logs/lab/fp32_N1C1/1/train.log")] != []) == (0, True)


def test_a_script_that_lacks_what_a_recipe_says_is_refused_and_an_unknown_name_answered(bench: Bench) -> None:
    whole = bench.recipe.read_text(encoding="utf-8")
    lacking = {
        "# licence: unknown\n": "",
        "# metric: ^step [0-9]+": "# metric: (",
        "# gpu: fp32 bf16\n# cpu: fp32\n": "",
        '"${STEPS:=200}"': "",
    }
    for before, after in lacking.items():
        assert before in whole
        bench.recipe.write_text(whole.replace(before, after), encoding="utf-8")
        with pytest.raises(click.UsageError):
            recipes.find(str(bench.recipe))
    with pytest.raises(click.UsageError, match="nanogpt"):
        recipes.find("nanogtp")

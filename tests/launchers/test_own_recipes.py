"""Recipes of one's own: a script outside of Tachograph is launched, checked and listed as those in it are."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

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

    def change(self, before: str, after: str) -> None:
        """Replace a text of the script."""
        text = self.recipe.read_text(encoding="utf-8")
        assert before in text
        self.recipe.write_text(text.replace(before, after), encoding="utf-8")

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
    python = TACHOGRAPH.with_name("python")
    executable(tmp_path / "bin/python", f'#!/bin/sh\nexec "{python}" "$@"\n')
    made = Bench(tmp_path, {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"})
    assert made.run("launchers", "--new", "mine", "--repo", "program").returncode == 0
    return made


def test_a_draft_is_a_clean_shell_script_of_its_checkout_and_is_never_overwritten(bench: Bench) -> None:
    before = bench.recipe.read_text(encoding="utf-8")
    commit = git(bench.folder / "program", "rev-parse", "HEAD").strip()
    assert "# repository: https://example.com/acme/program\n" in before
    assert f"# commit: {commit}\n" in before
    shellcheck = TACHOGRAPH.with_name("shellcheck")
    done = subprocess.run([shellcheck, bench.recipe], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)
    assert bench.run("launchers", "--new", "mine").returncode == 2
    assert bench.recipe.read_text(encoding="utf-8") == before


def test_a_recipe_outside_is_checked_against_its_program(bench: Bench) -> None:
    done = bench.run("launchers", "--check", "mine.sh", "--repo", "program")
    assert (done.returncode, "--steps" in done.stdout) == (0, True)
    bench.change("--steps", "--stesp")
    done = bench.run("launchers", "--check", "mine.sh", "--repo", "program", "--json")
    assert (done.returncode, json.loads(done.stdout)["unknown"]) == (1, {"--stesp": "--steps"})


@pytest.mark.parametrize("target", [["--recipe", "mine.sh"], ["mine.sh"], ["mine"]])
def test_a_recipe_outside_is_launched_and_listed(bench: Bench, target: list[str]) -> None:
    assert "mine" not in bench.run("launchers").stdout
    bench.environment["TACHOGRAPH_RECIPES"] = f"nowhere{os.pathsep}{bench.folder}"
    assert any(line.startswith("mine ") for line in bench.run("launchers").stdout.splitlines())
    done = bench.run("launch", *target, *LAUNCH, "--", "--lr", "0.1")
    assert (done.returncode, done.stdout.count(" tokens/s\n")) == (0, 12)
    assert [line for line in done.stdout.splitlines() if "train.log: " in line and "(protocol: " in line] != []
    facts = bench.facts()
    assert facts["native"].endswith('--device cpu --output_dir "$WORK" --lr 0.1')
    assert (facts["recipe"], facts["command"]) == ("mine", ["bash", "mine.sh"])
    assert facts["launcher"] == hashlib.sha256(bench.recipe.read_bytes()).hexdigest()
    assert str(bench.folder) not in json.dumps(facts)
    project = Path(recipes.ROOM).parent
    commit = git(project, "rev-parse", "HEAD").strip() if (project / ".git").exists() else None
    assert facts.get("tachograph_commit") == commit


def test_a_page_runs_its_missing_cases_by_a_recipe_outside(bench: Bench) -> None:
    page = """\
title = "T"
model = "M"
unit = "tokens/s"
tested = ["x"]
[columns.c]
title = "C"
launcher = "mine"
logs = "lab/{precision}_N{nodes}C{cards}/*/train.log"
protocol = "plain"
[[columns.c.runs]]
options = { device = "cpu", steps = 12 }
[[tables]]
name = "t"
title = "T"
case = { nodes = 1, cards = 1, precision = "fp32", batch_size = 4 }
columns = ["c"]
rows = [{ title = "1" }]
"""
    (bench.folder / "page.toml").write_text(page, encoding="utf-8")
    done = bench.run("launch", "page.toml", "--recipe", "mine.sh", "--repo", "program")
    assert (done.returncode, [*bench.folder.glob("logs/lab/fp32_N1C1/1/train.log")] != []) == (0, True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# licence: unknown\n", ""),
        ("# metric: ^step [0-9]+", "# metric: ("),
        ("# gpu: fp32 bf16\n# cpu: fp32\n", ""),
        ('"${STEPS:=200}"', ""),
    ],
)
def test_a_script_that_lacks_what_a_recipe_says_is_refused(bench: Bench, before: str, after: str) -> None:
    bench.change(before, after)
    done = bench.run("launch", "mine.sh", *LAUNCH)
    assert (done.returncode, "mine.sh is not a recipe: " in done.stderr) == (2, True)


def test_a_name_that_no_recipe_may_have_is_refused(bench: Bench) -> None:
    assert [bench.run("launchers", "--new", name).returncode for name in ("nanogpt", "../mine", "-")] == [2, 2, 2]


def test_an_unknown_name_is_answered_with_the_nearest(bench: Bench) -> None:
    done = bench.run("doctor", "nanogtp")
    assert (done.returncode, "did you mean nanogpt?" in done.stderr) == (2, True)

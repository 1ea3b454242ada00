"""Each launcher turns its variables into one native command; commands.toml holds what is expected."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from native_checkout import TOP, executable

CASES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "commands.toml").read_text("utf-8"))["case"]
RECIPES = sorted(path.stem for path in (TOP / "launchers").glob("*.sh"))
HOSTILE = ["a 0", "a'; echo foo"]


PRINT = "printf '%s\\n' \"$@\""


def start(top: Path, recipe: str, variables: dict[str, str], python: str = PRINT) -> subprocess.CompletedProcess[str]:
    """Start a launcher whose `python` prints its arguments, one a line, or does something else."""
    executable(top / "bin" / "python", f"#!/bin/sh\n{python}\n")
    environment = {"PATH": f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}", "REPO": str(top), **variables}
    command = ["bash", str(TOP / "launchers" / f"{recipe}.sh")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['recipe']}: {case['name']}")
def test_a_launcher_starts_the_expected_native_command(tmp_path: Path, case: dict[str, Any]) -> None:
    assert start(tmp_path, case["recipe"], case["variables"]).stdout.splitlines() == case["arguments"]


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_launcher_has_an_expected_command(recipe: str) -> None:
    assert recipe in {case["recipe"] for case in CASES}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_launcher_works_in_a_folder_with_a_hostile_name(tmp_path: Path, recipe: str, name: str) -> None:
    expected = start(tmp_path, recipe, {"DATA": "DATA"}).stdout.replace("DATA", name)
    assert start(tmp_path / name, recipe, {"DATA": name}).stdout == expected


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_launcher_passes_extra_arguments_as_a_shell_would_split_them(tmp_path: Path, recipe: str) -> None:
    answer = start(tmp_path, recipe, {"EXTRA": """-o 'a b' "it's" *"""})
    assert answer.stdout.splitlines()[-4:] == ["-o", "a b", "it's", "*"]


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_launcher_executes_nothing_in_its_extra_arguments(tmp_path: Path, recipe: str) -> None:
    answer = start(tmp_path, recipe, {"EXTRA": "'$(touch made)' ;"})
    assert answer.stdout.splitlines()[-2:] == ["$(touch made)", ";"]
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_launcher_refuses_extra_arguments_with_an_open_quote(tmp_path: Path, recipe: str) -> None:
    answer = start(tmp_path, recipe, {"EXTRA": "'open"})
    assert (answer.returncode != 0, answer.stdout) == (True, "")


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_launcher_refuses_an_unknown_precision(tmp_path: Path, recipe: str) -> None:
    answer = start(tmp_path, recipe, {"PRECISION": "int4"})
    assert (answer.returncode != 0, answer.stdout) == (True, "")
    assert "fp32, amp and fp16 are possible" in answer.stderr


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_launcher_ends_with_the_exit_status_of_the_native_program(tmp_path: Path, recipe: str) -> None:
    assert start(tmp_path, recipe, {}, python="exit 7").returncode == 7

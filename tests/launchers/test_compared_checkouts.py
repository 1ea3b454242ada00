"""A command that runs alternately from another checkout and from here, and the order of the runs of several cases."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest
from git_checkout import URL, git
from native_checkout import Native
from own_program import TRAIN, OwnProgram, make_program
from room_commands import main

from launchers.run.folder import RunFolder
from launchers.run.series import PlannedRun, alternating
from tests.commandline import run

pytestmark = pytest.mark.slow

# Equal logs would be copies of one run, and no repeats.
NOISY = "import random\n" + TRAIN.replace("{1000 +", "{1000 + random.random() +")
SLOWER = NOISY.replace("1000", "900")


@pytest.fixture
def program(tmp_path: Path) -> OwnProgram:
    """A program that its checkout has as `main`, and that is slower as it lies there."""
    program = make_program(tmp_path)
    program.change(NOISY)
    git(program.folder, "commit", "-qam", "noisy")
    git(program.folder, "branch", "-M", "main")
    program.change(SLOWER)
    return program


def runs_in_order(program: OwnProgram) -> list[str]:
    """The sides in the order in which their runs were finished, A for the suite of another checkout."""
    files = sorted(program.folder.glob("logs/*/*/*/run.json"), key=lambda path: path.stat().st_mtime_ns)
    return ["A" if "@" in path.parts[-4] else "B" for path in files]


def planned(case: str, repeats: int) -> list[PlannedRun]:
    return [PlannedRun(None, RunFolder(Path(case, str(n)))) for n in range(1, repeats + 1)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("repeats", "order"),
    [((2, 2), "A1 B1 B2 A2"), ((3, 3), "A1 B1 B2 A2 A3 B3"), ((1, 3), "A1 B1 B2 B3"), ((3,), "A1 A2 A3"), ((), "")],
)
def test_cases_take_turns_each_time_in_the_opposite_order(repeats: tuple[int, ...], order: str) -> None:
    cases = [planned(name, count) for name, count in zip("ABC", repeats, strict=False)]
    assert " ".join(f"{run.folder.path.parent}{run.folder.path.name}" for run in alternating(cases)) == order


def before(program: OwnProgram) -> str:
    """A worktree of `main` beside the checkout."""
    git(program.folder, "worktree", "add", "-q", "--detach", "../before", "main")
    return "../before"


def test_a_command_is_compared_with_itself_in_another_folder(program: OwnProgram) -> None:
    answer = program.run("--against", before(program), "--", "python", str(program.folder / "train.py"))
    assert answer.returncode == 0
    assert "".join(runs_in_order(program)) == "ABBAAB"
    assert answer.stdout.splitlines()[-1] == "1 case: 1 slower."
    assert "A: logs/project@before/train; B: logs/project/train" in answer.stdout
    text = (program.folder / "logs/project@before/train/1/run.json").read_text(encoding="utf-8")
    assert f'"commit": "{git(program.folder, "rev-parse", "main")}"' in text
    assert ('"dirty": false' in text, str(program.folder.parent) in text) == (True, False)
    assert sorted(path.name for path in (program.folder / "logs").iterdir()) == ["project", "project@before"]


def test_both_sides_are_written_by_a_dry_run(program: OwnProgram) -> None:
    answer = program.run("--against", before(program), "--dry-run", "--", "python", "train.py")
    folders = [program.folder.with_name("before"), program.folder]
    assert (answer.returncode, [f"export REPO={folder}" in answer.stdout for folder in folders]) == (0, [True, True])


def test_a_side_that_fails_keeps_the_other_from_no_run(program: OwnProgram) -> None:
    program.change("raise SystemExit(3)")
    answer = program.run("--against", before(program), "--", "python", "train.py")
    assert (answer.returncode, runs_in_order(program)) == (1, ["A", "B", "A", "A"])


def checkouts(native: Native, *folders: str) -> list[str]:
    """Options that name copies of a checkout, each of which knows where it comes from."""
    for folder in folders:
        shutil.copytree(native.repo, native.top / folder)
        git(native.top / folder, "init", "-q")
        git(native.top / folder, "remote", "add", "origin", f"{URL}.git")
    return [word for folder in folders for word in ("--repo", str(native.top / folder))]


def launched(native: Native, options: list[str], *arguments: str) -> int:
    """The exit status of a launch in those checkouts."""
    native_options = [word for word in native.options if word not in ("--repo", str(native.repo))]
    with patch.dict(os.environ, native.environment):
        return run(*native_options, *options, *arguments, cwd=native.top, main=main).returncode


def test_a_recipe_runs_alternately_in_two_checkouts(native: Native) -> None:
    assert launched(native, checkouts(native, "before", "after"), "--repeats", "2") == 0
    files = sorted(native.top.glob("logs/*/*/*/run.json"), key=lambda path: path.stat().st_mtime_ns)
    assert [path.parts[-4] for path in files] == ["suite@before", "suite@after", "suite@after", "suite@before"]


def test_two_checkouts_of_one_name_are_refused(native: Native) -> None:
    assert launched(native, checkouts(native, "a/PaddleClas", "b/PaddleClas")) == 2

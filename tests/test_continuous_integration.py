"""What other repositories use in CI: the action's steps run as they are, and pre-commit runs the hook."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commandline import PROJECT
from tests.report.audit.small_site import SPEED_UPS, write

ACTION = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
(HOOK,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
RIGHT = ("3.50", "2.54")

needs_pre_commit = pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")


@pytest.fixture
def with_command(tmp_path: Path) -> dict[str, str]:
    """An environment whose first folder of programs has this code as ``tachograph``."""
    program = tmp_path / "programs/tachograph"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport tachograph\ntachograph.main()\n", encoding="utf-8")
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(PROJECT), "PRE_COMMIT_HOME": str(tmp_path / "home")}


def audited(folder: Path, environment: dict[str, str], **inputs: str) -> "subprocess.CompletedProcess[str]":
    """What the step that audits does with some inputs, the others as the action gives them."""
    given = {name: inputs.get(name, about["default"]) for name, about in ACTION["inputs"].items()}
    step = STEPS[-1]
    told = {name: given[said.removeprefix("${{ inputs.").removesuffix(" }}")] for name, said in step["env"].items()}
    shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    return subprocess.run(shell, cwd=folder, env=environment | told, capture_output=True, text=True, check=False)


def test_every_input_of_the_action_reaches_its_step_and_none_stands_in_a_script() -> None:
    used = {said.removeprefix("${{ inputs.").removesuffix(" }}") for said in STEPS[-1]["env"].values()}
    assert used == set(ACTION["inputs"])
    assert [step["run"] for step in STEPS if "${{" in step["run"]] == []


def test_the_action_fails_where_a_number_is_wrong_and_writes_sarif(
    tmp_path: Path, with_command: dict[str, str]
) -> None:
    write(tmp_path / "a page", page=SPEED_UPS)
    done = audited(tmp_path, with_command, pages="a page/README.md\n", logs="a page", sarif="out.sarif")
    assert (done.returncode, "contradicted" in done.stdout, (tmp_path / "out.sarif").is_file()) == (1, True, True)


def test_the_action_passes_a_page_without_numbers(tmp_path: Path, with_command: dict[str, str]) -> None:
    (tmp_path / "README.md").write_text("# Words\n", encoding="utf-8")
    assert audited(tmp_path, with_command, pages="README.md").returncode == 0


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


@needs_pre_commit
@pytest.mark.slow
@pytest.mark.parametrize(("changes", "status"), [((RIGHT,), 0), ((), 1)], ids=["right", "wrong"])
def test_pre_commit_runs_the_hook(
    changes: tuple[tuple[str, str], ...], status: int, tmp_path: Path, with_command: dict[str, str]
) -> None:
    folder = tmp_path / "repository"
    write(folder, *changes, page=SPEED_UPS)
    (folder / "words.md").write_text("# Words\n", encoding="utf-8")
    # As in a repository that names this one, but for what it is installed from.
    hook = {**HOOK, "language": "system"}
    config = {"repos": [{"repo": "local", "hooks": [hook]}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    command = [sys.executable, "-m", "pre_commit", "run", "--color", "never"]
    done = subprocess.run(command, cwd=folder, env=with_command, capture_output=True, text=True, check=False)
    assert (done.returncode, ("3.50" in done.stdout) == (not changes)) == (status, True), done.stdout + done.stderr


@needs_pre_commit
@pytest.mark.slow
def test_pre_commit_takes_the_file_of_hooks() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    assert subprocess.run(command, cwd=PROJECT, check=False).returncode == 0


def test_our_own_run_ends_with_its_stages_and_the_status_of_the_one_that_failed(tmp_path: Path) -> None:
    stubs = "sbatch slurmctld slurmd munged mpirun podman runc chromium gcc apt-get"
    for name in stubs.split():
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "make").write_text('#!/bin/sh\n[ "$1" != test-slow ] || exit 3\n', encoding="utf-8")
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", str(PROJECT / ".ci/run")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    stages = [line.split(" s  ")[1] for line in done.stdout.splitlines() if " s  " in line]
    assert (done.returncode, stages[-2:]) == (3, ["make test", "make test-slow: failed (3)"])

"""Benchmarks in the CI of a project: the shell of the documented jobs runs as it is, on commits of a toy trainer."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commandline import PROJECT

FOLDER = PROJECT / ".github/actions/benchmark"
ACTION: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
DOCS = PROJECT / "docs/ci.md"
COMMAND = "python train.py --steps 20"
EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
SHELL = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]
# It trains nothing: it prints at once, in one piece, what nanoGPT prints of steps that take so long, give or take 0.1%.
TRAINER = """\
import random
import sys

MILLISECONDS, LOSS = 100.0, 10.0
lines = ["batch_size = 12\\nblock_size = 1024\\ntokens per iteration will be: 12,288"]
for step in range(int(sys.argv[2])):
    time = MILLISECONDS * random.uniform(0.999, 1.001)
    lines.append(f"iter {step}: loss {LOSS - step / 100:.4f}, time {time:.2f}ms, mfu 30.00%")
sys.stdout.write("\\n".join([*lines, ""]))
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.check_output(["git", "-C", str(folder), *identity, *arguments], text=True).strip()


def commit(folder: Path, text: str, said: str) -> None:
    (folder / "train.py").write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", said)


@dataclass
class Job:
    """A checkout of a project, and the environment that a runner gives to the steps of a job."""

    project: Path
    environment: Mapping[str, str]

    def checkout(self, revision: str) -> None:
        """Begin a job at a revision, with nothing of an earlier one, as runners do."""
        git(self.project, "clean", "-qffdx")
        git(self.project, "checkout", "-q", revision)

    def shell(self, script: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run a script as a runner does."""
        return subprocess.run(
            [*SHELL, script],
            cwd=self.project,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def calls(self) -> str:
        """How the programs were called that reach a server."""
        path = Path(self.environment["CALLS"])
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A project whose second commit makes the toy trainer faster and better, and whose third makes it slower."""
    project, programs = tmp_path / "project", tmp_path / "programs"
    project.mkdir()
    programs.mkdir()
    git(project, "init", "-q")
    commit(project, TRAINER, "first")
    better = TRAINER.replace("100.0, 10.0", "95.0, 9.5")
    commit(project, better, "second")
    commit(project, better.replace("95.0", "104.5"), "third")
    caller = '#!/bin/sh\necho "$(basename "$0") $*" >> "$CALLS"\n'
    for name, text in {
        "tachograph": f"#!{sys.executable}\nimport tachograph\ntachograph.main()\n",
        "python": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n',
        "gh": f"{caller}cat benchmark/comment.md >> $CALLS\n",
        "curl": caller,
    }.items():
        (programs / name).write_text(text, encoding="utf-8")
        (programs / name).chmod(0o755)
    files = {name: str(tmp_path / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "CALLS")}
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    return Job(project, {**os.environ, "PATH": path, "PYTHONPATH": str(PROJECT), **files})


def documented(beginning: str) -> dict[str, Any]:
    """The job in the documentation that begins so."""
    (block,) = re.findall(rf"```yaml\n({beginning}.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return dict(yaml.safe_load(block))


def documented_inputs() -> dict[str, str]:
    """What the documented job gives to the action, and the defaults of the rest."""
    steps = documented("name: benchmark")["jobs"]["benchmark"]["steps"]
    given = {name: str(value) for name, value in steps[-1]["with"].items()}
    return {name: given.get(name, about.get("default", "")) for name, about in ACTION["inputs"].items()}


def filled(said: str, known: Mapping[str, str]) -> str:
    """A value of a step with the expressions in it, as far as these are names."""
    return EXPRESSION.sub(lambda found: known[found[1]], said)


def github(job: Job, inputs: Mapping[str, str], number: str = "") -> tuple[int, str]:
    """Run the steps of the action that have a shell, but for the installation; returns the status of the last one."""
    known = {f"inputs.{name}": value for name, value in inputs.items()}
    known |= {"github.token": "a token", "github.repository": "a/b", "github.event.pull_request.number": number}
    for step in (step for step in STEPS[1:] if "run" in step and (number or "if" not in step)):
        told = {name: filled(said, known) for name, said in step.get("env", {}).items()}
        done = job.shell(step["run"], **told)
        if done.returncode:
            return done.returncode, f"{step['name']}: {done.stdout}{done.stderr}"
        if "id" in step:
            lines = Path(job.environment["GITHUB_OUTPUT"]).read_text(encoding="utf-8").splitlines()
            known |= {f"steps.{step['id']}.outputs.{name}": value for name, value in (one.split("=") for one in lines)}
    return 0, ""


def test_every_input_reaches_a_step_and_none_stands_in_a_script() -> None:
    used = {one for step in STEPS for said in step.get("env", {}).values() for one in EXPRESSION.findall(said)}
    assert {f"inputs.{name}" for name in ACTION["inputs"]} <= used
    assert [step["run"] for step in STEPS if "${{" in step.get("run", "")] == []


@pytest.mark.slow
def test_the_action_passes_a_faster_commit_with_a_better_loss_and_stops_at_a_slower_one(job: Job) -> None:
    job.checkout("main~1")
    assert github(job, {**documented_inputs(), "commands": COMMAND, "repeats": "2"})[0] == 0
    said = (job.project / "benchmark/comparison.md").read_text(encoding="utf-8")
    assert re.search(r"^\| train \|.*\| faster \|$", said, re.MULTILINE)
    assert "loss: lower" in said
    job.checkout("main")
    assert (
        github(job, {**documented_inputs(), "commands": COMMAND, "repeats": "2", "language": "zh"}, number="7")[0] == 1
    )
    said = (job.project / "benchmark/comparison.md").read_text(encoding="utf-8")
    assert re.search(r"^\| train \|.*\| \+10\.\d% \|.*\| 变慢 \|$", said, re.MULTILINE)
    assert f"{git(job.project, 'rev-parse', 'main~1')}" in said
    assert "source.files.train.py" in said
    assert "](" not in said
    call, *comment = job.calls.splitlines()
    assert call == "gh pr comment 7 --body-file benchmark/comment.md --edit-last --create-if-none"
    assert comment[-1] == "共 1 个测试项：变慢 1 个。"
    assert Path(job.environment["GITHUB_STEP_SUMMARY"]).read_text(encoding="utf-8").endswith("\n".join([*comment, ""]))
    verified = job.shell("tachograph verify benchmark/benchmark.tach.zip")
    assert verified.returncode == 0, verified.stdout
    with zipfile.ZipFile(job.project / "benchmark/benchmark.tach.zip") as packed:
        assert "logs/benchmark/train/2/train.log" in packed.namelist()
    assert (job.project / "benchmark/pages/benchmark.en.md").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(("unknown", "status"), [("fail", 3), ("warn", 0)])
def test_what_noise_hides_asks_for_repeats_and_fails_or_warns_as_is_wanted(unknown: str, status: int, job: Job) -> None:
    job.checkout("main")
    inputs = {**documented_inputs(), "repeats": "1", "unknown": unknown, "commands": f"\n{COMMAND}\n\n"}
    assert github(job, inputs)[0] == status
    assert "repeat the runs" in (job.project / "benchmark/comparison.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_revision_that_the_checkout_lacks_stops_the_action_with_the_reason(job: Job) -> None:
    job.checkout("main~2")
    status, said = github(job, documented_inputs())
    assert (status != 0, "HEAD^1" in said) == (True, True)


@pytest.mark.slow
def test_the_job_for_gitlab_stops_at_the_commit_that_is_slower_and_comments(job: Job) -> None:
    lines = documented("benchmark:")["benchmark"]["script"]
    script = "\n".join(line for line in lines if "/opt/tachograph" not in line)
    assert len(lines) - len(script.splitlines()) < len(lines)
    job.checkout("main")
    of_job = script.replace("--repeats 5", "--repeats 2").replace("--steps 200", "--steps 20")
    done = job.shell(of_job, COMMENT_TOKEN="a token", CI_MERGE_REQUEST_IID="7")  # noqa: S106 - it opens nothing
    assert done.returncode == 1, done.stdout + done.stderr
    assert "merge_requests/7/notes" in job.calls
    assert "slower" in (job.project / "comparison.md").read_text(encoding="utf-8")
    assert job.shell("tachograph verify benchmark.tach.zip").returncode == 0

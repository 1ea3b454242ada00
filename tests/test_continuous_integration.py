"""What other projects use in CI runs as it is documented: the two actions, the job for GitLab, the pre-commit hook."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.commandline import PROJECT, executable, git
from tests.report.audit.small_site import SPEED_UPS, write

AUDIT, BENCHMARK = (
    yaml.safe_load((PROJECT / name).read_text(encoding="utf-8"))
    for name in ("action.yml", ".github/actions/benchmark/action.yml")
)
(HOOK,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
RIGHT = ("3.50", "2.54")
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


def commit(folder: Path, text: str, said: str) -> None:
    (folder / "train.py").write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", said)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What a runner gives to the steps of a job, with programs that note how they were called, which reach a server."""
    programs = tmp_path / "programs"
    caller = '#!/bin/sh\necho "$(basename "$0") $*" >> "$CALLS"\n'
    for name, text in {
        "tachograph": f"#!{sys.executable}\nimport tachograph\ntachograph.main()\n",
        "python": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n',
        "gh": f"{caller}cat benchmark/comment.md >> $CALLS\n",
        "curl": caller,
    }.items():
        executable(programs / name, text)
    files = {name: str(tmp_path / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "CALLS")}
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    home = {"PRE_COMMIT_HOME": str(tmp_path / "home")}
    return {**os.environ, "PATH": path, "PYTHONPATH": str(PROJECT), **files, **home}


def filled(variables: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """The variables of a step with the expressions in them, as far as these are names."""
    return {name: EXPRESSION.sub(lambda found: known[found[1]], said) for name, said in variables.items()}


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

    def benchmark(self, number: str = "", **inputs: str) -> tuple[int, str]:
        """Run the steps of the action that have a shell, but for the installation; returns the status of the last one.

        `number`: of a pull request. `inputs`: those that are given otherwise than the documentation does.
        """
        known = {f"inputs.{name}": value for name, value in (documented_inputs() | inputs).items()}
        known |= {"github.token": "a token", "github.repository": "a/b", "github.event.pull_request.number": number}
        steps = (step for step in BENCHMARK["runs"]["steps"][1:] if "run" in step and (number or "if" not in step))
        for step in steps:
            done = self.shell(step["run"], **filled(step.get("env", {}), known))
            if done.returncode:
                return done.returncode, f"{step['name']}: {done.stdout}{done.stderr}"
            if "id" in step:
                lines = Path(self.environment["GITHUB_OUTPUT"]).read_text(encoding="utf-8").splitlines()
                outputs = (one.split("=") for one in lines)
                known |= {f"steps.{step['id']}.outputs.{name}": value for name, value in outputs}
        return 0, ""

    def read(self, name: str) -> str:
        """The text of a file that a job wrote."""
        return (self.project / name).read_text(encoding="utf-8")


@pytest.fixture
def job(tmp_path: Path, environment: dict[str, str]) -> Job:
    """A project whose second commit makes the toy trainer faster and better, and whose third makes it slower."""
    project = tmp_path / "project"
    project.mkdir()
    git(project, "init", "-q")
    commit(project, TRAINER, "first")
    better = TRAINER.replace("100.0, 10.0", "95.0, 9.5")
    commit(project, better, "second")
    commit(project, better.replace("95.0", "104.5"), "third")
    return Job(project, environment)


def documented(beginning: str) -> dict[str, Any]:
    """The job in the documentation that begins so."""
    text = (PROJECT / "docs/ci.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"```yaml\n({beginning}.*?)```", text, re.DOTALL)
    return dict(yaml.safe_load(block))


def documented_inputs() -> dict[str, str]:
    """What the documented job gives to the action, and the defaults of the rest."""
    steps = documented("name: benchmark")["jobs"]["benchmark"]["steps"]
    given = {name: str(value) for name, value in steps[-1]["with"].items()}
    return {name: given.get(name, about.get("default", "")) for name, about in BENCHMARK["inputs"].items()}


@pytest.mark.parametrize("action", [AUDIT, BENCHMARK], ids=["audit", "benchmark"])
def test_every_input_reaches_a_step_and_none_stands_in_a_script(action: dict[str, Any]) -> None:
    steps = action["runs"]["steps"]
    used = {one for step in steps for said in step.get("env", {}).values() for one in EXPRESSION.findall(said)}
    assert {f"inputs.{name}" for name in action["inputs"]} <= used
    assert {one.removeprefix("inputs.") for one in used if one.startswith("inputs.")} <= {*action["inputs"]}
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []


@pytest.mark.slow
def test_the_action_passes_a_faster_commit_with_a_better_loss_and_stops_at_a_slower_one(job: Job) -> None:
    job.checkout("main~1")
    assert job.benchmark(commands=COMMAND, repeats="2")[0] == 0
    said = job.read("benchmark/comparison.md")
    assert re.search(r"^\| train +\|.*\| faster +\|$", said, re.MULTILINE)
    assert re.search(r"^\| train +\|.*\| loss at steps .*\| better +\|$", said, re.MULTILINE)
    job.checkout("main")
    assert job.benchmark("7", commands=COMMAND, repeats="2", language="zh")[0] == 1
    said = job.read("benchmark/comparison.md")
    assert re.search(r"^\| train +\|.*\| +\+10\.\d% +\|.*\| 变慢 +\|$", said, re.MULTILINE)
    assert f"{git(job.project, 'rev-parse', 'main~1')}" in said
    assert "source.files.train.py" in said
    assert "](" not in said
    call, *comment = Path(job.environment["CALLS"]).read_text(encoding="utf-8").splitlines()
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
    assert job.benchmark(repeats="1", unknown=unknown, commands=f"\n{COMMAND}\n\n")[0] == status
    assert "repeat the runs" in job.read("benchmark/comparison.md")


@pytest.mark.slow
def test_a_revision_that_the_checkout_lacks_stops_the_action_with_the_reason(job: Job) -> None:
    job.checkout("main~2")
    status, said = job.benchmark()
    assert (status != 0, "HEAD^1" in said) == (True, True)


@pytest.mark.slow
def test_the_job_for_gitlab_stops_at_the_commit_that_is_slower_and_comments(job: Job) -> None:
    lines = documented("benchmark:")["benchmark"]["script"]
    rest = [line for line in lines if "/opt/tachograph" not in line]
    assert 0 < len(rest) < len(lines)
    job.checkout("main")
    of_job = "\n".join(rest).replace("--repeats 5", "--repeats 2").replace("--steps 200", "--steps 20")
    done = job.shell(of_job, COMMENT_TOKEN="a token", CI_MERGE_REQUEST_IID="7")  # noqa: S106 - it opens nothing
    assert done.returncode == 1, done.stdout + done.stderr
    assert "merge_requests/7/notes" in Path(job.environment["CALLS"]).read_text(encoding="utf-8")
    assert "slower" in job.read("comparison.md")
    assert job.shell("tachograph verify benchmark.tach.zip").returncode == 0


def test_the_audit_fails_where_a_number_is_wrong_and_writes_sarif_and_passes_words(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    step = AUDIT["runs"]["steps"][-1]

    def audited(**inputs: str) -> "subprocess.CompletedProcess[str]":
        given = {f"inputs.{name}": inputs.get(name, about["default"]) for name, about in AUDIT["inputs"].items()}
        return Job(tmp_path, environment).shell(step["run"], **filled(step["env"], given))

    write(tmp_path / "a page", page=SPEED_UPS)
    done = audited(pages="a page/README.md\n", logs="a page", sarif="out.sarif")
    assert (done.returncode, "contradicted" in done.stdout, (tmp_path / "out.sarif").is_file()) == (1, True, True)
    (tmp_path / "README.md").write_text("# Words\n", encoding="utf-8")
    assert audited(pages="README.md").returncode == 0


@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")
@pytest.mark.slow
@pytest.mark.parametrize(("changes", "status"), [((RIGHT,), 0), ((), 1)], ids=["right", "wrong"])
def test_pre_commit_runs_the_hook(
    changes: tuple[tuple[str, str], ...], status: int, tmp_path: Path, environment: dict[str, str]
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
    done = Job(folder, environment).shell(f"{sys.executable} -m pre_commit run --color never")
    assert (done.returncode, ("3.50" in done.stdout) == (not changes)) == (status, True), done.stdout + done.stderr
    validate = f"{sys.executable} -m pre_commit validate-manifest '{PROJECT}/.pre-commit-hooks.yaml'"
    assert Job(folder, environment).shell(validate).returncode == 0


def test_our_own_run_ends_with_its_stages_and_the_status_of_the_one_that_failed(tmp_path: Path) -> None:
    stubs = "sbatch slurmctld slurmd munged mpirun podman runc chromium gcc apt-get"
    for name in stubs.split():
        executable(tmp_path / name, "#!/bin/sh\n")
    executable(tmp_path / "make", '#!/bin/sh\n[ "$1" != test-slow ] || exit 3\n')
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", str(PROJECT / ".ci/run")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    stages = [line.split(" s  ")[1] for line in done.stdout.splitlines() if " s  " in line]
    assert (done.returncode, stages[-2:]) == (3, ["make test", "make test-slow: failed (3)"])

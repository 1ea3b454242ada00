"""Jobs in containers: by the real podman where it runs, else the arguments of each runtime."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pandas as pd
import pytest
import small_image
from native_checkout import PRINT, TOP, Native
from own_program import make_program
from room_commands import main
from run_contract import misfits
from running import wait_until_printed
from several_nodes import ON_TWO, dry_run

from launchers.backends.containers import Container, contained
from launchers.backends.site_file import NO_SITE, ContainerSite
from launchers.job import Job, of_command
from tests.commandline import run


@pytest.fixture(scope="session")
def podman(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables by which podman finds an image."""
    if reason := small_image.missing():
        pytest.skip(reason)
    variables = small_image.made(tmp_path_factory.mktemp("podman"))
    command = ["podman", "run", "--rm", "--network=host", *small_image.OPTIONS, small_image.IMAGE, "python", "-c", ""]
    answer = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
    if answer.returncode:
        pytest.skip(f"podman cannot run a container here: {answer.stderr.strip()}")
    return variables


@pytest.fixture
def in_podman(native: Native, podman: dict[str, str]) -> Native:
    """A checkout whose training program may run in a container."""
    native.environment |= podman
    options = json.dumps(small_image.OPTIONS)
    (native.top / "site.toml").write_text(f'[container]\nruntime = "podman"\noptions = {options}\n', encoding="utf-8")
    return native


def options(native: Native) -> list[str]:
    """Those of a launch in the container."""
    return ["--container", small_image.IMAGE, "--site", str(native.top / "site.toml")]


def digest(podman: dict[str, str]) -> str:
    """What podman says of the image."""
    command = ["podman", "image", "inspect", "--format", "{{.Digest}}", small_image.IMAGE]
    return subprocess.run(command, env=os.environ | podman, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_a_recipe_trains_in_a_container_of_podman(in_podman: Native, podman: dict[str, str]) -> None:
    program = "held = bytearray(64 * 2**20); time.sleep(2); print(os.path.exists('/run/.containerenv'))"
    in_podman.trains(f"import os, time\n{PRINT}{program}\n")
    answer = in_podman.launch(*options(in_podman))
    assert answer.returncode == 0, answer.stderr.decode()
    log = (in_podman.run / "train.log").read_text(encoding="utf-8")
    facts = in_podman.facts()
    assert log.endswith("\nTrue\n")
    environment: dict[str, Any] = facts["environment"]
    assert {key: environment[key] for key in ("container", "container_runtime", "container_digest")} == {
        "container": small_image.IMAGE,
        "container_runtime": "podman",
        "container_digest": digest(podman),
    }
    assert (facts["status"], environment["packages"], misfits(facts)) == ("done", {}, [])
    samples = pd.read_csv(in_podman.run / "cpu.csv")
    assert (samples["processes"].max() >= 1, samples["memory"].max() >= 64) == (True, True)
    answer = in_podman.launch()  # the same case outside is another run
    assert (answer.returncode, b"(container=localhost/small:1" in answer.stderr) == (1, True)


@pytest.mark.slow
def test_a_command_of_ones_own_runs_in_a_container(in_podman: Native, podman: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    program = make_program(tmp_path / "own")
    program.environment |= podman
    program.change("import os; print(os.environ['NCCL_DEBUG'], os.environ.get('HOME_OF_MINE'))\n")
    program.environment |= {"NCCL_DEBUG": "INFO", "HOME_OF_MINE": "1"}
    answer = program.run(*options(in_podman), "--device", "cpu", "--", "python", "train.py")
    assert answer.returncode == 0, answer.stderr
    assert (program.folder / "logs/project/train/1/train.log").read_text(encoding="utf-8") == "INFO None\n"


@pytest.mark.slow
def test_an_interrupt_ends_the_container(in_podman: Native, podman: dict[str, str]) -> None:
    in_podman.trains(f"{PRINT}import sys, time\nsys.stdout.flush()\ntime.sleep(60)\n")
    process = in_podman.started(*options(in_podman))
    wait_until_printed(in_podman)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    left = subprocess.run(["podman", "ps", "-q"], env=os.environ | podman, capture_output=True, check=True).stdout
    assert (in_podman.facts()["status"], left) == ("interrupted", b"")


@pytest.mark.slow
def test_the_container_of_a_runner_that_was_killed_is_ended_by_the_next_one(
    in_podman: Native, podman: dict[str, str]
) -> None:
    in_podman.trains(f"{PRINT}import sys, time\nsys.stdout.flush()\ntime.sleep(60)\n")
    process = in_podman.started(*options(in_podman))
    wait_until_printed(in_podman)
    process.kill()
    process.communicate()
    in_podman.trains(PRINT)
    deadline = time.monotonic() + 40
    while in_podman.launch(*options(in_podman)).returncode:
        assert time.monotonic() < deadline
        time.sleep(0.5)
    left = subprocess.run(["podman", "ps", "-q"], env=os.environ | podman, capture_output=True, check=True).stdout
    assert (in_podman.facts()["status"], left) == ("done", b"")


@pytest.mark.slow
def test_a_command_runs_in_a_container_on_nodes_of_slurm(
    in_podman: Native, slurm: dict[str, str], podman: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    program = make_program(tmp_path / "own")
    program.environment |= podman | {"SLURM_CONF": slurm["SLURM_CONF"], "PATH": slurm["PATH"]}
    program.change("import os; print(os.path.exists('/run/.containerenv'), os.environ['NODE_RANK'])\n")
    where = [*options(in_podman), "--on", "slurm", "--nodes", "2", "--cards", "2", "--device", "cpu"]
    answer = program.run(*where, "--", "python", "train.py")
    assert answer.returncode == 0, answer.stderr
    log = (program.folder / "logs/project/train_N2C2/1/train.log").read_text(encoding="utf-8").splitlines()
    assert {"0: True 0", "1: True 1"} <= set(log)
    facts = program.facts("train_N2C2/1")
    assert [node["container"] for node in facts["nodes"]] == [small_image.IMAGE] * 2
    assert misfits(facts) == []


@pytest.mark.slow
def test_the_doctor_asks_the_python_inside(in_podman: Native) -> None:
    with patch.dict(os.environ, in_podman.environment):
        answer = run("doctor", "--json", *options(in_podman), cwd=TOP, main=main)
    assert '"said": "Python 3' in answer.stdout


def job(folder: Path, device: str = "gpu") -> Job:
    """A job that runs in a folder."""
    return of_command(("python", "train.py"), folder, device=device, is_contained=True)


def words(runtime: str, folder: Path, **site: Any) -> list[str]:
    """The arguments of a runtime but for the variables that it hands on."""
    container = Container("image:1", runtime, ContainerSite(mounts=["/scratch:/scratch"], **site))
    found = container.words(job(folder), "python", "train.py", name="a")
    return [word for word in found if not word.startswith("--env=")]


def test_docker_gets_gpus_shared_memory_and_the_folders_of_the_job(tmp_path: Path) -> None:
    assert words("docker", tmp_path, shm="64g", options=["--user=1000"]) == [
        *("docker", "run", "--init", "--ulimit=memlock=-1", "--ulimit=stack=67108864", "--gpus=all", "--rm"),
        *("--network=host", "--shm-size=64g", "--name=a", f"--volume={tmp_path}:{tmp_path}"),
        *("--volume=/scratch:/scratch", "--user=1000", "image:1", "python", "train.py"),
    ]


def test_apptainer_does_not_see_the_packages_of_the_python_outside(tmp_path: Path) -> None:
    assert words("apptainer", tmp_path) == [
        *("env", "--unset=PYTHONPATH", "apptainer", "exec", "--nv", f"--bind={tmp_path}:{tmp_path}"),
        *("--bind=/scratch:/scratch", "image:1", "python", "train.py"),
    ]


@pytest.mark.parametrize("runtime", ["docker", "podman", "apptainer"])
def test_a_job_on_a_cpu_asks_for_no_gpu(tmp_path: Path, runtime: str) -> None:
    container = Container("image:1", runtime, ContainerSite())
    asked = {"--gpus=all", "--device=nvidia.com/gpu=all", "--nv"}
    assert asked & set(container.words(job(tmp_path, "cpu"), "true")) == set()


def test_no_path_or_package_of_this_machine_is_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCCL_DEBUG", "INFO")
    container = Container("image:1", "docker", ContainerSite())
    handed = {word.removeprefix("--env=") for word in container.words(job(tmp_path)) if word.startswith("--env=")}
    assert {"NCCL_DEBUG", "REPO", "MASTER"} <= handed
    assert handed & {"PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "HOME", "TACHOGRAPH"} == set()


def test_pyxis_gets_the_image_as_options_of_srun(on_slurm: Native) -> None:
    (on_slurm.top / "site.toml").write_text('[container]\nruntime = "pyxis"\n', encoding="utf-8")
    where = ["--on", "slurm", "--site", str(on_slurm.top / "site.toml"), "--container", "nvcr.io#nvidia/pytorch:24.05"]
    script = dry_run(on_slurm, *ON_TWO, *where)
    (srun,) = [line for line in script.splitlines() if line.startswith("srun ")]
    assert "--container-image='nvcr.io#nvidia/pytorch:24.05'" in srun.replace(
        "'--container-image=", "--container-image='"
    )
    assert '--container-mounts="$REPO":"$REPO"' in srun


def test_a_job_script_with_a_container_has_no_path_of_the_machine(on_slurm: Native) -> None:
    (on_slurm.top / "site.toml").write_text('[container]\nruntime = "podman"\n', encoding="utf-8")
    where = ["--on", "slurm", "--site", str(on_slurm.top / "site.toml"), "--container", "image:1"]
    script = dry_run(on_slurm, *ON_TWO, *where)
    body = script[script.index("#SBATCH") :]
    assert '--volume="$REPO":"$REPO"' in body
    assert str(on_slurm.repo) not in body


def test_tasks_for_each_gpu_are_not_started_in_containers_that_nothing_connects(on_slurm: Native) -> None:
    (on_slurm.top / "site.toml").write_text('[container]\nruntime = "podman"\n', encoding="utf-8")
    where = ["--on", "slurm", "--site", str(on_slurm.top / "site.toml"), "--container", "image:1", "--dry-run"]
    with patch.dict(os.environ, on_slurm.environment):
        answer = run("launch", "nvidia_tensorflow_resnet50", "--repo", on_slurm.repo, *where, cwd=TOP, main=main)
    assert (answer.returncode, "wants a task for each GPU" in answer.stderr) == (2, True)


@pytest.mark.parametrize(
    ("image", "site"),
    [
        ("--privileged", ContainerSite()),
        ("a b", ContainerSite()),
        ("a", ContainerSite(runtime="pyxis")),
        ("a.sif", ContainerSite()),
    ],
)
def test_a_container_that_cannot_run_is_refused(image: str, site: ContainerSite) -> None:
    with pytest.raises(click.UsageError):
        contained(image, site, on_slurm=False)


def test_the_digest_of_an_image_file_is_its_sha256(tmp_path: Path) -> None:
    (tmp_path / "a.sqsh").write_bytes(b"image")
    container = contained(str(tmp_path / "a.sqsh"), NO_SITE.container, on_slurm=True)
    found = container.described(job(tmp_path), is_here=False)
    assert (found["container"], found["container_runtime"]) == ("a.sqsh", "enroot")
    assert found["container_digest"] == "sha256:6105d6cc76af400325e94d588ce511be5bfdbb73b437dc51eca43917d7a43e3d"

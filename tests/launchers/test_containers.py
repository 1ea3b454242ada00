"""Jobs in containers: by the real podman where it runs, else the arguments of each runtime."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd
import pytest
from checkouts import PRINT, Native, OwnProgram
from test_run_folders import misfits

from launchers.backends.containers import Container, contained
from launchers.backends.place import Local
from launchers.backends.site_file import NO_SITE, ContainerSite
from launchers.job import of_command

IMAGE = "localhost/small:1"
_PYTHON = Path("/usr/bin/python3")  # of the distribution, whose library lies in one folder
_PROGRAMS = ("bash", "env", "cat", "sleep")
_SKIPPED = shutil.ignore_patterns("test*", "__pycache__", "idlelib", "turtledemo", "lib2to3", "ensurepip", "config-*")
_CONFIGURATION = """
[containers]
cgroups = "enabled"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
"""
_STORAGE = """
[storage]
driver = "vfs"
graphroot = "{top}/graph"
runroot = "{top}/run"
"""
# What a machine allows that is itself a container; elsewhere they do no harm.
OPTIONS = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1000:1000"]


def copy_programs(root: Path) -> None:
    """Lay out the root of an image of bash and Python, of the files of this machine alone."""
    programs = [Path("/usr/bin", name) for name in _PROGRAMS] + [_PYTHON.resolve()]
    linked = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    libraries = {Path(word) for word in linked.split() if word.startswith("/") and not word.endswith(":")}
    for file in [*programs, *libraries]:
        copy = root / str(file).lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    name = _PYTHON.resolve().name
    shutil.copytree(f"/usr/lib/{name}", root / "usr/lib" / name, ignore=_SKIPPED, dirs_exist_ok=True)
    for folder in ("tmp", "etc", "proc", "sys", "dev", "run", "opt"):
        (root / folder).mkdir()
    for link, target in (("bin", "usr/bin"), ("usr/bin/python", name), ("usr/bin/sh", "bash")):
        (root / link).symlink_to(target)


@pytest.fixture(scope="session")
def podman() -> Iterator[dict[str, str]]:
    """The variables by which podman finds an image."""
    if not all(map(shutil.which, ("podman", "runc"))):
        pytest.skip("podman and runc of Debian are not installed")
    if not _PYTHON.exists() or os.geteuid() != 0:
        pytest.skip("the image is made of Debian's Python, by root")
    # Where the path of a socket below it is longer than 108 bytes, podman waits 20 s for each container.
    with tempfile.TemporaryDirectory(prefix="podman", dir="/tmp", ignore_cleanup_errors=True) as folder:
        top, variables = Path(folder), dict[str, str]()
        for name, text in (
            ("CONTAINERS_CONF", _CONFIGURATION),
            ("CONTAINERS_STORAGE_CONF", _STORAGE.format(top=folder)),
        ):
            variables[name] = str(top / name)
            (top / name).write_text(text, encoding="utf-8")
        copy_programs(top / "root")
        subprocess.run(["tar", "-C", top / "root", "-cf", top / "image.tar", "."], check=True)
        command = ["podman", "import", str(top / "image.tar"), IMAGE]
        subprocess.run(command, env=os.environ | variables, check=True, capture_output=True)
        trial = ["run", "--rm", "--network=host", *OPTIONS, IMAGE, "python", "-c", ""]
        if said := asked(variables, *trial):
            pytest.skip(f"podman cannot run a container here: {said}")
        yield variables


def asked(podman: dict[str, str], *arguments: str) -> str:
    """What a command of podman prints."""
    command = ["podman", *arguments]
    answer = subprocess.run(command, env=os.environ | podman, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or answer.stderr.strip()


@pytest.fixture
def in_podman(native: Native, podman: dict[str, str]) -> Native:
    """A checkout whose training program may run in a container."""
    native.environment |= podman
    options = json.dumps(OPTIONS)
    (native.top / "site.toml").write_text(f'[container]\nruntime = "podman"\noptions = {options}\n', encoding="utf-8")
    return native


def options(native: Native) -> list[str]:
    """Those of a launch in the container."""
    return ["--container", IMAGE, "--site", str(native.top / "site.toml")]


@pytest.mark.slow
def test_a_recipe_trains_in_a_container_of_podman(in_podman: Native, podman: dict[str, str]) -> None:
    in_podman.environment |= {"NCCL_DEBUG": "INFO", "HOME_OF_MINE": "1"}
    program = """
held = bytearray(64 * 2**20)
open(os.environ["WORK"] + "/written", "x").close()
print(os.path.exists("/run/.containerenv"), os.environ["NCCL_DEBUG"], os.environ.get("HOME_OF_MINE"))
time.sleep(2)
"""
    in_podman.trains(f"import os, time\n{PRINT}{program}")
    answer = in_podman.launch(*options(in_podman))
    assert answer.returncode == 0, answer.stderr
    assert in_podman.log.endswith("\nTrue INFO None\n")
    facts = in_podman.facts()
    assert (facts["status"], facts["environment"]["packages"], misfits(facts)) == ("done", {}, [])
    expected = {
        "container": IMAGE,
        "container_runtime": "podman",
        "container_digest": asked(podman, "image", "inspect", "--format", "{{.Digest}}", IMAGE),
    }
    assert facts["environment"].items() >= expected.items()
    samples = pd.read_csv(in_podman.run / "cpu.csv")
    assert (samples["processes"].max() >= 1, samples["memory"].max() >= 64) == (True, True)
    answer = in_podman.launch()  # the same case outside is another run
    assert (answer.returncode, f"container={IMAGE}" in answer.stderr) == (1, True)
    doctor = in_podman.tachograph("doctor", "--json", *options(in_podman))
    assert '"said": "Python 3' in doctor.stdout


@pytest.mark.slow
def test_an_interrupt_reaches_the_program_in_the_container_and_ends_both(
    in_podman: Native, podman: dict[str, str]
) -> None:
    handler = "signal.signal(signal.SIGTERM, lambda *_: sys.exit(print('asked to end')))"
    in_podman.trains(f"import signal, sys, time\n{handler}\n{PRINT}sys.stdout.flush()\ntime.sleep(60)\n")
    process = in_podman.training(*options(in_podman))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert (in_podman.facts()["status"], "asked to end" in in_podman.log) == ("interrupted", True)
    assert asked(podman, "ps", "--all", "--quiet") == ""


@pytest.mark.slow
def test_a_container_that_a_killed_runner_left_is_ended(
    podman: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in podman.items():
        monkeypatch.setenv(name, value)
    site = ContainerSite(runtime="podman", options=[*OPTIONS, "--detach"])
    place = Local(Container(IMAGE, "podman", site))
    command, environment = place.start(of_command(("sleep", "60"), tmp_path, device="cpu", is_contained=True), tmp_path)
    subprocess.run(command, env={**environment, "WORK": str(tmp_path)}, check=True, capture_output=True)
    assert asked(podman, "ps", "--quiet") != ""
    place.finish(tmp_path)
    assert asked(podman, "ps", "--all", "--quiet") == ""


@pytest.mark.slow
def test_a_command_runs_in_a_container_on_nodes_of_slurm(
    in_podman: Native, program: OwnProgram, slurm: dict[str, str]
) -> None:
    program.environment |= in_podman.environment | {"SLURM_CONF": slurm["SLURM_CONF"], "PATH": slurm["PATH"]}
    program.change("import os; print(os.path.exists('/run/.containerenv'), os.path.basename(os.environ['WORK']))\n")
    where = [*options(in_podman), "--on", "slurm", "--nodes", "2", "--cards", "2", "--device", "cpu"]
    assert program.run(*where, "--", "python", "train.py").returncode == 1  # its log gives no throughput
    log = (program.suite / "train_N2C2/1/train.log").read_text(encoding="utf-8").splitlines()
    assert {"0: True node0", "1: True node1"} <= set(log)
    facts = program.facts("train_N2C2/1")
    assert [node["container"] for node in facts["nodes"]] == [IMAGE] * 2
    assert misfits(facts) == []


REPO, WORK = "/a/repo", "/a/.1.work"
NAMED = "--shm-size=64g --name=a --volume={REPO} --volume={WORK} --volume=/scratch:/scratch:ro"
HANDED = f"""
docker gpu run --rm --network=host --init --ulimit=memlock=-1 --ulimit=stack=67108864 --gpus=all {NAMED}
podman gpu run --rm --network=host --security-opt=label=disable --device=nvidia.com/gpu=all {NAMED}
podman cpu run --rm --network=host --security-opt=label=disable {NAMED}
apptainer gpu exec --nv --bind={{REPO}} --bind={{WORK}} --bind=/scratch:/scratch:ro
enroot gpu start --mount={{REPO}} --mount={{WORK}} --mount=/scratch:/scratch
"""


def read(line: str) -> list[str]:
    """The words of a line of shell, as bash reads it."""
    answer = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, text=True, check=True)
    return answer.stdout.split("\0")[:-1]


@pytest.mark.parametrize("row", HANDED.split("\n")[1:-1])
def test_each_runtime_is_given_what_a_job_needs_and_nothing_of_this_machine(
    row: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"REPO": REPO, "WORK": WORK, "NCCL_DEBUG": "INFO"}.items():
        monkeypatch.setenv(name, value)
    runtime, device, *options = row.format(REPO=f"{REPO}:{REPO}", WORK=f"{WORK}:{WORK}").split()
    job = of_command(("python", "train.py"), Path(REPO), device=device, is_contained=True)
    site = ContainerSite(mounts=["/scratch:/scratch:ro"], shm="64g", options=["--x"])
    words = read(Container("image:1", runtime, site).command(job, "a"))
    head = ["env", "--unset=PYTHONPATH", "apptainer"] if runtime == "apptainer" else [runtime]
    expected = [*head, *options, "--x", "image:1", "bash", "-c", 'cd "$REPO" && python train.py']
    assert [word for word in words if not word.startswith("--env=")] == expected
    handed = {word.removeprefix("--env=") for word in words if word.startswith("--env=")}
    assert runtime == "apptainer" or {"NCCL_DEBUG", "REPO", "WORK", "MASTER"} <= handed
    assert handed & {"PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "HOME", "TACHOGRAPH", "TMPDIR"} == set()


def test_a_command_trains_on_gpus_where_this_machine_has_them_or_it_runs_on_others(tmp_path: Path) -> None:
    here = "gpu" if any(Path("/dev").glob("nvidia[0-9]*")) else "cpu"
    assert of_command(("a",), tmp_path, is_contained=True).device == here
    assert of_command(("a",), tmp_path, is_contained=True, is_here=False).device == "gpu"


def test_blanks_in_paths_and_words_stay_what_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = tmp_path / "a $repo"
    repo.mkdir()
    monkeypatch.setenv("WORK", f"{tmp_path}/a work")
    monkeypatch.setenv("REPO", str(repo))
    job = of_command(("python", "$x y"), repo, is_contained=True)
    container = Container("image#1", "podman", ContainerSite(mounts=["/a $b:/c d"], options=["--x=y z"]))
    words = read(container.command(job))
    mounts = [f"--volume={repo}:{repo}", f"--volume={tmp_path}/a work:{tmp_path}/a work", "--volume=/a $b:/c d"]
    assert [word for word in words if word.startswith("--volume=")] == mounts
    assert words[-5:] == ["--x=y z", "image#1", "bash", "-c", job.command]


@pytest.mark.parametrize("image", ["--privileged", "a b", "a.sif"])
def test_a_container_that_cannot_run_is_refused(image: str) -> None:
    with pytest.raises(click.UsageError):
        contained(image, ContainerSite(), on_slurm=False)


def test_the_digest_of_an_image_file_is_its_sha256(tmp_path: Path) -> None:
    (tmp_path / "a.sqsh").write_bytes(b"image")
    container = contained(str(tmp_path / "a.sqsh"), NO_SITE.container, on_slurm=True)
    job = of_command(("python",), tmp_path, is_contained=True)
    found = container.described(job, is_here=False)
    assert (found["container"], found["container_runtime"]) == ("a.sqsh", "enroot")
    assert found["container_digest"] == "sha256:6105d6cc76af400325e94d588ce511be5bfdbb73b437dc51eca43917d7a43e3d"

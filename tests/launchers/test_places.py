"""Jobs on several machines, by the real Slurm and the real mpirun; each node is emulated on this machine."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cluster
import pytest
from native_checkout import METRIC, PRINT, TOP, Native, executable

# In one write, so that the lines of two nodes do not run together.
TELL = "import os\nos.write(1, '{NODE_RANK} {MASTER}\\n'.format_map(os.environ).encode())\n"
ON_TWO = ["--nodes", "2", "--cards", "4"]
SLURM = [*ON_TWO, "--on", "slurm"]
MPIRUN = [*ON_TWO, "--on", "mpirun", "-H", "127.0.0.1:2"]

needs_mpirun = pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun of Debian's openmpi-bin is missing")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a cluster of four emulated nodes."""
    if reason := cluster.missing():
        pytest.skip(reason)
    with cluster.emulated(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


@pytest.fixture
def nodes(native: Native) -> Native:
    """A checkout on several nodes: its program prints its node and where the nodes meet, then a metric line."""
    # The distributed launcher of the framework is not installed here; what it would start is started in its place.
    body = f'[ "$1" = -m ] && shift 10\nexec "{sys.executable}" "$@"'
    executable(native.top / "bin" / "python", f"#!/bin/sh\n{body}\n")
    native.trains(TELL + PRINT)
    return native


@pytest.fixture
def on_slurm(nodes: Native, slurm: dict[str, str]) -> Native:
    """The same, where the commands of the cluster are found."""
    path = f"{nodes.top / 'bin'}{os.pathsep}{slurm['PATH']}"
    nodes.environment |= {"SLURM_CONF": slurm["SLURM_CONF"], "PATH": path}
    return nodes


@pytest.fixture
def on_mpirun(nodes: Native) -> Native:
    """The same, where mpirun may be started by root."""
    nodes.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return nodes


def run_of(native: Native) -> Path:
    """The folder of the first repeat on two nodes."""
    return native.suite / "ResNet50_bs64_fp32_N2C4" / "1"


def told(native: Native) -> list[list[str]]:
    """What the nodes printed about themselves, in their order; before each line stands its task."""
    lines = (run_of(native) / "train.log").read_text().splitlines()
    return sorted(re.split(r"(?:^\d+: |stdout>:)", line)[1].split() for line in lines if "127.0.0.1" in line)


def test_slurm_starts_one_task_a_node_with_its_rank(on_slurm: Native) -> None:
    on_slurm.launch(*SLURM)
    assert [words[0] for words in told(on_slurm)] == ["0", "1"]


def test_slurm_gives_all_nodes_one_place_to_meet(on_slurm: Native) -> None:
    on_slurm.launch(*SLURM)
    (first, second) = (words[1] for words in told(on_slurm))
    assert (first, first.startswith("127.0.0.1:2")) == (second, True)


def test_each_line_of_a_run_on_slurm_says_which_node_printed_it(on_slurm: Native) -> None:
    on_slurm.launch(*SLURM)
    lines = (run_of(on_slurm) / "train.log").read_text().splitlines()
    assert {line.partition(": ")[0] for line in lines} - {"srun"} == {"0", "1"}


def test_a_run_on_slurm_keeps_the_job_script_and_is_done(on_slurm: Native) -> None:
    on_slurm.launch(*SLURM)
    facts = json.loads((run_of(on_slurm) / "run.json").read_text())
    assert (facts["status"], facts["case"]["nodes"], facts["case"]["cards"]) == ("done", 2, 4)
    assert "#SBATCH --nodes=2\n" in (run_of(on_slurm) / "job.sh").read_text()


def test_a_run_on_slurm_leaves_no_path_of_the_machine(on_slurm: Native) -> None:
    on_slurm.launch(*SLURM)
    kept = [path.read_text() for path in run_of(on_slurm).iterdir()]
    assert [text for text in kept if str(on_slurm.top) in text] == []


def test_a_run_on_slurm_keeps_only_the_files_of_a_run(on_slurm: Native) -> None:
    on_slurm.launch(*SLURM)
    assert {path.name for path in run_of(on_slurm).iterdir()} == {"train.log", "run.json", "clock.csv", "job.sh"}


def test_each_node_of_a_run_on_slurm_is_described(on_slurm: Native) -> None:
    program = on_slurm.top / "bin" / "tachograph"
    executable(program, f'#!/bin/sh\nexec {shlex.join(on_slurm.command)} "$@"\n')
    on_slurm.environment |= {"TACHOGRAPH": str(program), "PYTHONPATH": str(TOP)}
    on_slurm.launch(*SLURM)
    facts = json.loads((run_of(on_slurm) / "run.json").read_text())
    assert [node["cores"] for node in facts["nodes"]] == [facts["environment"]["cores"]] * 2


def test_a_job_that_fails_on_slurm_is_a_failed_run(on_slurm: Native) -> None:
    on_slurm.trains("raise SystemExit(3)\n")
    on_slurm.launch(*SLURM)
    facts = json.loads((run_of(on_slurm) / "run.json").read_text())
    assert (facts["status"], facts["exit_status"] != 0) == ("failed", True)  # Slurm tells that of the task it killed


def test_secrets_that_a_job_on_slurm_prints_are_redacted(on_slurm: Native) -> None:
    on_slurm.trains(f"{PRINT}print('API_TOKEN=hunter2hunter2')\n")
    on_slurm.launch(*SLURM)
    assert "hunter2" not in (run_of(on_slurm) / "train.log").read_text()


def test_an_interrupt_cancels_the_job_on_slurm(on_slurm: Native, slurm: dict[str, str]) -> None:
    on_slurm.trains(f"{PRINT}import sys, time\nsys.stdout.flush()\ntime.sleep(60)\n")
    process = on_slurm.started(*SLURM)
    log = run_of(on_slurm).with_name(".1.unfinished") / "train.log"
    deadline = time.monotonic() + 30
    while not (log.exists() and METRIC in log.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    queue = subprocess.run(
        ["squeue", "--noheader", "--states=RUNNING,PENDING"], env=slurm, capture_output=True, check=True
    )
    assert (json.loads((run_of(on_slurm) / "run.json").read_text())["status"], queue.stdout) == ("interrupted", b"")


def test_a_job_script_that_somebody_changed_is_submitted_as_it_is(on_slurm: Native) -> None:
    script = on_slurm.top / "mine.sh"
    script.write_text(f"#!/bin/sh\n# mine\necho '{METRIC.strip()}'\n")
    on_slurm.launch(*SLURM, "--script", str(script))
    assert (run_of(on_slurm) / "train.log").read_text() == METRIC
    assert (run_of(on_slurm) / "job.sh").read_text() == script.read_text()


def test_a_dry_run_for_slurm_is_a_script_that_submits_the_job(on_slurm: Native) -> None:
    script = on_slurm.launch(*SLURM, "--dry-run").stdout
    environment = os.environ | on_slurm.environment
    subprocess.run(["bash"], input=script, env=environment, cwd=on_slurm.top, check=True, capture_output=True)
    assert [words[0] for words in told(on_slurm)] == ["0", "1"]


@needs_mpirun
def test_mpirun_starts_one_task_a_node_with_its_rank(on_mpirun: Native) -> None:
    on_mpirun.launch(*MPIRUN)
    assert [words[:2] for words in told(on_mpirun)] == [["0", "127.0.0.1:29500"], ["1", "127.0.0.1:29500"]]


@needs_mpirun
def test_a_job_that_fails_under_mpirun_is_a_failed_run(on_mpirun: Native) -> None:
    on_mpirun.trains("raise SystemExit(3)\n")
    on_mpirun.launch(*MPIRUN)
    facts = json.loads((run_of(on_mpirun) / "run.json").read_text())
    assert (facts["status"], facts["exit_status"]) == ("failed", 3)


@needs_mpirun
def test_a_dry_run_for_mpirun_is_a_script_that_starts_the_job(on_mpirun: Native) -> None:
    script = on_mpirun.launch(*MPIRUN, "--dry-run").stdout
    environment = os.environ | on_mpirun.environment
    subprocess.run(["bash"], input=script, env=environment, cwd=on_mpirun.top, check=True, capture_output=True)
    assert [words[0] for words in told(on_mpirun)] == ["0", "1"]


@needs_mpirun
def test_mpirun_starts_one_task_a_card_where_the_native_program_wants_that(on_mpirun: Native) -> None:
    options = [word.replace("paddleclas_resnet50", "nvidia_tensorflow_resnet50") for word in on_mpirun.options]
    options = [word for word in options if word not in {"--device", "cpu"}]
    (on_mpirun.repo / "TensorFlow/Classification/ConvNets").mkdir(parents=True)
    command = [*on_mpirun.command, *options, "--dry-run", *MPIRUN]
    answer = subprocess.run(command, cwd=TOP, env=os.environ | on_mpirun.environment, capture_output=True, check=True)
    assert b"mpirun -H 127.0.0.1:2 -np 4 " in answer.stdout


def test_nodes_that_are_started_by_hand_have_suites_of_their_own(nodes: Native) -> None:
    by_hand = [*ON_TWO, "--master", "127.0.0.1:29501", "--node-rank"]
    nodes.launch(*by_hand, "0")
    nodes.launch(*by_hand, "1")
    other = nodes.suite.with_name("suite-node1") / run_of(nodes).relative_to(nodes.suite)
    assert ((run_of(nodes) / "run.json").exists(), (other / "run.json").exists()) == (True, True)

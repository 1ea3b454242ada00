"""Runs that nobody waits for, by the real Slurm: submitted side by side, shown later."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from cluster import asked, wait_until_nothing_runs
from native_checkout import PRINT, TOP, Native, executable
from room_commands import main
from run_contract import misfits
from several_nodes import ON_TWO, run_of

from tests import commandline

SLURM = [*ON_TWO, "--on", "slurm"]
SECRET = "hunter2" * 2
DETACHED = [*SLURM, "--detach"]

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster(on_slurm: Native) -> Native:
    """A checkout whose nodes can start Tachograph."""
    program = on_slurm.top / "bin" / "tachograph"
    executable(program, f'#!/bin/sh\n[ "$1" = --version ] || exec {shlex.join(on_slurm.command)} "$@"\n')
    on_slurm.environment |= {"TACHOGRAPH": str(program), "PYTHONPATH": str(TOP)}
    return on_slurm


def collect(native: Native) -> subprocess.CompletedProcess[str]:
    """Run `tachograph collect` for the suite."""
    with patch.dict(os.environ, native.environment):
        return commandline.run("collect", native.suite, cwd=TOP, main=main)


def run(native: Native, repeat: int) -> Path:
    """The folder of a repeat."""
    return run_of(native).with_name(str(repeat))


def facts(native: Native, repeat: int = 1) -> dict[str, Any]:
    """The run.json of a repeat."""
    return dict(json.loads((run(native, repeat) / "run.json").read_text(encoding="utf-8")))


def collected(native: Native, slurm: dict[str, str], *arguments: str) -> dict[str, Any]:
    """Submit one run, wait for its job, collect it, and return its run.json."""
    native.launch(*DETACHED, *arguments)
    wait_until_nothing_runs(slurm)
    collect(native)
    return facts(native)


def test_three_cases_go_on_side_by_side_and_are_collected(cluster: Native, slurm: dict[str, str]) -> None:
    last = cluster.top / "last"
    cluster.trains(f"{PRINT}import os, time\nwhile not os.path.exists({str(last)!r}): time.sleep(0.1)\n")
    for batch_size in ("1", "2", "4"):
        assert cluster.launch("--batch-size", batch_size, "--on", "slurm", "--detach").returncode == 0
    assert list(cluster.suite.glob("*/[0-9]*")) == []
    deadline = time.monotonic() + 60
    while (said := collect(cluster).stderr).count("RUNNING") < 3:
        assert time.monotonic() < deadline, said
        time.sleep(0.3)
    while sum(path.stat().st_size > 0 for path in cluster.suite.glob("*/.1.unfinished/train.log")) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    last.touch()
    wait_until_nothing_runs(slurm)
    assert collect(cluster).stderr.endswith("Runs done: 3, failed: 0.\n")
    found = [json.loads(path.read_text()) for path in cluster.suite.glob("*/1/run.json")]
    assert len({document["scheduler"]["nodes"] for document in found}) == len(found) == 3
    assert max(document["start"] for document in found) <= min(document["end"] for document in found)


def test_a_detached_run_is_as_any_other_and_leaves_no_secret_and_no_path_of_the_machine(
    cluster: Native, slurm: dict[str, str]
) -> None:
    cluster.environment["API_TOKEN"] = SECRET
    cluster.trains(f"{PRINT}import os\nprint('x', os.environ['API_TOKEN'])\n")
    document = collected(cluster, slurm)
    assert (misfits(document), document["status"], document["redacted"]) == ([], "done", 2)
    assert document["scheduler"].items() >= {"name": "slurm", "partition": "all"}.items()
    files = {path.name for path in run(cluster, 1).iterdir()}
    assert files - {"cpu.csv"} == {"train.log", "run.json", "clock.csv", "job.sh"}
    kept = [path.read_text() for path in run(cluster, 1).iterdir()]
    assert [text for text in kept if "hunter2" in text or str(cluster.top) in text] == []
    assert [path.name for path in run(cluster, 1).parent.iterdir()] == ["1"]


def test_nodes_that_cannot_start_tachograph_are_told(cluster: Native, slurm: dict[str, str]) -> None:
    executable(cluster.top / "bin" / "tachograph", "#!/bin/sh\necho no such Python >&2\nexit 1\n")
    cluster.launch(*DETACHED)
    wait_until_nothing_runs(slurm)
    answer = collect(cluster)
    assert (answer.returncode, run(cluster, 1).exists()) == (1, False)
    output = run(cluster, 1).with_name(".1.slurm.out")
    assert (str(output) in answer.stderr, output.read_text()) == (True, "no such Python\n")


def test_a_detached_run_that_fails_is_told_when_it_is_collected(cluster: Native, slurm: dict[str, str]) -> None:
    cluster.trains("raise SystemExit(3)\n")
    cluster.launch(*DETACHED)
    wait_until_nothing_runs(slurm)
    answer = collect(cluster)
    assert (answer.returncode, "failed. Exit status" in answer.stderr) == (1, True)
    assert facts(cluster)["status"] == "failed"


def test_a_cancelled_job_is_an_interrupted_run(cluster: Native, slurm: dict[str, str]) -> None:
    cluster.trains(f"{PRINT}import sys, time\nsys.stdout.flush()\ntime.sleep(60)\n")
    cluster.launch(*DETACHED)
    job = json.loads(run(cluster, 1).with_name(".1.submitted").read_text())["job"]
    deadline = time.monotonic() + 60
    log = run(cluster, 1).with_name(".1.unfinished") / "train.log"
    while not (log.exists() and log.read_bytes()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    asked(slurm, "scancel", job)
    wait_until_nothing_runs(slurm)
    collect(cluster)
    assert facts(cluster)["status"] == "interrupted"


def test_a_submitted_run_is_not_submitted_or_started_again(cluster: Native, slurm: dict[str, str]) -> None:
    last = cluster.top / "last"  # the job goes on until all have asked for it, however slowly they start
    cluster.trains(f"{PRINT}import os, time\nwhile not os.path.exists({str(last)!r}): time.sleep(0.1)\n")
    cluster.launch(*DETACHED)
    said = cluster.launch(*DETACHED).stderr
    assert b"is submitted already as Slurm job" in said
    assert said.endswith(f"Show them with `tachograph collect {cluster.suite}`.\n".encode())
    answer = cluster.launch(*DETACHED, "--", "--seed", "1")  # another run in its place
    assert (answer.returncode, b"contains a different run (EXTRA=" in answer.stderr) == (1, True)
    with cluster.started(*SLURM) as waiting:  # without --detach a launch lasts as long as the job
        assert waiting.stderr
        assert any(b"is submitted already as Slurm job" in line for line in waiting.stderr)
        last.touch()
        waiting.communicate(timeout=60)
    assert waiting.returncode == 0
    wait_until_nothing_runs(slurm)
    assert collect(cluster).returncode == 0
    assert b"is already done." in cluster.launch(*DETACHED).stderr


def test_parallel_runs_are_waited_for_so_many_at_a_time(cluster: Native) -> None:
    cluster.launch(*SLURM, "--repeats", "3", "--parallel", "1")
    times = [(facts(cluster, repeat)["start"], facts(cluster, repeat)["end"]) for repeat in (1, 2, 3)]
    assert all(end <= start for (_, end), (start, _) in pairwise(times))


def test_a_submission_that_somebody_changed_is_refused(on_slurm: Native) -> None:
    run(on_slurm, 1).parent.mkdir(parents=True)
    run(on_slurm, 1).with_name(".1.submitted").write_text('{"facts": 1}')
    answer = collect(on_slurm)
    assert (answer.returncode, "is not what a submission left" in answer.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "held"),
    [(["--detach"], {}), (DETACHED, {"SLURM_JOB_ID": "7"})],
)
def test_what_cannot_be_detached_is_refused(on_slurm: Native, arguments: list[str], held: dict[str, str]) -> None:
    on_slurm.environment |= {**held, "SLURM_JOB_NUM_NODES": "2"}
    assert (on_slurm.launch(*arguments).returncode, on_slurm.suite.exists()) == (2, False)


def test_commands_of_ones_own_are_submitted_and_collected(cluster: Native, slurm: dict[str, str]) -> None:
    options = ["--on", "slurm", "--into", str(cluster.suite), "--detach"]
    for step in (1, 2, 2):
        program = [sys.executable, "-c", f"print('step {step}: loss 2.5')"]
        with patch.dict(os.environ, cluster.environment):
            assert commandline.run("run", *options, "--", *program, cwd=cluster.repo).returncode == 0
    wait_until_nothing_runs(slurm)
    collect(cluster)
    assert sorted(path.parent.name for path in cluster.suite.glob("*/*/run.json")) == ["1", "1", "2"]

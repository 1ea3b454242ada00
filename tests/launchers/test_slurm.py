"""Jobs on several machines by the real Slurm; each node is emulated on this machine."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest
from cluster import asked, wait_until_nothing_runs
from native_checkout import METRIC, PRINT, TOP, Native
from several_nodes import ON_TWO, dry_run, execute, facts_of, lines_of, run_of, telling, told

pytestmark = pytest.mark.slow

SLURM = [*ON_TWO, "--on", "slurm"]
PATTERN = "50%%j%j\\\\b"  # what sbatch would read as the number of a job in a name of a file


def wait_until_training(native: Native) -> None:
    """Wait until the log has a metric line."""
    log = run_of(native).with_name(".1.unfinished") / "train.log"
    deadline = time.monotonic() + 30
    while not (log.exists() and METRIC in log.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def files_of(native: Native) -> set[str]:
    """The names of what is published of the run."""
    return {path.name for path in run_of(native).iterdir()}


def test_a_run_on_slurm_has_a_task_a_node_which_describes_itself_and_keeps_only_the_files_of_a_run(
    on_slurm: Native,
) -> None:
    del on_slurm.environment["TACHOGRAPH"]
    more = "print('API_TOKEN=hunter2hunter2')\n"
    on_slurm.trains(telling("MASTER", "WORK", "TMPDIR") + more)
    on_slurm.launch(*SLURM, "--", "--password", "correct horse battery")
    nodes = told(on_slurm)
    # One place to meet, whose address is no name; a folder of its own for each node, and for each task.
    assert [(rank, Path(folder).name) for rank, _, folder, _ in nodes] == [("0", "node0"), ("1", "node1")]
    (master,) = {master for _, master, _, _ in nodes}
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+:2\d{4}", master)
    temporary = [Path(folder) for _, _, _, folder in nodes]
    assert (len(set(temporary)), [path for path in temporary if path.exists()]) == (2, [])
    assert {line.partition(": ")[0] for line in lines_of(on_slurm)} - {"srun"} == {"0", "1"}
    facts = facts_of(on_slurm)
    assert (facts["status"], facts["case"]["nodes"], facts["case"]["cards"]) == ("done", 2, 4)
    assert re.fullmatch(r"node\[\d[-,]\d\]", facts["scheduler"]["nodes"])
    assert [node["cores"] for node in facts["nodes"]] == [facts["environment"]["cores"]] * 2
    assert files_of(on_slurm) == {"train.log", "run.json", "clock.csv", "job.sh"}
    kept = "".join(path.read_text() for path in run_of(on_slurm).iterdir())
    hidden = (str(on_slurm.repo), "horse", "battery", "hunter2")
    assert [word for word in hidden if word in kept] == []


def test_on_one_node_the_processes_of_all_tasks_are_sampled(on_slurm: Native) -> None:
    del on_slurm.environment["TACHOGRAPH"]
    on_slurm.trains(f"{PRINT}import time\nheld = bytearray(64 * 2**20)\ntime.sleep(2)\n")
    on_slurm.launch("--on", "slurm", "--cards", "2")
    (path,) = on_slurm.suite.glob("*/1/cpu.csv")
    samples = pd.read_csv(path)
    assert (samples["processes"].max() >= 2, samples["memory"].max() >= 64) == (True, True)


def test_a_job_that_fails_on_slurm_is_a_failed_run_that_names_its_nodes(on_slurm: Native) -> None:
    on_slurm.trains("raise SystemExit(3)\n")
    on_slurm.launch(*SLURM)
    facts = facts_of(on_slurm)
    assert (facts["status"], facts["exit_status"] != 0) == ("failed", True)  # Slurm tells that of the task it killed
    assert re.fullmatch(r"node\[\d[-,]\d\]", facts["scheduler"]["nodes"])


def test_interrupts_cancel_the_job_on_slurm_and_publish_no_raw_output(on_slurm: Native, slurm: dict[str, str]) -> None:
    on_slurm.trains(f"{PRINT}import sys, time\nsys.stdout.flush()\ntime.sleep(60)\n")
    process = on_slurm.started(*SLURM)
    wait_until_training(on_slurm)
    job = asked(slurm, "squeue", "--noheader", "--states=RUNNING", "--format=%i").strip()
    assert "Requeue=0" in asked(slurm, "scontrol", "show", "job", job)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    wait_until_nothing_runs(slurm)
    assert facts_of(on_slurm)["status"] == "interrupted"
    assert files_of(on_slurm) == {"train.log", "run.json", "clock.csv", "job.sh"}


def test_a_run_goes_on_where_the_launch_that_submitted_it_is_killed(on_slurm: Native, slurm: dict[str, str]) -> None:
    last = on_slurm.top / "last"
    waits = f"while not os.path.exists({str(last)!r}): time.sleep(0.1)\n"
    on_slurm.trains(f"{PRINT}import os, sys, time\nsys.stdout.flush()\n{waits}")
    process = on_slurm.started(*SLURM)
    wait_until_training(on_slurm)
    process.kill()
    process.communicate(timeout=60)
    last.touch()
    wait_until_nothing_runs(slurm)
    assert facts_of(on_slurm)["status"] == "done"


def test_a_job_on_slurm_that_does_not_get_on_is_cancelled(on_slurm: Native, slurm: dict[str, str]) -> None:
    on_slurm.trains("import time\nprint('waiting', flush=True)\ntime.sleep(60)\n")
    on_slurm.launch(*SLURM, "--stall", "3")
    wait_until_nothing_runs(slurm)
    assert (facts_of(on_slurm)["status"], "scheduler" in facts_of(on_slurm)) == ("failed", True)


def test_a_job_that_waits_for_its_nodes_has_not_stalled(on_slurm: Native, slurm: dict[str, str]) -> None:
    asked(slurm, "sbatch", "--nodes=4", "--exclusive", "--output=/dev/null", "--wrap=sleep 8")
    on_slurm.launch(*SLURM, "--stall", "6")
    assert facts_of(on_slurm)["status"] == "done"


def test_a_dry_run_for_slurm_may_name_a_folder_where_sbatch_would_read_a_pattern(on_slurm: Native) -> None:
    folder = on_slurm.top / PATTERN / "suite"
    execute(on_slurm, dry_run(on_slurm, *SLURM, "--into", str(folder)))
    log = folder / run_of(on_slurm).relative_to(on_slurm.suite) / "train.log"
    assert log.read_text().count(METRIC) == 2


def test_all_runs_within_an_allocation_have_its_first_nodes_and_no_job_of_their_own(
    on_slurm: Native, slurm: dict[str, str]
) -> None:
    on_slurm.trains(telling("SLURMD_NODENAME", "SLURM_JOB_ID", "SLURM_STEP_GPUS"))
    held = ["salloc", "--nodes=3", "--gres=gpu:2", "--exclusive", "--quiet"]
    command = [*held, *on_slurm.command, *on_slurm.options, *SLURM, "--repeats", "2"]
    environment = os.environ | on_slurm.environment
    subprocess.run(command, cwd=TOP, env=environment, check=True, capture_output=True)
    folders = [run_of(on_slurm), run_of(on_slurm).with_name("2")]
    first, second = (json.loads((folder / "run.json").read_text()) for folder in folders)
    assert (first["status"], first["scheduler"]) == ("done", second["scheduler"])
    said = [
        sorted(re.findall(r"^\d: (\d \w+ \d+ \S+)$", (run / "train.log").read_text(), re.MULTILINE)) for run in folders
    ]
    job = first["scheduler"]["job"]
    assert said == [[f"0 node1 {job} 0,1", f"1 node2 {job} 0,1"]] * 2


def test_an_allocation_with_too_few_nodes_is_refused(on_slurm: Native) -> None:
    on_slurm.environment |= {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "1"}
    assert (on_slurm.launch(*SLURM).returncode, on_slurm.suite.exists()) == (2, False)

"""Jobs on several machines by the real Slurm; each node is emulated on this machine."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest
from cluster import asked, wait_until_nothing_runs
from native_checkout import METRIC, PRINT, TOP, Native, executable
from several_nodes import ON_TWO, dry_run, execute, facts_of, lines_of, run_of, telling, told

from launchers.backends.slurm import Slurm

pytestmark = pytest.mark.slow

SLURM = [*ON_TWO, "--on", "slurm"]
SLEEPS = f"{PRINT}import sys, time\nsys.stdout.flush()\ntime.sleep(60)\n"


def wait_until_training(native: Native) -> None:
    """Wait until the log has a metric line."""
    log = run_of(native).with_name(".1.unfinished") / "train.log"
    deadline = time.monotonic() + 30
    while not (log.exists() and METRIC in log.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def files_of(native: Native) -> set[str]:
    """The names of what is published of the run."""
    return {path.name for path in run_of(native).iterdir()}


def test_a_run_on_slurm_has_a_task_a_node_and_keeps_only_the_files_of_a_run(on_slurm: Native) -> None:
    on_slurm.trains(telling("MASTER") + "print('API_TOKEN=hunter2hunter2')\n")
    on_slurm.launch(*SLURM, "--", "--password", "correct horse battery")
    (rank, first), (other, second) = told(on_slurm)
    assert (rank, other) == ("0", "1")
    # One place to meet, whose address is no name.
    assert (first, bool(re.fullmatch(r"\d+\.\d+\.\d+\.\d+:2\d{4}", first))) == (second, True)
    assert {line.partition(": ")[0] for line in lines_of(on_slurm)} - {"srun"} == {"0", "1"}
    facts = facts_of(on_slurm)
    assert (facts["status"], facts["case"]["nodes"], facts["case"]["cards"]) == ("done", 2, 4)
    assert re.fullmatch(r"node\[\d[-,]\d\]", facts["scheduler"]["nodes"])
    assert "#SBATCH --nodes=2\n" in (run_of(on_slurm) / "job.sh").read_text()
    assert files_of(on_slurm) - {"cpu.csv"} == {"train.log", "run.json", "clock.csv", "job.sh"}
    kept = "".join(path.read_text() for path in run_of(on_slurm).iterdir())
    assert [word for word in (str(on_slurm.top), "horse", "battery", "hunter2") if word in kept] == []


def test_each_node_of_a_run_on_slurm_is_described_and_what_its_processes_take_is_sampled(on_slurm: Native) -> None:
    program = on_slurm.top / "bin" / "tachograph"
    executable(program, f'#!/bin/sh\nexec {shlex.join(on_slurm.command)} "$@"\n')
    on_slurm.environment |= {"TACHOGRAPH": str(program), "PYTHONPATH": str(TOP)}
    on_slurm.trains(f"import time\nheld = bytearray(64 * 2**20)\ntime.sleep(3)\n{PRINT}")
    on_slurm.launch(*SLURM)
    facts, samples = facts_of(on_slurm), pd.read_csv(run_of(on_slurm) / "cpu.csv")
    assert [node["cores"] for node in facts["nodes"]] == [facts["environment"]["cores"]] * 2
    assert (samples["processes"].max() >= 4, samples["memory"].max() >= 128) == (True, True)


def test_a_job_that_fails_on_slurm_is_a_failed_run(on_slurm: Native) -> None:
    on_slurm.trains("raise SystemExit(3)\n")
    on_slurm.launch(*SLURM)
    facts = facts_of(on_slurm)
    assert (facts["status"], facts["exit_status"] != 0) == ("failed", True)  # Slurm tells that of the task it killed


def test_an_interrupt_cancels_the_job_on_slurm(on_slurm: Native, slurm: dict[str, str]) -> None:
    on_slurm.trains(SLEEPS)
    process = on_slurm.started(*SLURM)
    wait_until_training(on_slurm)
    job = asked(slurm, "squeue", "--noheader", "--states=RUNNING", "--format=%i").strip()
    assert "Requeue=0" in asked(slurm, "scontrol", "show", "job", job)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    queue = asked(slurm, "squeue", "--noheader", "--states=RUNNING,PENDING")
    assert (facts_of(on_slurm)["status"], queue) == ("interrupted", "")


def test_an_impatient_interrupt_cancels_the_job_on_slurm_and_publishes_no_raw_output(
    on_slurm: Native, slurm: dict[str, str]
) -> None:
    on_slurm.trains(SLEEPS)
    process = on_slurm.started(*SLURM)
    wait_until_training(on_slurm)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    wait_until_nothing_runs(slurm)
    assert files_of(on_slurm) - {"cpu.csv"} == {"train.log", "run.json", "clock.csv", "job.sh"}


def test_a_slow_cancellation_survives_the_end_of_all_others(on_slurm: Native, slurm: dict[str, str]) -> None:
    executable(on_slurm.top / "bin" / "scancel", f'#!/bin/sh\nsleep 2\nPATH="{slurm["PATH"]}" exec scancel "$@"\n')
    output = on_slurm.top / "slurm.out"
    script = on_slurm.top / "job.sh"
    script.write_text("#!/bin/sh\necho begun\nsleep 60\n")
    follower = str(TOP / "launchers" / "backends" / "slurm.bash")
    files = [str(output), str(on_slurm.top / "begun"), str(on_slurm.top / "ended")]
    command = ["bash", follower, *files, f"--output={output}", str(script)]
    environment = os.environ | on_slurm.environment
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        assert process.stdout.readline() == b"begun\n"
        os.killpg(process.pid, signal.SIGTERM)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGKILL)
    wait_until_nothing_runs(slurm)


def test_what_is_left_of_a_job_is_cancelled_and_removed(
    on_slurm: Native, slurm: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("PATH", "SLURM_CONF"):
        monkeypatch.setenv(name, on_slurm.environment[name])
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "slurm.out").touch()
    command = ["sbatch", "--parsable", f"--output={folder / 'slurm.out'}", "--wrap=sleep 60"]
    (folder / "slurm.out.id").write_text(asked(slurm, *command))
    Slurm().finish(folder)
    wait_until_nothing_runs(slurm)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["50%%j", "50%j\\\\b"])
def test_a_run_on_slurm_may_lie_where_sbatch_would_read_a_pattern(on_slurm: Native, name: str) -> None:
    folder = str(on_slurm.top / name / "suite")
    on_slurm.launch(*SLURM, "--into", folder)
    log = Path(folder) / run_of(on_slurm).relative_to(on_slurm.suite) / "train.log"
    assert log.read_text().count(METRIC) == 2


@pytest.mark.parametrize("name", ["50%%j", "50%j\\\\b"])
def test_a_dry_run_for_slurm_may_name_a_folder_where_sbatch_would_read_a_pattern(on_slurm: Native, name: str) -> None:
    folder = str(on_slurm.top / name / "suite")
    execute(on_slurm, dry_run(on_slurm, *SLURM, "--into", folder))
    log = Path(folder) / run_of(on_slurm).relative_to(on_slurm.suite) / "train.log"
    assert log.read_text().count(METRIC) == 2


def test_a_job_on_slurm_has_the_environment_where_a_site_gives_it_none(on_slurm: Native) -> None:
    on_slurm.environment |= {"SBATCH_EXPORT": "NONE", "SLURM_EXPORT_ENV": "NONE"}
    on_slurm.launch(*SLURM)
    assert (facts_of(on_slurm)["status"], len(told(on_slurm))) == ("done", 2)


def test_all_that_a_job_on_slurm_prints_is_kept(on_slurm: Native) -> None:
    script = on_slurm.top / "mine.sh"
    script.write_text(f"#!/bin/sh\necho '{METRIC.strip()}'\nseq 300000\nsleep 0.5\nprintf 'no newline'\n")
    on_slurm.launch(*SLURM, "--script", str(script))
    expected = METRIC + "".join(f"{number}\n" for number in range(1, 300001)) + "no newline"
    assert (run_of(on_slurm) / "train.log").read_text() == expected


def test_a_job_script_that_somebody_changed_is_submitted_as_it_is(on_slurm: Native) -> None:
    script = on_slurm.top / "mine.sh"
    script.write_text(f"#!/bin/sh\n# mine\necho '{METRIC.strip()}'\n")
    on_slurm.launch(*SLURM, "--script", str(script))
    assert (run_of(on_slurm) / "train.log").read_text() == METRIC
    assert (run_of(on_slurm) / "job.sh").read_text() == script.read_text()

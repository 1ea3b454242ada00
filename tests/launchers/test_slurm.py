"""Jobs by the real Slurm, each node of which is emulated here: waited for, or submitted and collected later."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pytest
from checkouts import (
    METRIC,
    ON_TWO,
    PRINT,
    TOP,
    Native,
    asked,
    run_file,
    telling,
    wait_until,
    wait_until_nothing_runs,
)
from test_run_folders import misfits

from tests.commandline import executable, run

pytestmark = pytest.mark.slow

SLURM = [*ON_TWO, "--on", "slurm"]
DETACHED = [*SLURM, "--detach"]
SECRET = "hunter2" * 2
PATTERN = "50%%j%j\\\\b"  # what sbatch would read as the number of a job in a name of a file
SLEEP = f"{PRINT}import sys, time\nsys.stdout.flush()\ntime.sleep(60)\n"
# It prints, and goes on until a file is there.
WAIT = f"{PRINT}import os, sys, time\nsys.stdout.flush()\nwhile not os.path.exists({{last!r}}): time.sleep(0.1)\n"
FILES = {"train.log", "run.json", "clock.csv", "job.sh"}


def files_of(native: Native) -> set[str]:
    """The names of what is published of the run."""
    return {path.name for path in native.run_on_two.iterdir()}


def test_a_run_on_slurm_has_a_task_a_node_which_describes_itself_and_keeps_only_the_files_of_a_run(
    on_slurm: Native,
) -> None:
    del on_slurm.environment["TACHOGRAPH"]
    on_slurm.trains(telling("MASTER", "WORK", "TMPDIR") + "print('API_TOKEN=hunter2hunter2')\n")
    on_slurm.launch(*SLURM, "--", "--password", "correct horse battery")
    nodes = on_slurm.printed_by_nodes()
    # One place to meet, whose address is no name; a folder of its own for each node, and for each task.
    assert [(rank, Path(folder).name) for rank, _, folder, _ in nodes] == [("0", "node0"), ("1", "node1")]
    (master,) = {master for _, master, _, _ in nodes}
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+:2\d{4}", master)
    temporary = [Path(folder) for _, _, _, folder in nodes]
    assert (len(set(temporary)), [path for path in temporary if path.exists()]) == (2, [])
    lines = (on_slurm.run_on_two / "train.log").read_text(encoding="utf-8").splitlines()
    assert {line.partition(": ")[0] for line in lines} - {"srun"} == {"0", "1"}
    facts = on_slurm.facts_on_two()
    assert (facts["status"], facts["case"]["nodes"], facts["case"]["cards"]) == ("done", 2, 4)
    assert re.fullmatch(r"node\[\d[-,]\d\]", facts["scheduler"]["nodes"])
    assert [node["cores"] for node in facts["nodes"]] == [facts["environment"]["cores"]] * 2
    assert files_of(on_slurm) == FILES
    kept = "".join(path.read_text() for path in on_slurm.run_on_two.iterdir())
    assert [word for word in (str(on_slurm.repo), "horse", "battery", "hunter2") if word in kept] == []


def test_on_one_node_the_processes_of_all_tasks_are_sampled(on_slurm: Native) -> None:
    del on_slurm.environment["TACHOGRAPH"]
    on_slurm.trains(f"{PRINT}import time\nheld = bytearray(64 * 2**20)\ntime.sleep(2)\n")
    on_slurm.launch("--on", "slurm", "--cards", "2")
    (path,) = on_slurm.suite.glob("*/1/cpu.csv")
    samples = pd.read_csv(path)
    assert (samples["processes"].max() >= 2, samples["memory"].max() >= 64) == (True, True)


def test_a_job_that_fails_or_does_not_get_on_is_a_failed_run_that_names_its_nodes(
    on_slurm: Native, slurm: dict[str, str]
) -> None:
    on_slurm.trains("raise SystemExit(3)\n")
    on_slurm.launch(*SLURM)
    facts = on_slurm.facts_on_two()
    assert (facts["status"], facts["exit_status"] != 0) == ("failed", True)  # Slurm tells that of the task it killed
    assert re.fullmatch(r"node\[\d[-,]\d\]", facts["scheduler"]["nodes"])
    on_slurm.trains("import time\nprint('waiting', flush=True)\ntime.sleep(60)\n")
    on_slurm.launch(*SLURM, "--stall", "3")
    wait_until_nothing_runs(slurm)  # it is cancelled
    facts = on_slurm.facts_on_two()
    assert (facts["status"], "scheduler" in facts) == ("failed", True)


def test_interrupts_cancel_the_job_on_slurm_and_publish_no_raw_output(on_slurm: Native, slurm: dict[str, str]) -> None:
    on_slurm.trains(SLEEP)
    process = on_slurm.training(*SLURM)
    job = asked(slurm, "squeue", "--noheader", "--states=RUNNING", "--format=%i").strip()
    assert "Requeue=0" in asked(slurm, "scontrol", "show", "job", job)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    wait_until_nothing_runs(slurm)
    assert on_slurm.facts_on_two()["status"] == "interrupted"
    assert files_of(on_slurm) == FILES


def test_a_run_goes_on_where_the_launch_that_submitted_it_is_killed(on_slurm: Native, slurm: dict[str, str]) -> None:
    last = on_slurm.top / "last"
    on_slurm.trains(WAIT.format(last=str(last)))
    process = on_slurm.training(*SLURM)
    process.kill()
    process.communicate(timeout=60)
    last.touch()
    wait_until_nothing_runs(slurm)
    assert on_slurm.facts_on_two()["status"] == "done"


def test_a_job_that_waits_for_its_nodes_has_not_stalled(on_slurm: Native, slurm: dict[str, str]) -> None:
    asked(slurm, "sbatch", "--nodes=4", "--exclusive", "--output=/dev/null", "--wrap=sleep 8")
    on_slurm.launch(*SLURM, "--stall", "6")
    assert on_slurm.facts_on_two()["status"] == "done"


def test_a_dry_run_for_slurm_may_name_a_folder_where_sbatch_would_read_a_pattern(on_slurm: Native) -> None:
    folder = on_slurm.top / PATTERN / "suite"
    on_slurm.execute(on_slurm.dry_run(*SLURM, "--into", str(folder)))
    log = folder / on_slurm.run_on_two.relative_to(on_slurm.suite) / "train.log"
    assert log.read_text().count(METRIC) == 2


def test_all_runs_within_an_allocation_have_its_first_nodes_and_no_job_of_their_own(on_slurm: Native) -> None:
    on_slurm.trains(telling("SLURMD_NODENAME", "SLURM_JOB_ID", "SLURM_STEP_GPUS"))
    held = ["salloc", "--nodes=3", "--gres=gpu:2", "--exclusive", "--quiet"]
    command = [*held, *on_slurm.command, *on_slurm.options, *SLURM, "--repeats", "2"]
    environment = os.environ | on_slurm.environment
    subprocess.run(command, cwd=TOP, env=environment, check=True, capture_output=True)
    folders = [on_slurm.run_on_two, on_slurm.run_on_two.with_name("2")]
    first, second = map(run_file, folders)
    assert (first["status"], first["scheduler"]) == ("done", second["scheduler"])
    logs = [(folder / "train.log").read_text() for folder in folders]
    said = [sorted(re.findall(r"^\d: (\d \w+ \d+ \S+)$", log, re.MULTILINE)) for log in logs]
    job = first["scheduler"]["job"]
    assert said == [[f"0 node1 {job} 0,1", f"1 node2 {job} 0,1"]] * 2


def test_a_job_runs_as_the_site_says_also_where_slurm_gives_a_job_no_environment(on_slurm: Native) -> None:
    on_slurm.environment |= {
        "BASH_FUNC_module%%": "() { export LOADED=$2; }",
        "SBATCH_EXPORT": "NONE",
        "SLURM_EXPORT_ENV": "NONE",
    }
    on_slurm.trains(telling("LOADED"))
    site = on_slurm.top / "site.toml"
    site.write_text(
        "modules = ['cuda/12']\n[slurm]\naccount = 'secret-lab'\npartition = 'all'\nextra = ['--comment=x']\n"
    )
    on_slurm.launch(*SLURM, "--site", str(site))
    assert "secret-lab" not in "".join(path.read_text() for path in on_slurm.run_on_two.iterdir())
    assert on_slurm.facts_on_two()["scheduler"]["partition"] == "all"
    assert on_slurm.printed_by_nodes() == [["0", "cuda/12"], ["1", "cuda/12"]]
    site.write_text("[slurm]\npartition = 'nowhere'\n")  # which Slurm refuses
    answer = on_slurm.launch(*DETACHED, "--repeats", "2", "--site", str(site))
    assert (answer.returncode, "nowhere" in answer.stderr) == (1, True)


@pytest.fixture
def detached(on_slurm: Native) -> Native:
    """A checkout whose nodes can start Tachograph."""
    program = on_slurm.top / "bin" / "tachograph"
    executable(program, f'#!/bin/sh\n[ "$1" = --version ] || exec {shlex.join(on_slurm.command)} "$@"\n')
    on_slurm.environment |= {"TACHOGRAPH": str(program), "PYTHONPATH": str(TOP)}
    return on_slurm


def collect(native: Native) -> subprocess.CompletedProcess[str]:
    """Run `tachograph collect` for the suite."""
    return native.tachograph("collect", native.suite)


def test_three_cases_go_on_side_by_side_and_are_collected(detached: Native, slurm: dict[str, str]) -> None:
    last = detached.top / "last"
    detached.trains(WAIT.format(last=str(last)))
    for batch_size in ("1", "2", "4"):
        assert detached.launch("--batch-size", batch_size, "--on", "slurm", "--detach").returncode == 0
    assert list(detached.suite.glob("*/[0-9]*")) == []
    wait_until(lambda: collect(detached).stderr.count("RUNNING") == 3, seconds=60)
    logs = ".1.unfinished/train.log"
    wait_until(lambda: sum(path.stat().st_size > 0 for path in detached.suite.glob(f"*/{logs}")) == 3, seconds=60)
    last.touch()
    wait_until_nothing_runs(slurm)
    assert collect(detached).returncode == 0
    found = [run_file(path.parent) for path in detached.suite.glob("*/1/run.json")]
    assert len({document["scheduler"]["nodes"] for document in found}) == len(found) == 3
    assert max(document["start"] for document in found) <= min(document["end"] for document in found)


def test_a_detached_run_is_as_any_other_and_leaves_no_secret_and_no_path_of_the_machine(
    detached: Native, slurm: dict[str, str]
) -> None:
    detached.environment["API_TOKEN"] = SECRET
    detached.trains(f"{PRINT}import os\nprint('x', os.environ['API_TOKEN'])\n")
    detached.launch(*DETACHED)
    wait_until_nothing_runs(slurm)
    collect(detached)
    document = detached.facts_on_two()
    assert (misfits(document), document["status"], document["redacted"]) == ([], "done", 2)
    assert document["scheduler"].items() >= {"name": "slurm", "partition": "all"}.items()
    assert files_of(detached) - {"cpu.csv"} == FILES
    kept = [path.read_text() for path in detached.run_on_two.iterdir()]
    assert [text for text in kept if "hunter2" in text or str(detached.top) in text] == []
    assert [path.name for path in detached.run_on_two.parent.iterdir()] == ["1"]


def test_what_goes_wrong_in_a_detached_run_is_said_when_it_is_collected(
    detached: Native, slurm: dict[str, str]
) -> None:
    detached.trains("raise SystemExit(3)\n")
    detached.launch(*DETACHED)
    wait_until_nothing_runs(slurm)
    answer = collect(detached)
    facts = detached.facts_on_two()
    assert (answer.returncode, facts["status"], facts["reason"] in answer.stderr) == (1, "failed", True)
    executable(detached.top / "bin" / "tachograph", "#!/bin/sh\necho no such Python >&2\nexit 1\n")
    detached.launch(*DETACHED, "--repeats", "2")
    wait_until_nothing_runs(slurm)
    answer = collect(detached)
    output = detached.run_on_two.parent / ".2.slurm.out"
    assert (answer.returncode, detached.run_on_two.with_name("2").exists()) == (1, False)
    assert (str(output) in answer.stderr, output.read_text()) == (True, "no such Python\n")


def test_a_cancelled_job_is_an_interrupted_run(detached: Native, slurm: dict[str, str]) -> None:
    detached.trains(SLEEP)
    detached.launch(*DETACHED)
    beside = detached.run_on_two.with_name
    log = beside(".1.unfinished") / "train.log"
    wait_until(lambda: log.exists() and log.read_bytes(), seconds=60)
    asked(slurm, "scancel", json.loads(beside(".1.submitted").read_text())["job"])
    wait_until_nothing_runs(slurm)
    collect(detached)
    assert detached.facts_on_two()["status"] == "interrupted"


def test_a_submitted_run_is_not_submitted_or_started_again(detached: Native, slurm: dict[str, str]) -> None:
    last = detached.top / "last"  # the job goes on until all have asked for it, however slowly they start
    detached.trains(WAIT.format(last=str(last)))
    detached.launch(*DETACHED)
    job = f" {json.loads(detached.run_on_two.with_name('.1.submitted').read_text())['job']}."
    said = detached.launch(*DETACHED).stderr
    assert (job in said, f"tachograph collect {detached.suite}" in said) == (True, True)
    answer = detached.launch(*DETACHED, "--", "--seed", "1")  # another run in its place
    assert (answer.returncode, "EXTRA=" in answer.stderr) == (1, True)
    with detached.started(*SLURM) as waiting:  # without --detach a launch lasts as long as the job
        assert waiting.stderr
        assert any(job in line for line in waiting.stderr)
        last.touch()
        waiting.communicate(timeout=60)
    assert waiting.returncode == 0
    wait_until_nothing_runs(slurm)
    assert collect(detached).returncode == 0
    answer = detached.launch(*DETACHED)
    assert (answer.returncode, job in answer.stderr) == (0, False)


def test_parallel_runs_are_waited_for_so_many_at_a_time(detached: Native) -> None:
    detached.launch(*SLURM, "--repeats", "3", "--parallel", "1")
    found = [run_file(detached.run_on_two.with_name(repeat)) for repeat in "123"]
    assert all(earlier["end"] <= later["start"] for earlier, later in pairwise(found))


def test_commands_of_ones_own_are_submitted_and_collected(detached: Native, slurm: dict[str, str]) -> None:
    options = ["--on", "slurm", "--into", str(detached.suite), "--detach"]
    for step in (1, 2, 2):
        program = [sys.executable, "-c", f"print('step {step}: loss 2.5')"]
        with patch.dict(os.environ, detached.environment):
            assert run("run", *options, "--", *program, cwd=detached.repo).returncode == 0
    wait_until_nothing_runs(slurm)
    collect(detached)
    assert sorted(path.parent.name for path in detached.suite.glob("*/*/run.json")) == ["1", "1", "2"]

"""Jobs on several machines by the real mpirun; each machine is emulated on this one."""

from __future__ import annotations

import os
import re
import shutil
from unittest.mock import patch

import click
import pandas as pd
import pytest
from native_checkout import PRINT, Native, executable
from room_commands import main
from several_nodes import ON_TWO, dry_run, execute, facts_of, lines_of, on_nodes, run_of, telling, told

from launchers.backends import mpirun
from tests.commandline import run

MPIRUN = [*ON_TWO, "--on", "mpirun", "-H"]
TWO = "127.0.0.1:2"

pytestmark = [
    pytest.mark.skipif(shutil.which("mpirun") is None, reason="mpirun of Debian's openmpi-bin is missing"),
    pytest.mark.slow,
]


@pytest.fixture
def on_mpirun(native: Native) -> Native:
    """A checkout on several nodes, where mpirun may be started by root."""
    native.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return on_nodes(native)


def remote(native: Native) -> None:
    """Make this machine that of every host, by something in place of ssh that gives it the environment of a login."""
    kept = ["HOME", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"]
    login = " ".join([f'PATH="{os.environ["PATH"]}"', *(f'{name}="${name}"' for name in kept)])
    # Daemons that share a folder of temporary files fail where they make a folder in it at the same moment.
    own = f"{native.top}/$host"
    start = f'mkdir -p "{own}"\nexec env -i {login} HOST="$host" TMPDIR="{own}" sh -c "$*"'
    text = f"#!/bin/sh\nhost=$1\nshift\n{start}\n"
    executable(native.top / "bin" / "agent", text)
    python = native.top / "bin" / "python"
    # The names of machines that there are not stand for themselves, where their addresses are asked for.
    lines = python.read_text().replace("#!/bin/sh\n", '#!/bin/sh\n[ "$1" = - ] && exec echo "$2" "$2"\n')
    executable(python, lines)
    native.environment |= {
        "OMPI_MCA_plm_rsh_agent": str(native.top / "bin" / "agent"),
        # Two daemons of Open MPI on one machine sometimes crash where each shares what it knows of the processor.
        "OMPI_MCA_rtc": "^hwloc",
    }


def test_mpirun_starts_one_task_a_node_with_its_rank_and_one_place_to_meet(on_mpirun: Native) -> None:
    on_mpirun.launch(*MPIRUN, TWO)
    (rank, first), (other, second) = told(on_mpirun)
    assert (rank, other) == ("0", "1")
    assert (first, bool(re.fullmatch(r"127\.0\.0\.1:2\d{4}", first))) == (second, True)


def test_what_the_processes_of_a_run_under_mpirun_take_is_sampled_on_all_machines(on_mpirun: Native) -> None:
    remote(on_mpirun)
    on_mpirun.trains(f"import time\nheld = bytearray(64 * 2**20)\ntime.sleep(3)\n{PRINT}")
    on_mpirun.launch(*MPIRUN, "first.invalid:2,second.invalid:2")
    samples = pd.read_csv(run_of(on_mpirun) / "cpu.csv")
    assert (samples["processes"].max() >= 4, samples["memory"].max() >= 128) == (True, True)


@pytest.mark.parametrize("start", ["launch", "dry run"])
def test_a_host_that_is_given_by_its_name_is_an_address_for_the_launcher_of_paddle(
    on_mpirun: Native, start: str
) -> None:
    on_mpirun.trains(telling("MASTER", "POD_IP"))
    if start == "launch":
        on_mpirun.launch(*MPIRUN, "localhost:2")
    else:
        execute(on_mpirun, dry_run(on_mpirun, *MPIRUN, "localhost:2"))
    (_, first, own), (_, second, other) = told(on_mpirun)
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+:2\d{4}", first)
    assert (first, own) == (second, other) == (first, first.partition(":")[0])


def test_the_nodes_meet_on_the_machine_of_the_first_one(on_mpirun: Native) -> None:
    remote(on_mpirun)
    on_mpirun.environment["HOST"] = "127.0.0.1"
    on_mpirun.trains(telling("HOST", "MASTER"))
    on_mpirun.launch(*MPIRUN, "node1.example.com:8,127.0.0.1:8")
    (_, host, master), (_, other, same) = told(on_mpirun)
    assert (host, other, master.partition(":")[0], same) == ("node1.example.com", "127.0.0.1", host, master)


@pytest.mark.parametrize("start", ["launch", "dry run"])
def test_what_changes_the_training_is_the_same_on_all_machines(on_mpirun: Native, start: str) -> None:
    remote(on_mpirun)
    on_mpirun.environment |= {"NCCL_TOPO_FILE": "/a/topology", "UCX_TLS": "rc"}
    on_mpirun.trains(telling("NCCL_TOPO_FILE", "UCX_TLS"))
    if start == "launch":
        on_mpirun.launch(*MPIRUN, "a:8,b:8")
    else:
        execute(on_mpirun, dry_run(on_mpirun, *MPIRUN, "a:8,b:8"))
    assert told(on_mpirun) == [["0", "/a/topology", "rc"], ["1", "/a/topology", "rc"]]


def test_a_job_that_fails_under_mpirun_is_a_failed_run(on_mpirun: Native) -> None:
    on_mpirun.trains("raise SystemExit(3)\n")
    on_mpirun.launch(*MPIRUN, TWO)
    assert (facts_of(on_mpirun)["status"], facts_of(on_mpirun)["exit_status"]) == ("failed", 3)


def test_mpirun_starts_one_task_a_card_where_the_native_program_wants_that(on_mpirun: Native) -> None:
    (on_mpirun.repo / "TensorFlow/Classification/ConvNets").mkdir(parents=True)
    words = ["launch", "nvidia_tensorflow_resnet50", "--repo", str(on_mpirun.repo), "--dry-run", *MPIRUN, "a:2,b:2"]
    with patch.dict(os.environ, on_mpirun.environment):
        script = run(*words, main=main).stdout
    assert "mpirun -H a,a,b,b -np 4 " in script
    assert "NODE_RANK=$((OMPI_COMM_WORLD_RANK / 2))" in script


@pytest.mark.parametrize(
    ("given", "nodes", "tasks", "placed"),
    [
        ("a,b", 2, 1, "a b"),
        ("a:8,b:8,c:8", 2, 1, "a b"),
        ("a:8,b:8", 2, 2, "a a b b"),
        ("a:2", 2, 1, "a a"),
        ("a:4,b", 3, 1, "a b a"),
        ("a,a,b,b", 2, 2, "a a b b"),
    ],
)
def test_each_task_has_its_host_in_the_order_of_the_ranks(given: str, nodes: int, tasks: int, placed: str) -> None:
    assert mpirun.hosts_of_tasks(given, nodes, tasks) == placed.split()


@pytest.mark.parametrize(
    ("given", "words"), [("a", "1 of 2"), ("::1,::2", "'::1'"), ("a:x", "'a:x'"), ("a,,b", "''"), ("a:0,b", "'a:0'")]
)
def test_hosts_that_cannot_take_the_job_are_refused(given: str, words: str) -> None:
    with pytest.raises(click.UsageError) as refusal:
        mpirun.hosts_of_tasks(given, 2, 1)
    assert words in refusal.value.message


def test_a_job_under_mpirun_that_does_not_get_on_is_ended(on_mpirun: Native) -> None:
    on_mpirun.trains("import time\nwhile True:\n    print('master not ready', flush=True)\n    time.sleep(0.2)\n")
    # Long enough for mpirun to start on a busy machine. Where it crashes as it is ended, its own trace comes last.
    on_mpirun.launch(*MPIRUN, TWO, "--stall", "12", "--stall-ends")
    assert "no log line matching" in facts_of(on_mpirun)["reason"]
    assert "master not ready" in "\n".join(lines_of(on_mpirun))

"""Jobs on several machines by the real mpirun; each machine is emulated on this one."""

import os
import shutil
from pathlib import Path

import click
import pytest
from checkouts import ON_TWO, Native, knows_any_name, on_nodes, telling

from launchers.backends.place import hosts_of_tasks
from tests.commandline import executable

MPIRUN = [*ON_TWO, "--on", "mpirun", "-H"]
HERE = "localhost:2"


@pytest.fixture
def on_mpirun(native: Native) -> Native:
    """A checkout on several nodes, where mpirun may be started by root."""
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun of Debian's openmpi-bin is missing")
    native.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return on_nodes(native)


@pytest.fixture
def on_two_machines(on_mpirun: Native) -> Native:
    """The same, where something in place of ssh gives every host this machine and the environment of a login."""
    native = on_mpirun
    kept = ["HOME", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"]
    login = " ".join([f'PATH="{os.environ["PATH"]}"', *(f'{name}="${name}"' for name in kept)])
    # Daemons that share a folder of temporary files fail where they make a folder in it at the same moment.
    own = f"{native.top}/$host"
    start = f'mkdir -p "{own}"\nexec env -i {login} HOST="$host" TMPDIR="{own}" sh -c "$*"'
    executable(native.top / "bin" / "agent", f"#!/bin/sh\nhost=$1\nshift\n{start}\n")
    knows_any_name(native)
    native.environment |= {
        "HOST": "127.0.0.1",
        "NCCL_TOPO_FILE": "/a/topology",
        "UCX_TLS": "rc",
        "OMPI_MCA_plm_rsh_agent": str(native.top / "bin" / "agent"),
        # Two daemons of Open MPI on one machine sometimes crash where each shares what it knows of the processor.
        "OMPI_MCA_rtc": "^hwloc",
    }
    return native


@pytest.mark.slow
def test_each_machine_has_its_rank_its_folders_and_what_changes_the_training(on_two_machines: Native) -> None:
    native = on_two_machines
    native.trains(telling("HOST", "MASTER", "NCCL_TOPO_FILE", "UCX_TLS", "WORK", "TMPDIR"))
    native.launch(*MPIRUN, "node1.example.com:8,127.0.0.1:8")
    (_, host, master, *carried, work, temporary), (_, other, same, *others, second, place) = native.printed_by_nodes()
    assert (host, other, master.partition(":")[0], same) == ("node1.example.com", "127.0.0.1", host, master)
    assert carried == others == ["/a/topology", "rc"]
    assert [Path(work).name, Path(second).name] == ["node0", "node1"]
    assert (temporary != place, Path(temporary).exists(), Path(place).exists()) == (True, False, False)


@pytest.mark.slow
def test_what_a_dry_run_prints_does_the_same(on_two_machines: Native) -> None:
    native = on_two_machines
    native.trains(telling("NCCL_TOPO_FILE", "UCX_TLS", "WORK"))
    native.execute(native.dry_run(*MPIRUN, "a:8,b:8"))
    work = native.run_on_two.with_name(".1.work")
    assert native.printed_by_nodes() == [[rank, "/a/topology", "rc", str(work / f"node{rank}")] for rank in "01"]


@pytest.mark.slow
def test_a_job_under_mpirun_that_fails_or_does_not_get_on_is_a_failed_run(on_mpirun: Native) -> None:
    on_mpirun.trains("raise SystemExit(3)\n")
    on_mpirun.launch(*MPIRUN, HERE)
    assert (on_mpirun.facts_on_two()["status"], on_mpirun.facts_on_two()["exit_status"]) == ("failed", 3)
    on_mpirun.trains("import time\nprint('master not ready', flush=True)\ntime.sleep(60)\n")
    # Long enough for mpirun to start on a busy machine. Where it crashes as it is ended, its own trace comes last.
    on_mpirun.launch(*MPIRUN, HERE, "--stall", "6")
    log = (on_mpirun.run_on_two / "train.log").read_text(encoding="utf-8")
    assert (on_mpirun.facts_on_two()["status"], "master not ready" in log) == ("failed", True)


@pytest.mark.parametrize(
    ("given", "nodes", "tasks", "placed"),
    [
        ("a,b", 2, 1, "a b"),
        ("a:8,b:8,c:8", 2, 1, "a b"),
        ("a:8,b:8", 2, 2, "a a b b"),
        ("a:2", 2, 1, "a a"),
        ("a:4,b", 3, 1, "a b a"),
        ("a,a,b,b", 2, 2, "a a b b"),
        *((given, 2, 1, None) for given in ("a", "::1,::2", "a:x", "a,,b", "a:0,b")),
    ],
)
def test_each_task_has_its_host_in_the_order_of_the_ranks_or_the_hosts_are_refused(
    given: str, nodes: int, tasks: int, placed: str | None
) -> None:
    if placed is None:
        with pytest.raises(click.UsageError):
            hosts_of_tasks(given, nodes, tasks)
    else:
        assert hosts_of_tasks(given, nodes, tasks) == placed.split()

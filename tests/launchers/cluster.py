"""A cluster of four emulated nodes with eight pretended GPUs each: the real Slurm, on this machine alone."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from checkouts import wait_until

NODES = 4
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "salloc", "scontrol", "scancel")
_SLURM = """
ClusterName=emulated
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmctldPidFile={top}/slurmctld.pid
SlurmctldLogFile={top}/slurmctld.log
SlurmdPidFile={top}/%n.pid
SlurmdLogFile={top}/%n.log
SlurmdSpoolDir={top}/%n
StateSaveLocation={top}/state
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
GresTypes=gpu
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
KillWait=20
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
{nodes}
PartitionName=all Nodes=node[1-{count}] Default=YES MaxTime=INFINITE State=UP
"""
_IDLE = ("sinfo", "--noheader", "--format=%D", "--states=idle")
_NODE = (
    "NodeName=node{number} NodeHostname={host} NodeAddr=localhost Port={port} CPUs=16 RealMemory=4000 Gres=gpu:8"
    " State=UNKNOWN"
)


@contextmanager
def emulated(top: Path) -> Iterator[dict[str, str]]:
    """Start the cluster with its files under `top`; yields the environment in which its commands find it."""
    path = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])
    environment = {**os.environ, "PATH": path, "SLURM_CONF": str(top / "slurm.conf")}
    if absent := [program for program in PROGRAMS if shutil.which(program, path=path) is None]:
        pytest.skip(f"{', '.join(absent)} of Debian's slurmctld, slurmd and slurm-client are not installed")
    if os.geteuid() != 0:
        pytest.skip("slurmd starts jobs of others, and so as root only")
    _configure(top)
    with ExitStack() as stack:
        output = stack.enter_context((top / "daemons.log").open("ab"))
        nodes = (["slurmd", "-D", "-N", f"node{number}"] for number in range(1, NODES + 1))
        for command in (["slurmctld", "-D", "-i"], *nodes):
            process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        wait_until(lambda: sum(map(int, asked(environment, *_IDLE).split())) == NODES, 60, 0.2)
        yield environment


def _configure(top: Path) -> None:
    top.chmod(0o755)
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(NODES + 1)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        control, *ports = (int(one.getsockname()[1]) for one in sockets)
    host = socket.gethostname()
    nodes = [_NODE.format(number=number, host=host, port=port) for number, port in enumerate(ports, 1)]
    text = _SLURM.format(host=host, top=top, control=control, nodes="\n".join(nodes), count=NODES)
    (top / "slurm.conf").write_text(text, encoding="utf-8")
    (top / "gres.conf").write_text(f"NodeName=node[1-{NODES}] Name=gpu File=/dev/tty[0-7]\n", encoding="utf-8")


def asked(slurm: dict[str, str], *command: str) -> str:
    """What a command of the cluster prints; nothing where it has no answer."""
    return subprocess.run(command, env=slurm, capture_output=True, text=True, check=False).stdout


def wait_until_nothing_runs(slurm: dict[str, str]) -> None:
    """Wait until no job is left that somebody would have to cancel, and none that has not quite ended."""
    queue = ("squeue", "--noheader", "--states=RUNNING,PENDING,COMPLETING")
    wait_until(lambda: not asked(slurm, *queue), 120, 0.1)

"""A cluster of four emulated nodes with eight pretended GPUs each: the real Slurm, on this machine alone."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

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
_NODE = (
    "NodeName=node{number} NodeHostname={host} NodeAddr=localhost Port={port} CPUs=16 RealMemory=4000 Gres=gpu:8"
    " State=UNKNOWN"
)


def missing() -> str | None:
    """Say why no cluster can be started here; None where one can."""
    absent = [program for program in PROGRAMS if shutil.which(program, path=_path()) is None]
    if absent:
        return f"{', '.join(absent)} of Debian's slurmctld, slurmd and slurm-client are not installed"
    return None if os.geteuid() == 0 else "slurmd starts jobs of others, and so as root only"


@contextmanager
def emulated(top: Path) -> Iterator[dict[str, str]]:
    """Start the cluster with its files under `top`; yields the environment in which its commands find it."""
    environment = {**os.environ, "PATH": _path(), "SLURM_CONF": str(top / "slurm.conf")}
    _write(top)
    with ExitStack() as stack:
        _started(stack, top, environment, ["slurmctld", "-D", "-i"])
        for number in range(1, NODES + 1):
            _started(stack, top, environment, ["slurmd", "-D", "-N", f"node{number}"])
        _wait_until_idle(environment)
        yield environment


def _path() -> str:
    return os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])


def _write(top: Path) -> None:
    top.mkdir(parents=True, exist_ok=True)
    top.chmod(0o755)
    control, *ports = _free_ports(NODES + 1)
    host = socket.gethostname()
    nodes = [_NODE.format(number=number, host=host, port=port) for number, port in enumerate(ports, 1)]
    text = _SLURM.format(host=host, top=top, control=control, nodes="\n".join(nodes), count=NODES)
    (top / "slurm.conf").write_text(text, encoding="utf-8")
    (top / "gres.conf").write_text(f"NodeName=node[1-{NODES}] Name=gpu File=/dev/tty[0-7]\n", encoding="utf-8")


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _started(stack: ExitStack, top: Path, environment: dict[str, str], command: list[str]) -> None:
    output = stack.enter_context((top / "daemons.log").open("ab"))
    process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.kill)


def _wait_until_idle(environment: dict[str, str]) -> None:
    deadline = time.monotonic() + 60
    command = ["sinfo", "--noheader", "--format=%D", "--states=idle"]
    while True:
        answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if sum(map(int, answer.stdout.split())) == NODES:
            return
        assert time.monotonic() < deadline, answer.stdout + answer.stderr
        time.sleep(0.2)


def asked(slurm: dict[str, str], *command: str) -> str:
    """What a command of the cluster prints."""
    return subprocess.run(command, env=slurm, capture_output=True, text=True, check=True).stdout


def wait_until_nothing_runs(slurm: dict[str, str]) -> None:
    """Wait until no job is left that somebody would have to cancel, and none that has not quite ended."""
    deadline = time.monotonic() + 120
    while queue := asked(slurm, "squeue", "--noheader", "--states=RUNNING,PENDING,COMPLETING"):
        assert time.monotonic() < deadline, queue
        time.sleep(0.1)

"""Small checkouts with programs that train, `tachograph` that starts them as real processes, and a cluster for them."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from textwrap import indent
from typing import Any
from unittest.mock import patch

import click
import psutil
import pytest

from launchers.commands import commands, launch
from launchers.commands import run as run_command
from tests.commandline import executable, git, run

TOP = Path(__file__).resolve().parents[2]
TACHOGRAPH = Path(sys.executable).with_name("tachograph")
RECIPES = sorted(path.stem for path in (TOP / "launchers").glob("*.sh"))  # the names of all
URL = "https://github.com/PaddlePaddle/PaddleClas"
METRIC = "[Train][Epoch 1/1][Iter: 0/1]lr: 0.1, batch_cost: 0.80387s, ips: 4.97591 samples/s, eta: 0:00:00\n"
PRINT = f"print({METRIC!r}, end='')\n"
TRAIN = """\
for step in range(1, 41):
    print(f"step {step}: loss {4 - step / 20:.4f}, {1000 + step % 3} tokens/s")
"""
ON_TWO = ["--nodes", "2", "--cards", "4"]
COMMANDS = f"""
import sys
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(TOP)!r}]
import checkouts
checkouts.main()
"""
# What stands in for every program that a launcher may start: it tells the folder, its own name and its arguments.
TELL = """printf '%s\\0' "$PWD" "${0##*/}" "$@\""""
PYTHON = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'


def main() -> None:
    """The commands of the launchers alone, which start sooner; a launch sums nothing up at its end."""
    more: dict[click.Command, dict[str, object]] = {
        launch: {"page_names": list, "lacking": None},
        run_command: {"comparison": None},
    }
    own = {command: copy(command) for command in commands}
    for command, needs in more.items():
        assert command.callback
        own[command].callback = partial(command.callback, measured=lambda case, language: ("", True), **needs)
    click.Group("tachograph", [*own.values()])()


def run_file(folder: Path) -> dict[str, Any]:
    """The run.json of a run folder."""
    return dict(json.loads((folder / "run.json").read_text(encoding="utf-8")))


@cache
def _template() -> tempfile.TemporaryDirectory[str]:
    made = tempfile.TemporaryDirectory()
    path = Path(made.name)
    executable(path / "tools" / "train.py", "one\n")
    git(path, "init", "-q")
    git(path, "add", ".")
    git(path, "commit", "-q", "-m", "a")
    git(path, "remote", "add", "origin", f"{URL}.git")
    return made


def make_checkout(top: Path) -> Path:
    """Make a git checkout under `top` with one file, which seems to come from a native repository."""
    shutil.copytree(_template().name, top / "PaddleClas")
    git(top / "PaddleClas", "update-index", "-q", "--refresh")
    return top / "PaddleClas"


def start(top: Path, recipe: str, body: str = TELL, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start a launcher in a checkout at `top`, where every native program is a shell script with this body."""
    path = TOP / "launchers" / f"{recipe}.sh"
    for name in ["", *re.findall(r'cd "\$REPO/([^"$]+)"', path.read_text(encoding="utf-8"))]:
        (top / name).mkdir(parents=True, exist_ok=True)
    for program in ("python", "mpirun", "torchrun", "horovodrun"):
        executable(top / "bin" / program, f"#!/bin/sh\n{body}\n")
    executable(top / "bin" / "shuf", "#!/bin/sh\n")
    environment = {"PATH": _path(top), "REPO": str(top), "WORK": str(top / "work"), **variables}
    return subprocess.run(["bash", str(path)], env=environment, capture_output=True, text=True, check=False)


def _path(top: Path) -> str:
    """PATH with the programs of a folder before the others."""
    return f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}"


@dataclass
class Native:
    """A checkout with a training program, its data, and the `python` on PATH that the launcher starts."""

    top: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repo, self.suite = self.top / "checkout", self.top / "logs" / "suite"
        # The folders of the first repeat: done, as long as it goes on, and on two nodes of two cards.
        self.run = self.suite / "ResNet50_bs64_fp32_N1C1" / "1"
        self.unfinished = self.run.with_name(".1.unfinished")
        self.run_on_two = self.suite / "ResNet50_bs64_fp32_N2C4" / "1"
        # The start of every command line in a process of its own, and one that runs the case once on a CPU.
        self.command = [sys.executable, "-c", COMMANDS]
        place = ["--repo", str(self.repo), "--data", str(self.repo / "data"), "--into", str(self.suite)]
        self.options = ["launch", "paddleclas_resnet50", *place, "--device", "cpu", "--repeats", "1"]

    @property
    def log(self) -> str:
        """The log of the first repeat."""
        return (self.run / "train.log").read_text(encoding="utf-8")

    def trains(self, program: str) -> None:
        """Make `program`, a Python text, what the checkout trains with."""
        (self.repo / "tools" / "train.py").write_text(program, encoding="utf-8")

    def started(self, *arguments: str, group: bool = False) -> subprocess.Popen[str]:
        """Start `tachograph launch` with further arguments, maybe in a process group of its own."""
        return subprocess.Popen(
            [*self.command, *self.options, *arguments],
            cwd=TOP,
            env=os.environ | self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=group,
        )

    def training(self, *arguments: str, group: bool = False) -> subprocess.Popen[str]:
        """The same; waits until the job has printed a metric line."""
        process = self.started(*arguments, group=group)
        logs = "*/.1.unfinished/train.log"
        wait_until(lambda: any(METRIC.encode() in path.read_bytes() for path in self.suite.glob(logs)))
        return process

    def launch(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `tachograph launch` to its end, in this process where it needs no modules of its own."""
        if "PYTHONPATH" not in self.environment:
            return self.tachograph(*self.options, *arguments)
        process = self.started(*arguments)
        output, errors = process.communicate(timeout=60)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def tachograph(
        self, *arguments: str | Path, cwd: Path = TOP, main: Callable[[], None] | None = main
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the launchers in this process; of the whole program where `main` is None."""
        with patch.dict(os.environ, self.environment):
            return run(*arguments, cwd=cwd, main=main)

    def dry_run(self, *arguments: str) -> str:
        """The script that a dry run prints."""
        return self.launch(*arguments, "--dry-run").stdout

    def execute(self, script: str) -> None:
        """Execute the script of a dry run."""
        environment = os.environ | self.environment
        subprocess.run(["bash", "-c", script], env=environment, cwd=self.top, check=True, capture_output=True)

    def facts(self) -> dict[str, Any]:
        """The run.json of the first repeat."""
        return run_file(self.run)

    def facts_on_two(self) -> dict[str, Any]:
        """The same on two nodes."""
        return run_file(self.run_on_two)

    def printed_by_nodes(self) -> list[list[str]]:
        """What the two nodes printed about themselves, in their order."""
        text = (self.run_on_two / "train.log").read_text(encoding="utf-8")
        lines = [re.sub(r"^\d+: |^\[\d+,\d+\]<stdout>:", "", line) for line in text.splitlines()]
        return sorted(line.split() for line in lines if re.match(r"\d ", line))

    def trainers(self) -> list[psutil.Process]:
        """The processes that train in the checkout."""
        found = psutil.process_iter(["cwd", "status"])
        here = [process for process in found if process.info["cwd"] == str(self.repo)]
        return [process for process in here if process.info["status"] != psutil.STATUS_ZOMBIE]


def wait_until(is_so: Callable[[], object], seconds: float = 30, every: float = 0.01) -> None:
    """Wait until a function returns something true."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(every)


def make_native(top: Path) -> Native:
    """Lay out a checkout under `top` whose program prints one metric line."""
    here = Native(top, {"PATH": _path(top)})
    (here.repo / "tools").mkdir(parents=True)
    (here.repo / "data").mkdir()
    here.trains(PRINT)
    executable(top / "bin" / "python", PYTHON)
    return here


def telling(*names: str) -> str:
    """A program that prints the values of environment variables, NODE_RANK before them, and then a metric line."""
    template = " ".join(f"{{{name}}}" for name in ("NODE_RANK", *names))
    # In one write, so that the lines of two nodes do not run together.
    line = f"'{template}\\n'.format_map(os.environ) + {METRIC!r}"
    return f"import os\nos.write(1, ({line}).encode())\n"


def on_nodes(native: Native) -> Native:
    """Make the program print its node and where the nodes meet, then a metric line."""
    # The distributed launcher of the framework is not installed here; what it would start is started in its place.
    skip = '[ "$1" != -m ] || until case $1 in *.py) ;; *) false ;; esac; do shift; done'
    executable(native.top / "bin" / "python", PYTHON.replace("\n", f"\n{skip}\n", 1))
    native.trains(telling("MASTER"))
    return native


def portable(script: str, top: Path) -> str:
    """What a dry run prints without the folder on this machine, the port, and the text of meet.bash."""
    meet = (TOP / "launchers/meet.bash").read_text(encoding="utf-8")
    quoted = meet.replace("\n", r"\012").replace("'", r"\047")
    for text in (meet, indent(meet, " " * 14), quoted, str(top)):
        script = script.replace(text, "@TOP@" if text == str(top) else "@meet.bash@\n")
    return re.sub(r"(MASTER=\w+:)2\d{4}", r"\1@PORT@", script)


def knows_any_name(native: Native) -> None:
    """Make names of machines that there are not stand for themselves where their addresses are asked for."""
    python = native.top / "bin" / "python"
    executable(python, python.read_text().replace("\n", '\n[ "$1" = - ] && exec echo "$2" "$2"\n', 1))


@dataclass
class OwnProgram:
    """A folder with `train.py` under git, with a `python` and a `torchrun` on PATH that start this Python."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.suite = self.folder / "logs" / self.folder.name

    def change(self, text: str) -> None:
        """Make a text the program."""
        (self.folder / "train.py").write_text(text, encoding="utf-8")

    def run(self, *arguments: str, below: str = ".") -> subprocess.CompletedProcess[str]:
        """Run `tachograph run` to its end, in the folder or in one below it."""
        with patch.dict(os.environ, self.environment):
            return run("run", *arguments, cwd=self.folder / below)

    def started(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start the same in a process of its own."""
        environment = os.environ | self.environment
        return subprocess.Popen([TACHOGRAPH, "run", *arguments], cwd=self.folder, env=environment, text=True)

    def cases(self) -> list[str]:
        """The names of the folders of all runs, as seen from that of their suite."""
        return sorted(path.parent.relative_to(self.suite).as_posix() for path in self.suite.glob("*/[0-9]*/run.json"))

    def facts(self, run: str) -> dict[str, Any]:
        """The run.json of a run, such as `train/1`."""
        return run_file(self.suite / run)


def make_program(top: Path) -> OwnProgram:
    """Lay out a program under `top`, in a commit of its own."""
    program = OwnProgram(top / "project", {"PATH": _path(top)})
    program.folder.mkdir()
    program.change(TRAIN)
    git(program.folder, "init", "-q")
    git(program.folder, "add", "-A")
    git(program.folder, "commit", "-qm", "first")
    executable(top / "bin" / "python", PYTHON)
    executable(top / "bin" / "torchrun", PYTHON.replace("\n", "\nshift 2\n", 1))
    return program


# A cluster of four emulated nodes with eight pretended GPUs each: the real Slurm, on this machine alone.
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

"""Where a job runs: what the options and the site file say, and where the nodes of a job meet."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click
import psutil
import pytest
from checkouts import ON_TWO, TOP, Native, executable, on_nodes, telling

from launchers.backends.site_file import NO_SITE, read
from launchers.commands import Executor

ADDRESS = r"\d+\.\d+\.\d+\.\d+"
MEET = f"set -e; . {shlex.quote(str(TOP / 'launchers' / 'meet.bash'))}; meet; echo $MASTER $POD_IP"
BY_HAND = [*ON_TWO, "--node-rank", "0", "--master"]
SITE = """
modules = ["cuda/12.4", "nccl"]
setup = ["ulimit -l unlimited"]
[slurm]
partition = "gpu"
account = "lab"
time = "02:00:00"
gres = "gpu:a100"
extra = ["--qos=high"]
"""


@pytest.mark.parametrize(
    ("options", "program"),
    [({"on": "slurm"}, "sbatch"), ({"on": "mpirun", "hosts": "a,b"}, "mpirun"), ({"container": "a"}, "docker")],
)
def test_only_what_is_started_needs_its_program_here(
    options: dict[str, Any], program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Executor(**options, dry_run=True).place
    with pytest.raises(click.UsageError, match=program):
        assert Executor(**options).place


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[slurm]\npartion = 'a'", "slurm.partion"),
        ("partition = 'a'", "partition"),
        ("[slurm]\npartition = 'a b'", "slurm.partition"),
        ("[slurm]\npartition = 3", "slurm.partition"),
        ("slurm = 'a'", "slurm"),
        ("[slurm]\nextra = '--qos=high'", "slurm.extra"),
        ('[slurm]\nextra = ["--qos=high\\nrm -rf /"]', "slurm.extra.0"),
        ("[kubernetes.labels]\n'a b' = 'c'", "kubernetes.labels.a b"),
        ("[slurm", "is not valid TOML"),
        (None, "cannot be read"),
    ],
)
def test_what_is_wrong_in_a_site_file_is_said_with_file_and_key(tmp_path: Path, text: str | None, key: str) -> None:
    path = tmp_path / "site.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(click.UsageError) as error:
        read(path, {})
    assert error.value.message.startswith(str(path))
    assert key in error.value.message


def test_the_usual_site_file_is_read_from_the_configuration_of_its_user_where_it_is(tmp_path: Path) -> None:
    assert read(None, {"HOME": str(tmp_path)}) == NO_SITE
    (tmp_path / ".config/tachograph").mkdir(parents=True)
    (tmp_path / ".config/tachograph/site.toml").write_text("modules = ['cuda/12']", encoding="utf-8")
    for environ in ({"HOME": str(tmp_path)}, {"XDG_CONFIG_HOME": str(tmp_path / ".config")}):
        assert read(None, environ).modules == ["cuda/12"]


def test_a_job_script_has_what_the_site_says(native: Native) -> None:
    (native.top / "site.toml").write_text(SITE, encoding="utf-8")
    site = ["--on", "slurm", "--site", str(native.top / "site.toml")]
    lines = native.dry_run(*ON_TWO, *site, "--device", "gpu", "--precision", "amp").splitlines()
    directives = [line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH ")]
    assert directives[-4:] == ["--mem=0", "--partition=gpu", "--time=02:00:00", "--qos=high"]
    assert "--gres=gpu:a100:2" in directives
    assert {"module load cuda/12.4 nccl", "ulimit -l unlimited"} <= set(lines)
    assert " --account=lab " in next(line for line in lines if line.startswith("sbatch "))


def test_nodes_that_are_started_by_hand_have_suites_of_their_own(native: Native) -> None:
    on_nodes(native)
    for rank in ("0", "1"):
        native.launch(*ON_TWO, "--master", "127.0.0.1:29501", "--node-rank", rank)
    other = native.suite.with_name("suite-node1") / native.run_on_two.relative_to(native.suite)
    assert ((native.run_on_two / "run.json").exists(), (other / "run.json").exists()) == (True, True)


@pytest.mark.parametrize("way", ["launch", "dry run"])
def test_nodes_that_are_started_by_hand_meet_at_an_address(native: Native, way: str) -> None:
    on_nodes(native).trains(telling("MASTER", "POD_IP"))
    if way == "launch":
        native.launch(*BY_HAND, "localhost:29500")
        facts = native.facts_on_two()
        # Where they met is kept as it was given.
        assert (facts["variables"]["MASTER"], '--master "$MASTER"' in facts["native"]) == ("localhost:29500", True)
    else:
        native.execute(native.dry_run(*BY_HAND, "localhost:29500"))
    [[_, master, own]] = native.told()
    assert re.fullmatch(ADDRESS, own)
    assert master == f"{own}:29500"


def own_addresses() -> set[str]:
    """The addresses of this machine by which others may reach it."""
    known = {entry.address for entries in psutil.net_if_addrs().values() for entry in entries}
    return {address for address in known if re.fullmatch(ADDRESS, address) and not address.startswith("127.")}


def meet(
    top: Path, master: str, hosts: str | None = None, inside: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """What a node finds, with this text as its /etc/hosts, or with that of the machine."""
    executable(top / "bin" / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    command = ["bash", "-c", MEET]
    if hosts is not None:
        (top / "hosts").write_text(hosts)
        mount = f"mount --bind {shlex.quote(str(top / 'hosts'))} /etc/hosts && exec {shlex.join(command)}"
        command = ["unshare", "--mount", "sh", "-c", mount]
    environment = {**os.environ, "PATH": f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}", "MASTER": master}
    return subprocess.run([*inside, *command], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def _own_names() -> None:
    """Leave to change names for a process alone."""
    command = ["unshare", "--mount", "mount", "--bind", "/etc/hosts", "/etc/hosts"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root, in a machine that lets it, can have an /etc/hosts of its own")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.1.1"])
def test_an_address_is_kept(tmp_path: Path, address: str) -> None:
    assert meet(tmp_path, f"{address}:29500").stdout.split()[0] == f"{address}:29500"


@pytest.mark.usefixtures("_own_names")
def test_a_name_becomes_its_address_or_that_by_which_others_reach_this_machine(tmp_path: Path) -> None:
    own = own_addresses()
    address = min(own, default="127.0.0.1")
    assert meet(tmp_path, "node1:29500", f"{address} node1\n").stdout.split() == [f"{address}:29500", address]
    if own:
        master, address = meet(tmp_path, "node1:29500", "127.0.1.1 node1.example.com node1\n").stdout.split()
        assert (master, address in own) == (f"{address}:29500", True)


@pytest.mark.usefixtures("_own_names")
def test_a_name_without_an_address_is_reported_in_a_sentence(tmp_path: Path) -> None:
    answer = meet(tmp_path, "node1:29500", "")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.startswith("The nodes cannot meet at node1: ")
    assert "Traceback" not in answer.stderr


@contextmanager
def two_machines() -> Iterator[dict[str, tuple[str, ...]]]:
    """What starts a command on one of two machines, 10.213.7.1 and 10.213.7.2, with a cable between them."""
    names = {f"tachograph{os.getpid()}{letter}": f"10.213.7.{number}" for number, letter in ((1, "a"), (2, "b"))}
    first, second = names
    steps = [["netns", "add", name] for name in names]
    steps += [["-n", first, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", second]]
    for name, address in names.items():
        steps += [["-n", name, "addr", "add", f"{address}/24", "dev", "cable"]]
        steps += [["-n", name, "link", "set", device, "up"] for device in ("lo", "cable")]
    with ExitStack() as stack:
        for name in names:
            stack.callback(subprocess.run, ["ip", "netns", "del", name], capture_output=True, check=False)
        for step in steps:
            if done := subprocess.run(["ip", *step], capture_output=True, text=True, check=False).stderr:
                pytest.skip(f"two networks cannot be made here: {done}")
        yield {address: ("ip", "netns", "exec", name) for name, address in names.items()}


@pytest.mark.usefixtures("_own_names")
def test_two_machines_that_each_take_their_own_name_for_127_0_1_1_meet(tmp_path: Path) -> None:
    hosts = {
        "10.213.7.1": "127.0.1.1 node1\n10.213.7.2 node2\n",
        "10.213.7.2": "127.0.1.1 node2\n10.213.7.1 node1\n",
    }
    with two_machines() as inside:
        found = [meet(tmp_path / own, "node1:29500", hosts[own], way).stdout.split() for own, way in inside.items()]
    assert found == [["10.213.7.1:29500", own] for own in hosts]

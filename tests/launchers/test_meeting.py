"""Where the nodes of Paddle's launcher meet, which knows machines by addresses and not by names."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest
from native_checkout import TOP, Native, executable
from several_nodes import ON_TWO, dry_run, execute, facts_of, on_nodes, telling, told
from test_launched_commands import start

from launchers.job import of_recipe
from launchers.recipes import recipe as recipes
from launchers.recipes.checkout import Checkout

ADDRESS = r"\d+\.\d+\.\d+\.\d+"
MEET = f"set -e; . {shlex.quote(str(TOP / 'launchers' / 'meet.bash'))}; meet; echo $MASTER $POD_IP"
BY_HAND = [*ON_TWO, "--node-rank", "0", "--master"]


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
def test_a_name_becomes_its_address(tmp_path: Path) -> None:
    own = min(own_addresses(), default="127.0.0.1")
    assert meet(tmp_path, "node1:29500", f"{own} node1\n").stdout.split() == [f"{own}:29500", own]


@pytest.mark.usefixtures("_own_names")
def test_a_name_of_this_machine_becomes_the_address_by_which_others_reach_it(tmp_path: Path) -> None:
    if not (own := own_addresses()):
        pytest.skip("this machine has no address but that of its loopback")
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


@pytest.mark.parametrize("way", ["launch", "dry run"])
def test_nodes_that_are_started_by_hand_meet_at_an_address(native: Native, way: str) -> None:
    on_nodes(native).trains(telling("MASTER", "POD_IP"))
    if way == "launch":
        native.launch(*BY_HAND, "localhost:29500")
        facts = facts_of(native)
        # Where they met is kept as it was given.
        assert (facts["variables"]["MASTER"], '--master "$MASTER"' in facts["native"]) == ("localhost:29500", True)
    else:
        execute(native, dry_run(native, *BY_HAND, "localhost:29500"))
    [[_, master, own]] = told(native)
    assert re.fullmatch(ADDRESS, own)
    assert master == f"{own}:29500"


@pytest.mark.parametrize("name", ["paddleclas_resnet50", "paddlenlp_qwen2", "torchtitan_qwen3", "nanogpt"])
def test_only_the_launcher_of_paddle_is_given_an_address_for_a_name(tmp_path: Path, name: str) -> None:
    start(tmp_path, name, DRY_RUN="1")
    recipe = recipes.find(name)
    job = of_recipe(recipe, Checkout(tmp_path), None, {"NODES": "2", "CARDS": "4", "MASTER": "node1:29500"})
    assert job.meets_by_address == recipe.facts["framework"].startswith("Paddle")

"""Where a job runs: what options and site file say, scripts and manifests of each place, and where nodes meet."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import kubernetes_validate
import psutil
import pytest
import yaml
from checkouts import ON_TWO, TOP, Native, OwnProgram, knows_any_name, on_nodes, portable, run_file, telling

from launchers.backends.site_file import NO_SITE, read
from launchers.commands import Executor
from tests.commandline import executable

ADDRESS = r"\d+\.\d+\.\d+\.\d+"
SCRIPTS = Path(__file__).parent / "scripts"
BY_HAND = [*ON_TWO, "--master", "localhost:29500", "--node-rank"]
RECIPES = {"Paddle": "paddleclas_resnet50", "TensorFlow": "nvidia_tensorflow_resnet50"}
SITE = """
modules = ["cuda/12.4", "nccl"]
setup = ["ulimit -l unlimited"]
[slurm]
partition = "gpu"
account = "lab"
time = "02:00:00"
gres = "gpu:a100"
extra = ["--qos=high"]
[container]
runtime = "podman"
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
        ("[slurm", "TOML"),
        (None, "No such file"),
    ],
)
def test_a_mistake_in_a_site_file_is_reported_with_file_and_key(tmp_path: Path, text: str | None, key: str) -> None:
    path = tmp_path / "site.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(click.UsageError) as error:
        read(path, {})
    assert error.value.message.startswith(str(path))
    assert key in error.value.message


def test_the_usual_site_file_is_read_from_the_configuration_of_its_user_where_it_is(tmp_path: Path) -> None:
    assert read(None, {"HOME": str(tmp_path)}) == NO_SITE
    executable(tmp_path / ".config/tachograph/site.toml", "modules = ['cuda/12']")
    for environ in ({"HOME": str(tmp_path)}, {"XDG_CONFIG_HOME": str(tmp_path / ".config")}):
        assert read(None, environ).modules == ["cuda/12"]


@pytest.mark.parametrize(
    ("name", "recipe", "words"),
    [
        ("slurm", "Paddle", "--on slurm --device gpu --precision amp --site {site}"),
        ("slurm_by_card", "TensorFlow", "--on slurm"),
        ("slurm_in_containers", "Paddle", "--on slurm --container nvcr.io#nvidia/a:1 --site {site}"),
        ("mpirun", "Paddle", "--on mpirun -H a:8,b:8"),
        ("mpirun_by_card", "TensorFlow", "--on mpirun -H a:2,b:2"),
    ],
)
def test_a_dry_run_prints_the_script_of_its_place(
    native: Native,
    name: str,
    recipe: str,
    words: str,
    compare: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in {*os.environ} - {"PATH"}:
        monkeypatch.delenv(variable)
    (native.repo / "TensorFlow/Classification/ConvNets").mkdir(parents=True)
    (native.top / "site.toml").write_text(SITE, encoding="utf-8")
    options = [*words.format(site=native.top / "site.toml").split(), *ON_TWO, "--repeats", "1", "--dry-run"]
    place = ["--repo", str(native.repo), "--into", str(native.suite)]
    printed = native.tachograph("launch", RECIPES[recipe], *place, *options).stdout
    compare(SCRIPTS / f"{name}.sh", portable(printed, native.top))


@pytest.mark.parametrize("recipe", RECIPES.values())
def test_a_script_is_printed_without_a_checkout_and_demands_one(native: Native, recipe: str) -> None:
    script = native.tachograph("launch", recipe, "--dry-run", "--repeats", "1", "--on", "slurm").stdout
    assert ("${REPO:?" in script, '"$WORK"' in script) == (True, True)
    assert native.tachograph("launch", recipe).returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        "Paddle --repo {repo} --on kubernetes --container x",  # which is never started
        "Paddle --repo {repo} --on kubernetes --dry-run",  # no image
        "Paddle --on kubernetes --container x --dry-run",  # no checkout
        "TensorFlow --repo {repo} --on kubernetes --container x --dry-run",  # a task for each card
        "TensorFlow --repo {repo} --on slurm --container x --dry-run",
        "TensorFlow --repo {repo}",
        "Paddle --repo {repo} --on slurm --nodes 4",  # there are 3 in the allocation
        "Paddle --repo {repo} --on slurm --detach",  # out of which there is nothing to detach from
    ],
)
def test_what_a_place_cannot_do_is_refused_and_nothing_is_left(native: Native, words: str) -> None:
    executable(native.top / "bin" / "sbatch", "#!/bin/sh\n")
    native.environment |= {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "3"}
    (native.repo / "TensorFlow/Classification/ConvNets").mkdir(parents=True)
    recipe, *options = words.format(repo=native.repo).split()
    answer = native.tachograph("launch", RECIPES[recipe], "--into", native.suite, *ON_TWO, *options)
    assert (answer.returncode, answer.stdout, native.suite.exists()) == (2, "", False)


def test_nodes_that_are_started_by_hand_have_suites_of_their_own_and_meet_at_an_address(native: Native) -> None:
    on_nodes(native).trains(telling("MASTER", "POD_IP"))
    for rank in ("0", "1"):
        native.launch(*BY_HAND, rank)
    other = native.suite.with_name("suite-node1") / native.run_on_two.relative_to(native.suite)
    assert run_file(other)["status"] == "done"
    facts = native.facts_on_two()
    # Where they met is kept as it was given.
    assert (facts["variables"]["MASTER"], '--master "$MASTER"' in facts["native"]) == ("localhost:29500", True)
    [[_, master, own]] = native.printed_by_nodes()
    assert (re.fullmatch(ADDRESS, own) is not None, master) == (True, f"{own}:29500")
    native.execute(native.dry_run(*BY_HAND, "0"))
    assert native.printed_by_nodes() == [["0", master, own]]


def meet(top: Path, master: str, hosts: str | None = None) -> subprocess.CompletedProcess[str]:
    """What a node finds, with this text as its /etc/hosts, or with that of the machine."""
    executable(top / "bin" / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    script = f"set -e; . {shlex.quote(str(TOP / 'launchers/meet.bash'))}; meet; echo $MASTER $POD_IP"
    command = ["bash", "-c", script]
    if hosts is not None:
        (top / "hosts").write_text(hosts)
        mount = f"mount --bind {shlex.quote(str(top / 'hosts'))} /etc/hosts && exec {shlex.join(command)}"
        command = ["unshare", "--mount", "sh", "-c", mount]
    environment = {**os.environ, "PATH": f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}", "MASTER": master}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.1.1"])
def test_an_address_is_kept(tmp_path: Path, address: str) -> None:
    assert meet(tmp_path, f"{address}:29500").stdout.split()[0] == f"{address}:29500"


def test_a_name_becomes_its_address_or_that_by_which_others_reach_this_machine(tmp_path: Path) -> None:
    command = ["unshare", "--mount", "mount", "--bind", "/etc/hosts", "/etc/hosts"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root, in a machine that lets it, can have an /etc/hosts of its own")
    known = {entry.address for entries in psutil.net_if_addrs().values() for entry in entries}
    own = {address for address in known if re.fullmatch(ADDRESS, address) and not address.startswith("127.")}
    address = min(own, default="127.0.0.1")
    assert meet(tmp_path, "node1:29500", f"{address} node1\n").stdout.split() == [f"{address}:29500", address]
    if own:
        master, address = meet(tmp_path, "node1:29500", "127.0.1.1 node1.example.com node1\n").stdout.split()
        assert (master, address in own) == (f"{address}:29500", True)
    answer = meet(tmp_path, "node1:29500", "")  # a name without an address
    assert (answer.returncode, answer.stdout, "node1" in answer.stderr) == (1, "", True)
    assert "Traceback" not in answer.stderr


# Manifests for Kubernetes are held against the schema of its API; their scripts are run here as pods would run them.
KUBERNETES = ["--on", "kubernetes", "--container", "example.org/paddle:2.6", "--dry-run"]
CLUSTER = """
[kubernetes]
namespace = "lab"
image = "example.org/site:1"
gpu = "amd.com/gpu"
shm = "32Gi"
claims = { "/work" = "team-disk" }
node_selector = { "gpu.example.org/model" = "a100" }
labels = { "queue.example.org/name" = "night" }
"""


def executed(job: dict[str, Any], native: Native, top: Path, index: str = "0") -> str:
    """Run the container of a pod here, where a host is known by any name; returns what it prints."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    executable(native.top / "bin" / "getent", "#!/bin/sh\n")
    said = {variable["name"]: variable["value"] for variable in container["env"]}
    environment = {**os.environ, **native.environment, **said, "JOB_COMPLETION_INDEX": index}
    command = [word.replace("/tachograph-work", str(top)) for word in container["command"]]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("one_node", KUBERNETES),
        ("two_nodes", [*KUBERNETES, *ON_TWO, "--device", "gpu"]),
        ("site", ["--on", "kubernetes", "--site", "{top}/site.toml", "--repeats", "2", "--device", "gpu", "--dry-run"]),
    ],
)
def test_a_dry_run_prints_manifests_that_the_api_takes_and_each_pod_trains(
    native: Native, name: str, words: list[str], compare: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in {*os.environ} - {"PATH"}:
        monkeypatch.delenv(variable)
    (native.top / "site.toml").write_text(CLUSTER, encoding="utf-8")
    on_nodes(native).trains(telling("WORK", *(["MASTER"] if name == "two_nodes" else [])))
    knows_any_name(native)  # in place of the name service
    printed = native.launch(*(word.format(top=native.top) for word in words)).stdout
    compare(SCRIPTS / f"kubernetes_{name}.yaml", portable(printed, native.top))
    found = list(yaml.safe_load_all(printed))
    for manifest in found:
        kubernetes_validate.validate(manifest, "1.37", strict=True)
    job = found[-1]
    for index in "01"[: job["spec"]["completions"]]:
        rank, work, *master = executed(job, native, native.top / index, index).splitlines()[0].split()
        address = f"{job['metadata']['name']}-0.{job['metadata']['name']}:29500"
        assert (work, master) == (str(native.top / index), [address] if name == "two_nodes" else [])
        assert rank == index


def test_jobs_of_two_suites_have_two_names_however_long_these_are(native: Native) -> None:
    suites = [f"{begin}-{'long' * middle}" for begin in ("1", "a", "ä") for middle in (0, 20, 21)]
    scripts = [native.launch(*KUBERNETES, "--into", str(native.top / suite)).stdout for suite in suites]
    names = {yaml.safe_load(script)["metadata"]["name"] for script in scripts}
    assert (len(names), all(re.fullmatch("[a-z][a-z0-9-]{0,51}", name) for name in names)) == (len(suites), True)


def test_the_words_of_a_command_may_hold_anything(program: OwnProgram) -> None:
    top = program.folder.parent
    program.change("import sys; print(sys.argv[1:])")
    words = ["a: b\n- c", "it's \t#", "é", "{{ x }}", "\x7f\u2028"]
    answer = program.run("--on", "kubernetes", "--container", "x", "--dry-run", "--", "python", "train.py", *words)
    (job,) = yaml.safe_load_all(answer.stdout)
    assert executed(job, Native(top, program.environment), top) == f"{words}\n"

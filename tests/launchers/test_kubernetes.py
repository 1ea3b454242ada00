"""Manifests for Kubernetes, held against the schema of its API; their scripts are run here as pods would run them."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from checkouts import ON_TWO, Native, OwnProgram, executable, knows_any_name, on_nodes, portable, telling

MANIFESTS = Path(__file__).parent / "scripts"
KUBERNETES = ["--on", "kubernetes", "--container", "example.org/paddle:2.6", "--dry-run"]
SITE = """
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
    (native.top / "site.toml").write_text(SITE, encoding="utf-8")
    on_nodes(native).trains(telling("WORK", *(["MASTER"] if name == "two_nodes" else [])))
    knows_any_name(native)  # in place of the name service
    printed = native.launch(*(word.format(top=native.top) for word in words)).stdout
    compare(MANIFESTS / f"kubernetes_{name}.yaml", portable(printed, native.top))
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

"""Manifests for Kubernetes, held against the schema of its API; their script is run here as a pod would run it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from git_checkout import git
from native_checkout import TOP, Native
from own_program import make_program
from room_commands import main
from several_nodes import ON_TWO, on_nodes, telling

from tests.commandline import run

VERSIONS = ("1.28", "1.37")
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


def manifests(native: Native, *arguments: str) -> list[dict[str, Any]]:
    """The manifests that a dry run prints."""
    answer = native.launch(*arguments)
    assert answer.returncode == 0, answer.stderr.decode()
    return list(yaml.safe_load_all(answer.stdout))


def site(native: Native, text: str = SITE) -> list[str]:
    """The options of a dry run with a site file."""
    (native.top / "site.toml").write_text(text, encoding="utf-8")
    return ["--on", "kubernetes", "--dry-run", "--site", str(native.top / "site.toml")]


def pods(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The templates of the pods of a PyTorchJob."""
    return [replica["template"] for replica in manifest["spec"]["pytorchReplicaSpecs"].values()]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_job_on_one_node_is_one_of_the_schema(native: Native, version: str) -> None:
    gpus = ["--device", "gpu", "--cards", "8", "--precision", "amp"]
    for arguments in (KUBERNETES, site(native), [*KUBERNETES, *gpus]):
        (manifest,) = manifests(native, *arguments)
        assert manifest["kind"] == "Job"
        kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_several_nodes_are_a_master_and_workers_that_are_not_restarted(native: Native, version: str) -> None:
    (manifest,) = manifests(native, *KUBERNETES, "--nodes", "4", "--cards", "32", "--device", "gpu")
    replicas = manifest["spec"]["pytorchReplicaSpecs"]
    counts = {kind: (replica["replicas"], replica["restartPolicy"]) for kind, replica in replicas.items()}
    assert (manifest["apiVersion"], manifest["kind"]) == ("kubeflow.org/v1", "PyTorchJob")
    assert counts == {"Master": (1, "Never"), "Worker": (3, "Never")}
    for template in pods(manifest):
        pod = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "a"}, "template": template}
        kubernetes_validate.validate(pod, version, strict=True)
    (container,) = pods(manifest)[0]["spec"]["containers"]
    assert (container["name"], container["resources"]) == ("pytorch", {"limits": {"nvidia.com/gpu": "8"}})


def test_each_repeat_is_a_manifest_with_a_name_of_its_own(native: Native) -> None:
    names = [manifest["metadata"]["name"] for manifest in manifests(native, *KUBERNETES, "--repeats", "2")]
    assert names == ["resnet50-bs64-fp32-n1c1-1", "resnet50-bs64-fp32-n1c1-2"]


def test_a_manifest_has_what_the_site_says(native: Native) -> None:
    (manifest,) = manifests(native, *site(native), "--device", "gpu", "--precision", "amp")
    pod = manifest["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert (manifest["metadata"]["namespace"], container["image"]) == ("lab", "example.org/site:1")
    assert manifest["metadata"]["labels"]["queue.example.org/name"] == "night"
    assert (pod["nodeSelector"], container["resources"]["limits"]) == (
        {"gpu.example.org/model": "a100"},
        {"amd.com/gpu": "1"},
    )
    assert [volume.get("persistentVolumeClaim") for volume in pod["volumes"]] == [{"claimName": "team-disk"}, None]
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/work", "/dev/shm"]  # noqa: S108


def executed(manifest: dict[str, Any], native: Native, **variables: str) -> str:
    """Run the container of a pod here, with its variables and those of the operator; returns what it prints."""
    (container,) = manifest["spec"]["containers"]
    said = {variable["name"]: variable["value"] for variable in container["env"]}
    environment = {**os.environ, **native.environment, **said, **variables}
    return subprocess.run(container["command"], env=environment, capture_output=True, text=True, check=True).stdout


def test_a_pod_trains(native: Native) -> None:
    (manifest,) = manifests(native, *KUBERNETES)
    assert "ips: 4.97591 samples/s" in executed(manifest["spec"]["template"], native)


def test_the_pods_of_several_nodes_meet_where_the_operator_says(native: Native) -> None:
    on_nodes(native)
    native.trains(telling("MASTER"))
    (manifest,) = manifests(native, *KUBERNETES, *ON_TWO)
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "23456"}
    said = [executed(pod, native, **where, RANK=str(rank)) for rank, pod in enumerate(pods(manifest))]
    assert [text.splitlines()[0] for text in said] == ["0 127.0.0.1:23456", "1 127.0.0.1:23456"]


@pytest.mark.parametrize(
    "arguments",
    [KUBERNETES[:-1], ["--on", "kubernetes", "--dry-run"], ["--container", "a", "--on", "mpirun", "-H", "a"]],
)
def test_what_is_not_possible_is_refused_and_nothing_is_left(native: Native, arguments: list[str]) -> None:
    assert (native.launch(*arguments).returncode, native.suite.exists()) == (2, False)


def test_a_program_that_wants_a_task_for_each_gpu_runs_elsewhere(native: Native) -> None:
    words = ["launch", "nvidia_tensorflow_resnet50", "--repo", str(native.repo), "--nodes", "2", "--cards", "16"]
    answer = run(*words, *KUBERNETES, cwd=TOP, main=main)
    assert (answer.returncode, "which a PyTorchJob does not start" in answer.stderr) == (2, True)


def test_the_words_of_a_command_may_hold_anything(tmp_path: Path) -> None:
    program = make_program(tmp_path)
    words = ["python", "train.py", "a: b\n- c", "it's \t#", "é"]
    answer = program.run("--on", "kubernetes", "--container", "x", "--dry-run", "--", *words)
    (manifest,) = yaml.safe_load_all(answer.stdout)
    kubernetes_validate.validate(manifest, VERSIONS[-1], strict=True)
    program.change("import sys; print(sys.argv[1:])")
    native = Native(tmp_path, program.environment)
    assert executed(manifest["spec"]["template"], native) == f"{words[2:]}\n"
    assert git(program.folder, "status", "--short") == "M train.py"

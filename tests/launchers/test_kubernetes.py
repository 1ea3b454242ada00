"""Manifests for Kubernetes, held against the schema of its API; their scripts are run here as pods would run them."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from checkouts import ON_TWO, Native, OwnProgram, executable, on_nodes, telling

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
    """The manifests that a dry run prints, each of which the API of Kubernetes takes."""
    answer = native.launch(*arguments)
    assert answer.returncode == 0, answer.stderr
    found = list(yaml.safe_load_all(answer.stdout))
    for manifest in found:
        kubernetes_validate.validate(manifest, "1.37", strict=True)
    return found


def executed(job: dict[str, Any], native: Native, top: Path, index: str = "0") -> str:
    """Run the container of a pod here, where a host is known by any name; returns what it prints."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    executable(native.top / "bin" / "getent", "#!/bin/sh\n")
    said = {variable["name"]: variable["value"] for variable in container["env"]}
    said |= {"JOB_COMPLETION_INDEX": index}
    environment = {**os.environ, **native.environment, **said}
    command = [word.replace("/tachograph-work", str(top)) for word in container["command"]]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_one_node_is_an_indexed_job_with_a_pod_that_trains_once(native: Native) -> None:
    (job,) = manifests(native, *KUBERNETES)
    spec = job["spec"]
    wanted = {"completionMode": "Indexed", "completions": 1, "parallelism": 1, "backoffLimit": 0}
    assert (job["apiVersion"], job["kind"], spec.items() >= wanted.items()) == ("batch/v1", "Job", True)
    pod = spec["template"]["spec"]
    (container,) = pod["containers"]
    assert (pod["restartPolicy"], container["image"], "resources" in container) == (
        "Never",
        "example.org/paddle:2.6",
        False,
    )
    mounted = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    sources = {volume.pop("name"): volume for volume in pod["volumes"]}
    assert {path: sources[name] for path, name in mounted.items()} == {
        "/dev/shm": {"emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}},  # noqa: S108
        "/tachograph-work": {"emptyDir": {}},
        str(native.repo): {"hostPath": {"path": str(native.repo), "type": "Directory"}},
    }
    assert "ips: 4.97591 samples/s" in executed(job, native, native.top)


def test_the_pods_of_several_nodes_meet_at_the_first_by_a_headless_service(native: Native) -> None:
    on_nodes(native).trains(telling("MASTER", "WORK"))
    python = native.top / "bin" / "python"
    # What asks for the address of a name stands for the name service.
    executable(python, python.read_text().replace("#!/bin/sh\n", '#!/bin/sh\n[ "$1" = - ] && exec echo "$2" "$2"\n'))
    service, job = manifests(native, *KUBERNETES, *ON_TWO, "--device", "gpu")
    name = job["metadata"]["name"]
    assert (service["kind"], service["metadata"]["name"], service["spec"]) == (
        "Service",
        name,
        {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"job-name": name}},
    )
    pod = job["spec"]["template"]["spec"]
    assert (job["spec"]["completions"], job["spec"]["parallelism"]) == (2, 2)
    assert (pod["subdomain"], pod["containers"][0]["resources"]) == (name, {"limits": {"nvidia.com/gpu": 2}})
    said = [executed(job, native, native.top / index, index).splitlines()[0] for index in "01"]
    assert said == [f"{index} {name}-0.{name}:29500 {native.top / index}" for index in "01"]


def test_a_manifest_has_what_the_site_says_and_each_repeat_a_name_of_its_own(native: Native) -> None:
    (native.top / "site.toml").write_text(SITE, encoding="utf-8")
    where = ["--on", "kubernetes", "--dry-run", "--site", str(native.top / "site.toml")]
    jobs = manifests(native, *where, "--device", "gpu", "--precision", "amp", "--repeats", "2")
    assert len({job["metadata"]["name"] for job in jobs}) == 2
    pod = jobs[0]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert (jobs[0]["metadata"]["namespace"], container["image"]) == ("lab", "example.org/site:1")
    assert jobs[0]["metadata"]["labels"]["queue.example.org/name"] == "night"
    assert pod["nodeSelector"] == {"gpu.example.org/model": "a100"}
    assert container["resources"]["limits"] == {"amd.com/gpu": 1}
    claims = [volume["persistentVolumeClaim"] for volume in pod["volumes"] if "persistentVolumeClaim" in volume]
    assert (claims, container["volumeMounts"][-1]["mountPath"]) == ([{"claimName": "team-disk"}], "/work")


def test_jobs_of_two_suites_have_two_names_however_long_these_are(native: Native) -> None:
    suites = [f"{begin}-{'long' * middle}" for begin in ("1", "a", "ä") for middle in (0, 20, 21)]
    jobs = [manifests(native, *KUBERNETES, "--into", str(native.top / suite))[0] for suite in suites]
    names = {job["metadata"]["name"] for job in jobs}
    assert (len(names), all(re.fullmatch("[a-z][a-z0-9-]{0,51}", name) for name in names)) == (len(suites), True)


def test_the_words_of_a_command_may_hold_anything(program: OwnProgram) -> None:
    tmp_path = program.folder.parent
    program.change("import sys; print(sys.argv[1:])")
    words = ["a: b\n- c", "it's \t#", "é", "{{ x }}", "\x7f\u2028"]
    answer = program.run("--on", "kubernetes", "--container", "x", "--dry-run", "--", "python", "train.py", *words)
    (job,) = yaml.safe_load_all(answer.stdout)
    assert executed(job, Native(tmp_path, program.environment), tmp_path) == f"{words}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["paddleclas_resnet50", "--repo", "{repo}", *KUBERNETES[:-1]],  # nothing is submitted
        ["paddleclas_resnet50", "--repo", "{repo}", "--on", "kubernetes", "--dry-run"],  # no image
        ["nvidia_tensorflow_resnet50", "--repo", "{repo}", *KUBERNETES, *ON_TWO],  # a task for each card
        ["paddleclas_resnet50", *KUBERNETES],  # no checkout
    ],
)
def test_what_is_not_possible_is_refused_and_nothing_is_left(native: Native, arguments: list[str]) -> None:
    (native.repo / "TensorFlow/Classification/ConvNets").mkdir(parents=True)
    words = [word.format(repo=native.repo) for word in arguments]
    answer = native.tachograph("launch", *words, "--into", native.suite)
    assert (answer.returncode, answer.stdout, native.suite.exists()) == (2, "", False)

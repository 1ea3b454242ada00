"""What the doctor finds about clusters and containers, by its command; of Slurm and podman by the real ones."""

from __future__ import annotations

import json
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from native_checkout import TOP, Native
from room_commands import main

from tests.commandline import run

SITE = "[slurm]\npartition = '{}'\n"


def findings(native: Native, *arguments: str) -> dict[str, tuple[str, str]]:
    """The level and the sentence of the last finding of each subject."""
    with patch.dict(os.environ, native.environment):
        answer = run("doctor", "--json", *arguments, cwd=TOP, main=main)
    assert answer.stderr == ""
    found = map(json.loads, answer.stdout.splitlines())
    return {finding["subject"]: (finding["level"], finding["said"]) for finding in found}


def site(folder: Path, text: str) -> list[str]:
    """The option for a site file."""
    (folder / "site.toml").write_text(text, encoding="utf-8")
    return ["--site", str(folder / "site.toml")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("partition", "expected"),
    [("all", ("ok", "Slurm answers; partitions: all.")), ("gpu", ("bad", "Slurm has no partition gpu."))],
)
def test_the_partition_of_the_site_file_is_looked_for(
    on_slurm: Native, partition: str, expected: tuple[str, str]
) -> None:
    assert findings(on_slurm, "--on", "slurm", *site(on_slurm.top, SITE.format(partition)))["slurm"] == expected


def test_a_cluster_without_its_program_is_bad(native: Native) -> None:
    native.environment["PATH"] = str(native.top / "bin")
    assert findings(native, "--on", "slurm")["slurm"] == ("bad", "sbatch is not on PATH.")


def test_manifests_can_be_written_without_kubectl(native: Native) -> None:
    native.environment["PATH"] = str(native.top / "bin")
    found = findings(native, "--on", "kubernetes", "--container", "image:1")
    assert found["kubernetes"] == ("warning", "kubectl is not on PATH.")


def test_a_precision_that_a_recipe_does_not_have_is_bad(native: Native) -> None:
    assert findings(native, "paddleclas_resnet50", "--precision", "int4")["precision"][0] == "bad"


def test_a_container_that_nothing_can_run_is_refused(native: Native) -> None:
    with patch.dict(os.environ, PATH=str(native.top / "bin")):
        assert run("doctor", "--container", "image:1", cwd=TOP, main=main).returncode == 2

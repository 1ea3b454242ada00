"""What the doctor finds, how bad that is, and what it says to do."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from patient import FACTS, GIB, TORCH, Patient

from launchers.machine import doctor, machine_facts
from launchers.machine.doctor_cards import Wants
from launchers.recipes.recipe import ROOM, Recipe


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """A machine on which all is well."""
    return Patient(tmp_path, monkeypatch)


def test_where_all_is_well_everything_is_good(patient: Patient) -> None:
    assert patient.ills() == []


def test_everything_that_a_run_needs_is_looked_at(patient: Patient) -> None:
    machine = ["cards", "idle", "driver", "nccl", "interconnect", "disk of the logs", "disk of the checkout"]
    subjects = [finding.subject for finding in patient.findings()]
    assert list(dict.fromkeys(subjects)) == [
        *["python", "framework", "needs"],
        *machine,
        *["shared memory", "variables", "data", "checkout"],
    ]


def test_whatever_is_not_good_comes_with_advice(patient: Patient) -> None:
    patient.frameworks, patient.packages = {"torch": {**TORCH, "cuda": "13.0", "nccl": None}}, {}
    patient.cards(utilisation=90, links=0)
    patient.free(0, 0)
    patient.checkout = {"repository": "https://github.com/owner/other", "commit": "b" * 40, "dirty": True}
    found = [finding for finding in patient.findings(patient.top / "nowhere") if finding.level != "ok"]
    assert len(found) == 15
    assert all(finding.advice and finding.advice.endswith(".") for finding in found)


def test_a_python_that_does_not_answer_is_bad_and_the_rest_is_looked_at(patient: Patient) -> None:
    patient.python = "#!/bin/sh\nexit 1\n"
    assert patient.levels() == [("python", "bad")]


@pytest.mark.parametrize(
    ("frameworks", "levels"),
    [
        ({}, [("framework", "bad")]),
        ({"torch": {"error": "ImportError: libcudart.so.12"}}, [("framework", "bad")]),
        ({"torch": TORCH, "mxnet": {"error": "ImportError: libcudart.so.10"}}, []),
    ],
)
def test_a_framework_that_the_recipe_needs_must_work(
    patient: Patient, frameworks: dict[str, Any], levels: list[tuple[str, str]]
) -> None:
    patient.frameworks = frameworks
    assert patient.levels() == levels


@pytest.mark.parametrize(
    ("free", "expected"),
    [
        (10 * GIB, []),
        (9 * GIB, [("disk of the checkout", "warning")]),
        (GIB // 2, [("disk of the logs", "warning"), ("disk of the checkout", "bad")]),
        (0, [("disk of the logs", "bad"), ("disk of the checkout", "bad")]),
    ],
)
def test_free_disk_is_judged(patient: Patient, free: int, expected: list[tuple[str, str]]) -> None:
    patient.free(free, 100 * GIB)
    assert patient.levels() == expected


@pytest.mark.parametrize(("free", "level"), [(2 * GIB, None), (GIB, "warning"), (64 * 2**20, "bad")])
def test_shared_memory_is_judged_by_the_card(patient: Patient, free: int, level: str | None) -> None:
    patient.free(100 * GIB, free)
    assert patient.levels() == ([("shared memory", level)] if level else [])


def test_data_are_looked_for_with_the_file_that_the_recipe_expects(patient: Patient) -> None:
    (patient.repo / "data").rename(patient.top / "elsewhere")
    assert patient.levels() == [("data", "bad")]
    assert patient.levels(patient.top / "elsewhere") == []
    (patient.top / "elsewhere" / "train_list.txt").unlink()
    assert patient.levels(patient.top / "elsewhere") == [("data", "warning")]


def test_data_that_a_recipe_does_not_read_are_bad(patient: Patient) -> None:
    patient.facts["data"] = "synthetic, images that the program makes"
    assert (patient.levels(), patient.levels(patient.repo / "data")) == ([], [("data", "bad")])


@pytest.mark.parametrize(
    ("change", "level"),
    [
        ({"commit": "b" * 40}, "warning"),
        ({"dirty": True}, "warning"),
        ({"repository": "https://github.com/owner/other"}, "bad"),
    ],
)
def test_a_checkout_that_the_recipe_does_not_mean_is_said(patient: Patient, change: dict[str, Any], level: str) -> None:
    patient.checkout |= change
    assert patient.levels() == [("checkout", level)]


@pytest.mark.parametrize(
    ("needs", "lacking"),
    [
        ("torch", None),
        ("torch 2", None),
        ("torch 2.4.1", None),
        ("pillow", None),
        ("torch 2.40", "2.40"),
        ("torch, dllogger", "dllogger"),
        ("torch-gpu", "torch-gpu"),
        ("torch, lddl of NVIDIA (it stops without, on images too)", "lddl of NVIDIA (it stops without, on images too)"),
        ("torch, and dllogger", "dllogger"),
        ("torch, Open MPI", "Open MPI"),
        ("torch, other.txt", "other.txt"),
    ],
)
def test_what_the_recipe_needs_is_looked_up(patient: Patient, needs: str, lacking: str | None) -> None:
    patient.facts["needs"] = needs
    assert [(subject, level, str(lacking) in said) for subject, level, said in patient.ills()] == (
        [("needs", "warning", True)] if lacking else []
    )


def test_where_a_recipe_trains_on_a_cpu_the_package_for_it_will_do(patient: Patient) -> None:
    patient.facts |= {"needs": "torch-gpu 2.4", "cpu": "fp32"}
    assert patient.levels() == []


def test_a_requirement_that_is_not_installed_is_named(patient: Patient) -> None:
    (patient.repo / "requirements.txt").write_text("scikit_learn\nnumpy\nhttps://example.org/x.whl\n")
    [(subject, level, said)] = patient.ills()
    assert (subject, level, "scikit_learn" in said, "numpy" in said) == ("needs", "warning", True, False)


def test_a_real_checkout_at_its_pinned_commit_is_good(tmp_path: Path) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), *identity, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
    commit = subprocess.check_output(["git", "-C", str(tmp_path), "rev-parse", "HEAD"], text=True).strip()
    recipe = Recipe("resnet", {**FACTS, "commit": commit}, {"DATA": "data"})
    *_, last = doctor.examine(recipe, tmp_path, None, os.environ)
    assert (last.subject, last.level, commit[:12] in last.said) == ("checkout", "ok", True)


@pytest.mark.parametrize(
    ("name", "value", "slows"),
    [
        ("NCCL_P2P_DISABLE", "1", True),
        ("NCCL_P2P_DISABLE", "0", False),
        ("CUDA_LAUNCH_BLOCKING", "1", True),
        ("FLAGS_benchmark", "True", True),
        ("NCCL_DEBUG", "INFO", False),
    ],
)
def test_a_variable_that_slows_training_down_is_named(patient: Patient, name: str, value: str, slows: bool) -> None:
    patient.environ[name] = value
    assert [name in said for _, _, said in patient.ills()] == ([True] if slows else [])


def test_a_variable_that_slows_training_down_is_kept_in_run_json() -> None:
    slowing = tomllib.loads((ROOM / "slowing_variables.toml").read_text(encoding="utf-8"))
    assert machine_facts.matters(dict.fromkeys(slowing, "1")).keys() == slowing.keys()


@pytest.mark.parametrize(("precision", "level"), [("amp", None), ("fp32", None), ("bf16", "bad")])
def test_a_precision_that_the_recipe_does_not_have_is_bad(patient: Patient, precision: str, level: str | None) -> None:
    assert patient.levels(wants=Wants(precision=precision)) == ([("precision", level)] if level else [])

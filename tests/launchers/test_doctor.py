"""What the doctor finds, how bad that is, and what it says to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from patient import FACTS, GIB, TORCH, Patient

from launchers.machine import doctor, machine_facts
from launchers.machine.doctor_cards import Wants
from launchers.machine.findings import Diagnosis, shown
from launchers.native.recipes import ROOM, Recipe


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


def test_without_a_recipe_the_machine_is_looked_at(patient: Patient) -> None:
    patient.findings()
    subjects = [finding.subject for finding in doctor.examine(None, None, None, patient.environ)]
    assert {"python", "framework", "cards", "idle", "driver", "nccl", "shared memory"} <= set(subjects)
    assert not {"needs", "data", "checkout", "disk of the checkout"} & set(subjects)


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
    assert patient.ills() == [("python", "bad", "No working `python` was found on PATH.")]


def test_a_python_without_frameworks_is_bad_for_a_recipe(patient: Patient) -> None:
    patient.frameworks = {}
    assert patient.ills() == [("framework", "bad", "No supported framework is installed in the training Python.")]


def test_a_framework_that_cannot_be_imported_is_bad(patient: Patient) -> None:
    patient.frameworks = {"torch": {"error": "ImportError: libcudart.so.12"}}
    assert patient.ills() == [("framework", "bad", "torch cannot be imported: ImportError: libcudart.so.12.")]


def test_a_framework_that_the_recipe_does_not_need_does_not_count(patient: Patient) -> None:
    patient.frameworks["mxnet"] = {"error": "ImportError: libcudart.so.10"}
    assert patient.ills() == []


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
    assert [ill[:2] for ill in patient.ills()] == expected


@pytest.mark.parametrize(("free", "level"), [(2 * GIB, None), (GIB, "warning"), (64 * 2**20, "bad")])
def test_shared_memory_is_judged_by_the_card(patient: Patient, free: int, level: str | None) -> None:
    patient.free(100 * GIB, free)
    assert [ill[:2] for ill in patient.ills()] == ([("shared memory", level)] if level else [])


def test_data_that_is_missing_is_bad(patient: Patient) -> None:
    shutil.rmtree(patient.repo / "data")
    assert patient.ills() == [("data", "bad", f"{patient.repo / 'data'} does not exist.")]


def test_data_may_lie_elsewhere(patient: Patient) -> None:
    (patient.repo / "data").rename(patient.top / "elsewhere")
    assert patient.ills(patient.top / "elsewhere") == []


def test_data_that_a_recipe_does_not_read_are_bad(patient: Patient) -> None:
    patient.facts["data"] = "synthetic, images that the program makes"
    expected = [("data", "bad", "The recipe trains on synthetic data and does not read a data set.")]
    assert (patient.ills(), patient.ills(patient.repo / "data")) == ([], expected)


def test_a_file_that_the_recipe_expects_among_the_data_is_looked_for(patient: Patient) -> None:
    (patient.repo / "data" / "train_list.txt").unlink()
    assert patient.ills() == [("data", "warning", f"{patient.repo / 'data'} is missing train_list.txt.")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"commit": "b" * 40},
            "The checkout is at commit bbbbbbbbbbbb.",
        ),
        ({"dirty": True}, "The checkout has local changes."),
        (
            {"repository": "https://github.com/owner/other"},
            "The checkout was cloned from https://github.com/owner/other, ",
        ),
    ],
)
def test_a_checkout_that_the_recipe_does_not_mean_is_said(patient: Patient, change: dict[str, Any], said: str) -> None:
    patient.checkout |= change
    [(subject, level, sentence)] = patient.ills()
    expected = "bad" if "repository" in change else "warning"
    assert (subject, level, sentence[: len(said)]) == ("checkout", expected, said)


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ("torch", None),
        ("torch 2", None),
        ("torch 2.4.1", None),
        ("pillow", None),
        ("torch 2.40", "torch 2.4.1 is installed; the recipe needs 2.40."),
        ("torch, dllogger", "dllogger is not installed in the native Python."),
        ("torch-gpu", "torch-gpu is not installed in the native Python."),
        (
            "torch, lddl of NVIDIA (it stops without, on images too)",
            "The recipe needs lddl of NVIDIA (it stops without, on images too), which cannot be checked automatically.",
        ),
        ("torch, and dllogger", "dllogger is not installed in the native Python."),
        ("torch, Open MPI", "The recipe needs Open MPI, which cannot be checked automatically."),
        ("torch, other.txt", "The checkout has no other.txt."),
    ],
)
def test_what_the_recipe_needs_is_looked_up(patient: Patient, needs: str, said: str | None) -> None:
    patient.facts["needs"] = needs
    assert patient.ills() == ([("needs", "warning", said)] if said else [])


def test_where_a_recipe_trains_on_a_cpu_the_package_for_it_will_do(patient: Patient) -> None:
    patient.facts |= {"needs": "torch-gpu 2.4", "cpu": "fp32"}
    assert patient.ills() == []


def test_a_requirement_that_is_not_installed_is_named(patient: Patient) -> None:
    (patient.repo / "requirements.txt").write_text("scikit_learn\nnumpy\nhttps://example.org/x.whl\n")
    assert patient.ills() == [("needs", "warning", "Not installed from requirements.txt: scikit_learn.")]


def test_findings_are_shown_with_the_advice_below() -> None:
    findings = [Diagnosis("cards", "ok", "2 of A."), Diagnosis("data", "bad", "It is missing.", "Lay it there.")]
    expected = "ok       cards  2 of A.\nbad      data   It is missing.\n                Lay it there.\n"
    assert shown(findings) == expected


def test_a_real_checkout_at_its_pinned_commit_is_good(tmp_path: Path) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), *identity, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
    commit = subprocess.check_output(["git", "-C", str(tmp_path), "rev-parse", "HEAD"], text=True).strip()
    recipe = Recipe("resnet", {**FACTS, "commit": commit}, {"DATA": "data"})
    *_, last = doctor.examine(recipe, tmp_path, None, os.environ)
    assert last == Diagnosis("checkout", "ok", f"At the pinned commit {commit[:12]}, without local changes.")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("NCCL_P2P_DISABLE", "1", "NCCL_P2P_DISABLE=1 turns off direct transfers between GPUs."),
        ("NCCL_P2P_DISABLE", "0", None),
        ("CUDA_LAUNCH_BLOCKING", "1", "CUDA_LAUNCH_BLOCKING=1 makes the CPU wait for each kernel."),
        ("FLAGS_benchmark", "True", "FLAGS_benchmark=True makes Paddle wait for each operator."),
        ("NCCL_DEBUG", "INFO", None),
    ],
)
def test_a_variable_that_slows_training_down_is_named(
    patient: Patient, name: str, value: str, said: str | None
) -> None:
    patient.environ[name] = value
    assert patient.ills() == ([("variables", "warning", said)] if said else [])


def test_a_variable_that_slows_training_down_is_kept_in_run_json() -> None:
    slowing = tomllib.loads((ROOM / "slowing_variables.toml").read_text(encoding="utf-8"))
    assert machine_facts.matters(dict.fromkeys(slowing, "1")).keys() == slowing.keys()


@pytest.mark.parametrize(("precision", "level"), [("amp", None), ("fp32", None), ("bf16", "bad")])
def test_a_precision_that_the_recipe_does_not_have_is_bad(patient: Patient, precision: str, level: str | None) -> None:
    said = "The recipe does not train in bf16."
    assert patient.ills(wants=Wants(precision=precision)) == ([("precision", level, said)] if level else [])

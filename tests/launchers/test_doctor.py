"""What the doctor finds, how bad that is, and what it says to do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from native_checkout import TOP, Native, executable
from nvml import pynvml as stand_in
from room_commands import main
from test_cards import ANSWERS, bindings

from launchers.machine import cards, doctor, facts
from launchers.machine.doctor import Launch
from launchers.machine.telemetry import RunLoad
from launchers.recipes import checkout
from launchers.recipes.checkout import Diagnosis
from launchers.recipes.recipe import ROOM, Recipe
from tests.commandline import run

GIB = 2**30
FACTS = {
    "repository": "https://github.com/owner/name",
    "commit": "a" * 40,
    "framework": "PaddleSeg",
    "data": "ImageNet with its train_list.txt, as tools/prepare.py makes it",
    "needs": "torch 2.4, requirements.txt, pillow",
    "gpu": "fp32 amp",
}
REQUIREMENTS = "# all\nnumpy>=1\n-r more.txt\ntyping-extensions==4.12 # typing\nold; x\n"
PACKAGES = {"torch": "2.4.1", "Pillow": "11.0.0", "numpy": "2.1.0", "typing_extensions": "4.12"}
TORCH: dict[str, str | None] = {"version": "2.4.1", "cuda": "12.1", "cudnn": "9.1.0", "nccl": "2.20.5"}
DEFAULTS = {"DATA": "data", "NODES": "1", "CARDS": "1", "STEPS": "9", "PRECISION": "fp32", "DEVICE": "gpu"}
SYNTHETIC = "synthetic, images that the program makes"


class Patient:
    """A machine, a native Python, a checkout and a recipe, all of which are well until something is changed."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.top, self.monkeypatch = top, monkeypatch
        self.facts, self.packages, self.frameworks = dict(FACTS), dict(PACKAGES), {"torch": dict(TORCH)}
        self.environ, self.python, self.others = dict[str, str](), True, 2.0
        self.repo = top / "checkout"
        executable(self.repo / "data" / "train_list.txt", "")
        executable(self.repo / "requirements.txt", REQUIREMENTS)
        executable(top / "resnet.sh", 'cd "$REPO"\npython main.py\n')
        self.checkout: dict[str, Any] = {key: FACTS[key] for key in ("repository", "commit")} | {"dirty": False}
        monkeypatch.setattr(cards, "pynvml", stand_in)
        monkeypatch.setattr(checkout.Checkout, "repository", property(lambda _: self.checkout["repository"]))
        status = property(lambda _: (self.checkout["commit"], self.checkout["dirty"]))
        monkeypatch.setattr(checkout.Checkout, "_status", status)
        monkeypatch.setattr(doctor, "_LOOK", 0)
        foreign = lambda _: {"cpu_percent": self.others, "load_average": 1.0, "gpu_processes": []}  # noqa: E731
        monkeypatch.setattr(RunLoad, "foreign", foreign)
        self.free(100 * GIB, 100 * GIB)
        self.cards()

    def cards(self, **options: Any) -> None:
        """Say what cards there are."""
        self.monkeypatch.setenv("NVML_STAND_IN", json.dumps({"utilisation": 0, "used": 4, **options}))

    def free(self, disk: int, shared: int) -> None:
        """Say how many bytes are free."""
        usage = lambda path: SimpleNamespace(free=shared if str(path) == "/dev/shm" else disk)  # noqa: E731, S108
        self.monkeypatch.setattr(shutil, "disk_usage", usage)

    def answer(self) -> Any:
        """What the native Python says of itself."""
        if not self.python:
            raise facts.NoPythonError
        return {"python": "3.11.7", "packages": self.packages, "frameworks": self.frameworks}

    def findings(self, **wants: Any) -> list[Diagnosis]:
        """Examine the patient."""
        recipe = Recipe("resnet", self.facts, DEFAULTS, self.top)
        return list(doctor.examine(Launch(self.environ, recipe, self.repo, inside=self.answer, **wants)))

    def ills(self, **wants: Any) -> list[tuple[str, str, str]]:
        """All that is not good."""
        return [(found.subject, found.level, found.said) for found in self.findings(**wants) if found.level != "ok"]

    def levels(self, **wants: Any) -> list[tuple[str, str]]:
        """The subjects of it, and how bad each is."""
        return [(subject, level) for subject, level, _ in self.ills(**wants)]


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """A machine on which all is well."""
    return Patient(tmp_path, monkeypatch)


def test_where_all_is_well_everything_that_a_run_needs_is_looked_at_and_good(patient: Patient) -> None:
    assert patient.ills() == []
    assert list(dict.fromkeys(finding.subject for finding in patient.findings())) == [
        *["python", "framework", "needs", "cards", "idle", "driver", "load"],
        *["disk", "shared memory", "variables", "data", "checkout"],
    ]


def test_whatever_is_not_good_comes_with_advice(patient: Patient) -> None:
    patient.frameworks, patient.packages = {"torch": {**TORCH, "cuda": "13.0"}}, {}
    patient.cards(utilisation=90)
    patient.free(0, 0)
    patient.checkout = {"repository": "https://github.com/owner/other", "commit": "b" * 40, "dirty": True}
    found = [finding for finding in patient.findings(data=patient.top / "nowhere") if finding.level != "ok"]
    assert len(found) == 12
    assert all(finding.advice and finding.advice.endswith(".") for finding in found)


# Each row: what is changed of the patient, what a launch would use, and what is found that is not good.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]]]] = {
    "no python": ({"python": False}, {}, [("python", "bad")]),
    "no framework": ({"frameworks": {}}, {}, [("framework", "bad")]),
    "broken": ({"frameworks": {"torch": {"error": "ImportError: libcudart.so.12"}}}, {}, [("framework", "bad")]),
    "another is broken": ({"frameworks": {"torch": TORCH, "mxnet": {"error": "ImportError: libcudart.so.10"}}}, {}, []),
    "newer minor CUDA": ({"frameworks": {"torch": {**TORCH, "cuda": "12.6"}}}, {}, [("driver", "warning")]),
    "newer major CUDA": ({"frameworks": {"torch": {**TORCH, "cuda": "13.0"}}}, {}, [("driver", "bad")]),
    "same CUDA": ({"frameworks": {"torch": {**TORCH, "cuda": "12.4"}}}, {}, []),
    "older CUDA": ({"frameworks": {"torch": {**TORCH, "cuda": "12"}}}, {}, []),
    "no CUDA": ({"frameworks": {"torch": {**TORCH, "cuda": None, "nccl": None}}}, {}, [("driver", "bad")]),
    "others": ({"others": 5.1}, {}, [("load", "warning")]),
    "few others": ({"others": 5.0}, {}, []),
    "others on a login node": ({"others": 90.0}, {"on": "slurm"}, []),
    "hidden cards": ({"environ": {"CUDA_VISIBLE_DEVICES": ""}}, {}, [("cards", "warning")]),
    "hidden by -1": ({"environ": {"CUDA_VISIBLE_DEVICES": "-1"}}, {}, [("cards", "warning")]),
    "too many cards": ({}, {"cards": 8}, [("cards", "bad")]),
    "cards of nodes": ({}, {"cards": 4, "nodes": 2}, []),
    "numpy 2": ({"packages": {**PACKAGES, "torch": "2.2.2"}}, {}, [("needs", "warning"), ("versions", "warning")]),
    "slow": ({"environ": {"NCCL_P2P_DISABLE": "1"}}, {}, [("variables", "warning")]),
    "slow, too": ({"environ": {"FLAGS_benchmark": "True"}}, {}, [("variables", "warning")]),
    "not slow": ({"environ": {"NCCL_P2P_DISABLE": "0", "NCCL_DEBUG": "INFO"}}, {}, []),
}


@pytest.mark.parametrize(("changes", "wants", "expected"), CASES.values(), ids=CASES)
def test_what_is_wrong_is_found(
    patient: Patient, changes: dict[str, Any], wants: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    vars(patient).update(changes)
    patient.monkeypatch.setenv("PATH", str(patient.top))
    assert patient.levels(**wants) == expected


@pytest.mark.parametrize(
    ("options", "wants", "expected"),
    [
        ({"cards": 1}, {}, []),
        ({"refused": True}, {}, [("cards", "bad")]),
        ({"cards": 1, "utilisation": 90}, {}, [("idle", "warning")]),
        ({"cards": 1, "used": 40000}, {}, [("idle", "warning")]),
        ({"cards": 1, "processes": 1}, {}, [("idle", "warning")]),
        ({"cards": 2, "lost": [1]}, {}, [("cards", "bad")]),
    ],
)
def test_cards_are_examined(
    patient: Patient, options: dict[str, Any], wants: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    patient.cards(**options)
    assert patient.levels(**wants) == expected


def test_a_recipe_for_a_cpu_needs_no_cards_and_takes_packages_for_it(patient: Patient) -> None:
    patient.facts |= {"needs": "torch-gpu 2.4", "cpu": "fp32"}
    assert patient.levels() == []
    patient.cards(refused=True)
    assert (patient.levels(), patient.levels(device="cpu"), patient.levels(device="gpu")) == (
        [("cards", "bad")],  # a launch would use one
        [],
        [("needs", "warning"), ("cards", "bad")],
    )
    patient.cards(utilisation=90)
    assert patient.levels(device="cpu") == []


def test_cards_and_shared_memory_of_this_machine_do_not_count_for_a_launch_on_a_cluster(patient: Patient) -> None:
    patient.cards(refused=True)
    patient.free(100 * GIB, 0)
    assert patient.levels(on="slurm", cards=8) == []


def test_cards_of_another_vendor_are_examined(patient: Patient) -> None:
    patient.cards(refused=True)
    patient.monkeypatch.setattr(cards, "_AMD_DRIVER", patient.top)
    patient.monkeypatch.setitem(sys.modules, "amdsmi", bindings(ANSWERS))
    assert patient.levels(cards=3) == [("cards", "bad"), *[("idle", "warning")] * 2]


@pytest.mark.parametrize(
    ("disk", "shared", "expected"),
    [
        (10 * GIB, 2 * GIB, []),
        (9 * GIB, GIB, [("disk", "warning"), ("shared memory", "warning")]),
        (0, 2**26, [("disk", "bad"), ("shared memory", "bad")]),
    ],
)
def test_free_disk_and_shared_memory_are_judged(
    patient: Patient, disk: int, shared: int, expected: list[tuple[str, str]]
) -> None:
    patient.free(disk, shared)
    assert patient.levels() == expected


def test_data_are_looked_for_where_the_launch_or_the_recipe_says(patient: Patient) -> None:
    elsewhere = (patient.repo / "data").rename(patient.top / "elsewhere")
    assert (patient.levels(), patient.levels(data=elsewhere)) == ([("data", "bad")], [])


def test_data_that_the_program_generates_are_not_looked_for(patient: Patient) -> None:
    shutil.rmtree(patient.repo / "data")
    patient.facts["synthetic"] = "images that the program makes"
    assert patient.levels(synthetic=True) == []
    patient.facts["data"] = SYNTHETIC
    assert patient.levels() == []


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


def test_a_real_checkout_at_its_pinned_commit_is_good(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "a"]):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
    recipe = Recipe("resnet", {**FACTS, "commit": commit, "needs": "torch"}, {"DATA": "data"})
    *_, last = doctor.examine(Launch(os.environ, recipe, tmp_path))
    assert (last.subject, last.level, commit[:12] in last.said) == ("checkout", "ok", True)


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
        ("torch, lddl of NVIDIA (it stops without, on images too)", None),  # which cannot be looked up
        ("torch, and dllogger", "dllogger"),
        ("torch, Open MPI", None),
        ("torch, other.txt", "other.txt"),
    ],
)
def test_what_the_recipe_needs_is_looked_up(patient: Patient, needs: str, lacking: str | None) -> None:
    patient.facts["needs"] = needs
    assert [(subject, level, str(lacking) in said) for subject, level, said in patient.ills()] == (
        [("needs", "warning", True)] if lacking else []
    )


def test_requirements_are_those_of_the_program_and_a_missing_one_is_named(patient: Patient) -> None:
    program = "PyTorch/Classification/ConvNets"
    executable(patient.top / "resnet.sh", f'cd "$REPO/{program}"\npython main.py\n')
    (patient.repo / "requirements.txt").rename(patient.top / "requirements.txt")
    executable(patient.repo / program / "requirements.txt", "scikit_learn\nnumpy\nhttps://example.org/x.whl\n")
    [(subject, level, said)] = patient.ills()
    assert (subject, level, "scikit_learn" in said, "numpy" in said) == ("needs", "warning", True, False)
    assert program in said


@pytest.mark.parametrize(
    ("protobuf", "cards", "framework", "level"),
    [
        ("7.36.2", 2, "PaddleSeg", "bad"),
        ("7.36.2", 1, "PaddleSeg", "warning"),
        ("7.36.2", 2, "PaddleClas", "warning"),
        ("6.33.5", 2, "PaddleSeg", None),
    ],
)
def test_versions_that_break_a_framework_are_said(
    patient: Patient, protobuf: str, cards: int, framework: str, level: str | None
) -> None:
    patient.facts |= {"needs": "paddlepaddle-gpu 2.6", "framework": framework}
    patient.packages = {"paddlepaddle-gpu": "2.6.2", "protobuf": protobuf}
    assert patient.levels(cards=cards) == ([("versions", level)] if level else [])


def test_a_variable_that_slows_training_down_is_kept_in_run_json() -> None:
    slowing = tomllib.loads((ROOM / "slowing_variables.toml").read_text(encoding="utf-8"))
    assert facts.matters(dict.fromkeys(slowing, "1")).keys() == slowing.keys()


def findings(native: Native, *arguments: str) -> dict[str, tuple[str, str]]:
    """The level and the sentence of the last finding of each subject, as the command says them."""
    with patch.dict(os.environ, native.environment):
        answer = run("doctor", "--json", *arguments, cwd=TOP, main=main)
    found = list(map(json.loads, answer.stdout.splitlines()))
    assert (answer.stderr, answer.returncode) == ("", int(any(one["level"] == "bad" for one in found)))
    return {finding["subject"]: (finding["level"], finding["said"]) for finding in found}


def test_what_nothing_can_run_or_contradicts_itself_is_refused(native: Native) -> None:
    with patch.dict(os.environ, PATH=str(native.top / "bin")):
        assert run("doctor", "--container", "image:1", cwd=TOP, main=main).returncode == 2
        assert run("doctor", "--synthetic", "--data", str(native.top), cwd=TOP, main=main).returncode == 2

"""What the doctor finds, how bad that is, and what it says to do."""

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from checkouts import Native
from test_machine import ANSWERS, bindings

from launchers.machine import cards as machine_cards
from launchers.machine import doctor, facts
from launchers.machine.doctor import Launch
from launchers.machine.telemetry import RunLoad
from launchers.recipes import checkout
from launchers.recipes.checkout import Diagnosis
from launchers.recipes.recipe import ROOM, Recipe
from tests.commandline import executable, git

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

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch, cards: Callable[..., None]) -> None:
        self.top, self._cards = top, cards
        self.facts, self.packages, self.frameworks = dict(FACTS), dict(PACKAGES), {"torch": dict(TORCH)}
        self.environ, self.python, self.others = dict[str, str](), True, 2.0
        self.disk, self.shared, self.data = 100 * GIB, 100 * GIB, True
        self.repo = top / "checkout"
        executable(self.repo / "data" / "train_list.txt", "")
        executable(self.repo / "requirements.txt", REQUIREMENTS)
        executable(top / "resnet.sh", 'cd "$REPO"\npython main.py\n')
        self.checkout: dict[str, Any] = {key: FACTS[key] for key in ("repository", "commit")} | {"dirty": False}
        monkeypatch.setattr(checkout.Checkout, "repository", property(lambda _: self.checkout["repository"]))
        monkeypatch.setattr(checkout.Checkout, "commit", property(lambda _: self.checkout["commit"]))
        monkeypatch.setattr(checkout.Checkout, "is_dirty", property(lambda _: self.checkout["dirty"]))
        monkeypatch.setattr(doctor, "LOOK", 0)
        monkeypatch.setattr(RunLoad, "foreign", lambda _: self._foreign())
        monkeypatch.setattr(shutil, "disk_usage", self._free)
        monkeypatch.setenv("PATH", str(top))
        self.change(cards={})

    def change(self, **changes: Any) -> None:
        """Set what is told; dictionaries are added to, but for frameworks."""
        for name, value in changes.items():
            if name == "cards":
                self._cards(**{"utilisation": 0, "used": 4, **value})
            elif isinstance(value, dict) and name != "frameworks":
                setattr(self, name, {**getattr(self, name), **value})
            else:
                setattr(self, name, value)
        if not self.data:
            shutil.rmtree(self.repo / "data")

    def _foreign(self) -> dict[str, object]:
        return {"cpu_percent": self.others, "load_average": 1.0, "gpu_processes": []}

    def _free(self, path: object) -> SimpleNamespace:
        return SimpleNamespace(free=self.shared if str(path) == "/dev/shm" else self.disk)  # noqa: S108

    def answer(self) -> Any:
        """What the native Python says of itself."""
        if not self.python:
            raise facts.NoPythonError
        return {"python": "3.11.7", "packages": self.packages, "frameworks": self.frameworks}

    def findings(self, **wants: Any) -> list[Diagnosis]:
        """Examine the patient."""
        recipe = Recipe("resnet", self.facts, DEFAULTS, self.top)
        return list(doctor.examine(Launch(self.environ, recipe, self.repo, inside=self.answer, **wants)))

    def ills(self, **wants: Any) -> str:
        """All that is not good, with advice: the subject, and a `!` where it would stop a launch."""
        ill = [found for found in self.findings(**wants) if found.level != "ok"]
        assert all(found.advice for found in ill)
        return ", ".join(f"{found.subject}{'!' if found.level == 'bad' else ''}" for found in ill)


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cards: Callable[..., None]) -> Patient:
    """A machine on which all is well."""
    return Patient(tmp_path, monkeypatch, cards)


def test_where_all_is_well_everything_that_a_run_needs_is_looked_at_and_good(patient: Patient) -> None:
    assert patient.ills() == ""
    assert list(dict.fromkeys(finding.subject for finding in patient.findings())) == [
        *["python", "framework", "needs", "cards", "idle", "driver", "load"],
        *["disk", "shared memory", "variables", "data", "checkout"],
    ]


def torch(**changes: object) -> dict[str, object]:
    return {"frameworks": {"torch": {**TORCH, **changes}}}


def paddle(protobuf: str, framework: str = "PaddleSeg") -> dict[str, object]:
    needs = {"needs": "paddlepaddle-gpu 2.6", "framework": framework}
    return {"facts": needs, "packages": {"paddlepaddle-gpu": "2.6.2", "protobuf": protobuf}}


NO_CARD = {"cards": {"refused": True}}
ON_CPU = {"facts": {"needs": "torch-gpu 2.4", "cpu": "fp32"}}
# Each row: what is changed of the patient, what a launch would use, and what is found that is not good.
CASES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"python": False}, {}, "python!"),
    ({"frameworks": {}}, {}, "framework!"),
    ({"frameworks": {"torch": {"error": "ImportError: libcudart.so.12"}}}, {}, "framework!"),
    ({"frameworks": {"torch": TORCH, "mxnet": {"error": "ImportError: libcudart.so.10"}}}, {}, ""),
    (torch(cuda="12.6"), {}, "driver"),
    (torch(cuda="13.0"), {}, "driver!"),
    (torch(cuda="12.4"), {}, ""),
    (torch(cuda="12"), {}, ""),
    (torch(cuda=None, nccl=None), {}, "driver!"),
    ({"others": 5.1}, {}, "load"),
    ({"others": 5.0}, {}, ""),
    ({"others": 90.0}, {"on": "slurm"}, ""),  # on a login node
    ({"environ": {"CUDA_VISIBLE_DEVICES": ""}}, {}, "cards"),
    ({"environ": {"CUDA_VISIBLE_DEVICES": "-1"}}, {}, "cards"),
    ({}, {"cards": 8}, "cards!"),
    ({}, {"cards": 4, "nodes": 2}, ""),
    ({"packages": {"torch": "2.2.2"}}, {}, "needs, versions"),  # with numpy 2
    ({"environ": {"NCCL_P2P_DISABLE": "1"}}, {}, "variables"),
    ({"environ": {"FLAGS_benchmark": "True"}}, {}, "variables"),
    ({"environ": {"NCCL_P2P_DISABLE": "0", "NCCL_DEBUG": "INFO"}}, {}, ""),
    ({"cards": {"cards": 1}}, {}, ""),
    (NO_CARD, {}, "cards!"),
    (NO_CARD | {"shared": 0}, {"on": "slurm", "cards": 8}, ""),  # of the nodes, not of this machine
    ({"cards": {"cards": 1, "utilisation": 90}}, {}, "idle"),
    ({"cards": {"cards": 1, "used": 40000}}, {}, "idle"),
    ({"cards": {"cards": 1, "processes": 1}}, {}, "idle"),
    ({"cards": {"cards": 2, "lost": [1]}}, {}, "cards!"),
    (ON_CPU, {}, ""),
    (ON_CPU | NO_CARD, {}, "cards!"),  # a launch would use one
    (ON_CPU | NO_CARD, {"device": "cpu"}, ""),
    (ON_CPU | NO_CARD, {"device": "gpu"}, "needs, cards!"),
    (ON_CPU | {"cards": {"utilisation": 90}}, {"device": "cpu"}, ""),
    ({"disk": 10 * GIB, "shared": 2 * GIB}, {}, ""),
    ({"disk": 9 * GIB, "shared": GIB}, {}, "disk, shared memory"),
    ({"disk": 0, "shared": 2**26}, {}, "disk!, shared memory!"),
    ({"data": False}, {}, "data!"),
    ({"data": False}, {"data": Path("/tmp")}, ""),  # noqa: S108 - any folder
    ({"data": False, "facts": {"synthetic": "images that the program makes"}}, {"synthetic": True}, ""),
    ({"data": False, "facts": {"data": SYNTHETIC}}, {}, ""),
    ({"checkout": {"commit": "b" * 40}}, {}, "checkout"),
    ({"checkout": {"dirty": True}}, {}, "checkout"),
    ({"checkout": {"repository": "https://github.com/owner/other"}}, {}, "checkout!"),
    (paddle("7.36.2"), {"cards": 2}, "versions!"),
    (paddle("7.36.2"), {"cards": 1}, "versions"),
    (paddle("7.36.2", "PaddleClas"), {"cards": 2}, "versions"),
    (paddle("6.33.5"), {"cards": 2}, ""),
    ({"python": False, "packages": {}, "disk": 0, "shared": 0}, {}, "python!, disk!, shared memory!"),
    *(
        ({"facts": {"needs": needs}}, {}, "")
        # the last ones cannot be looked up
        for needs in (
            "torch",
            "torch 2",
            "torch 2.4.1",
            "pillow",
            "torch, Open MPI",
            "lddl of NVIDIA (it stops, on images too)",
        )
    ),
    *(
        ({"facts": {"needs": needs}}, {}, "needs")
        for needs in ("torch 2.40", "torch, dllogger", "torch-gpu", "torch, and dllogger", "torch, other.txt")
    ),
]


@pytest.mark.parametrize(("changes", "wants", "expected"), CASES)
def test_what_is_wrong_is_found(
    patient: Patient, changes: dict[str, Any], wants: dict[str, Any], expected: str
) -> None:
    patient.change(**changes)
    assert patient.ills(**wants) == expected


def test_cards_of_another_vendor_are_examined(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    patient.change(**NO_CARD)
    monkeypatch.setattr(machine_cards, "AMD_DRIVER", patient.top)
    monkeypatch.setitem(sys.modules, "amdsmi", bindings(ANSWERS))
    assert patient.ills(cards=3) == "cards!, idle, idle"


def test_a_real_checkout_at_its_pinned_commit_is_good(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "a")
    commit = git(tmp_path, "rev-parse", "HEAD")
    recipe = Recipe("resnet", {**FACTS, "commit": commit, "needs": "torch"}, {"DATA": "data"})
    *_, last = doctor.examine(Launch(os.environ, recipe, tmp_path))
    assert (last.subject, last.level, commit[:12] in last.said) == ("checkout", "ok", True)


def test_requirements_are_those_of_the_program_and_a_missing_one_is_named(patient: Patient) -> None:
    program = "PyTorch/Classification/ConvNets"
    executable(patient.top / "resnet.sh", f'cd "$REPO/{program}"\npython main.py\n')
    (patient.repo / "requirements.txt").rename(patient.top / "requirements.txt")
    executable(patient.repo / program / "requirements.txt", "scikit_learn\nnumpy\nhttps://example.org/x.whl\n")
    [found] = [finding for finding in patient.findings() if finding.level != "ok"]
    assert (found.subject, found.level) == ("needs", "warning")
    assert ("scikit_learn" in found.said, "numpy" in found.said, program in found.said) == (True, False, True)


def test_a_variable_that_slows_training_down_is_kept_in_run_json() -> None:
    slowing = tomllib.loads((ROOM / "slowing_variables.toml").read_text(encoding="utf-8"))
    assert facts.matters(dict.fromkeys(slowing, "1")).keys() == slowing.keys()


def test_the_command_says_each_finding_and_fails_where_one_would_stop_a_launch(native: Native) -> None:
    answer = native.tachograph("doctor", "paddleclas_resnet50", "--repo", native.repo, "--json")
    found = list(map(json.loads, answer.stdout.splitlines()))
    assert (answer.stderr, answer.returncode) == ("", 1)
    assert ("framework", "bad") in {(one["subject"], one["level"]) for one in found}


def test_what_nothing_can_run_or_contradicts_itself_is_refused(native: Native) -> None:
    with patch.dict(native.environment, PATH=str(native.top / "bin")):
        assert native.tachograph("doctor", "--container", "image:1").returncode == 2
        assert native.tachograph("doctor", "--synthetic", "--data", native.top).returncode == 2

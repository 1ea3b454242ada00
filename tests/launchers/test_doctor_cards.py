"""What the doctor finds about cards, and about the frameworks that use them."""

from __future__ import annotations

from pathlib import Path

import pytest
from patient import Patient

from launchers.machine.doctor_cards import Wants


@pytest.fixture
def patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """A machine on which all is well."""
    return Patient(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("cuda", "level"), [("11.8", None), ("12.4", None), ("12.6", "warning"), ("13.0", "bad"), ("12", None)]
)
def test_the_cuda_of_the_framework_is_held_against_that_of_the_driver(
    patient: Patient, cuda: str, level: str | None
) -> None:
    patient.frameworks["torch"]["cuda"] = cuda
    said = f"The driver supports CUDA up to 12.4; torch is built for {cuda}."
    assert patient.ills() == ([("driver", level, said)] if level else [])


@pytest.mark.parametrize(("cpu", "level"), [("", "bad"), ("fp32", "warning")])
def test_a_framework_without_cuda_leaves_the_cards_idle(patient: Patient, cpu: str, level: str) -> None:
    patient.facts["cpu"] = cpu
    patient.frameworks["torch"] |= {"cuda": None, "nccl": None}
    assert patient.ills() == [("driver", level, "torch is built without CUDA and cannot use GPUs.")]


def test_several_cards_without_nccl_are_bad(patient: Patient) -> None:
    patient.frameworks["torch"]["nccl"] = None
    assert patient.ills() == [("nccl", "bad", "torch is built without NCCL, which multi-GPU training requires.")]


def test_one_card_needs_no_nccl_and_no_interconnect(patient: Patient) -> None:
    patient.frameworks["torch"]["nccl"] = None
    patient.cards(cards=1)
    assert patient.ills() == []
    assert "interconnect" not in {finding.subject for finding in patient.findings()}


@pytest.mark.parametrize(("cpu", "level"), [("", "bad"), ("fp32", "warning")])
def test_a_machine_without_cards_is_bad_for_a_recipe_that_needs_them(patient: Patient, cpu: str, level: str) -> None:
    patient.facts["cpu"] = cpu
    patient.cards(refused=True)
    assert patient.ills() == [("cards", level, "No NVIDIA GPU is visible (NVML Shared Library Not Found).")]


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_hidden_cards_are_said(patient: Patient, hidden: str) -> None:
    patient.environ["CUDA_VISIBLE_DEVICES"] = hidden
    assert patient.ills() == [("cards", "warning", "CUDA_VISIBLE_DEVICES hides all GPUs from the native program.")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"utilisation": 90}, "90% utilization, 4 MiB used, 0 processes"),
        ({"used": 40000}, "0% utilization, 40000 MiB used, 0 processes"),
        ({"processes": 1}, "0% utilization, 4 MiB used, 1 process"),
    ],
)
def test_a_card_in_use_is_said(patient: Patient, options: dict[str, int], words: str) -> None:
    patient.cards(cards=1, **options)
    assert patient.ills() == [("idle", "warning", f"GPU 0 is in use: {words}.")]


@pytest.mark.parametrize(
    ("level", "word", "good"),
    [(10, "PIX", True), (20, "PXB", True), (30, "PHB", False), (40, "NODE", False), (50, "SYS", False)],
)
def test_cards_that_meet_in_the_processor_are_said(patient: Patient, level: int, word: str, good: bool) -> None:
    patient.cards(links=0, topology=level)
    said = f"GPUs are connected by {word} (see `nvidia-smi topo -m`)."
    assert patient.ills() == ([] if good else [("interconnect", "warning", said)])


def test_a_card_that_has_fallen_off_its_bus_is_bad(patient: Patient) -> None:
    patient.cards(cards=3, lost=[1])
    assert ("cards", "bad", "GPU 1 does not answer: it has fallen off its bus.") in patient.ills()
    assert ("cards", "ok", "2 of NVIDIA H200, driver 550.54.15.") in [
        (finding.subject, finding.level, finding.said) for finding in patient.findings()
    ]


@pytest.mark.parametrize(("count", "good"), [(2, True), (8, False)])
def test_more_cards_than_there_are_is_bad(patient: Patient, count: int, good: bool) -> None:
    said = "8 GPUs are wanted on this machine; 2 answer."
    assert patient.ills(wants=Wants(cards=count)) == ([] if good else [("cards", "bad", said)])


@pytest.mark.parametrize(("capability", "good"), [([6, 1], False), ([7, 0], True), ([9, 0], True)])
def test_a_precision_without_tensor_cores_is_said(patient: Patient, capability: list[int], good: bool) -> None:
    patient.cards(capability=capability)
    said = "NVIDIA H200 has no Tensor Cores for amp, which needs compute capability 7.0."
    assert patient.ills(wants=Wants(precision="amp")) == ([] if good else [("precision", "warning", said)])

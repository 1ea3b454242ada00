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
    assert patient.levels() == ([("driver", level)] if level else [])


@pytest.mark.parametrize(("cpu", "level"), [("", "bad"), ("fp32", "warning")])
def test_a_framework_without_cuda_leaves_the_cards_idle(patient: Patient, cpu: str, level: str) -> None:
    patient.facts["cpu"] = cpu
    patient.frameworks["torch"] |= {"cuda": None, "nccl": None}
    assert patient.levels() == [("driver", level)]


def test_only_several_cards_need_nccl_and_an_interconnect(patient: Patient) -> None:
    patient.frameworks["torch"]["nccl"] = None
    assert patient.levels() == [("nccl", "bad")]
    patient.cards(cards=1)
    assert patient.levels() == []
    assert "interconnect" not in {finding.subject for finding in patient.findings()}


@pytest.mark.parametrize(("cpu", "level"), [("", "bad"), ("fp32", "warning")])
def test_a_machine_without_cards_is_bad_for_a_recipe_that_needs_them(patient: Patient, cpu: str, level: str) -> None:
    patient.facts["cpu"] = cpu
    patient.cards(refused=True)
    assert patient.levels() == [("cards", level)]


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_hidden_cards_are_said(patient: Patient, hidden: str) -> None:
    patient.environ["CUDA_VISIBLE_DEVICES"] = hidden
    assert patient.levels() == [("cards", "warning")]


@pytest.mark.parametrize("options", [{"utilisation": 90}, {"used": 40000}, {"processes": 1}])
def test_a_card_in_use_is_said(patient: Patient, options: dict[str, int]) -> None:
    patient.cards(cards=1, **options)
    assert patient.levels() == [("idle", "warning")]


@pytest.mark.parametrize(
    ("level", "word", "good"),
    [(10, "PIX", True), (20, "PXB", True), (30, "PHB", False), (40, "NODE", False), (50, "SYS", False)],
)
def test_cards_that_meet_in_the_processor_are_said(patient: Patient, level: int, word: str, good: bool) -> None:
    patient.cards(links=0, topology=level)
    assert [(subject, word in said) for subject, _, said in patient.ills()] == (
        [] if good else [("interconnect", True)]
    )


def test_a_card_that_has_fallen_off_its_bus_is_bad(patient: Patient) -> None:
    patient.cards(cards=3, lost=[1])
    assert ("cards", "bad") in patient.levels()
    assert "ok" in [finding.level for finding in patient.findings() if finding.subject == "cards"]


@pytest.mark.parametrize(("count", "good"), [(2, True), (8, False)])
def test_more_cards_than_there_are_is_bad(patient: Patient, count: int, good: bool) -> None:
    assert patient.levels(wants=Wants(cards=count)) == ([] if good else [("cards", "bad")])


@pytest.mark.parametrize(("capability", "good"), [([6, 1], False), ([7, 0], True), ([9, 0], True)])
def test_a_precision_without_tensor_cores_is_said(patient: Patient, capability: list[int], good: bool) -> None:
    patient.cards(capability=capability)
    assert patient.levels(wants=Wants(precision="amp")) == ([] if good else [("precision", "warning")])

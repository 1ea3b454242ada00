"""A patient for the doctor: a machine on which all is well until something is changed."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from native_checkout import executable
from nvml import pynvml as stand_in

from launchers.machine import doctor, gpus
from launchers.machine.doctor_cards import ALL, Wants
from launchers.machine.findings import Diagnosis
from launchers.recipes import checkout
from launchers.recipes.recipe import Recipe

GIB = 2**30
FACTS = {
    "repository": "https://github.com/owner/name",
    "commit": "a" * 40,
    "data": "ImageNet with its train_list.txt",
    "needs": "torch 2.4, requirements.txt, pillow",
    "gpu": "fp32 amp",
}
PACKAGES = {"torch": "2.4.1", "Pillow": "11.0.0", "numpy": "2.1.0", "typing_extensions": "4.12"}
TORCH: dict[str, str | None] = {"version": "2.4.1", "cuda": "12.1", "cudnn": "9.1.0", "nccl": "2.20.5"}


class Patient:
    """A machine, a native Python, a checkout and a recipe, all of which are well until something is changed."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.top, self.monkeypatch = top, monkeypatch
        self.facts, self.packages, self.frameworks = dict(FACTS), dict(PACKAGES), {"torch": dict(TORCH)}
        self.python: str | None = None
        self.environ = {"PATH": f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        self.repo = top / "checkout"
        executable(self.repo / "data" / "train_list.txt", "")
        executable(
            self.repo / "requirements.txt", "# all\nnumpy>=1\n-r more.txt\ntyping-extensions==4.12 # typing\nold; x\n"
        )
        self.checkout: dict[str, Any] = {key: FACTS[key] for key in ("repository", "commit")} | {"dirty": False}
        monkeypatch.setattr(gpus, "pynvml", stand_in)
        monkeypatch.setattr(checkout, "describe", lambda repo: self.checkout)
        self.free(100 * GIB, 100 * GIB)
        self.cards(utilisation=0, used=4)

    def cards(self, **options: Any) -> None:
        """Say what cards there are."""
        self.monkeypatch.setenv("NVML_STAND_IN", json.dumps({"utilisation": 0, "used": 4, **options}))

    def free(self, disk: int, shared: int) -> None:
        """Say how many bytes are free."""

        def usage(path: Path) -> SimpleNamespace:
            return SimpleNamespace(free=shared if path == Path("/dev/shm") else disk)  # noqa: S108

        self.monkeypatch.setattr(shutil, "disk_usage", usage)

    def findings(self, data: Path | None = None, wants: Wants = ALL) -> list[Diagnosis]:
        """Examine the patient."""
        answer = json.dumps({"python": "3.11.7", "packages": self.packages, "frameworks": self.frameworks})
        executable(self.top / "bin" / "python", self.python or f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")
        recipe = Recipe("resnet", self.facts, {"DATA": "data"})
        return list(doctor.examine(recipe, self.repo, data, self.environ, wants))

    def ills(self, data: Path | None = None, wants: Wants = ALL) -> list[tuple[str, str, str]]:
        """All that is not good."""
        return [(found.subject, found.level, found.said) for found in self.findings(data, wants) if found.level != "ok"]

    def levels(self, data: Path | None = None, wants: Wants = ALL) -> list[tuple[str, str]]:
        """The subjects of it, and how bad each is."""
        return [(subject, level) for subject, level, _ in self.ills(data, wants)]

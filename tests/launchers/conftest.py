"""The fixtures that tests of the launchers share."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from checkouts import Native, OwnProgram, emulated, make_checkout, make_native, make_program, on_nodes
from nvml import pynvml as stand_in

from launchers.machine import cards as machine_cards


@pytest.fixture
def native(tmp_path: Path) -> Native:
    """A checkout whose training program prints one metric line."""
    return make_native(tmp_path)


@pytest.fixture
def program(tmp_path: Path) -> OwnProgram:
    """A program of one's own."""
    return make_program(tmp_path)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A git checkout with one file."""
    return make_checkout(tmp_path)


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """The stand-in in place of NVML; called, it says what kind of machine that is."""
    monkeypatch.setattr(machine_cards, "pynvml", stand_in)
    return lambda **options: monkeypatch.setenv("NVML_STAND_IN", json.dumps(options))


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a cluster of four emulated nodes."""
    with emulated(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


@pytest.fixture
def on_slurm(native: Native, slurm: dict[str, str]) -> Native:
    """A checkout on several nodes, where the commands of the cluster are found."""
    path = f"{native.top / 'bin'}{os.pathsep}{slurm['PATH']}"
    # A node that observes itself starts Python twice, which takes longer than most tests need otherwise.
    native.environment |= {"SLURM_CONF": slurm["SLURM_CONF"], "PATH": path, "TACHOGRAPH": ""}
    return on_nodes(native)

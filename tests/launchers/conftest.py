"""The fixtures that tests of the launchers share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import cluster
import pytest
from native_checkout import Native, make_native
from several_nodes import on_nodes


@pytest.fixture
def native(tmp_path: Path) -> Native:
    """A checkout whose training program prints one metric line."""
    return make_native(tmp_path)


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a cluster of four emulated nodes."""
    if reason := cluster.missing():
        pytest.skip(reason)
    with cluster.emulated(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


@pytest.fixture
def on_slurm(native: Native, slurm: dict[str, str]) -> Native:
    """A checkout on several nodes, where the commands of the cluster are found."""
    path = f"{native.top / 'bin'}{os.pathsep}{slurm['PATH']}"
    # A node that observes itself starts Python twice, which takes longer than most tests need otherwise.
    native.environment |= {"SLURM_CONF": slurm["SLURM_CONF"], "PATH": path, "TACHOGRAPH": ""}
    return on_nodes(native)

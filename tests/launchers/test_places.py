"""Where a job runs: nodes that are started by hand, and what must be here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from native_checkout import Native
from several_nodes import ON_TWO, on_nodes, run_of

from launchers.commands import Executor


def test_nodes_that_are_started_by_hand_have_suites_of_their_own(native: Native) -> None:
    by_hand = [*ON_TWO, "--master", "127.0.0.1:29501", "--node-rank"]
    nodes = on_nodes(native)
    nodes.launch(*by_hand, "0")
    nodes.launch(*by_hand, "1")
    other = nodes.suite.with_name("suite-node1") / run_of(nodes).relative_to(nodes.suite)
    assert ((run_of(nodes) / "run.json").exists(), (other / "run.json").exists()) == (True, True)


@pytest.mark.parametrize(
    ("options", "program"),
    [({"on": "slurm"}, "sbatch"), ({"on": "mpirun", "hosts": "a,b"}, "mpirun"), ({"container": "a"}, "docker")],
)
def test_only_what_is_started_needs_its_program_here(
    options: dict[str, Any], program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Executor(**options, dry_run=True).place
    with pytest.raises(click.UsageError, match=program):
        assert Executor(**options).place

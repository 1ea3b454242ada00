"""Where a job runs: nodes that are started by hand, and scripts that stand in scripts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
from native_checkout import Native
from several_nodes import ON_TWO, on_nodes, run_of

from launchers.backends import chosen
from launchers.backends.place import here_document


def test_nodes_that_are_started_by_hand_have_suites_of_their_own(native: Native) -> None:
    by_hand = [*ON_TWO, "--master", "127.0.0.1:29501", "--node-rank"]
    nodes = on_nodes(native)
    nodes.launch(*by_hand, "0")
    nodes.launch(*by_hand, "1")
    other = nodes.suite.with_name("suite-node1") / run_of(nodes).relative_to(nodes.suite)
    assert ((run_of(nodes) / "run.json").exists(), (other / "run.json").exists()) == (True, True)


@pytest.mark.parametrize(
    ("options", "program"),
    [({"on": "slurm"}, "sbatch"), ({"on": "mpirun", "hosts": "a,b"}, "mpirun"), ({"image": "a"}, "docker")],
)
def test_only_what_is_started_needs_its_program_here(
    options: dict[str, Any], program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    arguments = {"on": None, "hosts": None, "script": None, **options}
    assert chosen(**arguments, is_dry=True)
    with pytest.raises(click.UsageError, match=program):
        chosen(**arguments)


@pytest.mark.parametrize("text", ["", "JOB", "JOB\nJOB_\nJOB__", "$(false) `x` \\\n'\n\n"])
def test_a_script_in_a_script_comes_out_as_it_is_with_an_ended_last_line(text: str) -> None:
    answer = subprocess.run(["bash"], input=f"cat {here_document(text)}", capture_output=True, text=True, check=True)
    assert answer.stdout == (text if text.endswith("\n") else f"{text}\n")

"""What the processes of a run take, as its cpu.csv holds it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from launchers.machine import sampling
from launchers.machine.process_tree import ProcessTree, below, within

BUSY = "held = bytearray(64 * 2**20)\nprint('ready', flush=True)\nwhile True: pass\n"


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[str]]:
    """A child that holds 64 MiB and keeps a core busy."""
    child = subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    yield child
    child.kill()
    child.wait()
    child.stdout.close()


def package(folder: Path, number: int, microjoules: int, greatest: int = 10**9) -> Path:
    """A processor whose energy Linux tells."""
    path = folder / f"intel-rapl:{number}"
    path.mkdir(parents=True, exist_ok=True)
    (path / "energy_uj").write_text(f"{microjoules}\n")
    (path / "max_energy_range_uj").write_text(f"{greatest}\n")
    return path


def test_the_descendants_of_a_process_are_counted_with_their_memory(busy: subprocess.Popen[str]) -> None:
    found = ProcessTree(below(os.getpid())).sample()
    assert busy.poll() is None
    assert (found.processes >= 1, found.memory >= 64) == (True, True)


@pytest.mark.usefixtures("busy")
def test_what_descendants_computed_since_the_sample_before_is_their_load(tmp_path: Path) -> None:
    tree = ProcessTree(below(os.getpid()), tmp_path)
    time.sleep(0.5)
    load = tree.sample().load
    assert load is not None
    assert load > 0


def test_a_process_without_descendants_has_none() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    tree = ProcessTree(below(child.pid))
    found = tree.sample()
    child.communicate(b"\n")
    assert (found.processes, found.memory, tree.sample().processes) == (0, 0, 0)


def test_the_power_is_what_all_processors_used_though_a_counter_of_energy_begins_anew(tmp_path: Path) -> None:
    assert ProcessTree(below(os.getpid()), tmp_path).sample().power is None
    package(tmp_path, 0, 999_000_000), package(tmp_path, 1, 0)
    tree = ProcessTree(below(os.getpid()), tmp_path)
    package(tmp_path, 0, 1_000_000), package(tmp_path, 1, 50_000_000)
    before, power = tree._time, tree.sample().power
    assert power == pytest.approx(52 / (tree._time - before), rel=1e-3)


@pytest.mark.usefixtures("busy")
def test_samples_are_written_under_the_columns_of_the_run_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "INTERVAL", 0.02)
    path = tmp_path / "cpu.csv"
    with sampling.processes_recorded(path, below(os.getpid())):
        while path.read_text().count("\n") < 3:
            time.sleep(0.01)
    head, *rows = csv.reader(path.read_text().splitlines())
    assert head == ["time", "processes", "load", "memory", "power"]
    assert all(int(row[1]) >= 1 for row in rows)


def test_a_container_has_no_processes_before_it_runs_and_after_its_end() -> None:
    numbers = iter([None, 0])
    tree = ProcessTree(within(lambda: next(numbers)))
    assert tree.sample().processes == 0
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert ProcessTree(within(lambda: child.pid)).sample().processes == 0

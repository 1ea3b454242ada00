"""The samples that a run's gpu.csv holds."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from native_checkout import TOP
from nvml import pynvml as stand_in

from launchers.machine import gpus, sampling

HEAD = (
    "time,card,utilisation,memory,power,sm_clock,memory_clock,temperature,throttle,ecc_corrected,ecc_uncorrected,"
    "pcie_rx,pcie_tx,pcie_generation,pcie_width,card_processes,process_memory"
)
HELD = "gpu_processes.csv"
PROGRAM = """
import sys, time
from pathlib import Path
from launchers.machine import sampling
path = Path(sys.argv[1])
with sampling.recorded(path, path.with_name("gpu_processes.csv")) as found:
    print(found, flush=True)
    time.sleep(float(sys.argv[2]))
"""


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The stand-in in place of NVML; called, it says what kind of machine that is."""
    monkeypatch.setattr(gpus, "pynvml", stand_in)
    return lambda **options: monkeypatch.setenv("NVML_STAND_IN", json.dumps(options))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples come fifty times a second."""
    monkeypatch.setattr(sampling, "INTERVAL", 0.02)


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def recorded(path: Path, until: int = 1) -> list[dict[str, str]]:
    """Record until so many lines are there, and read them."""
    with sampling.recorded(path, path.with_name(HELD)):
        while not path.exists() or path.read_text().count("\n") <= until:
            time.sleep(0.005)
    return rows_of(path)


def started(path: Path, seconds: float) -> subprocess.Popen[str]:
    """A process of its own that records for so many seconds, with the stand-in on its PYTHONPATH."""
    environment = {**os.environ, "PYTHONPATH": f"{TOP / 'tests' / 'launchers' / 'nvml'}{os.pathsep}{TOP}"}
    command = [sys.executable, "-c", PROGRAM, str(path), str(seconds)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_every_card_is_sampled_with_its_units(tmp_path: Path, cards: Any) -> None:
    cards(used=1500, power=287123, processes=2, held=1200)
    before = time.time()
    first, second, *_ = recorded(tmp_path / "gpu.csv", 2)
    assert before - 0.001 <= float(first["time"]) <= time.time() + 0.001
    assert list(first) == HEAD.split(",")
    values = {"utilisation": "97", "memory": "1500", "power": "287.123", "sm_clock": "1980", "memory_clock": "3201"}
    values |= {"throttle": "4", "ecc_corrected": "3", "ecc_uncorrected": "0", "pcie_rx": "51200", "pcie_tx": "2048"}
    values |= {"pcie_generation": "5", "pcie_width": "16", "card_processes": "2", "process_memory": "1200"}
    assert first == {"time": first["time"], "card": "0", **values, "temperature": "41"}
    assert second == {"time": first["time"], "card": "1", **values, "temperature": "42"}


@pytest.mark.usefixtures("quick")
def test_every_process_is_written_once_as_long_as_it_holds_the_same(tmp_path: Path, cards: Any) -> None:
    cards(processes=2, held=1200)
    recorded(tmp_path / "gpu.csv", 6)
    head, *rows = (tmp_path / HELD).read_text().splitlines()
    assert head == "time,card,pid,name,memory"
    assert [row.partition(",")[2] for row in rows] == ["0,0,,1200", "0,1,,100", "1,0,,1200", "1,1,,100"]


def test_a_value_that_is_not_told_is_empty_and_zero_is_a_value(tmp_path: Path, cards: Any) -> None:
    missing = ["nvmlDeviceGetPowerUsage"]
    cards(unsupported=missing, utilisation=0, used=0, processes=2, held=None)
    row = recorded(tmp_path / "gpu.csv", 2)[0]
    assert (row["power"], row["utilisation"], row["memory"]) == ("", "0", "0")
    assert (row["card_processes"], row["process_memory"]) == ("2", "")


def test_a_lost_card_leaves_its_cells_empty_and_the_others_alone(tmp_path: Path, cards: Any) -> None:
    cards(lost=[0])
    first, second, *_ = recorded(tmp_path / "gpu.csv", 2)
    assert set(first.values()) == {first["time"], "0", ""}
    assert second["memory"] == "1500"


@pytest.mark.usefixtures("quick")
def test_a_card_that_is_lost_during_the_run_does_not_end_it(tmp_path: Path, cards: Any) -> None:
    cards()
    path = tmp_path / "gpu.csv"
    with sampling.recorded(path, path.with_name(HELD)) as found:
        cards(lost=[0, 1])
        time.sleep(0.2)
    last = rows_of(path)[-1]
    assert (found, last["card"], last["memory"]) == (True, "1", "")


def test_an_older_driver_tells_memory_in_the_older_form(tmp_path: Path, cards: Any) -> None:
    cards(unsupported=["nvmlDeviceGetMemoryInfo_v2"], used=1500)
    assert recorded(tmp_path / "gpu.csv", 2)[0]["memory"] == str(1500 + 512)


@pytest.mark.parametrize("options", [{"refused": True}, {"cards": 0}])
def test_without_a_card_no_file_is_made(tmp_path: Path, cards: Any, options: dict[str, Any]) -> None:
    cards(**options)
    with sampling.recorded(tmp_path / "gpu.csv", tmp_path / HELD) as found:
        assert not found
    assert list(tmp_path.iterdir()) == []


def test_hidden_cards_are_sampled_too(tmp_path: Path, cards: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cards()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    assert [row["card"] for row in recorded(tmp_path / "gpu.csv", 2)[:2]] == ["0", "1"]


@pytest.mark.usefixtures("quick")
def test_the_thread_ends_with_the_block(tmp_path: Path, cards: Any) -> None:
    cards()
    recorded(tmp_path / "gpu.csv", 6)
    size = (tmp_path / "gpu.csv").stat().st_size
    time.sleep(0.1)
    assert (tmp_path / "gpu.csv").stat().st_size == size
    assert "telemetry" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.usefixtures("quick")
def test_a_full_disk_does_not_end_the_run(cards: Any) -> None:
    cards()
    with sampling.recorded(Path("/dev/full"), Path("/dev/full")) as found:
        time.sleep(0.1)
    assert found


def test_a_process_that_is_killed_keeps_its_samples(tmp_path: Path) -> None:
    path = tmp_path / "gpu.csv"
    with started(path, 60) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        while path.read_text().count("\n") < 5:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    head, *rows = path.read_text().splitlines()
    assert (head, [row.split(",")[1] for row in rows[:4]]) == (HEAD, ["0", "1", "0", "1"])


@pytest.mark.slow
def test_samples_come_once_a_second(tmp_path: Path) -> None:
    with started(tmp_path / "gpu.csv", 2.5) as process:
        process.communicate(timeout=30)
    rows = rows_of(tmp_path / "gpu.csv")
    assert [row["card"] for row in rows] == ["0", "1"] * 3

"""What the samples of a run hold: gpu.csv, cpu.csv, and what others took meanwhile."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from native_checkout import TOP
from nvml import pynvml as stand_in

from launchers.machine import cards as machine_cards
from launchers.machine import telemetry
from launchers.machine.cards import CardAnswer, CardProcess
from launchers.machine.telemetry import RunLoad, below, foreign_remark, program, worst
from parsers.runs.run_folder import CardSample, Foreign

HEAD = (
    "time,card,utilisation,memory,power,sm_clock,memory_clock,temperature,throttle,ecc_corrected,ecc_uncorrected,"
    "pcie_rx,pcie_tx,pcie_generation,pcie_width,card_processes,process_memory"
)
OF_TREE = "time,processes,load,memory\n"
PROGRAM = """
import sys, time
from pathlib import Path
from launchers.machine import telemetry
path = Path(sys.argv[1])
with telemetry.recorded(path, path, None) as found:
    print(found, flush=True)
    time.sleep(60)
"""
BUSY = "held = bytearray(64 * 2**20)\nprint('ready', flush=True)\nwhile True: pass\n"
SELF = Path(sys.executable).resolve().name


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The stand-in in place of NVML, asked fifty times a second; called, it says what kind of machine that is."""
    monkeypatch.setattr(machine_cards, "pynvml", stand_in)
    monkeypatch.setattr(telemetry, "INTERVAL", 0.02)
    return lambda **options: monkeypatch.setenv("NVML_STAND_IN", json.dumps(options))


def recorded(path: Path, until: int = 2, load: RunLoad | None = None) -> list[dict[str, str]]:
    """Record until so many rows are there, and read them."""
    with telemetry.recorded(path, path.with_name("cpu.csv"), load):
        while not path.exists() or path.read_text().count("\n") <= until:
            time.sleep(0.005)
    return list(csv.DictReader(path.read_text().splitlines()))


def test_every_card_is_sampled_with_its_units_and_hidden_ones_too(
    tmp_path: Path, cards: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards(used=1500, power=287123, processes=2, held=1200)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    before = time.time()
    first, second, *_ = recorded(tmp_path / "gpu.csv", 6)
    assert before - 0.001 <= float(first["time"]) <= time.time() + 0.001
    assert list(first) == HEAD.split(",")
    values = {"utilisation": "97", "memory": "1500", "power": "287.123", "sm_clock": "1980", "memory_clock": "3201"}
    values |= {"throttle": "4", "ecc_corrected": "3", "ecc_uncorrected": "0", "pcie_rx": "51200", "pcie_tx": "2048"}
    values |= {"pcie_generation": "5", "pcie_width": "16", "card_processes": "2", "process_memory": "1200"}
    assert first == {"time": first["time"], "card": "0", **values, "temperature": "41"}
    assert second == {"time": first["time"], "card": "1", **values, "temperature": "42"}


@pytest.mark.parametrize(
    ("options", "cells"),
    [
        ({"unsupported": ["nvmlDeviceGetPowerUsage"], "utilisation": 0}, {"power": "", "utilisation": "0"}),
        ({"used": 0, "processes": 2, "held": None}, {"memory": "0", "card_processes": "2", "process_memory": ""}),
        ({"unsupported": ["nvmlDeviceGetMemoryInfo_v2"], "used": 1500}, {"memory": str(1500 + 512)}),  # older drivers
        ({"lost": [0]}, dict.fromkeys(HEAD.split(",")[2:], "")),
    ],
)
def test_a_value_that_is_not_told_is_empty_and_zero_is_a_value(
    tmp_path: Path, cards: Any, options: dict[str, Any], cells: dict[str, str]
) -> None:
    cards(**options)
    first, second, *_ = recorded(tmp_path / "gpu.csv")
    assert ({name: first[name] for name in cells}, second["card"]) == (cells, "1")
    assert second["memory"]


@pytest.mark.parametrize("options", [{"refused": True}, {"cards": 0}])
def test_without_a_card_no_file_is_made(tmp_path: Path, cards: Any, options: dict[str, Any]) -> None:
    cards(**options)
    with telemetry.recorded(tmp_path / "gpu.csv", tmp_path, None) as found:
        assert not found
    assert list(tmp_path.iterdir()) == []


def test_neither_a_lost_card_nor_a_full_disk_ends_the_run_and_the_threads_end_with_it(
    tmp_path: Path, cards: Any
) -> None:
    cards()
    with telemetry.recorded(tmp_path / "gpu.csv", tmp_path, None) as found:
        cards(lost=[0, 1])
        time.sleep(0.1)
    last = (tmp_path / "gpu.csv").read_text().splitlines()[-1]
    assert (found, set(last.split(",")[2:])) == (True, {""})
    if Path("/dev/full").exists():
        with telemetry.recorded(Path("/dev/full"), tmp_path, None) as found:
            time.sleep(0.05)
        assert found
    assert "telemetry" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.slow
def test_samples_come_once_a_second_and_a_process_that_is_killed_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "gpu.csv"
    environment = {**os.environ, "PYTHONPATH": f"{TOP / 'tests' / 'launchers' / 'nvml'}{os.pathsep}{TOP}"}
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        while path.read_text().count("\n") < 5:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    head, *rows = path.read_text().splitlines()
    assert (head, [row.split(",")[1] for row in rows[:4]]) == (HEAD, ["0", "1", "0", "1"])
    first, second = float(rows[0].split(",")[0]), float(rows[2].split(",")[0])
    assert second - first >= 0.9


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[str]]:
    """A child that holds 64 MiB, keeps a core busy, and has a secret among its arguments."""
    command = [sys.executable, "-c", BUSY, "--token=abcdef"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield child
        child.kill()


def test_a_program_with_a_card_open_is_named_by_its_file_without_its_arguments(
    busy: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert program(busy.pid) is None  # a number of another machine may be that of anybody here
    monkeypatch.setattr(telemetry, "_DEVICES", ("pipe:",))
    assert program(busy.pid) == SELF


@pytest.mark.parametrize(("file", "name"), [('a b,"c\nd', "a_b__c_d"), ("trainer (deleted)", "trainer"), ("é", "_")])
def test_a_name_is_one_cell_of_a_table(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / "17/fd").mkdir(parents=True)
    (tmp_path / "17/fd/3").symlink_to("/dev/nvidiactl")
    (tmp_path / "17/exe").symlink_to(f"/opt/{file}")
    assert program(17, tmp_path) == name


def test_descendants_are_sampled_with_their_load_and_memory_and_are_not_others(
    tmp_path: Path, busy: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "INTERVAL", 0.05)
    path, here, elsewhere = tmp_path / "cpu.csv", RunLoad(below(os.getpid)), RunLoad(list)
    with telemetry.recorded(tmp_path / "gpu.csv", path, here):
        while not path.exists() or path.read_text().count("\n") < 8:
            time.sleep(0.01)
    elsewhere.sample()
    head, *rows = path.read_text().splitlines()
    assert f"{head}\n" == OF_TREE
    _, processes, load, memory = rows[-1].split(",")
    assert (int(processes) >= 1, float(load) >= 0, int(memory) >= 64, busy.poll()) == (True, True, True, None)
    seen, others = here.foreign()["cpu_percent"], elsewhere.foreign()["cpu_percent"]
    assert seen < others  # by what the child took, which is none of the other run


def test_what_a_descendant_took_that_has_ended_is_not_that_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = iter([(100.0, 1000.0), (110.0, 1020.0)])
    monkeypatch.setattr(telemetry, "_machine_seconds", machine.__next__)
    load = RunLoad(below(os.getpid))
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
    load.sample()
    assert load.foreign()["cpu_percent"] <= 100 * (10 - 0.25) / 20


def test_a_container_has_no_processes_before_it_runs_and_after_its_end() -> None:
    numbers = iter([None, None, 0])
    assert RunLoad(below(lambda: next(numbers), with_root=True)).sample().processes == 0
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert RunLoad(below(lambda: child.pid, with_root=True)).sample().processes == 0
    assert RunLoad(below(lambda: child.pid)).sample().processes == 0


def test_programs_on_cards_are_others_if_they_were_first_or_have_a_name_and_are_not_of_the_run(
    busy: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(*numbers: int) -> list[CardAnswer]:
        return [
            CardAnswer(0, CardSample(), tuple(CardProcess(number, 1) for number in numbers)),
            CardAnswer(1, CardSample()),
        ]

    nobody = 2**22 + 1
    load, run = RunLoad(list), [psutil.Process(busy.pid)]
    load.see_cards(answer())
    load.see_cards(answer(nobody, busy.pid))  # numbers of the machine as seen in a container
    assert load.foreign()["gpu_processes"] == []
    load = RunLoad(list)
    load.see_cards(answer(nobody))
    load.see_cards([CardAnswer(0, CardSample())])
    assert load.foreign()["gpu_processes"] == ["unknown"]
    monkeypatch.setattr(telemetry, "_DEVICES", ("pipe:",))
    for members, names in ((list, [SELF]), (run.copy, [])):
        load = RunLoad(members)
        load.see_cards(answer())
        load.see_cards(answer(busy.pid))
        assert load.foreign()["gpu_processes"] == names


@pytest.mark.parametrize(
    ("percent", "names", "words"),
    [(5.0, [], None), (0.0, ["python3"], ["python3"]), (12.3, [], ["12%", "3.1"]), (6, ["a", "b"], ["6%", "a, b"])],
)
def test_others_are_said_from_five_percent_on_and_whenever_they_compute_on_cards(
    percent: float, names: list[str], words: list[str] | None
) -> None:
    said = foreign_remark({"cpu_percent": percent, "load_average": 3.1, "gpu_processes": names})
    assert (said is None) == (words is None)
    assert [word for word in words or () if word not in str(said)] == []


def test_of_several_nodes_the_most_loaded_one_counts_with_the_programs_of_all() -> None:
    nodes: list[Foreign] = [
        {"cpu_percent": 2.5, "load_average": 9.0, "gpu_processes": ["a"]},
        {"cpu_percent": 7.5, "load_average": 1.0, "gpu_processes": ["b", "a"]},
    ]
    assert worst(nodes) == {"cpu_percent": 7.5, "load_average": 9.0, "gpu_processes": ["a", "b"]}

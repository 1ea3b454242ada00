"""What cards of each vendor tell: the real ones of NVIDIA, and stand-ins in the form of what others answer or print."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from native_checkout import TOP, executable
from nvml import pynvml as stand_in

from launchers.machine import cards
from launchers.machine.cards import CardAnswer, CardProcess, ascend_chips, intel_samples
from parsers.runs.run_folder import CardSample

WITHOUT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
ASK = "from launchers.machine import cards; print(cards.nvml_trouble() or '')"
SAMPLE = """
import sys, time
from pathlib import Path
from launchers.machine import telemetry
path = Path(sys.argv[1])
with telemetry.recorded(path, path.with_name("gpu_processes.csv")):
    time.sleep(2.5)
"""


def asked(program: str, *arguments: str) -> str:
    """What a program prints that sees the real NVML."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=TOP, env=WITHOUT, capture_output=True, text=True, check=True).stdout.strip()


def test_the_real_cards_of_this_machine_and_their_processes_are_sampled_each_second(tmp_path: Path) -> None:
    if trouble := asked(ASK):
        pytest.skip(f"NVML does not start here: {trouble}")
    asked(SAMPLE, str(tmp_path / "gpu.csv"))
    with (tmp_path / "gpu.csv").open() as file, (tmp_path / "gpu_processes.csv").open() as held:
        samples, rows = list(csv.DictReader(file)), list(csv.DictReader(held))
    assert [row for row in samples if not (float(row["memory"]) >= 0 and float(row["power"]) > 0)] == []
    assert len({row["time"] for row in samples}) in {2, 3}
    assert [row for row in rows if not (row["pid"].isdecimal() and row["card"].isdecimal())] == []


@pytest.fixture
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """NVML does not start; called with the name and the lines of a program, it is put on PATH."""
    monkeypatch.setattr(cards, "pynvml", stand_in)
    monkeypatch.setenv("NVML_STAND_IN", '{"refused": true}')
    monkeypatch.setattr(cards, "_AMD_DRIVER", tmp_path / "kfd")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return lambda name, script: executable(tmp_path / name, f"#!/bin/sh\n{script}\n")


@pytest.mark.parametrize("script", ["exit 1", "echo 'no device'", "printf '\\377'"])
def test_a_program_that_tells_of_no_card_gives_none(others: Any, script: str) -> None:
    others("npu-smi", script)
    others("xpu-smi", script)
    with cards.cards() as found:
        assert found is None


# Intel: the first head is that of XPU Manager 1, the second that of 2.
DUMPED = [
    "Timestamp, DeviceId, GPU Utilization (%), GPU Power (W), GPU Frequency (MHz), GPU Core Temperature (Celsius "
    "Degree), GPU Memory Used (MiB)",
    "06:14:46.000,    0, 97.25, 451.61, 1550, 61.00, 40213.50",
    "06:14:46.000,    1, 0.00,  N/A, 0, N/A, 28.75",
    "Timestamp, DeviceId, utilization.gpu (%), power.draw (W), clocks.gpu (MHz), temperature.gpu (C), "
    "memory.used (MiB)",
]
# As Max 1550 printed it in xpumanager issue 98 (utilisation that is not told at first, clocks with decimals), and Arc
# A380 in issue 62, where nothing stands in the cells; the numbers are invented.
PARTLY_TOLD = [
    "08:09:17.817,    4,  N/A, 391.32, 1600.00, 42.50, 20518.25",
    "05:47:53.671,    0, , , , , ",
    "08:09:18.000,    4, 20.41, 392.00, 1600.00",
]
DISCOVERED = "| 0 | Device Name: Intel(R) Data Center GPU Max 1550     |\n|   | Vendor Name: Intel  |\n"


def test_lines_of_intel_are_read_and_what_is_not_told_or_cut_is_unknown() -> None:
    assert list(intel_samples([*DUMPED, *PARTLY_TOLD])) == [
        (0, CardSample(utilisation=97.25, memory=40213.5, power=451.61, sm_clock=1550, temperature=61)),
        (1, CardSample(utilisation=0, memory=28.75, power=None, sm_clock=0, temperature=None)),
        (4, CardSample(memory=20518.25, power=391.32, sm_clock=1600, temperature=42.5)),
        (0, CardSample()),
    ]


def test_cards_of_intel_are_asked_by_their_program(others: Any) -> None:
    dump, discovery = "\n".join(DUMPED), DISCOVERED
    others("xpu-smi", f"[ $1 = dump ] && cat <<'END' || cat <<'ALL'\n{dump}\nEND\n{discovery}ALL")
    with cards.cards() as found:
        assert found is not None
        assert [[one.card for one in found.ask()] for _ in range(2)] == [[0, 1]] * 2
        assert found.names == ["Intel(R) Data Center GPU Max 1550"]


class Kind(Enum):
    """Clocks, sensors and metrics, as amdsmi names them."""

    GFX, MEM, HOTSPOT, CURRENT = range(4)


# AMD: answers in the form of amdsmi 7.0.2, and in that of its versions up to ROCm 6.1.
ANSWERS: dict[str, Any] = {
    "power_info": {"socket_power": 0xFFFF, "current_socket_power": "N/A", "average_socket_power": 612},
    "gpu_total_ecc_count": {"correctable_count": 70000, "uncorrectable_count": 0},
    "gpu_activity": {"gfx_activity": 98, "umc_activity": 40},
    "gpu_vram_usage": {"vram_total": 196592, "vram_used": 151234},
    "clock_info": {Kind.GFX: {"clk": 2100}, Kind.MEM: {"clk": "N/A"}},
    "temp_metric": 74,
    "gpu_asic_info": {"market_name": "AMD Instinct MI300X"},
    "gpu_process_list": [
        {"name": "python3", "pid": 17, "mem": 2**34, "memory_usage": {"gtt_mem": 0, "cpu_mem": 9, "vram_mem": 2**33}},
        {"name": "N/A", "pid": 18, "mem": 0, "memory_usage": {"gtt_mem": 0, "cpu_mem": 0, "vram_mem": "N/A"}},
    ],
}
SECOND_DIE = {**ANSWERS, "power_info": {"average_socket_power": 0, "current_socket_power": "N/A", "gfx_voltage": "N/A"}}
OLDER = {
    **ANSWERS,
    "power_info": {"current_socket_power": 34, "average_socket_power": 34, "gfx_voltage": 65535, "power_limit": 290},
    "clock_info": {Kind.GFX: {"cur_clk": 1700, "max_clk": 1700, "sleep_clk": 0}, Kind.MEM: {"cur_clk": 1600}},
    "gpu_process_list": [
        SimpleNamespace(pid=19, memory_usage=SimpleNamespace(vram_mem=2**30)),
        SimpleNamespace(pid=20, memory_usage=SimpleNamespace(vram_mem=2**64 - 1)),
        object(),
    ],
}
REFUSED = dict.fromkeys(ANSWERS, RuntimeError("not supported"))
TOLD = CardSample(
    utilisation=98,
    memory=151234,
    power=612,
    sm_clock=2100,
    temperature=74,
    ecc_corrected=70000,
    ecc_uncorrected=0,
)
HELD = (CardProcess(17, 8192), CardProcess(18, None))


def bindings(answers: dict[str, Any]) -> SimpleNamespace:
    """The module amdsmi of a machine with two cards, which raises what is an error among the answers."""

    def answering(name: str) -> object:
        def answer(*arguments: object) -> object:
            found = answers[name]
            told = found[arguments[-1]] if name == "clock_info" and isinstance(found, dict) else found
            if isinstance(told, Exception):
                raise told
            return told

        return answer

    functions: dict[str, Any] = {f"amdsmi_get_{name}": answering(name) for name in answers}
    functions |= {"amdsmi_init": lambda: None, "amdsmi_shut_down": lambda: None}
    functions |= dict.fromkeys(("AmdSmiClkType", "AmdSmiTemperatureType", "AmdSmiTemperatureMetric"), Kind)
    return SimpleNamespace(**functions, amdsmi_get_processor_handles=lambda: ["a", "b"])


@pytest.mark.parametrize(
    ("answers", "name", "sample", "processes"),
    [
        (ANSWERS, "AMD Instinct MI300X", TOLD, HELD),
        (SECOND_DIE, "AMD Instinct MI300X", TOLD._replace(power=None), HELD),
        (
            OLDER,
            "AMD Instinct MI300X",
            TOLD._replace(power=34, sm_clock=1700, memory_clock=1600),
            (CardProcess(19, 1024), CardProcess(20, None)),
        ),
        (REFUSED, "AMD GPU", CardSample(), None),
    ],
)
@pytest.mark.usefixtures("others")
def test_a_card_of_amd_tells_what_it_knows_in_the_order_of_the_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: Any, name: str, sample: CardSample, processes: Any
) -> None:
    monkeypatch.setitem(sys.modules, "amdsmi", bindings(answers))
    with cards.cards() as found:  # its bindings print where a library is missing, so that the driver is looked for
        assert found is None
    (tmp_path / "kfd").touch()
    with cards.cards() as found:
        assert found is not None
        assert found.names == [name] * 2
        assert found.ask() == [CardAnswer(number, sample, processes) for number in (0, 1)]


# Ascend, in the forms that public issues and documents show: npu-smi of 25.2 on 910B (A2), of 25.5 on two chips a card
# (A3, vllm-project/vllm-ascend issues 2082 and 2534), of 26.0 with wider cells (issue 12980), of 23.0.rc1 on 910 with
# memory beside its HBM (MindFormers), of 24.1 on 910A, and of 23.0 and 25.3 on 310 and 310P. The numbers are invented.
TRAINING = """\
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 301.8       53                0    / 0             |
| 0                         | 0000:C1:00.0  | 87          0    / 0          53318/ 65536         |
+===========================+===============+====================================================+
| 1     910B3               | Warning       | -           NA                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3314 / 65536         |
+===========================+===============+====================================================+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 1712733       | python                   | 50048                   |
| 0       0                 | 1712801       |                          | 134                     |
+===========================+===============+====================================================+
| No running processes found in NPU 1                                                            |
"""
TWO_CHIPS = """\
| 0     Ascend910           | OK            | 271.4       41                0    / 0             |
| 0     0                   | 0000:1D:00.0  | 64          0    / 0          40416/ 65536         |
+------------------------------------------------------------------------------------------------+
| 0     Ascend910           | OK            | -           43                0    / 0             |
| 1     1                   | 0000:1F:00.0  | 66          0    / 0          40195/ 65536         |
+===========================+===============+====================================================+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
| 0       0                 | 4711          | python3.11               | 37000                   |
+------------------------------------------------------------------------------------------------+
| 0       1                 | 4712          | python3.11               | 37001                   |
"""
WIDE = """\
| 6     Ascend910           | OK            | 181.2                37                      0    / 0                |
| 0     12                  | 0000:2D:00.0  | 5                    0    / 0                3519 / 65536            |
"""
TWO_MEMORIES = """\
| 3     910ProB        | OK            | 98.4        39                0    / 0             |
| 0                    | 0000:81:00.0  | 31          1298 / 15137      20711/ 32768         |
+======================+===============+====================================================+

| NPU     Chip         | Process id    | Process name             | Process memory(MB)      |
| 3       0            | 65115         | python                   | 20784                   |
"""
LITTLE_USED = """\
| 1     910B                | OK            | 76.9        36                0    / 0             |
| 0                         | 0000:81:00.0  | 0           2511 / 15665      4    / 32768         |
"""
# Without HBM: 310B with a device number, 310 with huge pages, and 310P, which tells no power.
INFERENCE = """\
| NPU     Name                  | Health          | Power(W)     Temp(C)           Hugepages-Usage(page) |
| Chip    Device                | Bus-Id          | AICore(%)    Memory-Usage(MB)                        |
| 3       310B1                 | Alarm           | 0.0          49                15    / 15            |
| 0       3                     | 0000:11:00.0    | 12           600  / 7578                             |
| 4       310                   | OK              | 14.8         63                0     / 969           |
| 0       4                     | 0000:01:00.0    | 0            587  / 7759                             |
| 6       310P3                 | OK              | NA           52                0     / 0             |
| 0       5                     | 0000:84:00.0    | 9            1939 / 21525                            |
"""
# Of each chip: utilisation, memory, power, temperature, and its processes with what they hold.
CHIPS: dict[str, list[tuple[Any, ...]]] = {
    TRAINING: [(87, 53318, 301.8, 53, ((1712733, 50048), (1712801, 134))), (0, 3314, None, None, ())],
    TWO_CHIPS: [(64, 40416, 271.4, 41, ((4711, 37000),)), (66, 40195, None, 43, ((4712, 37001),))],
    WIDE: [(5, 3519, 181.2, 37, None)],
    TWO_MEMORIES: [(31, 20711, 98.4, 39, ((65115, 20784),))],
    LITTLE_USED: [(0, 4, 76.9, 36, None)],
    INFERENCE: [(12, 600, 0, 49, None), (0, 587, 14.8, 63, None), (9, 1939, None, 52, None)],
    "": [],
    "no device\n": [],
    "| 0 | x |\n| 0 | y |\n": [],
}


@pytest.mark.parametrize(("text", "chips"), CHIPS.items())
def test_chips_of_ascend_are_read_in_all_versions_with_their_processes(text: str, chips: list[tuple[Any, ...]]) -> None:
    names, answers = ascend_chips(text)
    assert len(names) == len(chips)
    sampled = [(sample.utilisation, sample.memory, sample.power, sample.temperature) for _, sample, _ in answers]
    assert [(*sample, answer.processes) for sample, answer in zip(sampled, answers, strict=True)] == chips


def test_cards_of_ascend_are_asked_by_their_program(others: Any) -> None:
    others("npu-smi", f"cat <<'END'\n{TRAINING}END")
    with cards.cards() as found:
        assert found is not None
        assert ([card for card, _, _ in found.ask()], found.names) == ([0, 1], ["Ascend 910B3"] * 2)

"""What AMD's, Ascend's and Intel's cards tell: by stand-ins in the form of their programs, for none is at hand."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from types import SimpleNamespace

import pytest
from native_checkout import executable

from launchers.machine import accelerators, gpus
from launchers.machine.card_sample import CardAnswer, CardProcess, CardSample
from launchers.machine.makers import amd, ascend, intel

# In the form of npu-smi 25.2.0; the numbers are invented.
TRAINING = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.2.0                   Version: 25.2.0                                               |
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
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 1712733       | python                   | 50048                   |
+===========================+===============+====================================================+
"""
# In the form of npu-smi 23.0.5 for cards without HBM.
INFERENCE = """\
| NPU     Name                  | Health          | Power(W)     Temp(C)           Hugepages-Usage(page) |
| Chip    Device                | Bus-Id          | AICore(%)    Memory-Usage(MB)                        |
+===============================+=================+======================================================+
| 3       310B1                 | Alarm           | 0.0          49                15    / 15            |
| 0       3                     | 0000:11:00.0    | 12           600  / 7578                             |
"""
# The first head is that of XPU Manager 1, the second that of 2.
DUMPED = [
    "Timestamp, DeviceId, GPU Utilization (%), GPU Power (W), GPU Frequency (MHz), GPU Core Temperature (Celsius "
    "Degree), GPU Memory Used (MiB)",
    "06:14:46.000,    0, 97.25, 451.61, 1550, 61.00, 40213.50",
    "06:14:46.000,    1, 0.00,  N/A, 0, N/A, 28.75",
    "Timestamp, DeviceId, utilization.gpu (%), power.draw (W), clocks.gpu (MHz), temperature.gpu (C), "
    "memory.used (MiB)",
]


@pytest.fixture(autouse=True)
def without_nvidia(monkeypatch: pytest.MonkeyPatch) -> None:
    """NVML does not start."""
    monkeypatch.setattr(gpus, "_refusal", lambda: "no driver")


def samples(text: str) -> list[CardSample]:
    """What `npu-smi info` tells of each chip."""
    return [answer.sample for answer in ascend.answers(text)]


def put(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str) -> None:
    """Put a program on PATH."""
    executable(folder / name, f"#!/bin/sh\n{script}\n")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_chips_of_ascend_are_read_from_both_of_their_rows_and_processes_are_not() -> None:
    assert samples(TRAINING) == [
        CardSample(utilisation=87, memory=53318, power=301.8, temperature=53),
        CardSample(utilisation=0, memory=3314, power=None, temperature=None),
    ]


def test_processes_of_ascend_are_those_of_their_chips() -> None:
    assert [answer.processes for answer in ascend.answers(TRAINING)] == [(CardProcess(1712733, 50048),), ()]


def test_processes_of_ascend_are_not_known_where_it_does_not_list_them() -> None:
    assert [answer.processes for answer in ascend.answers(INFERENCE)] == [None]


def test_chips_of_ascend_without_hbm_tell_their_other_memory() -> None:
    assert samples(INFERENCE) == [CardSample(utilisation=12, memory=600, power=0, temperature=49)]


@pytest.mark.parametrize("text", ["", "no device\n", "| 0 | x |\n| 0 | y |\n"])
def test_what_is_no_table_of_ascend_has_no_chips(text: str) -> None:
    assert (samples(text), ascend.names(text)) == ([], [])


def test_cards_of_ascend_are_asked_by_their_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, monkeypatch, "npu-smi", f"cat <<'END'\n{TRAINING}END")
    with accelerators.asked() as ask:
        assert ask is not None
        assert [(card, sample.power) for card, sample, _ in ask()] == [(0, 301.8), (1, None)]
    assert accelerators.names() == ["Ascend 910B3", "Ascend 910B3"]


@pytest.mark.parametrize("script", ["exit 1", "echo 'no device'", "printf '\\377'"])
def test_a_program_that_tells_of_no_card_gives_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(intel, "_PATIENCE", 1.0)
    put(tmp_path, monkeypatch, "npu-smi", script)
    put(tmp_path, monkeypatch, "xpu-smi", script)
    with accelerators.asked() as ask:
        assert ask is None


def test_lines_of_intel_are_read_and_what_is_not_told_is_unknown() -> None:
    assert list(intel.samples(DUMPED)) == [
        (0, CardSample(utilisation=97.25, memory=40213.5, power=451.61, sm_clock=1550, temperature=61)),
        (1, CardSample(utilisation=0, memory=28.75, power=None, sm_clock=0, temperature=None)),
    ]


def test_a_line_of_intel_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, monkeypatch, "xpu-smi", "printf '%s\\n' " + " ".join(f"'{line}'" for line in DUMPED) + "\nsleep 60")
    with accelerators.asked() as ask:
        assert ask is not None
        told: list[CardAnswer] = []
        while len(told) < 2:
            told += ask()
        assert ([one.card for one in told], ask()) == ([0, 1], [])


def test_cards_of_intel_are_named_as_they_are_discovered() -> None:
    rows = "| 0         | Device Name: Intel(R) Data Center GPU Max 1550     |\n|           | Vendor Name: Intel  |\n"
    assert intel.names(f"+---+\n{rows}") == ["Intel(R) Data Center GPU Max 1550"]


class Kind(Enum):
    """Clocks, sensors and metrics, as amdsmi names them."""

    GFX, MEM, HOTSPOT, CURRENT = range(4)


def bindings(**answers: object) -> SimpleNamespace:
    """Bindings in the form of amdsmi 7.0.2, which raise what is an error among the answers."""

    def answering(name: str) -> object:
        def answer(*arguments: object) -> object:
            found = answers.get(name)
            told = found.get(arguments[-1]) if isinstance(found, dict) and Kind.GFX in found else found
            if isinstance(told, Exception):
                raise told
            return told

        return answer

    names = (
        "power_info",
        "gpu_total_ecc_count",
        "gpu_activity",
        "gpu_vram_usage",
        "clock_info",
        "temp_metric",
        "gpu_asic_info",
        "gpu_process_list",
    )
    functions = {f"amdsmi_get_{name}": answering(name) for name in names}
    kinds = {"AmdSmiClkType": Kind, "AmdSmiTemperatureType": Kind, "AmdSmiTemperatureMetric": Kind}
    life = {"amdsmi_init": lambda: None, "amdsmi_shut_down": lambda: None}
    return SimpleNamespace(**functions, **kinds, **life, amdsmi_get_processor_handles=answers.get("handles", list))


ANSWERS = {
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


def test_a_card_of_amd_tells_what_it_knows() -> None:
    assert amd.answer(bindings(**ANSWERS), 0, object()).sample == CardSample(
        utilisation=98,
        memory=151234,
        power=612,
        sm_clock=2100,
        temperature=74,
        ecc_corrected=70000,
        ecc_uncorrected=0,
    )


def test_a_card_of_amd_tells_what_each_process_holds_of_its_own_memory() -> None:
    found = amd.answer(bindings(**ANSWERS), 0, object()).processes
    assert found == (CardProcess(17, 8192), CardProcess(18, None))


def test_a_card_of_amd_that_answers_nothing_leaves_all_open() -> None:
    refused = bindings(**dict.fromkeys(ANSWERS, RuntimeError("not supported")))
    assert amd.answer(refused, 0, object()) == CardAnswer(0, CardSample())


def test_cards_of_amd_are_numbered_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amd, "_DRIVER", tmp_path)
    monkeypatch.setattr(amd, "_bindings", lambda: bindings(**ANSWERS, handles=lambda: ["a", "b"]))
    with accelerators.asked() as ask:
        assert ask is not None
        assert [(card, sample.power) for card, sample, _ in ask()] == [(0, 612), (1, 612)]
    assert accelerators.names() == ["AMD Instinct MI300X"] * 2


def test_without_the_driver_of_amd_its_bindings_are_not_even_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amd, "_DRIVER", tmp_path / "kfd")
    monkeypatch.setattr(amd, "_bindings", lambda: pytest.fail("they print where a library is missing"))
    with amd.cards() as found:
        assert found is None

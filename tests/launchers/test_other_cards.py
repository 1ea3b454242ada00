"""What AMD's, Ascend's and Intel's cards tell: by stand-ins in the form of their programs, for none is at hand."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from types import SimpleNamespace

import pytest
from native_checkout import executable

from launchers.machine import accelerators, gpus
from launchers.machine.card_sample import CardAnswer, CardProcess
from launchers.machine.makers import amd, intel
from parsers.runs.run_folder import CardSample

pytestmark = pytest.mark.slow

ASCEND = """\
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
| 0     910B3               | OK            | 301.8       53                0    / 0             |
| 0                         | 0000:C1:00.0  | 87          0    / 0          53318/ 65536         |
| 1     910B3               | Warning       | -           NA                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          3314 / 65536         |
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
# As Max 1550 printed it in xpumanager issue 98 (utilisation that is not told at first, clocks with decimals), and Arc
# A380 in issue 62, where nothing stands in the cells; the numbers are invented.
PARTLY_TOLD = [
    "08:09:17.817,    4,  N/A, 391.32, 1600.00, 42.50, 20518.25",
    "05:47:53.671,    0, , , , , ",
    "08:09:18.000,    4, 20.41, 392.00, 1600.00",
]


@pytest.fixture(autouse=True)
def without_nvidia(monkeypatch: pytest.MonkeyPatch) -> None:
    """NVML does not start."""
    monkeypatch.setattr(gpus, "_refusal", lambda: "no driver")


def put(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, script: str) -> None:
    """Put a program on PATH."""
    executable(folder / name, f"#!/bin/sh\n{script}\n")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_cards_of_ascend_are_asked_by_their_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, monkeypatch, "npu-smi", f"cat <<'END'\n{ASCEND}END")
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


def test_lines_of_intel_are_read_and_what_is_not_told_or_cut_is_unknown() -> None:
    assert list(intel.samples([*DUMPED, *PARTLY_TOLD])) == [
        (0, CardSample(utilisation=97.25, memory=40213.5, power=451.61, sm_clock=1550, temperature=61)),
        (1, CardSample(utilisation=0, memory=28.75, power=None, sm_clock=0, temperature=None)),
        (4, CardSample(memory=20518.25, power=391.32, sm_clock=1600, temperature=42.5)),
        (0, CardSample()),
    ]
    rows = "| 0         | Device Name: Intel(R) Data Center GPU Max 1550     |\n|           | Vendor Name: Intel  |\n"
    assert intel.names(f"+---+\n{rows}") == ["Intel(R) Data Center GPU Max 1550"]


def test_a_line_of_intel_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = " ".join(f"'{line}'" for line in DUMPED)
    put(tmp_path, monkeypatch, "xpu-smi", f"printf '%s\\n' {lines}\nexec sleep 60")
    with accelerators.asked() as ask:
        assert ask is not None
        told: list[CardAnswer] = []
        while len(told) < 2:
            told += ask()
        assert ([one.card for one in told], ask()) == ([0, 1], [])


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
    found = amd.answer(bindings(**ANSWERS), 0, object())
    assert found.processes == (CardProcess(17, 8192), CardProcess(18, None))
    # The second die of a card tells no power.
    assert amd.answer(bindings(**SECOND_DIE), 1, object()).sample.power is None
    assert found.sample == CardSample(
        utilisation=98,
        memory=151234,
        power=612,
        sm_clock=2100,
        temperature=74,
        ecc_corrected=70000,
        ecc_uncorrected=0,
    )


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


def test_a_card_of_amd_is_read_with_the_bindings_of_older_versions() -> None:
    found = amd.answer(bindings(**OLDER), 0, object())
    assert (found.sample.power, found.sample.sm_clock, found.sample.memory_clock) == (34, 1700, 1600)
    assert found.processes == (CardProcess(19, 1024), CardProcess(20, None))


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

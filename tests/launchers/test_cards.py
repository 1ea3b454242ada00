"""What cards of each vendor tell: the real ones of NVIDIA, and stand-ins in the form of what those of AMD answer."""

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
from native_checkout import TOP
from nvml import pynvml as stand_in

from launchers.machine import cards
from launchers.machine.cards import CardAnswer, CardProcess
from parsers.runs.run_folder import CardSample

WITHOUT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
ASK = "from launchers.machine import cards\nwith cards.cards() as found: print(bool(found))"
SAMPLE = """
import sys, time
from pathlib import Path
from launchers.machine import telemetry
path = Path(sys.argv[1])
with telemetry.recorded(path, path, None):
    time.sleep(2.5)
"""


def asked(program: str, *arguments: str) -> str:
    """What a program prints that sees the real NVML."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=TOP, env=WITHOUT, capture_output=True, text=True, check=True).stdout.strip()


def test_the_real_cards_of_this_machine_are_sampled_each_second(tmp_path: Path) -> None:
    if asked(ASK) != "True":
        pytest.skip("no card is visible here")
    asked(SAMPLE, str(tmp_path / "gpu.csv"))
    with (tmp_path / "gpu.csv").open() as file:
        samples = list(csv.DictReader(file))
    assert [row for row in samples if not (float(row["memory"]) >= 0 and float(row["power"]) > 0)] == []
    assert len({row["time"] for row in samples}) in {2, 3}


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """NVML does not start; where the driver of AMD would be."""
    monkeypatch.setattr(cards, "pynvml", stand_in)
    monkeypatch.setenv("NVML_STAND_IN", '{"refused": true}')
    monkeypatch.setattr(cards, "_AMD_DRIVER", tmp_path / "kfd")
    return tmp_path / "kfd"


class Kind(Enum):
    """Clocks, sensors and metrics, as amdsmi names them."""

    GFX, MEM, HOTSPOT, CURRENT = range(4)


# AMD: answers in the form of amdsmi 7.0.2.
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
        (REFUSED, "AMD GPU", CardSample(), None),
    ],
)
def test_a_card_of_amd_tells_what_it_knows_in_the_order_of_the_cards(
    driver: Path, monkeypatch: pytest.MonkeyPatch, answers: Any, name: str, sample: CardSample, processes: Any
) -> None:
    monkeypatch.setitem(sys.modules, "amdsmi", bindings(answers))
    with cards.cards() as found:  # its bindings print where a library is missing, so that the driver is looked for
        assert not found
    driver.touch()
    with cards.cards() as found:
        assert [card.name for card in found] == [name] * 2
        assert [card.answer() for card in found] == [CardAnswer(number, sample, processes) for number in (0, 1)]

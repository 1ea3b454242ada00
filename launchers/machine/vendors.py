"""The cards of this machine, of the first vendor of whom a tool tells of any: NVIDIA, AMD, Ascend, Intel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from parsers.runs.run_folder import CardSample

from . import nvidia
from .nvidia import CardAnswer, CardProcess


class Cards(NamedTuple):
    """The cards of a vendor: their names, and what asks all of them."""

    names: list[str]
    ask: Callable[[], list[CardAnswer]]


@contextmanager
def cards() -> Iterator[Cards | None]:
    """Give all cards of the machine, by the numbers that they have there; None where nothing tells of any.

    A machine that trains on cards of several vendors is not known.
    """
    with ExitStack() as stack:
        found = (stack.enter_context(vendor()) for vendor in _VENDORS)
        yield next((cards for cards in found if cards), None)


def printed(*command: str) -> str:
    """Return what a program prints, in English; empty where it does not answer within ten seconds, or refuses."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        answer = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=10
        )
        return answer.stdout.decode()
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""


@contextmanager
def _nvidia() -> Iterator[Cards | None]:
    with nvidia.cards() as found:
        yield Cards([card.name for card in found], lambda: [card.answer() for card in found]) if found else None


# AMD: amdsmi, which comes with ROCm and with the extra `amd`; units as in amdsmi 0ceca28 (amd_smi.cc).
_AMD_DRIVER = Path("/dev/kfd")
_AMD_UNKNOWN = 0xFFFF  # what amdsmi answers, or "N/A", where a card does not tell
_AMD_NO_MEMORY = 1 << 60  # it is the greatest number where the driver does not tell what a process holds


@contextmanager
def _amd() -> Iterator[Cards | None]:
    amdsmi: Any = None
    if _AMD_DRIVER.exists():
        try:
            amdsmi = import_module("amdsmi")  # it looks for its library when it is imported
            amdsmi.amdsmi_init()
        except Exception:  # noqa: BLE001 - its errors have their class in a module that need not be there
            amdsmi = None
    if amdsmi is None:
        yield None
        return
    try:
        handles = _amd_told(amdsmi.amdsmi_get_processor_handles) or []
        told = (_amd_told(amdsmi.amdsmi_get_gpu_asic_info, handle) for handle in handles)
        names = [str(_amd_part(one, "market_name") or "AMD GPU") for one in told]
        yield Cards(names, lambda: [_amd_card(amdsmi, *one) for one in enumerate(handles)]) if handles else None
    finally:
        _amd_told(amdsmi.amdsmi_shut_down)


def _amd_card(amdsmi: Any, number: int, handle: Any) -> CardAnswer:
    def told(name: str, *arguments: object) -> Any:
        return _amd_told(getattr(amdsmi, f"amdsmi_get_{name}"), handle, *arguments)

    power, errors, kinds = told("power_info"), told("gpu_total_ecc_count"), amdsmi.AmdSmiClkType
    sensor, now = amdsmi.AmdSmiTemperatureType.HOTSPOT, amdsmi.AmdSmiTemperatureMetric.CURRENT
    drawn = (_amd_number(power, f"{name}socket_power") for name in ("", "current_", "average_"))
    sample = CardSample(
        utilisation=_amd_number(told("gpu_activity"), "gfx_activity"),
        memory=_amd_number(told("gpu_vram_usage"), "vram_used", _AMD_NO_MEMORY),
        power=next(filter(None, drawn), None),  # a second die tells none
        sm_clock=_amd_number(told("clock_info", kinds.GFX), "clk", or_else="cur_clk"),  # its name up to ROCm 6.1
        memory_clock=_amd_number(told("clock_info", kinds.MEM), "clk", or_else="cur_clk"),
        temperature=_amd_number({"now": told("temp_metric", sensor, now)}, "now"),
        ecc_corrected=_amd_number(errors, "correctable_count", _AMD_NO_MEMORY),
        ecc_uncorrected=_amd_number(errors, "uncorrectable_count", _AMD_NO_MEMORY),
    )
    listed = told("gpu_process_list")
    processes = list[CardProcess]()
    for one in listed or []:
        held = _amd_number(_amd_part(one, "memory_usage"), "vram_mem", _AMD_NO_MEMORY)
        if (pid := _amd_number(one, "pid", _AMD_NO_MEMORY)) is not None:
            processes.append(CardProcess(pid, None if held is None else held // 2**20))
    return CardAnswer(number, sample, None if listed is None else tuple(processes))


def _amd_told(function: Callable[..., Any], *arguments: object) -> Any:
    """Return an answer of amdsmi; None where it has none, which must never stop a run."""
    try:
        return function(*arguments)
    except Exception:  # noqa: BLE001 - its errors have their class in a module that need not be there
        return None


def _amd_part(answer: Any, name: str) -> Any:
    """Return a part of an answer, which is a structure of ctypes up to ROCm 6.1."""
    return answer.get(name) if isinstance(answer, dict) else getattr(answer, name, None)


def _amd_number(answer: Any, name: str, unknown: int = _AMD_UNKNOWN, or_else: str = "") -> int | None:
    values = (_amd_part(answer, name), _amd_part(answer, or_else))
    return next((value for value in values if isinstance(value, int) and value < unknown), None)


# Ascend: each chip has two rows of the table of `npu-smi info`, in npu-smi 23.0 to 26.0 as Huawei documents it:
#     | NPU   Name      | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
#     | Chip            | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
# and each process a row of another table, with the same two numbers:
#     | NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
# The memory of training cards is HBM, which stands behind that of other memory; others have no such column.
_ASCEND_CARD = re.compile(
    r"\|\s*(?P<npu>\d+)\s+(?P<name>\S+)\s*\|[^|]*\|\s*(?P<power>[\d.]+|-|NA)\s+(?P<temperature>\d+|-|NA)\s[^|]*\|"
)
_ASCEND_CHIP = re.compile(
    r"\|\s*(?P<chip>\d+)(?:\s+\d+)?\s*\|[^|]*\|\s*(?P<utilisation>\d+|-|NA)\s+(?:\d+\s*/\s*\d+\s+)*(?P<memory>\d+)\s*/\s*\d+"
)
_ASCEND_PROCESS = re.compile(r"\|\s*(\d+)\s+(\d+)\s*\|\s*(\d+)\s*\|[^|]*\|\s*(\d+)\s*\|")


@contextmanager
def _ascend() -> Iterator[Cards | None]:
    def chips() -> tuple[list[str], list[CardAnswer]]:
        return ascend_chips(printed("npu-smi", "info"))

    names = chips()[0] if shutil.which("npu-smi") else []
    yield Cards(names, lambda: chips()[1]) if names else None


def ascend_chips(text: str) -> tuple[list[str], list[CardAnswer]]:
    """Read what `npu-smi info` prints: the names and the answers of the chips in its order, that of their numbers."""
    lines = [line.strip() for line in text.splitlines()]
    processes = [found.groups() for line in lines if (found := _ASCEND_PROCESS.match(line))]
    names, answers = list[str](), list[CardAnswer]()
    for above, below in pairwise(lines):
        if (card := _ASCEND_CARD.match(above)) and (chip := _ASCEND_CHIP.match(below)):
            cells, key = {**card.groupdict(), **chip.groupdict()}, (card["npu"], chip["chip"])
            own = [CardProcess(int(pid), float(held)) for *of, pid, held in processes if tuple(of) == key]
            columns = ("utilisation", "memory", "power", "temperature")
            sample = CardSample(**{name: _number(cells[name]) for name in columns})
            names.append(f"Ascend {cells['name']}")
            answers.append(CardAnswer(len(answers), sample, tuple(own) if "Process id" in text else None))
    return names, answers


# Intel: `xpu-smi dump` prints a line per card and second, `Timestamp, DeviceId, ` and the metrics in their order
# (ial/cmn/cmd_dump.cpp). Their numbers are those of all versions (XPU Manager 34c32c6, docs/sphinx/xpu-smi/dump.rst).
_INTEL_METRICS = {"utilisation": 0, "power": 1, "sm_clock": 2, "temperature": 3, "memory": 18}
_INTEL_NAME = re.compile(r"^\|\s*\d+\s*\|\s*Device Name: *(.+?)\s*\|", re.MULTILINE)
_INTEL_PATIENCE = 5.0  # seconds until it prints something


@contextmanager
def _intel() -> Iterator[Cards | None]:
    if shutil.which("xpu-smi") is None:
        yield None
        return
    command = ["xpu-smi", "dump", "--device", "-1", "--metrics", ",".join(map(str, _INTEL_METRICS.values()))]
    newest, begun = dict[int, CardSample](), threading.Event()

    def follow(lines: Iterable[bytes]) -> None:
        for card, sample in intel_samples(line.decode(errors="replace") for line in lines):
            newest[card] = sample
            begun.set()
        begun.set()

    def take() -> list[CardAnswer]:
        """Take the lines away, so that one that does not come is not passed off as the one before."""
        return [CardAnswer(card, sample) for card in sorted(newest) if (sample := newest.pop(card, None))]

    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as dump:
        reader = threading.Thread(target=follow, args=(dump.stdout,), name="xpu-smi", daemon=True)
        reader.start()
        try:
            begun.wait(_INTEL_PATIENCE)
            yield Cards(_INTEL_NAME.findall(printed("xpu-smi", "discovery")), take) if newest else None
        finally:
            dump.terminate()
            reader.join()


def intel_samples(lines: Iterable[str]) -> Iterator[tuple[int, CardSample]]:
    """Read the lines of `xpu-smi dump`, each with the number of its card; what is no such line is left out."""
    for line in lines:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) == len(_INTEL_METRICS) + 2 and cells[1].isdigit():
            yield int(cells[1]), CardSample(**dict(zip(_INTEL_METRICS, map(_number, cells[2:]), strict=True)))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_VENDORS: tuple[Callable[[], AbstractContextManager[Cards | None]], ...] = (_nvidia, _amd, _ascend, _intel)

"""The cards of this machine, of the first vendor of whom a library tells of any: NVIDIA, else AMD."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pynvml  # type: ignore[import-untyped]

from parsers.runs.run_folder import CardSample

_MIB = 2**20


class CardProcess(NamedTuple):
    """A process that computes on a card, by the number that it has on the machine, and MiB that it holds if told."""

    number: int
    memory: float | None


class CardAnswer(NamedTuple):
    """What the card of a number answers, and the processes that compute on it; None where nothing tells of them."""

    card: int
    sample: CardSample
    processes: tuple[CardProcess, ...] | None = None


def _process(number: int, held: int | None) -> CardProcess:
    """Return a process that holds so many bytes of the memory of a card."""
    return CardProcess(number, None if held is None else held // _MIB)


@contextmanager
def cards() -> Iterator[Sequence[NvidiaCard | AmdCard]]:
    """Give all cards of the machine, by the numbers that they have there; none where nothing tells of any.

    A machine that trains on cards of several vendors is not known.
    """
    with ExitStack() as libraries:
        yield _nvidia(libraries) or _amd(libraries)


# NVIDIA: NVML, by its bindings.
FALLEN = "unknown"  # the name of a card that has fallen off its bus


def _nvml(function: Callable[..., Any], *arguments: object) -> Any:
    """Return NVML's answer; None where the card or the driver has none, which must never stop a run."""
    try:
        return function(*arguments)
    except pynvml.NVMLError:
        return None


@dataclass(frozen=True)
class NvidiaCard:
    """One card of NVIDIA, by NVML's index on this node: CUDA_VISIBLE_DEVICES does not change it."""

    index: int
    handle: Any

    @property
    def name(self) -> str:
        """The name of the product."""
        return str(_nvml(pynvml.nvmlDeviceGetName, self.handle) or FALLEN)

    @property
    def memory_mib(self) -> int | None:
        """MiB in all."""
        memory = self._memory()
        return None if memory is None else int(memory.total // _MIB)

    def answer(self) -> CardAnswer:
        """Ask for all that changes during a run."""
        handle, memory = self.handle, self._memory()
        rates = _nvml(pynvml.nvmlDeviceGetUtilizationRates, handle)
        power = _nvml(pynvml.nvmlDeviceGetPowerUsage, handle)
        found = _nvml(pynvml.nvmlDeviceGetComputeRunningProcesses, handle)
        # A container or Windows may not tell their memory.
        processes = None if found is None else tuple(_process(one.pid, one.usedGpuMemory) for one in found)
        held = [process.memory for process in processes or () if process.memory is not None]
        errors, volatile = pynvml.nvmlDeviceGetTotalEccErrors, pynvml.NVML_VOLATILE_ECC
        sample = CardSample(
            utilisation=rates and rates.gpu,
            memory=memory and memory.used // _MIB,
            power=None if power is None else power / 1000,
            sm_clock=_nvml(pynvml.nvmlDeviceGetClockInfo, handle, pynvml.NVML_CLOCK_SM),
            memory_clock=_nvml(pynvml.nvmlDeviceGetClockInfo, handle, pynvml.NVML_CLOCK_MEM),
            temperature=_nvml(pynvml.nvmlDeviceGetTemperature, handle, pynvml.NVML_TEMPERATURE_GPU),
            throttle=_nvml(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle),
            ecc_corrected=_nvml(errors, handle, pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED, volatile),
            ecc_uncorrected=_nvml(errors, handle, pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, volatile),
            pcie_rx=_nvml(pynvml.nvmlDeviceGetPcieThroughput, handle, pynvml.NVML_PCIE_UTIL_RX_BYTES),
            pcie_tx=_nvml(pynvml.nvmlDeviceGetPcieThroughput, handle, pynvml.NVML_PCIE_UTIL_TX_BYTES),
            pcie_generation=_nvml(pynvml.nvmlDeviceGetCurrPcieLinkGeneration, handle),
            pcie_width=_nvml(pynvml.nvmlDeviceGetCurrPcieLinkWidth, handle),
            card_processes=None if processes is None else len(processes),
            process_memory=max(held) if processes and len(held) == len(processes) else None,
        )
        return CardAnswer(self.index, sample, processes)

    def _memory(self) -> Any:
        # The newer form leaves out what the driver keeps for itself, as nvidia-smi does; older drivers lack it.
        newer = _nvml(pynvml.nvmlDeviceGetMemoryInfo, self.handle, pynvml.nvmlMemory_v2)
        return newer or _nvml(pynvml.nvmlDeviceGetMemoryInfo, self.handle)


def _nvidia(libraries: ExitStack) -> list[NvidiaCard]:
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return []
    libraries.callback(_nvml, pynvml.nvmlShutdown)
    count = _nvml(pynvml.nvmlDeviceGetCount) or 0
    return [NvidiaCard(index, _nvml(pynvml.nvmlDeviceGetHandleByIndex, index)) for index in range(count)]


def nvidia_driver() -> str | None:
    """Return the driver's version, for example 550.54.15. NVML must be open, as within `cards()`."""
    version = _nvml(pynvml.nvmlSystemGetDriverVersion)
    return None if version is None else str(version)


def cuda_driver() -> str | None:
    """Return the newest CUDA that the driver knows, for example 12.4. NVML must be open, as within `cards()`."""
    number = _nvml(pynvml.nvmlSystemGetCudaDriverVersion_v2)
    return None if number is None else f"{number // 1000}.{number % 1000 // 10}"


def nvidia_topology() -> list[list[str]]:
    """Return what lies between cards, a row each, as `nvidia-smi topo -m` says it; nothing where that is missing."""
    question = ["nvidia-smi", "topo", "-m"]
    try:
        topology = subprocess.check_output(question, stderr=subprocess.DEVNULL, errors="replace", timeout=60)
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.split() for line in topology.splitlines() if line.startswith("GPU")]
    return [row[1 : len(rows) + 1] for row in rows]


# AMD: amdsmi, which comes with ROCm and with the extra `amd`; units as in amdsmi 0ceca28 (amd_smi.cc).
AMD_DRIVER = Path("/dev/kfd")
_AMD_UNKNOWN = {2**16 - 1, 2**32 - 1, 2**64 - 1}  # what amdsmi answers, or "N/A", where a card does not tell


@dataclass(frozen=True)
class AmdCard:
    """One card of AMD, by its place in the list of amdsmi; `library`: amdsmi itself."""

    index: int
    handle: Any
    library: Any

    @property
    def name(self) -> str:
        """The name of the product."""
        return str((self._asked("gpu_asic_info") or {}).get("market_name") or "AMD GPU")

    def answer(self) -> CardAnswer:
        """Ask for all that changes during a run."""
        sensor, now = self.library.AmdSmiTemperatureType.HOTSPOT, self.library.AmdSmiTemperatureMetric.CURRENT
        power, errors, kinds = self._asked("power_info"), self._asked("gpu_total_ecc_count"), self.library.AmdSmiClkType
        drawn = (_amd_number(power, f"{name}socket_power") for name in ("", "current_", "average_"))
        sample = CardSample(
            utilisation=_amd_number(self._asked("gpu_activity"), "gfx_activity"),
            memory=_amd_number(self._asked("gpu_vram_usage"), "vram_used"),
            power=next(filter(None, drawn), None),  # a second die tells none
            sm_clock=_amd_number(self._asked("clock_info", kinds.GFX), "clk"),
            memory_clock=_amd_number(self._asked("clock_info", kinds.MEM), "clk"),
            temperature=_amd_number({"now": self._asked("temp_metric", sensor, now)}, "now"),
            ecc_corrected=_amd_number(errors, "correctable_count"),
            ecc_uncorrected=_amd_number(errors, "uncorrectable_count"),
        )
        if (listed := self._asked("gpu_process_list")) is None:
            return CardAnswer(self.index, sample)
        memory = ((int(one["pid"]), _amd_number(one.get("memory_usage"), "vram_mem")) for one in listed)
        return CardAnswer(self.index, sample, tuple(_process(number, held) for number, held in memory))

    def _asked(self, name: str, *arguments: object) -> Any:
        return _amdsmi(getattr(self.library, f"amdsmi_get_{name}"), self.handle, *arguments)


def _amdsmi(function: Callable[..., Any], *arguments: object) -> Any:
    """Return the answer, or None as `_nvml` does; the class of the errors is in a module that need not be there."""
    try:
        return function(*arguments)
    except Exception:  # noqa: BLE001
        return None


def _amd(libraries: ExitStack) -> list[AmdCard]:
    # Where there is no driver, its bindings print that a library is missing.
    library = _amdsmi(import_module, "amdsmi") if AMD_DRIVER.exists() else None
    if library is None:
        return []
    _amdsmi(library.amdsmi_init)
    libraries.callback(_amdsmi, library.amdsmi_shut_down)
    handles = _amdsmi(library.amdsmi_get_processor_handles) or []
    return [AmdCard(index, handle, library) for index, handle in enumerate(handles)]


def _amd_number(answer: Mapping[str, Any] | None, name: str) -> int | None:
    value = answer.get(name) if answer else None
    return value if isinstance(value, int) and value not in _AMD_UNKNOWN else None

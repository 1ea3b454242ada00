"""The NVIDIA cards of this node, by NVML, and what a card of any vendor answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pynvml  # type: ignore[import-untyped]

from parsers.runs.run_folder import CardSample

_MIB = 2**20
# The words of `nvidia-smi topo -m` for what lies between two cards, from near to far.
_LEVELS = {
    pynvml.NVML_TOPOLOGY_INTERNAL: "PSB",
    pynvml.NVML_TOPOLOGY_SINGLE: "PIX",
    pynvml.NVML_TOPOLOGY_MULTIPLE: "PXB",
    pynvml.NVML_TOPOLOGY_HOSTBRIDGE: "PHB",
    pynvml.NVML_TOPOLOGY_NODE: "NODE",
    pynvml.NVML_TOPOLOGY_SYSTEM: "SYS",
}
_SWITCH = "switch"
_FALLEN = "unknown"


class CardProcess(NamedTuple):
    """A process that computes on a card, by the number that it has on the machine."""

    number: int
    memory: float | None
    """MiB that it holds on the card; None where that is not told."""


class CardAnswer(NamedTuple):
    """What one card answers, with the number that it has on this machine."""

    card: int
    sample: CardSample
    processes: tuple[CardProcess, ...] | None = None
    """Those that compute on the card; None where nothing tells of them."""


def _told(function: Callable[..., Any], *arguments: object) -> Any:
    """Return NVML's answer; None where the card or the driver has none, which must never stop a run."""
    try:
        return function(*arguments)
    except pynvml.NVMLError:
        return None


@dataclass(frozen=True)
class Card:
    """One card, by NVML's index on this node: CUDA_VISIBLE_DEVICES does not change it."""

    index: int
    handle: Any

    @property
    def name(self) -> str:
        """The name of the product, `unknown` where the card has fallen off its bus."""
        return str(_told(pynvml.nvmlDeviceGetName, self.handle) or _FALLEN)

    @property
    def has_fallen(self) -> bool:
        """Whether the card answers nothing: it has fallen off its bus."""
        return self.name == _FALLEN

    @property
    def capability(self) -> tuple[int, int] | None:
        """The compute capability, such as (8, 0)."""
        found = _told(pynvml.nvmlDeviceGetCudaComputeCapability, self.handle)
        return None if found is None else (int(found[0]), int(found[1]))

    @property
    def memory_mib(self) -> int | None:
        """MiB in all."""
        memory = self._memory()
        return None if memory is None else int(memory.total // _MIB)

    def answer(self) -> CardAnswer:
        """Ask for all that changes during a run."""
        handle, memory = self.handle, self._memory()
        rates = _told(pynvml.nvmlDeviceGetUtilizationRates, handle)
        power = _told(pynvml.nvmlDeviceGetPowerUsage, handle)
        processes = self._processes()
        held = [process.memory for process in processes or () if process.memory is not None]
        errors, volatile = pynvml.nvmlDeviceGetTotalEccErrors, pynvml.NVML_VOLATILE_ECC
        sample = CardSample(
            utilisation=rates and rates.gpu,
            memory=memory and memory.used // _MIB,
            power=None if power is None else power / 1000,
            sm_clock=_told(pynvml.nvmlDeviceGetClockInfo, handle, pynvml.NVML_CLOCK_SM),
            memory_clock=_told(pynvml.nvmlDeviceGetClockInfo, handle, pynvml.NVML_CLOCK_MEM),
            temperature=_told(pynvml.nvmlDeviceGetTemperature, handle, pynvml.NVML_TEMPERATURE_GPU),
            throttle=_told(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons, handle),
            ecc_corrected=_told(errors, handle, pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED, volatile),
            ecc_uncorrected=_told(errors, handle, pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, volatile),
            pcie_rx=_told(pynvml.nvmlDeviceGetPcieThroughput, handle, pynvml.NVML_PCIE_UTIL_RX_BYTES),
            pcie_tx=_told(pynvml.nvmlDeviceGetPcieThroughput, handle, pynvml.NVML_PCIE_UTIL_TX_BYTES),
            pcie_generation=_told(pynvml.nvmlDeviceGetCurrPcieLinkGeneration, handle),
            pcie_width=_told(pynvml.nvmlDeviceGetCurrPcieLinkWidth, handle),
            card_processes=None if processes is None else len(processes),
            process_memory=max(held) if processes and len(held) == len(processes) else None,
        )
        return CardAnswer(self.index, sample, processes)

    def interconnect(self, other: Card) -> str:
        """Say what lies between two cards, in the words of `nvidia-smi topo -m`: X, NV#, PIX, PXB, PHB, NODE, SYS."""
        if self.index == other.index:
            return "X"
        direct = self._links.count(_address(_told(pynvml.nvmlDeviceGetPciInfo, other.handle)))
        # A switch joins all with all.
        if bonds := direct or min(self._links.count(_SWITCH), other._links.count(_SWITCH)):
            return f"NV{bonds}"
        level = _told(pynvml.nvmlDeviceGetTopologyCommonAncestor, self.handle, other.handle)
        return _LEVELS.get(level, "unknown")

    def _processes(self) -> tuple[CardProcess, ...] | None:
        """The processes that compute on the card, whose memory a container or Windows may not tell."""
        found = _told(pynvml.nvmlDeviceGetComputeRunningProcesses, self.handle)
        if found is None:
            return None
        memory = ((one.pid, one.usedGpuMemory) for one in found)
        return tuple(CardProcess(number, None if held is None else held // _MIB) for number, held in memory)

    def _memory(self) -> Any:
        # The newer form leaves out what the driver keeps for itself, as nvidia-smi does; older drivers lack it.
        newer = _told(pynvml.nvmlDeviceGetMemoryInfo, self.handle, pynvml.nvmlMemory_v2)
        return newer or _told(pynvml.nvmlDeviceGetMemoryInfo, self.handle)

    @cached_property
    def _links(self) -> list[object]:
        """The far end of each NVLink that is up: a switch, or the address of a card."""
        ends = list[object]()
        for link in range(pynvml.NVML_NVLINK_MAX_LINKS):
            if _told(pynvml.nvmlDeviceGetNvLinkState, self.handle, link) != pynvml.NVML_FEATURE_ENABLED:
                continue
            kind = _told(pynvml.nvmlDeviceGetNvLinkRemoteDeviceType, self.handle, link)
            is_switch = kind == pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH
            far = None if is_switch else _told(pynvml.nvmlDeviceGetNvLinkRemotePciInfo, self.handle, link)
            ends.append(_SWITCH if is_switch else _address(far))
        return ends


@contextmanager
def cards() -> Iterator[list[Card]]:
    """Open NVML, give all cards of the node, none where there is no driver, and close NVML at the end."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        yield []
        return
    try:
        count = _told(pynvml.nvmlDeviceGetCount) or 0
        yield [Card(index, _told(pynvml.nvmlDeviceGetHandleByIndex, index)) for index in range(count)]
    finally:
        _told(pynvml.nvmlShutdown)


def trouble() -> str | None:
    """Say in NVML's words why it does not start; None where it does."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return str(error)
    _told(pynvml.nvmlShutdown)
    return None


def driver() -> str | None:
    """Return the driver's version, for example 550.54.15. NVML must be open, as within `cards()`."""
    version = _told(pynvml.nvmlSystemGetDriverVersion)
    return None if version is None else str(version)


def cuda_driver() -> str | None:
    """Return the newest CUDA that the driver knows, for example 12.4. NVML must be open, as within `cards()`."""
    number = _told(pynvml.nvmlSystemGetCudaDriverVersion_v2)
    return None if number is None else f"{number // 1000}.{number % 1000 // 10}"


def _address(place: Any) -> object:
    """Where a device sits; what is not known equals nothing."""
    return object() if place is None else (place.domain, place.bus, place.device)

"""The NVIDIA cards of this node: all that is asked of NVML is asked here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pynvml  # type: ignore[import-untyped]

from parsers.runs.run_folder import CardSample

from .card_sample import CardAnswer, CardProcess

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
        return None if memory is None else int(memory.total // 2**20)

    def answer(self) -> CardAnswer:
        """Ask for all that changes during a run."""
        processes = self._computing()
        return CardAnswer(self.index, self._sample(processes), processes)

    def _sample(self, processes: tuple[CardProcess, ...] | None) -> CardSample:
        rates, memory = _told(pynvml.nvmlDeviceGetUtilizationRates, self.handle), self._memory()
        power = _told(pynvml.nvmlDeviceGetPowerUsage, self.handle)
        return CardSample(
            utilisation=rates and rates.gpu,
            memory=memory and memory.used // 2**20,
            power=power if power is None else power / 1000,
            sm_clock=_told(pynvml.nvmlDeviceGetClockInfo, self.handle, pynvml.NVML_CLOCK_SM),
            memory_clock=_told(pynvml.nvmlDeviceGetClockInfo, self.handle, pynvml.NVML_CLOCK_MEM),
            temperature=_told(pynvml.nvmlDeviceGetTemperature, self.handle, pynvml.NVML_TEMPERATURE_GPU),
            throttle=_told(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons, self.handle),
            ecc_corrected=self._errors(pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED),
            ecc_uncorrected=self._errors(pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED),
            pcie_rx=_told(pynvml.nvmlDeviceGetPcieThroughput, self.handle, pynvml.NVML_PCIE_UTIL_RX_BYTES),
            pcie_tx=_told(pynvml.nvmlDeviceGetPcieThroughput, self.handle, pynvml.NVML_PCIE_UTIL_TX_BYTES),
            pcie_generation=_told(pynvml.nvmlDeviceGetCurrPcieLinkGeneration, self.handle),
            pcie_width=_told(pynvml.nvmlDeviceGetCurrPcieLinkWidth, self.handle),
            **_of_processes(processes),
        )

    def interconnect(self, other: Card) -> str:
        """Say what lies between two cards, in the words of `nvidia-smi topo -m`: X, NV#, PIX, PXB, PHB, NODE, SYS."""
        if self.index == other.index:
            return "X"
        if bonds := self._bonds(other):
            return f"NV{bonds}"
        level = _told(pynvml.nvmlDeviceGetTopologyCommonAncestor, self.handle, other.handle)
        return _LEVELS.get(level, "unknown")

    def _errors(self, kind: int) -> int | None:
        found = _told(pynvml.nvmlDeviceGetTotalEccErrors, self.handle, kind, pynvml.NVML_VOLATILE_ECC)
        return None if found is None else int(found)

    def _computing(self) -> tuple[CardProcess, ...] | None:
        """The processes that compute on the card, whose memory a container or Windows may not tell."""
        found = _told(pynvml.nvmlDeviceGetComputeRunningProcesses, self.handle)
        return None if found is None else tuple(CardProcess(one.pid, _mib(one.usedGpuMemory)) for one in found)

    def _memory(self) -> Any:
        # The newer form leaves out what the driver keeps for itself, as nvidia-smi does; older drivers lack it.
        newer = _told(pynvml.nvmlDeviceGetMemoryInfo, self.handle, pynvml.nvmlMemory_v2)
        return newer or _told(pynvml.nvmlDeviceGetMemoryInfo, self.handle)

    def _bonds(self, other: Card) -> int:
        direct = self._links.count(_address(_told(pynvml.nvmlDeviceGetPciInfo, other.handle)))
        return direct or min(self._links.count(_SWITCH), other._links.count(_SWITCH))  # a switch joins all with all

    @cached_property
    def _links(self) -> list[object]:
        """The far end of each NVLink that is up: a switch, or the address of a card."""
        links = range(pynvml.NVML_NVLINK_MAX_LINKS)
        up = pynvml.NVML_FEATURE_ENABLED
        return [self._end(link) for link in links if _told(pynvml.nvmlDeviceGetNvLinkState, self.handle, link) == up]

    def _end(self, link: int) -> object:
        kind = _told(pynvml.nvmlDeviceGetNvLinkRemoteDeviceType, self.handle, link)
        if kind == pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH:
            return _SWITCH
        return _address(_told(pynvml.nvmlDeviceGetNvLinkRemotePciInfo, self.handle, link))


@contextmanager
def cards() -> Iterator[list[Card]]:
    """Open NVML, give all cards of the node, none where there is no driver, and close NVML at the end."""
    if _refusal() is not None:
        yield []
        return
    try:
        count = _told(pynvml.nvmlDeviceGetCount) or 0
        yield [Card(index, _told(pynvml.nvmlDeviceGetHandleByIndex, index)) for index in range(count)]
    finally:
        _told(pynvml.nvmlShutdown)


def trouble() -> str | None:
    """Say in NVML's words why it does not start; None where it does."""
    refusal = _refusal()
    if refusal is None:
        _told(pynvml.nvmlShutdown)
    return refusal


def driver() -> str | None:
    """Return the driver's version, for example 550.54.15. NVML must be open, as within `cards()`."""
    version = _told(pynvml.nvmlSystemGetDriverVersion)
    return None if version is None else str(version)


def cuda_driver() -> str | None:
    """Return the newest CUDA that the driver knows, for example 12.4. NVML must be open, as within `cards()`."""
    number = _told(pynvml.nvmlSystemGetCudaDriverVersion_v2)
    return None if number is None else f"{number // 1000}.{number % 1000 // 10}"


def _refusal() -> str | None:
    """Open NVML, or say why it does not open."""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return str(error)
    return None


def _of_processes(processes: tuple[CardProcess, ...] | None) -> dict[str, float | None]:
    """How many processes compute, and what the largest one holds."""
    if processes is None:
        return {}
    held = [process.memory for process in processes if process.memory is not None]
    most = max(held) if held and len(held) == len(processes) else None
    return {"card_processes": len(processes), "process_memory": most}


def _mib(octets: int | None) -> int | None:
    return None if octets is None else octets // 2**20


def _address(place: Any) -> object:
    """Where a device sits; what is not known equals nothing."""
    return object() if place is None else (place.domain, place.bus, place.device)


def _told(function: Callable[..., Any], *arguments: object) -> Any:
    """Return NVML's answer; None where the card or the driver has none, which must never stop a run."""
    try:
        return function(*arguments)
    except pynvml.NVMLError:
        return None

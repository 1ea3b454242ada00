# ruff: noqa: N802  the functions are spelt as NVML spells them
"""A stand-in for the bindings of NVML: two cards, or what NVML_STAND_IN, a JSON object, says.

Its keys: cards (their number), cuda (as 12040), power, used, utilisation, processes, held (MiB, of
the first of them), throttle; lost (indexes of cards that answer nothing), unsupported (names of functions),
refused (NVML does not start).
"""

import json
import os
from types import SimpleNamespace
from typing import Any

NVML_CLOCK_SM = 1
NVML_CLOCK_MEM = 2
NVML_TEMPERATURE_GPU = 0
NVML_MEMORY_ERROR_TYPE_CORRECTED = 0
NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1
NVML_VOLATILE_ECC = 0
NVML_PCIE_UTIL_TX_BYTES = 0
NVML_PCIE_UTIL_RX_BYTES = 1
NVML_ERROR_INVALID_ARGUMENT = 2
NVML_ERROR_NOT_SUPPORTED = 3
NVML_ERROR_LIBRARY_NOT_FOUND = 12
NVML_ERROR_GPU_IS_LOST = 15
nvmlMemory_v2 = 0x02000028  # noqa: N816  as NVML spells it

_MIB = 2**20
_RESERVED = 512 * _MIB
_USUAL = {"cards": 2, "cuda": 12040, "power": 287123, "used": 1500}


class NVMLError(Exception):
    """An error with NVML's number in `value`."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value

    def __str__(self) -> str:
        return {3: "Not Supported", 12: "NVML Shared Library Not Found", 15: "GPU is lost"}.get(self.value, "Unknown")


def _now() -> dict[str, Any]:
    return {**_USUAL, **json.loads(os.environ.get("NVML_STAND_IN", "{}"))}


def _card(name: str, handle: Any) -> dict[str, Any]:
    now = _now()
    if handle is None:
        raise NVMLError(NVML_ERROR_INVALID_ARGUMENT)
    if handle in now.get("lost", []):
        raise NVMLError(NVML_ERROR_GPU_IS_LOST)
    if name in now.get("unsupported", []):
        raise NVMLError(NVML_ERROR_NOT_SUPPORTED)
    return now


def nvmlInit() -> None:
    if _now().get("refused"):
        raise NVMLError(NVML_ERROR_LIBRARY_NOT_FOUND)


def nvmlShutdown() -> None:
    pass


def nvmlSystemGetDriverVersion() -> str:
    return "550.54.15"


def nvmlSystemGetCudaDriverVersion_v2() -> int:
    return int(_now()["cuda"])


def nvmlDeviceGetCount() -> int:
    return int(_now()["cards"])


def nvmlDeviceGetHandleByIndex(index: int) -> int:
    _card("nvmlDeviceGetHandleByIndex", index)
    return index


def nvmlDeviceGetName(handle: Any) -> str:
    _card("nvmlDeviceGetName", handle)
    return "NVIDIA H200"


def nvmlDeviceGetMemoryInfo(handle: Any, version: int | None = None) -> SimpleNamespace:
    used = _card("nvmlDeviceGetMemoryInfo" + ("_v2" if version else ""), handle)["used"] * _MIB
    return SimpleNamespace(total=143771 * _MIB, used=used + (0 if version else _RESERVED))


def nvmlDeviceGetUtilizationRates(handle: Any) -> SimpleNamespace:
    return SimpleNamespace(gpu=_card("nvmlDeviceGetUtilizationRates", handle).get("utilisation", 97), memory=40)


def nvmlDeviceGetPowerUsage(handle: Any) -> int:
    return int(_card("nvmlDeviceGetPowerUsage", handle)["power"])


def nvmlDeviceGetClockInfo(handle: Any, type: int) -> int:
    _card("nvmlDeviceGetClockInfo", handle)
    return {NVML_CLOCK_SM: 1980, NVML_CLOCK_MEM: 3201}[type]


def nvmlDeviceGetTemperature(handle: Any, sensor: int) -> int:
    _card("nvmlDeviceGetTemperature", handle)
    return 41 + int(handle) + sensor


def nvmlDeviceGetComputeRunningProcesses(handle: Any) -> list[SimpleNamespace]:
    now = _card("nvmlDeviceGetComputeRunningProcesses", handle)
    held = [now.get("held", 100)] + [100] * now.get("processes", 0)
    memory = [None if each is None else each * _MIB for each in held]
    return [SimpleNamespace(pid=at, usedGpuMemory=memory[at]) for at in range(now.get("processes", 0))]


def nvmlDeviceGetCurrentClocksThrottleReasons(handle: Any) -> int:
    return int(_card("nvmlDeviceGetCurrentClocksThrottleReasons", handle).get("throttle", 4))


def nvmlDeviceGetTotalEccErrors(handle: Any, errorType: int, counterType: int) -> int:  # noqa: N803
    _card("nvmlDeviceGetTotalEccErrors", handle)
    return {NVML_MEMORY_ERROR_TYPE_CORRECTED: 3, NVML_MEMORY_ERROR_TYPE_UNCORRECTED: 0}[errorType] + counterType


def nvmlDeviceGetPcieThroughput(device: Any, counter: int) -> int:
    _card("nvmlDeviceGetPcieThroughput", device)
    return {NVML_PCIE_UTIL_RX_BYTES: 51200, NVML_PCIE_UTIL_TX_BYTES: 2048}[counter]


def nvmlDeviceGetCurrPcieLinkGeneration(handle: Any) -> int:
    _card("nvmlDeviceGetCurrPcieLinkGeneration", handle)
    return 5


def nvmlDeviceGetCurrPcieLinkWidth(handle: Any) -> int:
    _card("nvmlDeviceGetCurrPcieLinkWidth", handle)
    return 16

"""The bindings of NVML with answers made up in place of the library: two cards, or what NVML_STAND_IN, an object, says.

Its keys: cards (their number), cuda (as 12040), power, used, utilisation, processes, held (MiB, of
the first of them), throttle; lost (indexes of cards that answer nothing), unsupported (names of functions),
refused (NVML does not start).
"""

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

MIB = 2**20
USUAL: dict[str, Any] = {"cards": 2, "cuda": 12040, "power": 287123, "used": 1500, "utilisation": 97, "processes": 0}
USUAL |= {"held": 100, "throttle": 4, "lost": [], "unsupported": []}


def _bindings() -> Any:
    """The module that this one hides."""
    folders = [folder for folder in sys.path if Path(folder).resolve() != Path(__file__).resolve().parent]
    found = PathFinder.find_spec("pynvml", folders)
    assert found
    spec = spec_from_file_location("bindings_of_nvml", found.origin)
    assert spec and spec.loader
    sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])
    return sys.modules[spec.name]


def _now() -> dict[str, Any]:
    return {**USUAL, **json.loads(os.environ.get("NVML_STAND_IN", "{}"))}


def _memory(now: dict[str, Any], handle: int, version: int | None = None) -> SimpleNamespace:
    if version and "nvmlDeviceGetMemoryInfo_v2" in now["unsupported"]:
        raise BINDINGS.NVMLError(BINDINGS.NVML_ERROR_NOT_SUPPORTED)
    reserved = 0 if version else 512  # which older drivers count as used
    return SimpleNamespace(total=143771 * MIB, used=(now["used"] + reserved) * MIB)


def _processes(now: dict[str, Any], handle: int) -> list[SimpleNamespace]:
    held = [now["held"], *[100] * now["processes"]]
    memory = [None if each is None else each * MIB for each in held]
    return [SimpleNamespace(pid=at, usedGpuMemory=memory[at]) for at in range(now["processes"])]


BINDINGS = _bindings()
OF_MACHINE: dict[str, Callable[[], Any]] = {
    "nvmlShutdown": lambda: None,
    "nvmlSystemGetDriverVersion": lambda: "550.54.15",
    "nvmlSystemGetCudaDriverVersion_v2": lambda: int(_now()["cuda"]),
    "nvmlDeviceGetCount": lambda: int(_now()["cards"]),
}
# Each is told how things are now, and then the arguments that its name takes.
OF_CARD: dict[str, Callable[..., Any]] = {
    "nvmlDeviceGetHandleByIndex": lambda now, index: index,
    "nvmlDeviceGetName": lambda now, handle: "NVIDIA H200",
    "nvmlDeviceGetMemoryInfo": _memory,
    "nvmlDeviceGetUtilizationRates": lambda now, handle: SimpleNamespace(gpu=now["utilisation"], memory=40),
    "nvmlDeviceGetPowerUsage": lambda now, handle: int(now["power"]),
    "nvmlDeviceGetClockInfo": lambda now, handle, kind: {
        BINDINGS.NVML_CLOCK_SM: 1980,
        BINDINGS.NVML_CLOCK_MEM: 3201,
    }[kind],
    "nvmlDeviceGetTemperature": lambda now, handle, sensor: 41 + int(handle) + sensor,
    "nvmlDeviceGetComputeRunningProcesses": _processes,
    "nvmlDeviceGetCurrentClocksThrottleReasons": lambda now, handle: int(now["throttle"]),
    "nvmlDeviceGetTotalEccErrors": lambda now, handle, kind, counter: {
        BINDINGS.NVML_MEMORY_ERROR_TYPE_CORRECTED: 3,
        BINDINGS.NVML_MEMORY_ERROR_TYPE_UNCORRECTED: 0,
    }[kind],
    "nvmlDeviceGetPcieThroughput": lambda now, device, counter: {
        BINDINGS.NVML_PCIE_UTIL_RX_BYTES: 51200,
        BINDINGS.NVML_PCIE_UTIL_TX_BYTES: 2048,
    }[counter],
    "nvmlDeviceGetCurrPcieLinkGeneration": lambda now, handle: 5,
    "nvmlDeviceGetCurrPcieLinkWidth": lambda now, handle: 16,
}


def nvmlInit() -> None:  # noqa: N802 - as NVML spells it
    if "refused" in _now():
        raise BINDINGS.NVMLError(BINDINGS.NVML_ERROR_LIBRARY_NOT_FOUND)


def _of_card(name: str, handle: int | None, *more: Any) -> Any:
    now = _now()
    wrong = {
        BINDINGS.NVML_ERROR_INVALID_ARGUMENT: handle is None,
        BINDINGS.NVML_ERROR_GPU_IS_LOST: handle in now["lost"],
        BINDINGS.NVML_ERROR_NOT_SUPPORTED: name in now["unsupported"],
    }
    for number in filter(wrong.get, wrong):
        raise BINDINGS.NVMLError(number)
    return OF_CARD[name](now, handle, *more)


_OWN = {"nvmlInit": nvmlInit, **OF_MACHINE, **{name: partial(_of_card, name) for name in OF_CARD}}
globals().update({name: value for name, value in vars(BINDINGS).items() if not name.startswith("__")} | _OWN)

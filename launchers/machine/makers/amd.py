"""AMD's cards, as amdsmi tells of them, which comes with ROCm and with the extra `amd`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from parsers.runs.run_folder import CardSample

from ..card_sample import CardAnswer, CardProcess, Cards

_DRIVER = Path("/dev/kfd")
_NOT_KNOWN = 0xFFFF  # what amdsmi answers, or "N/A", where a card does not tell
_NO_MEMORY = 1 << 60  # it is the greatest number where the driver does not tell what a process holds


@contextmanager
def cards() -> Iterator[Cards | None]:
    """Give all cards; None without the driver, without amdsmi or its library, or without a card."""
    amdsmi = _bindings() if _DRIVER.exists() else None
    if amdsmi is None or _told(lambda: [amdsmi.amdsmi_init()]) is None:
        yield None
        return
    try:
        handles = _told(amdsmi.amdsmi_get_processor_handles) or []
        told = (_told(amdsmi.amdsmi_get_gpu_asic_info, handle) or {} for handle in handles)
        named = [str(one.get("market_name") or "AMD GPU") for one in told]
        ask = lambda: [answer(amdsmi, at, handle) for at, handle in enumerate(handles)]  # noqa: E731
        yield Cards(named, ask) if handles else None
    finally:
        _told(amdsmi.amdsmi_shut_down)


def _bindings() -> Any:
    try:
        return import_module("amdsmi")
    except (ImportError, OSError, KeyError, AttributeError):  # it looks for its library when it is imported
        return None


def answer(amdsmi: Any, number: int, handle: Any) -> CardAnswer:
    """Ask a card with this number for all that changes during a run, in the units of amdsmi 0ceca28 (amd_smi.cc)."""
    return CardAnswer(number, _sample(amdsmi, handle), _processes(_told(amdsmi.amdsmi_get_gpu_process_list, handle)))


def _sample(amdsmi: Any, handle: Any) -> CardSample:
    power = _told(amdsmi.amdsmi_get_power_info, handle) or {}
    drawn = (_number(power.get(name)) for name in ("socket_power", "current_socket_power", "average_socket_power"))
    errors = _told(amdsmi.amdsmi_get_gpu_total_ecc_count, handle) or {}
    kinds, sensors = amdsmi.AmdSmiClkType, amdsmi.AmdSmiTemperatureType
    now = amdsmi.AmdSmiTemperatureMetric.CURRENT
    return CardSample(
        utilisation=_of(_told(amdsmi.amdsmi_get_gpu_activity, handle), "gfx_activity"),
        memory=_whole((_told(amdsmi.amdsmi_get_gpu_vram_usage, handle) or {}).get("vram_used")),
        power=next((watts for watts in drawn if watts), None),
        sm_clock=_clock(amdsmi, handle, kinds.GFX),
        memory_clock=_clock(amdsmi, handle, kinds.MEM),
        temperature=_number(_told(amdsmi.amdsmi_get_temp_metric, handle, sensors.HOTSPOT, now)),
        ecc_corrected=_whole(errors.get("correctable_count")),
        ecc_uncorrected=_whole(errors.get("uncorrectable_count")),
    )


def _processes(told: Any) -> tuple[CardProcess, ...] | None:
    """The processes of a card with the bytes of its memory that they hold; up to ROCm 6.1 they are structures."""
    if told is None:
        return None
    memory = ((_whole(_part(one, "pid")), _whole(_part(_part(one, "memory_usage"), "vram_mem"))) for one in told)
    return tuple(CardProcess(number, _mib(held)) for number, held in memory if number is not None)


def _part(told: Any, name: str) -> Any:
    return told.get(name) if isinstance(told, dict) else getattr(told, name, None)


def _mib(octets: int | None) -> int | None:
    return None if octets is None or octets >= _NO_MEMORY else octets // 2**20


def _clock(amdsmi: Any, handle: Any, kind: Any) -> int | None:
    told = _told(amdsmi.amdsmi_get_clock_info, handle, kind)
    return _of(told, "clk") if "clk" in (told or {}) else _of(told, "cur_clk")  # its name up to ROCm 6.1


def _of(answer: Any, name: str) -> int | None:
    return _number((answer or {}).get(name))


def _number(value: object) -> int | None:
    found = _whole(value)
    return None if found is None or found >= _NOT_KNOWN else found


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _told(function: Callable[..., Any], *arguments: object) -> Any:
    """Return an answer of amdsmi; None where it has none, which must never stop a run."""
    try:
        return function(*arguments)
    except Exception:  # noqa: BLE001 - its errors have their class in a module that need not be there
        return None

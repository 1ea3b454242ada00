"""Results of MLPerf: the folder of a submission with a description of each system and the logs of its runs."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from parsers.runs.runfile import run_file
from parsers.scanning.text import LogText

from ...evidence.quality.mllog_convergence import mllog_convergence
from .file_name import file_name
from .metric import ExportedRun, Metric
from .target import Files, Target

NOT_OF_A_SYSTEM = "without device, nodes or cards, which MLPerf asks of a system"
NOT_MLLOG = "of logs without the :::MLLOG lines of a benchmark"
# Of the ways in which a system may be available the one that promises nothing.
STATUS = "Research, Development, or Internal (RDI)"
NAME_DIGITS = 8
VERSION = "framework_version"
SOFTWARE = {"cuda": "CUDA", "cudnn": "cuDNN", "driver": "driver"}
# All that a description must have, in the order of system_desc_checker; what nothing states is empty.
FIELDS = (
    *("submitter", "division", "status", "system_name", "number_of_nodes", "host_processors_per_node"),
    *("host_processor_model_name", "host_processor_core_count", "host_processor_vcpu_count"),
    *("host_processor_frequency", "host_processor_caches", "host_processor_interconnect", "host_memory_capacity"),
    *("host_storage_type", "host_storage_capacity", "host_networking", "host_networking_topology"),
    *("host_memory_configuration", "accelerators_per_node", "accelerator_model_name"),
    *("accelerator_host_interconnect", "accelerator_frequency", "accelerator_on-chip_memories"),
    *("accelerator_memory_configuration", "accelerator_memory_capacity", "accelerator_interconnect"),
    *("accelerator_interconnect_topology", "cooling", "hw_notes", "framework", "other_software_stack"),
    *("operating_system", "sw_notes"),
)


def files(metrics: Sequence[Metric]) -> Files:
    """``systems/SYSTEM.json``, and ``results/SYSTEM/BENCHMARK/result_0.txt`` and so on: the logs, unpacked.

    A system is its nodes, its cards and what its runs state of machines and programs; all values are texts, empty where
    nothing states them, for whoever submits to fill in. Logs are numbered in the order of the numbers that they prove,
    each once. Fields: mlperf_logging/system_desc_checker/system_desc_checker.py, folders:
    mlperf_logging/package_checker/package_checker.py of mlcommons/logging at commit 7bbf792.
    """
    found: dict[str, bytes] = {}
    counts: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    for metric in metrics:
        name, described = _system(metric)
        found[f"systems/{name}.json"] = _json(described)
        for log, sha256 in _logs(metric.runs):
            folder = f"results/{name}/{file_name(str(_benchmark(log)))}"
            if (folder, sha256) not in seen:
                seen.add((folder, sha256))
                number = counts[folder] = counts.get(folder, -1) + 1
                found[f"{folder}/result_{number}.txt"] = b"".join(LogText(log).data())
    return found


def _system(metric: Metric) -> tuple[str, Mapping[str, str]]:
    """The name of a system, which differs where anything of its description does, and this description."""
    told = dict.fromkeys(FIELDS, "") | {"status": STATUS} | _stated(metric)
    nodes, cards, device = _size(metric)
    size = file_name(f"{nodes}x{cards}x{device}")
    name = f"{size}-{hashlib.sha256(json.dumps(told).encode()).hexdigest()[:NAME_DIGITS]}"
    return name, told | {"system_name": name}


def _size(metric: Metric) -> tuple[int, int, str]:
    """How many nodes, how many cards in each, and which."""
    case = metric.case
    nodes = int(case["nodes"])
    return nodes, int(case["cards"]) // nodes, str(case["device"])


def _stated(metric: Metric) -> dict[str, str]:
    known, machine = metric.circumstances, _machine(metric.runs)
    nodes, cards, device = _size(metric)
    framework = " ".join(str(part) for part in (metric.case.get("framework"), known.get(VERSION)) if part)
    software = [f"{title} {known[name]}" for name, title in SOFTWARE.items() if name in known]
    memory = machine.get("gpu_memory_mib")
    sizes = memory if isinstance(memory, list) else [memory]
    return {
        "number_of_nodes": str(nodes),
        "accelerators_per_node": str(cards),
        "accelerator_model_name": device,
        "accelerator_memory_capacity": f"{sizes[0]} MiB" if len({*map(str, sizes)}) == 1 and sizes[0] else "",
        "host_processor_model_name": str(machine.get("cpu") or ""),
        "host_processor_vcpu_count": str(machine.get("cores") or ""),
        "host_memory_capacity": f"{machine['memory_gib']} GiB" if machine.get("memory_gib") else "",
        "operating_system": str(machine.get("os") or ""),
        "framework": framework,
        "other_software_stack": ", ".join(software),
    }


def _machine(runs: Sequence[ExportedRun]) -> Mapping[str, Any]:
    """The environment that the run.json of the first run states; nothing where it does not."""
    found = run_file(runs[0].log).get("environment") if runs and runs[0].log else None
    return found if isinstance(found, dict) else {}


def _logs(runs: Sequence[ExportedRun]) -> Iterator[tuple[Path, str]]:
    for run in runs:
        if run.log is not None:
            yield run.log, run.exhibits[0].sha256


@cache
def _benchmark(log: Path) -> str | None:
    return mllog_convergence(log).benchmark


def _json(told: Mapping[str, str]) -> bytes:
    return (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode()


def _refused(metric: Metric) -> str | None:
    case = metric.case
    nodes, cards = (case.get(name) for name in ("nodes", "cards"))
    if not (case.get("device") and isinstance(nodes, int) and isinstance(cards, int) and nodes and not cards % nodes):
        return NOT_OF_A_SYSTEM
    logs = [log for log, _ in _logs(metric.runs)]
    return None if logs and len(logs) == len(metric.runs) and all(map(_benchmark, logs)) else NOT_MLLOG


MLPERF = Target("mlperf", files, _refused, is_folder=True, is_text=False)

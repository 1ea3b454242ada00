"""What is known of the machine reaches run.json; what is private does not."""

from __future__ import annotations

import ast
import inspect
import json
import os
import shlex
import sys
import types
from pathlib import Path
from typing import Any

import pynvml  # type: ignore[import-untyped]
import pytest
from native_checkout import executable
from nvml import pynvml as stand_in

from launchers.machine import cards as machine_cards
from launchers.machine import facts


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment with a `python` on PATH."""
    executable(tmp_path / "bin" / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    return {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The stand-in in place of NVML; called, it says what kind of machine that is."""
    monkeypatch.setattr(machine_cards, "pynvml", stand_in)
    return lambda **options: monkeypatch.setenv("NVML_STAND_IN", json.dumps(options))


def test_the_description_has_the_keys_that_run_json_promises(environ: dict[str, str]) -> None:
    machine_keys = ["os", "kernel", "cpu", "cores", "memory_gib", "container"]
    native_keys = ["python", "packages", "frameworks"]
    card_keys = ["gpus", "gpu_memory_mib", "driver", "cuda_driver", "topology"]
    assert list(facts.describe(environ)) == [*machine_keys, *native_keys, *card_keys, "variables"]


def test_the_cards_and_their_driver_are_described(cards: Any) -> None:
    cards()
    found = facts.describe({}, None)
    assert (found["gpus"], found["gpu_memory_mib"]) == (["NVIDIA H200"] * 2, [143771] * 2)
    assert (found["driver"], found["cuda_driver"]) == ("550.54.15", "12.4")
    cards(refused=True)
    found = facts.describe({}, None)
    assert (found["gpus"], found["topology"], found["driver"]) == ([], [], None)


def test_a_lost_card_keeps_its_place(cards: Any) -> None:
    cards(lost=[0])
    found = facts.describe({}, None)
    assert json.loads(json.dumps(found)) == found
    assert (found["gpus"], found["gpu_memory_mib"]) == (["unknown", "NVIDIA H200"], [None, 143771])


def test_the_topology_is_that_of_nvidia_smi(cards: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cards()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert facts.describe({}, None)["topology"] == []
    rows = [
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity",
        "GPU0\t X \tNV4\tSYS\t0-63",
        "GPU1\tNV4\t X \tPIX\t0-63",
        "NIC0\tSYS\tPIX\t X",
    ]
    told = shlex.quote("\n".join([*rows, "", "Legend:", "", "  X    = Self", ""]))
    executable(tmp_path / "nvidia-smi", f'#!/bin/sh\n[ "$*" = "topo -m" ] && echo {told}\n')
    assert facts.describe({}, None)["topology"] == [["X", "NV4"], ["NV4", "X"]]


def functions(module: types.ModuleType) -> list[str]:
    return sorted(name for name, value in vars(module).items() if name.startswith("nvml") and callable(value))


def test_the_stand_in_is_as_nvml_and_has_every_name_of_it_that_is_used() -> None:
    for name in functions(stand_in):
        found, known = (inspect.signature(getattr(module, name)).parameters for module in (stand_in, pynvml))
        assert list(found) == list(known)
    for name in vars(stand_in):
        if name.startswith(("NVML_", "nvmlMemory")):
            assert getattr(stand_in, name) == getattr(pynvml, name)
    nodes = ast.walk(ast.parse(inspect.getsource(machine_cards)))
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pynvml"}
    assert used <= set(vars(stand_in))


KEPT = [
    *("NCCL_ALGO", "FLAGS_cudnn_exhaustive_search", "OMP_NUM_THREADS", "SLURM_NNODES", "TF_XLA_FLAGS"),
    *("TORCHINDUCTOR_MAX_AUTOTUNE", "NVTE_FUSED_ATTN", "UCX_TLS", "HIP_VISIBLE_DEVICES"),
    *("ASCEND_RT_VISIBLE_DEVICES", "XPU_VISIBLE_DEVICES"),
]
PRIVATE = [
    *("AWS_SECRET_ACCESS_KEY", "CUDA_HOME", "FLAGS_cudnn_dir", "NCCL_COMM_ID", "NCCL_TOPO_FILE", "TORCH_HOME"),
    *("PADDLE_CURRENT_ENDPOINT", "PADDLE_TRAINER_ENDPOINTS", "SLURMD_NODENAME", "SLURM_JOB_NODELIST"),
    "SLURM_SUBMIT_DIR",
]


def test_variables_that_can_change_speed_are_kept_and_those_of_the_machine_or_secrets_are_not() -> None:
    assert facts.matters(dict.fromkeys([*KEPT, *PRIVATE], "1")).keys() == set(KEPT)


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("LD_PRELOAD", "/home/me/lib/libtcmalloc.so.4:/opt/x/libb.so", "libtcmalloc.so.4:libb.so"),
        (
            "XLA_FLAGS",
            "--xla_dump_to=/scratch/me/dump --xla_gpu_autotune_level=2",
            "--xla_dump_to=dump --xla_gpu_autotune_level=2",
        ),
        ("XLA_FLAGS", "--xla_a=a/b", "--xla_a=a/b"),
        ("NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1", "=mlx5_0:1,mlx5_1:1"),
        ("LD_PRELOAD", "/home/me/", ""),
    ],
)
def test_of_a_path_in_a_variable_the_last_name_is_kept(name: str, value: str, kept: str) -> None:
    assert facts.matters({name: value}) == {name: kept}


@pytest.mark.parametrize(
    ("variables", "files", "expected"),
    [
        ({}, {}, None),
        ({"APPTAINER_CONTAINER": "/home/someone/torch.sif", "APPTAINER_NAME": "torch.sif"}, {}, "torch.sif"),
        ({"NVIDIA_PRODUCT_NAME": "PyTorch", "NVIDIA_PYTORCH_VERSION": "24.05"}, {}, "NVIDIA PyTorch 24.05"),
        (
            {},
            {"run/.containerenv": 'engine="podman"\nimage="docker.io/library/torch:2"\n'},
            "docker.io/library/torch:2",
        ),
        ({}, {"run/.containerenv": ""}, "podman"),
        ({}, {".dockerenv": ""}, "docker"),
    ],
)
def test_the_image_of_a_container_is_known(
    tmp_path: Path, variables: dict[str, str], files: dict[str, str], expected: str | None
) -> None:
    for name, text in files.items():
        executable(tmp_path / name, text)
    assert facts.container(variables, tmp_path) == expected

"""What is known of the machine, its cards and its Python reaches run.json; what is private does not."""

import ast
import inspect
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from checkouts import TOP
from nvml import pynvml as stand_in

from launchers.machine import facts
from tests.commandline import executable

QUESTION = TOP / "launchers" / "recipes" / "native_python.py"


def test_the_cards_their_driver_and_their_topology_are_described(
    cards: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    cards()
    found = facts.describe({}, None)
    assert (found["gpus"], found["gpu_memory_mib"]) == (["NVIDIA H200"] * 2, [143771] * 2)
    assert (found["driver"], found["cuda_driver"], found["topology"]) == ("550.54.15", "12.4", [])
    rows = [
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity",
        "GPU0\t X \tNV4\tSYS\t0-63",
        "GPU1\tNV4\t X \tPIX\t0-63",
        "NIC0\tSYS\tPIX\t X",
    ]
    topology = shlex.quote("\n".join([*rows, "", "Legend:", "", "  X    = Self", ""]))
    executable(tmp_path / "nvidia-smi", f'#!/bin/sh\n[ "$*" = "topo -m" ] && echo {topology}\n')
    assert facts.describe({}, None)["topology"] == [["X", "NV4"], ["NV4", "X"]]
    cards(refused=True)
    found = facts.describe({}, None)
    assert (found["gpus"], found["topology"], found["driver"]) == ([], [], None)
    cards(lost=[0])  # which keeps its place
    found = facts.describe({}, None)
    assert json.loads(json.dumps(found)) == found
    assert (found["gpus"], found["gpu_memory_mib"]) == (["unknown", "NVIDIA H200"], [None, 143771])


def test_what_stands_in_for_nvml_takes_as_many_arguments() -> None:
    for name, answer in {**stand_in.OF_MACHINE, **stand_in.OF_CARD}.items():
        known = inspect.signature(getattr(stand_in.BINDINGS, name)).parameters
        assert len(inspect.signature(answer).parameters) == len(known) + (name in stand_in.OF_CARD)


# Variables, and what is kept of them; nothing of what is of the machine or secret.
KEPT = "NCCL_ALGO FLAGS_cudnn_exhaustive_search OMP_NUM_THREADS SLURM_NNODES TF_XLA_FLAGS TORCHINDUCTOR_MAX_AUTOTUNE"
KEPT += " NVTE_FUSED_ATTN UCX_TLS HIP_VISIBLE_DEVICES ASCEND_RT_VISIBLE_DEVICES XPU_VISIBLE_DEVICES"
PRIVATE = "AWS_SECRET_ACCESS_KEY CUDA_HOME FLAGS_cudnn_dir NCCL_COMM_ID NCCL_TOPO_FILE TORCH_HOME SLURM_SUBMIT_DIR"
PRIVATE += " PADDLE_CURRENT_ENDPOINT PADDLE_TRAINER_ENDPOINTS SLURMD_NODENAME SLURM_JOB_NODELIST"


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        *((name, "1", "1") for name in KEPT.split()),
        *((name, "1", None) for name in PRIVATE.split()),
        # of a path the last name
        ("LD_PRELOAD", "/home/me/lib/libtcmalloc.so.4:/opt/x/libb.so", "libtcmalloc.so.4:libb.so"),
        ("XLA_FLAGS", "--xla_dump_to=/scratch/me/dump --xla_gpu_level=2", "--xla_dump_to=dump --xla_gpu_level=2"),
        ("XLA_FLAGS", "--xla_a=a/b", "--xla_a=a/b"),
        ("NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1", "=mlx5_0:1,mlx5_1:1"),
        ("LD_PRELOAD", "/home/me/", ""),
    ],
)
def test_of_variables_those_that_can_change_speed_are_kept(name: str, value: str, kept: str | None) -> None:
    assert facts.matters({name: value}) == ({} if kept is None else {name: kept})


PODMAN = 'engine="podman"\nimage="docker.io/library/torch:2"\n'


@pytest.mark.parametrize(
    ("variables", "files", "expected"),
    [
        ({}, {}, None),
        ({"APPTAINER_CONTAINER": "/home/someone/torch.sif", "APPTAINER_NAME": "torch.sif"}, {}, "torch.sif"),
        ({"NVIDIA_PRODUCT_NAME": "PyTorch", "NVIDIA_PYTORCH_VERSION": "24.05"}, {}, "NVIDIA PyTorch 24.05"),
        ({}, {"run/.containerenv": PODMAN}, "docker.io/library/torch:2"),
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


TORCH = """
import types
__version__ = "2.4.1+cu121"
version = types.SimpleNamespace(cuda="12.1")
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: 90100))
cuda = types.SimpleNamespace(nccl=types.SimpleNamespace(version=lambda: (2, 20, 5)))
"""
PADDLE = """
import types
__version__ = "2.6.2"
version = types.SimpleNamespace(cuda=lambda: "11.8", cudnn=lambda: "8.6.0", nccl=lambda: "0")
base = types.SimpleNamespace(core=types.SimpleNamespace(nccl_version=lambda: 21005))
"""
TENSORFLOW = """
import types
__version__ = "2.15.0"
build = {"cuda_version": "12.2", "cudnn_version": "8"}
sysconfig = types.SimpleNamespace(get_build_info=lambda: build)
"""
CARDS = "import os; __version__ = repr(os.environ['CUDA_VISIBLE_DEVICES'])"  # which it is not to see
LOUD = "print('Welcome'); import os; os.write(1, b'to all'); __version__ = '9.8.7'\n"
# The frameworks of one Python each, and what they say.
WELL = {
    "torch": (TORCH, {"version": "2.4.1+cu121", "cuda": "12.1", "cudnn": "9.1.0", "nccl": "2.20.5"}),
    "paddle": (PADDLE, {"version": "2.6.2", "cuda": "11.8", "cudnn": "8.6.0", "nccl": "2.10.5"}),
    "tensorflow": (TENSORFLOW, {"version": "2.15.0", "cuda": "12.2", "cudnn": "8"}),
    "mxnet": (CARDS, {"version": "''"}),
}
ILL = {
    "torch": ("raise ImportError('no libcudart.so\\nmore')", {"error": "ImportError: no libcudart.so"}),
    "paddle": (LOUD, {"version": "9.8.7", "cuda": None, "cudnn": None, "nccl": None}),
    "tensorflow": ("import os; os.abort()", {"error": "the import exited with status -6"}),
    "mxnet": ("raise SystemExit", {"error": "SystemExit: "}),
}


@pytest.mark.parametrize("frameworks", [WELL, ILL])
def test_a_python_is_asked_once_and_says_what_it_has_whatever_it_prints_at_its_start(
    tmp_path: Path, frameworks: dict[str, tuple[str, dict[str, str | None]]]
) -> None:
    executable(tmp_path / "bin/python", f'#!/bin/sh\necho asked >> "{tmp_path}/times"\nexec "{sys.executable}" "$@"\n')
    (tmp_path / "lib").mkdir()
    texts = {name: text for name, (text, _) in frameworks.items()}
    for name, text in {"sitecustomize": "import sys; sys.stdout.write('{ hello')\n", **texts}.items():
        (tmp_path / "lib" / f"{name}.py").write_text(text)
    environ = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(tmp_path / "lib")}
    found = facts.native_python(environ)
    assert found["frameworks"] == {name: said for name, (_, said) in frameworks.items()}
    assert facts.native_python({**environ, "BATCH_SIZE": "64"}) == found
    assert (tmp_path / "times").read_text() == "asked\n"
    assert {"pytest", "click"} <= found["packages"].keys()
    assert list(found["packages"]) == sorted(found["packages"], key=str.lower)


def test_the_question_is_understood_by_python_3_6_and_answered_by_a_bare_environment(tmp_path: Path) -> None:
    ast.parse(QUESTION.read_text(encoding="utf-8"), feature_version=(3, 6))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    found = facts.native_python({"PATH": str(tmp_path / "venv" / "bin")})
    assert found["packages"].keys() <= {"pip", "setuptools"}

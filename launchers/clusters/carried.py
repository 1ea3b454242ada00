"""The variables that a job needs where its environment is not given to it: on other machines, and in containers."""

from __future__ import annotations

from collections.abc import Mapping

from ..machine.facts import matters

# mpirun gives other machines no variable by itself, and a container has none. These belong to libraries that train,
# whether or not one is kept in run.json (machine.matters); without them the nodes of a job would differ.
_PREFIXES = (
    *("CUDA_", "CUDNN_", "FLAGS_", "GLOO_", "HF_", "HOROVOD_", "MKL_", "MXNET_", "NCCL_", "NVIDIA_", "OMP_", "PADDLE_"),
    *("PYTORCH_", "TF_", "TORCH_", "UCX_"),
)


def carried(environment: Mapping[str, str]) -> set[str]:
    """The names of the variables of an environment that decide how a job trains, and how fast."""
    return {name for name in environment if name.startswith(_PREFIXES)} | matters(environment).keys()

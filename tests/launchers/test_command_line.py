"""What the words of a command prove: how many cards and nodes, and which Python trains."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from native_checkout import executable

from launchers.recipes import command_line


def counted(line: str, **environment: str) -> dict[str, int]:
    found = command_line.counts(shlex.split(line), environment)
    return {name: count.value for name, count in found.items()}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("torchrun --nproc_per_node 8 train.py", {"cards": 8}),
        ("torchrun --nproc-per-node=8 --nnodes 2 train.py", {"nodes": 2, "cards": 16}),
        ("torchrun train.py", {"cards": 1}),
        ("python -m torch.distributed.run --nproc_per_node 4 -m mine.train", {"cards": 4}),
        ("python -m torch.distributed.launch --nproc_per_node=2 train.py --nnodes 9", {"cards": 2}),
        ("deepspeed --num_gpus 4 train.py", {"cards": 4}),
        ("deepspeed --num_gpus=4 --num_nodes=2 train.py", {"nodes": 2, "cards": 8}),
        ("accelerate launch --num_processes 8 --num_machines 2 train.py", {"nodes": 2, "cards": 8}),
        ("python -m paddle.distributed.launch --gpus 0,1,2,3 train.py", {"cards": 4}),
        ("mpirun -np 16 -H a:8,b:8 python train.py", {"cards": 16}),
        ("horovodrun -np 4 python train.py", {"cards": 4}),
        ("srun -n 16 -N 2 python train.py", {"nodes": 2, "cards": 16}),
        ("srun --nodes=2 --ntasks-per-node=8 python train.py", {"nodes": 2, "cards": 16}),
        ("srun -N 2 torchrun --nnodes 2 --nproc_per_node 8 train.py", {"nodes": 2, "cards": 16}),
        ("env CUDA_VISIBLE_DEVICES=3 python train.py", {"cards": 1}),
        ("/opt/bin/torchrun --nproc_per_node 8 train.py", {"cards": 8}),
    ],
)
def test_the_words_of_a_starter_prove_cards_and_nodes(line: str, expected: dict[str, int]) -> None:
    assert counted(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "python train.py",
        "python train.py --nproc_per_node 8",
        "python train.py torchrun --nproc_per_node 8",
        "torchrun --nproc_per_node gpu train.py",
        "torchrun --nproc_per_node 8 --nnodes 1:4 train.py",
        "mpirun -np 2 torchrun --nproc_per_node 4 train.py",
        "deepspeed train.py",
        "deepspeed --num_gpus 4 --hostfile hosts train.py",
        "python -m paddle.distributed.launch --gpus 0,1 --ips a,b train.py",
        "env CUDA_VISIBLE_DEVICES=0,1 python train.py",
        "env CUDA_VISIBLE_DEVICES=-1 python train.py",
        "env CUDA_VISIBLE_DEVICES=NoDevFiles python train.py",
        "mpirun -np 0 python train.py",
        "torchrun --nproc_per_node",
        "bash train.sh",
    ],
)
def test_words_that_prove_nothing_state_no_cards(line: str) -> None:
    assert "cards" not in counted(line)


@pytest.mark.parametrize("card", ["2", "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", "MIG-GPU-8932f937/1/0"])
def test_one_visible_card_is_one_card(card: str) -> None:
    assert counted("python train.py", CUDA_VISIBLE_DEVICES=card) == {"cards": 1}


def test_the_words_that_prove_a_count_are_told() -> None:
    found = command_line.counts(["mpirun", "-np", "2", "python", "train.py"], {})
    assert found == {"cards": command_line.Count(2, "-np 2")}


def test_the_python_of_a_command_is_the_one_that_it_names_or_that_of_its_script(tmp_path: Path) -> None:
    executable(tmp_path / "torchrun", "#!/opt/env/bin/python3.11\n")
    executable(tmp_path / "python", "#!/bin/sh\n")
    executable(tmp_path / "train.sh", "#!/bin/bash\npython train.py\n")
    expected = {
        (sys.executable, "train.py"): sys.executable,
        ("env/bin/python", "t.py"): str(tmp_path / "env/bin/python"),  # seen from where the command starts
        ("torchrun", "train.py"): "/opt/env/bin/python3.11",
        ("./train.sh",): str(tmp_path / "python"),
    }
    assert {words: command_line.python([*words], tmp_path, str(tmp_path)) for words in expected} == expected
    assert command_line.python(["true"], tmp_path, "") is None

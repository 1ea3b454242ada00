"""What the words of a command prove: how many cards and nodes, and which Python trains."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from native_checkout import executable

from launchers.recipes import command_line

PROVEN = {
    "torchrun --nproc_per_node 8 train.py": {"cards": 8},
    "torchrun --nproc-per-node=8 --nnodes 2 train.py": {"nodes": 2, "cards": 16},
    "torchrun train.py": {"cards": 1},
    "python -m torch.distributed.run --nproc_per_node 4 -m mine.train": {"cards": 4},
    "python -m torch.distributed.launch --nproc_per_node=2 train.py --nnodes 9": {"cards": 2},
    "deepspeed --num_gpus 4 train.py": {"cards": 4},
    "deepspeed --num_gpus=4 --num_nodes=2 train.py": {"nodes": 2, "cards": 8},
    "accelerate launch --num_processes 8 --num_machines 2 train.py": {"nodes": 2, "cards": 8},
    "python -m paddle.distributed.launch --gpus 0,1,2,3 train.py": {"cards": 4},
    "mpirun -np 16 -H a:8,b:8 python train.py": {"cards": 16},
    "horovodrun -np 4 python train.py": {"cards": 4},
    "srun -n 16 -N 2 python train.py": {"nodes": 2, "cards": 16},
    "srun --nodes=2 --ntasks-per-node=8 python train.py": {"nodes": 2, "cards": 16},
    "srun -N 2 torchrun --nnodes 2 --nproc_per_node 8 train.py": {"nodes": 2, "cards": 16},
    "env CUDA_VISIBLE_DEVICES=3 python train.py": {"cards": 1},
    "env CUDA_VISIBLE_DEVICES=GPU-8932f937-d72c-4106-c12f-20bd9faed9f6 python train.py": {"cards": 1},
    "env CUDA_VISIBLE_DEVICES=MIG-GPU-8932f937/1/0 python train.py": {"cards": 1},
    "/opt/bin/torchrun --nproc_per_node 8 train.py": {"cards": 8},
    "python train.py": {},
    "python train.py --nproc_per_node 8": {},
    "python train.py torchrun --nproc_per_node 8": {},
    "torchrun --nproc_per_node gpu train.py": {},
    "torchrun --nproc_per_node 8 --nnodes 1:4 train.py": {},
    "mpirun -np 2 torchrun --nproc_per_node 4 train.py": {},
    "deepspeed train.py": {},
    "deepspeed --num_gpus 4 --hostfile hosts train.py": {},
    "python -m paddle.distributed.launch --gpus 0,1 --ips a,b train.py": {},
    "env CUDA_VISIBLE_DEVICES=0,1 python train.py": {},
    "env CUDA_VISIBLE_DEVICES=-1 python train.py": {},
    "env CUDA_VISIBLE_DEVICES=NoDevFiles python train.py": {},
    "mpirun -np 0 python train.py": {},
    "torchrun --nproc_per_node": {},
    "bash train.sh": {},
}


@pytest.mark.parametrize("line", PROVEN)
def test_the_words_of_a_command_prove_cards_and_nodes_or_nothing(line: str) -> None:
    found = command_line.counts(shlex.split(line), {})
    assert {name: count.value for name, count in found.items()} == PROVEN[line]


def test_one_visible_card_of_the_environment_is_one_card_and_the_words_of_a_count_are_told() -> None:
    words = ["python", "train.py"]
    assert command_line.counts(words, {"CUDA_VISIBLE_DEVICES": "2"})["cards"].value == 1
    assert command_line.counts(["mpirun", "-np", "2", *words], {}) == {"cards": command_line.Count(2, "-np 2")}


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

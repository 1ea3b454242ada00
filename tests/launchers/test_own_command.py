"""A command of one's own: what its words prove, what is kept of it, which runs are repeats, and its summary."""

import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from checkouts import TRAIN, OwnProgram, wait_until

from launchers.job import of_command
from launchers.recipes import command_line
from tests.commandline import executable, git, run

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
    visible = command_line.counts(["python", "train.py"], {"CUDA_VISIBLE_DEVICES": "2"})
    assert visible["cards"].value == 1


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


def test_master_and_rank_are_left_to_the_shell() -> None:
    job = of_command(("true", "--rdzv_endpoint=$MASTER", "--node_rank", "$NODE_RANK", "$HOME"), Path(os.sep))
    assert job.command == 'cd "$REPO" && true --rdzv_endpoint="$MASTER" --node_rank "$NODE_RANK" \'$HOME\''


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_runs_are_summed_up_with_their_number_and_repeats_with_their_spread(program: OwnProgram, language: str) -> None:
    answer = program.run("--cards", "1", "--", "python", "train.py")
    assert (answer.returncode, "train_N1C1/1/train.log: 1,001 tokens/s" in answer.stdout) == (0, True)
    answer = program.run("--lang", language, "--repeats", "2", "--", "python", "train.py")
    assert re.search(r"2.*1,001 tokens/s.*0\.0%", answer.stdout)


@pytest.mark.slow
def test_a_number_of_several_processes_names_the_commands_that_say_whose_it_is(program: OwnProgram) -> None:
    said = program.run("--cards", "2", "--", "python", "train.py").stdout.splitlines()
    offered = [shlex.split(line)[-1] for line in said if "--read" in line]
    for scope, number in (("job", "1000.999"), ("card", "2001.999")):
        (option,) = (one for one in offered if one.endswith(f" of {scope}"))
        for typed in (["init", scope, "logs", "--read", option], ["report", f"{scope}.toml", "--out", "pages"]):
            assert run(*typed, cwd=program.folder).returncode == 0
        assert number in (program.folder / f"pages/{scope}.en.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("text", ["pass", "print('done')"])
def test_a_log_without_a_number_is_a_run_all_the_same(program: OwnProgram, text: str) -> None:
    program.change(text)
    answer = program.run("--", "python", "train.py")
    assert (answer.returncode, "train/1/train.log: " in answer.stdout) == (1, True)


@pytest.mark.slow
def test_the_same_program_and_arguments_are_repeats_and_others_another_case(program: OwnProgram) -> None:
    program.change("raise SystemExit(3)")
    assert program.run("--", "python", "train.py").returncode == 1
    program.change(TRAIN)
    assert program.run("--", "python", "train.py").returncode == 0
    assert (program.cases(), program.facts("train/1")["status"]) == (["train/1"], "done")  # in place of the failed one
    program.run("--repeats", "2", "--", "python", "train.py")
    program.run("--", "python", "train.py", "--fast")
    program.change(TRAIN + "# changed\n")
    program.run("--", "python", "train.py")
    assert program.cases() == ["train-2/1", "train-3/1", "train/1", "train/2", "train/3"]


@pytest.mark.slow
def test_stated_facts_name_the_case_and_those_of_the_command_are_kept_with_its_words(program: OwnProgram) -> None:
    stated = {"model": "GPT 2", "batch_size": 8, "precision": "bf16", "cards": 2}
    options = [word for name, value in stated.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    program.run(*options, "--", "python", "train.py")
    assert program.facts("GPT-2_bs8_bf16_N1C2/1")["case"].items() >= stated.items()
    command = ["--", "torchrun", "--nproc_per_node", "2", "train.py"]
    program.run(*command)
    program.run("--cards", "4", *command)
    facts = program.facts("train_N1C2/1")
    assert (facts["case"]["cards"], facts["case_from"]) == (2, {"cards": "--nproc_per_node 2"})
    assert program.facts("train_N1C4/1")["case_from"] == {}


@pytest.mark.slow
def test_the_changes_of_a_checkout_are_kept_as_a_patch_as_they_are_but_for_secrets(program: OwnProgram) -> None:
    latin, changed = "# Größe\n".encode("latin-1"), TRAIN + "# changed\n"
    (program.folder / "sizes.txt").write_bytes(latin)
    git(program.folder, "add", "-A")
    git(program.folder, "commit", "-q", "-m", "sizes")
    program.run("--", "python", "train.py")
    assert not (program.suite / "train/1/source.patch").exists()
    (program.folder / "sizes.txt").write_bytes(latin + b"token = ghp_abcdefghijklmnopqrstuvwxyz0123456789\n")
    program.change(changed)
    program.run("--", "python", "train.py")
    git(program.folder, "stash", "-q")
    git(program.folder, "apply", str(program.suite / "train-2/1/source.patch"))
    assert (program.folder / "train.py").read_text(encoding="utf-8") == changed
    assert (program.folder / "sizes.txt").read_bytes() == latin + b"token = <redacted>\n"
    assert program.facts("train-2/1")["source"]["dirty"] is True


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "--nodes 2 -- torchrun --nproc_per_node 2 train.py",
        "--nodes 2 --cards 3 -- python train.py",
        "-- no-such-program",
    ],
)
def test_a_command_that_cannot_run_as_stated_is_refused(program: OwnProgram, words: str) -> None:
    assert (program.run(*words.split()).returncode, program.cases()) == (2, [])


@pytest.mark.slow
def test_a_folder_within_a_checkout_has_its_commit(program: OwnProgram) -> None:
    (program.folder / "examples").mkdir()
    program.run("--into", "../logs/project", "--", "python", "../train.py", below="examples")
    assert program.facts("train/1")["source"]["commit"] == git(program.folder, "rev-parse", "HEAD")


@pytest.mark.slow
def test_words_reach_the_program_in_this_folder_as_they_are_and_are_kept_without_the_folder(
    program: OwnProgram,
) -> None:
    here = program.folder
    program.change("import os, sys\nprint(sys.argv[1:], sorted(os.listdir()))\n")
    words = [f"{here}/data", f"--x={here}/y", f"a{here}/z", f"cat {here}/b", f"{here}-c/d", "e" * 5000, "", "--model"]
    program.run("python", f"{here}/train.py", *words)  # an option behind the command is for the command
    (case,) = program.cases()
    assert (program.suite / case / "train.log").read_text() == f"{words} {['.git', 'logs', 'train.py']}\n"
    kept = ["data", "--x=y", f"a{here}/z", "cat b", f"{here}-c/d", "e" * 5000, "", "--model"]
    assert program.facts(case)["command"] == ["python", "train.py", *kept]


@pytest.mark.slow
def test_two_runs_at_once_are_two_runs(program: OwnProgram) -> None:
    program.change("import time\ntime.sleep(1)\nprint('step 1: loss 2.5, 1000 tokens/s')\n")
    both = [program.started("--", "python", "train.py")]
    wait_until(lambda: list(program.suite.glob("*/.1.lock")))
    both.append(program.started("--", "python", "train.py"))
    for process in both:
        process.communicate(timeout=60)
    assert program.cases() == ["train/1", "train/2"]

"""The runs that a launch plans, of a recipe, a page or two checkouts, and those of a command of one's own."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkouts import METRIC, PRINT, TRAIN, URL, Native, OwnProgram, wait_until

from launchers.job import of_command
from launchers.recipes import command_line
from launchers.run.folder import RunFolder
from launchers.run.series import PlannedRun, alternating
from tests.commandline import executable, git, run

slow = pytest.mark.slow  # what launches several runs
PAGE = """
title = "Toy"
model = "ResNet50"
unit = "samples/s"
tested = ["A toy."]

[columns.toy]
title = "Toy"
logs = "toy/{model}_bs{batch_size}_{precision}_N{nodes}C{cards}/*/train.log"
protocol = "plain"

[[tables]]
name = "toy"
title = "Toy"
case = { model = "ResNet50", device = "CPU", nodes = 1, cards = 1, precision = "fp32" }
columns = [{ column = "toy" }]
rows = [{ title = "{batch_size}", case = { batch_size = 4 } }, { title = "{batch_size}", case = { batch_size = 8 } }]
"""
LAUNCH = """
[toy]
launcher = "paddleclas_resnet50"
repeats = 2
options = { device = "cpu", data = "data", steps = 2 }
extra = ["-o", "Global.print_batch_step=1"]
"""
FAIL_AT_4 = f"import sys\nif '4' in [word[-1] for word in sys.argv if 'batch_size' in word]:\n    sys.exit(3)\n{PRINT}"
ALL = [f"toy/ResNet50_bs{size}_fp32_N1C1/{repeat}" for size in (4, 8) for repeat in (1, 2)]


def in_order(top: Path) -> list[str]:
    """The run folders below a folder in the order in which they were finished."""
    files = sorted(top.rglob("run.json"), key=lambda path: path.stat().st_mtime_ns)
    return [path.parent.relative_to(top).as_posix() for path in files]


@pytest.mark.parametrize(
    "words",
    [
        "--precision amp",
        "--nodes 2 --cards 3 --master a:1",
        "--nodes 2 --cards 2",
        "--steps 10 --epochs 3",
        "--cards 0",
        "--cards 1,1",
        "--cards 1,x",
        "--repo /nowhere",
        "--on mpirun",
        "--only cards",
        "--only cards=1,cards=2",
        "--only cards=1",
        "--timeout 0",
        "--site {top}/site.toml",  # without a place
        "--detach",
        "--xla on",  # which the recipe does not read
    ],
)
def test_a_wrong_option_starts_nothing(native: Native, words: str) -> None:
    (native.top / "site.toml").touch()
    assert native.launch(*words.format(top=native.top).split()).returncode == 2
    assert not native.suite.exists()


def test_each_combination_of_values_is_a_case_of_its_own_and_cases_take_turns(native: Native) -> None:
    words = ["--cards", "1", "--batch-size", "4,8", "--dali", "on,off", "--repeats", "2", "--dry-run"]
    logs = re.findall(r"tee (\S+)", native.tachograph("launch", "nvidia_pytorch_resnet50", *words).stdout)
    cases = [log.split("/")[-3] for log in logs]
    assert [case.split("_")[1] for case in cases] == ["bs4", "bs4", "bs8", "bs8", "bs8", "bs8", "bs4", "bs4"]
    assert (len({*logs}), cases[4:]) == (8, cases[3::-1])


@pytest.mark.parametrize(
    ("repeats", "order"),
    [((2, 2), "A1 B1 B2 A2"), ((3, 3), "A1 B1 B2 A2 A3 B3"), ((1, 3), "A1 B1 B2 B3"), ((3,), "A1 A2 A3"), ((), "")],
)
def test_cases_take_turns_each_time_in_the_opposite_order(repeats: tuple[int, ...], order: str) -> None:
    def planned(case: str, count: int) -> list[PlannedRun]:
        return [PlannedRun(None, RunFolder(Path(case, str(n)))) for n in range(1, count + 1)]  # type: ignore[arg-type]

    cases = [planned(name, count) for name, count in zip("ABC", repeats, strict=False)]
    assert " ".join(f"{run.folder.path.parent}{run.folder.path.name}" for run in alternating(cases)) == order


@pytest.fixture
def page(native: Native) -> Path:
    """A page of two cells, each of two runs, none of which is there."""
    path = native.top / "toy.toml"
    path.write_text(PAGE)
    path.with_suffix(".launch.toml").write_text(LAUNCH)
    return path


def launch(native: Native, page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `tachograph launch PAGE`."""
    place = ["--repo", str(native.repo), "--into", str(native.top / "logs")]
    return native.tachograph("launch", page, *place, *arguments, main=None)


@slow
def test_a_page_has_the_runs_made_that_it_lacks_in_turns_with_the_options_that_it_says(
    native: Native, page: Path
) -> None:
    logs = native.top / "logs"
    assert launch(native, page).returncode == 0
    assert in_order(logs) == [ALL[0], ALL[2], ALL[3], ALL[1]]
    variables = json.loads((logs / ALL[0] / "run.json").read_text())["variables"]
    assert (variables["STEPS"], variables["EXTRA"]) == ("2", "-o Global.print_batch_step=1")
    before = {name: (logs / name / "run.json").stat().st_mtime_ns for name in ALL}
    answer = launch(native, page)
    assert (answer.returncode, answer.stdout) == (0, "")
    shutil.rmtree(logs / ALL[1])
    launch(native, page)
    assert [name for name in ALL if (logs / name / "run.json").stat().st_mtime_ns != before[name]] == [ALL[1]]
    shutil.rmtree(logs / ALL[1])
    page.with_suffix(".launch.toml").write_text(LAUNCH.replace("steps = 2", "steps = 7"))
    answer = launch(native, page)
    assert (answer.returncode, "STEPS=" in answer.stderr) == (1, True)


@slow
@pytest.mark.parametrize(
    ("words", "changes", "refusal", "made"),
    [
        ("--only batch_size=8", [], None, ALL[2:]),
        ("--repeats 1", [], None, [ALL[0], ALL[2]]),
        ("", [("batch_size = 8 } }]", "batch_size = 8, nodes = 2, cards = 2 } }]")], None, ALL[:2]),  # not here
        ("--cards 8", [], "cards", []),
        ("--only batch_size=5", [], "batch_size=5", []),
        *(("", [("steps = 2", f"steps = {steps}")], "STEPS", []) for steps in ('"a[$(touch made)]"', '"two"', "0")),
    ],
)
def test_cases_and_repeats_of_a_page_can_be_chosen_and_what_does_not_fit_is_refused(
    native: Native, page: Path, words: str, changes: list[tuple[str, str]], refusal: str | None, made: list[str]
) -> None:
    for path in (page, page.with_suffix(".launch.toml")):
        for before, after in changes:
            path.write_text(path.read_text().replace(before, after))
    answer = launch(native, page, *words.split())
    assert (answer.returncode, str(refusal) in answer.stderr) == ((2, True) if refusal else (0, False))
    assert sorted(in_order(native.top / "logs")) == made
    assert list(native.top.rglob("made")) == []


@slow
def test_after_a_failed_case_the_others_go_on(native: Native, page: Path) -> None:
    native.trains(FAIL_AT_4)
    assert launch(native, page).returncode == 1
    assert in_order(native.top / "logs") == [ALL[0], ALL[2], ALL[3]]


@slow
def test_a_dry_run_is_a_script_that_runs_without_tachograph(native: Native, page: Path) -> None:
    script = launch(native, page, "--dry-run").stdout
    assert not (native.top / "logs").exists()
    native.execute(script)
    assert [(native.top / "logs" / name / "train.log").read_text() for name in ALL] == [METRIC] * 4


@slow
def test_a_recipe_runs_alternately_in_two_checkouts_which_have_names_of_their_own(native: Native) -> None:
    for folder in ("before", "after", "other/after"):
        shutil.copytree(native.repo, native.top / folder)
        git(native.top / folder, "init", "-q")
        git(native.top / folder, "remote", "add", "origin", f"{URL}.git")
    options = [word for word in native.options if word not in ("--repo", str(native.repo))]
    before, after, other = (("--repo", native.top / folder) for folder in ("before", "after", "other/after"))
    assert native.tachograph(*options, *before, *after, "--repeats", "2").returncode == 0
    suites = [name.partition("/")[0] for name in in_order(native.top / "logs")]
    assert suites == ["suite@before", "suite@after", "suite@after", "suite@before"]
    assert native.tachograph(*options, *after, *other).returncode == 2


# Equal logs would be copies of one run, and no repeats.
NOISY = "import random\n" + TRAIN.replace("{1000 +", "{1000 + random.random() +")


@pytest.fixture
def compared(program: OwnProgram) -> OwnProgram:
    """A program that a worktree beside it has as `main`, and that is slower as it lies there."""
    program.change(NOISY)
    git(program.folder, "commit", "-qam", "noisy")
    git(program.folder, "branch", "-M", "main")
    git(program.folder, "worktree", "add", "-q", "--detach", "../before", "main")
    program.change(NOISY.replace("1000", "900"))
    return program


def sides(program: OwnProgram) -> str:
    """A for each run in the worktree, B for each here, in the order in which they were finished."""
    return "".join("A" if "@" in name else "B" for name in in_order(program.folder / "logs"))


@slow
def test_a_command_is_compared_with_itself_in_another_folder(compared: OwnProgram) -> None:
    answer = compared.run("--against", "../before", "--", "python", str(compared.folder / "train.py"))
    assert (answer.returncode, sides(compared)) == (0, "ABBAAB")
    comparison = run("compare", "logs/project@before/train", "logs/project/train", cwd=compared.folder).stdout
    assert (answer.stdout.endswith(comparison), "slower" in comparison) == (True, True)
    text = (compared.folder / "logs/project@before/train/1/run.json").read_text(encoding="utf-8")
    assert f'"commit": "{git(compared.folder, "rev-parse", "main")}"' in text
    assert ('"dirty": false' in text, str(compared.folder.parent) in text) == (True, False)
    assert sorted(path.name for path in (compared.folder / "logs").iterdir()) == ["project", "project@before"]


def test_both_sides_are_written_by_a_dry_run(compared: OwnProgram) -> None:
    answer = compared.run("--against", "../before", "--dry-run", "--", "python", "train.py")
    folders = [compared.folder.with_name("before"), compared.folder]
    assert (answer.returncode, [f"export REPO={folder}" in answer.stdout for folder in folders]) == (0, [True, True])


# What the words of a command prove, what is kept of it, which runs are repeats, and their summary.
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


@slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_runs_are_summed_up_with_their_number_and_repeats_with_their_spread(program: OwnProgram, language: str) -> None:
    answer = program.run("--cards", "1", "--", "python", "train.py")
    assert (answer.returncode, "train_N1C1/1/train.log: 1,001 tokens/s" in answer.stdout) == (0, True)
    answer = program.run("--lang", language, "--repeats", "2", "--", "python", "train.py")
    assert re.search(r"2.*1,001 tokens/s.*0\.0%", answer.stdout)


@slow
def test_a_number_of_several_processes_names_the_commands_that_say_whose_it_is(program: OwnProgram) -> None:
    said = program.run("--cards", "2", "--", "python", "train.py").stdout.splitlines()
    offered = [shlex.split(line)[-1] for line in said if "--read" in line]
    for scope, number in (("job", "1000.999"), ("card", "2001.999")):
        (option,) = (one for one in offered if one.endswith(f" of {scope}"))
        for typed in (["init", scope, "logs", "--read", option], ["report", f"{scope}.toml", "--out", "pages"]):
            assert run(*typed, cwd=program.folder).returncode == 0
        assert number in (program.folder / f"pages/{scope}.en.md").read_text(encoding="utf-8")


@slow
@pytest.mark.parametrize("text", ["pass", "print('done')"])
def test_a_log_without_a_number_is_a_run_all_the_same(program: OwnProgram, text: str) -> None:
    program.change(text)
    answer = program.run("--", "python", "train.py")
    assert (answer.returncode, "train/1/train.log: " in answer.stdout) == (1, True)


@slow
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


@slow
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


@slow
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


@slow
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


@slow
def test_a_folder_within_a_checkout_has_its_commit(program: OwnProgram) -> None:
    (program.folder / "examples").mkdir()
    program.run("--into", "../logs/project", "--", "python", "../train.py", below="examples")
    assert program.facts("train/1")["source"]["commit"] == git(program.folder, "rev-parse", "HEAD")


@slow
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


@slow
def test_two_runs_at_once_are_two_runs(program: OwnProgram) -> None:
    program.change("import time\ntime.sleep(1)\nprint('step 1: loss 2.5, 1000 tokens/s')\n")
    both = [program.started("--", "python", "train.py")]
    wait_until(lambda: list(program.suite.glob("*/.1.lock")))
    both.append(program.started("--", "python", "train.py"))
    for process in both:
        process.communicate(timeout=60)
    assert program.cases() == ["train/1", "train/2"]

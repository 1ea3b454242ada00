"""A command of one's own: what is kept of it, which runs are repeats of each other, and what is told at the end."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from git_checkout import git
from own_program import TRAIN, OwnProgram, make_program

from launchers.job import of_command

# They call the program.
pytestmark = pytest.mark.slow


@pytest.fixture
def program(tmp_path: Path) -> OwnProgram:
    return make_program(tmp_path)


def test_a_run_of_a_command_tells_its_number_at_the_end(program: OwnProgram) -> None:
    answer = program.run("--cards", "1", "--", "python", "train.py")
    assert (answer.returncode, "train_N1C1/1/train.log: 1,001 tokens/s" in answer.stdout) == (0, True)


def test_a_number_of_several_processes_is_told_with_the_commands_that_say_whose_it_is(program: OwnProgram) -> None:
    told = program.run("--cards", "2", "--", "python", "train.py").stdout.splitlines()[-1]
    of_job, of_card = re.findall(r"`(.+?)`", told)
    for command, number in ((of_job, "1000.999"), (of_card.replace("page", "of_card"), "2001.999")):
        assert program.shell(command).returncode == 0
        page = command.split()[2]
        assert program.shell(f"tachograph report {page}.toml --out pages").returncode == 0
        assert number in (program.folder / f"pages/{page}.en.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["pass", "print('done')"])
def test_a_log_without_a_number_is_a_run_all_the_same(program: OwnProgram, text: str) -> None:
    program.change(text)
    answer = program.run("--", "python", "train.py")
    assert (answer.returncode, "train/1/train.log: " in answer.stdout) == (1, True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_repeats_are_told_with_their_median_and_their_spread(program: OwnProgram, language: str) -> None:
    answer = program.run("--lang", language, "--repeats", "2", "--", "python", "train.py")
    assert re.search(r"2.*1,001 tokens/s.*0\.0%", answer.stdout)


def test_the_same_program_and_arguments_are_repeats_and_others_another_case(program: OwnProgram) -> None:
    program.run("--", "python", "train.py")
    program.run("--repeats", "2", "--", "python", "train.py")
    program.run("--", "python", "train.py", "--fast")
    program.change(TRAIN + "# changed\n")
    program.run("--", "python", "train.py")
    assert program.cases() == ["train-2/1", "train-3/1", "train/1", "train/2", "train/3"]


def test_a_failed_run_is_run_again_in_its_place(program: OwnProgram) -> None:
    program.change("raise SystemExit(3)")
    assert program.run("--", "python", "train.py").returncode == 1
    program.change(TRAIN)
    assert program.run("--", "python", "train.py").returncode == 0
    assert (program.cases(), program.facts("train/1")["status"]) == (["train/1"], "done")


def test_stated_facts_name_the_case(program: OwnProgram) -> None:
    stated = {"model": "GPT 2", "batch_size": 8, "precision": "bf16", "cards": 2}
    options = [word for name, value in stated.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    program.run(*options, "--", "python", "train.py")
    assert program.facts("GPT-2_bs8_bf16_N1C2/1")["case"].items() >= stated.items()


def test_cards_that_the_command_states_are_kept_with_its_words_unless_they_are_given(program: OwnProgram) -> None:
    command = ["--", "torchrun", "--nproc_per_node", "2", "train.py"]
    program.run(*command)
    program.run("--cards", "4", *command)
    facts = program.facts("train_N1C2/1")
    assert (facts["case"]["cards"], facts["case_from"]) == (2, {"cards": "--nproc_per_node 2"})
    assert program.facts("train_N1C4/1")["case_from"] == {}


def test_the_changes_of_a_checkout_are_kept_as_a_patch_as_they_are_but_for_secrets(program: OwnProgram) -> None:
    latin, changed = "# Größe\n".encode("latin-1"), TRAIN + "# changed\n"
    (program.folder / "sizes.txt").write_bytes(latin)
    git(program.folder, "add", "-A")
    git(program.folder, "commit", "-q", "-m", "sizes")
    program.run("--", "python", "train.py")
    assert not (program.folder / "logs/project/train/1/source.patch").exists()
    (program.folder / "sizes.txt").write_bytes(latin + b"token = ghp_abcdefghijklmnopqrstuvwxyz0123456789\n")
    program.change(changed)
    program.run("--", "python", "train.py")
    patch = program.folder / "logs/project/train-2/1/source.patch"
    git(program.folder, "stash", "-q")
    git(program.folder, "apply", str(patch))
    assert (program.folder / "train.py").read_text(encoding="utf-8") == changed
    assert (program.folder / "sizes.txt").read_bytes() == latin + b"token = <redacted>\n"
    assert program.facts("train-2/1")["source"]["dirty"] is True


@pytest.mark.parametrize(
    "words",
    [
        ("--nodes", "2", "--", "torchrun", "--nproc_per_node", "2", "train.py"),
        ("--nodes", "2", "--cards", "3", "--", "python", "train.py"),
        ("--", "no-such-program"),
    ],
)
def test_a_command_that_cannot_run_as_stated_is_refused(program: OwnProgram, words: tuple[str, ...]) -> None:
    assert (program.run(*words).returncode, program.cases()) == (2, [])


def test_a_folder_within_a_checkout_has_its_commit(program: OwnProgram) -> None:
    (program.folder / "examples").mkdir()
    program.run("--into", "../logs/project", "--", "python", "../train.py", below="examples")
    assert program.facts("train/1")["source"]["commit"] == git(program.folder, "rev-parse", "HEAD")


def test_a_dry_run_prints_the_command_and_runs_nothing(program: OwnProgram) -> None:
    answer = program.run("--dry-run", "--", "python", "train.py", "a b")
    assert "cd \"$REPO\" && python train.py 'a b'" in answer.stdout
    assert program.cases() == []


def test_an_option_behind_the_command_is_for_the_command_which_runs_in_this_folder(program: OwnProgram) -> None:
    program.change("import os, sys; print(sys.argv[1:], sorted(os.listdir()))")
    program.run("python", str(program.folder / "train.py"), "--model", "x")
    log = (program.folder / "logs/project/train/1/train.log").read_text(encoding="utf-8")
    assert log == "['--model', 'x'] ['.git', 'logs', 'train.py']\n"
    facts = program.facts("train/1")
    assert (facts["command"], str(program.folder) in str(facts)) == (["python", "train.py", "--model", "x"], False)


def test_words_reach_the_program_as_they_are_and_are_kept_without_the_folder(program: OwnProgram) -> None:
    here = program.folder
    program.change("import sys\nprint(sys.argv[1:])\n")
    words = [f"{here}/data", f"--x={here}/y", f"a{here}/z", f"cat {here}/b", f"{here}-c/d", "e" * 5000, ""]
    program.run("--", f"{here.parent}/bin/python", f"{here}/train.py", *words)
    (log,) = here.glob("logs/project/*/1/train.log")
    assert log.read_text() == f"{words}\n"
    kept = ["data", "--x=y", f"a{here}/z", "cat b", f"{here}-c/d", "e" * 5000, ""]
    assert program.all_facts()[0]["command"][2:] == kept


def test_two_runs_at_once_are_two_runs(program: OwnProgram) -> None:
    program.change("import time\ntime.sleep(1)\nprint('step 1: loss 2.5, 1000 tokens/s')\n")
    answer = program.shell("tachograph run -- python train.py & sleep 0.7; tachograph run -- python train.py; wait")
    assert "in use" not in answer.stderr
    assert program.cases() == ["train/1", "train/2"]


def test_master_and_rank_are_left_to_the_shell() -> None:
    job = of_command(("true", "--rdzv_endpoint=$MASTER", "--node_rank", "$NODE_RANK", "$HOME"), Path(os.sep))
    assert job.command == 'cd "$REPO" && true --rdzv_endpoint="$MASTER" --node_rank "$NODE_RANK" \'$HOME\''

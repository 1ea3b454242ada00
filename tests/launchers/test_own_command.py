"""A command of one's own: what is kept of it, which runs are repeats of each other, and what is told at the end."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from git_checkout import git
from own_program import TACHOGRAPH, TRAIN, OwnProgram, make_program

from launchers.jobs.own_command import OwnCommand

# They call the program.
pytestmark = pytest.mark.slow


@pytest.fixture
def program(tmp_path: Path) -> OwnProgram:
    return make_program(tmp_path)


def test_a_command_runs_in_the_folder_where_it_was_started(program: OwnProgram) -> None:
    program.change("import os; print(sorted(os.listdir()))")
    program.run("--", "python", "train.py")
    log = (program.folder / "logs/project/train/1/train.log").read_text(encoding="utf-8")
    assert log == "['.git', 'logs', 'train.py']\n"


def test_a_run_of_a_command_tells_its_number_at_the_end(program: OwnProgram) -> None:
    answer = program.run("--cards", "1", "--", "python", "train.py")
    assert answer.returncode == 0
    assert re.search(r"train_N1C1/1/train.log: 1001.000 tokens/s", answer.stdout)
    assert "Next: `tachograph show logs/project/train_N1C1/1`" in answer.stdout
    assert "`tachograph init page logs/project` drafts a page." in answer.stdout


def test_a_number_that_is_not_known_to_be_the_jobs_is_told_with_what_a_page_of_it_needs(program: OwnProgram) -> None:
    told = program.run("--", "python", "train.py").stdout.splitlines()[-1]
    assert "If a single GPU (or process) trained, `tachograph init page logs/project --cards 1` drafts a page." in told
    command = [str(TACHOGRAPH), "init", "page", "logs/project", "--cards", "1"]
    drafted = subprocess.run(command, cwd=program.folder, capture_output=True, text=True, timeout=60, check=False)
    assert (drafted.returncode, (program.folder / "page.toml").is_file()) == (0, True)


def test_a_number_of_several_processes_is_told_with_the_commands_that_say_whose_it_is(program: OwnProgram) -> None:
    told = program.run("--cards", "2", "--", "python", "train.py").stdout.splitlines()[-1]
    assert "is the number that of all 2 processes together?" in told
    draft, card, known, page = re.findall(r"`(.+?)`", told)
    assert (card, known) == ("--scope card", "export TACHOGRAPH_FORMATS=formats")
    assert "left out: Scope unknown" in program.shell(page).stderr
    for command in (draft, f"{known.removeprefix('export ')} {page}"):
        assert program.shell(command).returncode == 0
    assert "1001.000" in program.shell("TACHOGRAPH_FORMATS=formats tachograph show logs/project/train_N1C2/1").stdout


def test_a_command_that_prints_nothing_is_told_with_the_reason(program: OwnProgram) -> None:
    program.change("pass")
    answer = program.run("--", "python", "train.py")
    assert answer.returncode == 0
    assert "train/1/train.log: the command printed nothing." in answer.stdout


def test_repeats_are_told_with_their_median_and_their_spread(program: OwnProgram) -> None:
    answer = program.run("--repeats", "2", "--", "python", "train.py")
    assert "median of 2 runs: 1001.000 tokens/s, from 1001.000 to 1001.000 (0.0%)" in answer.stdout


def test_the_end_is_told_in_another_language(program: OwnProgram) -> None:
    answer = program.run("--lang", "zh", "--repeats", "2", "--", "python", "train.py")
    assert "2 次运行的中位数:1001.000 tokens/s" in answer.stdout.replace("：", ":")


def test_a_log_without_a_number_is_told_with_the_reason(program: OwnProgram) -> None:
    program.change("print('done')")
    answer = program.run("--", "python", "train.py")
    assert answer.returncode == 0
    assert "train/1/train.log: no throughput: The only line does not match a known format" in answer.stdout


def test_each_call_adds_a_repeat(program: OwnProgram) -> None:
    program.run("--", "python", "train.py")
    program.run("--repeats", "2", "--", "python", "train.py")
    assert program.cases() == ["train/1", "train/2", "train/3"]


def test_a_changed_program_is_another_case(program: OwnProgram) -> None:
    program.run("--", "python", "train.py")
    program.change(TRAIN + "# changed\n")
    program.run("--", "python", "train.py")
    program.run("--", "python", "train.py")
    assert program.cases() == ["train-2/1", "train-2/2", "train/1"]


def test_another_argument_is_another_case(program: OwnProgram) -> None:
    program.run("--", "python", "train.py")
    program.run("--", "python", "train.py", "--fast")
    assert program.cases() == ["train-2/1", "train/1"]


def test_a_failed_run_is_run_again_in_its_place(program: OwnProgram) -> None:
    program.change("raise SystemExit(3)")
    assert program.run("--", "python", "train.py").returncode == 1
    program.change(TRAIN)
    assert program.run("--", "python", "train.py").returncode == 0
    assert [(run, facts["status"]) for run, facts in zip(program.cases(), program.all_facts(), strict=True)] == [
        ("train/1", "done")
    ]


def test_the_first_traceback_of_a_failed_run_is_named_where_others_follow_it(program: OwnProgram) -> None:
    traced = "Traceback (most recent call last):"
    said = [traced, '  File "train.py", line 1', "ValueError: no data", *["waiting"] * 30, traced, "launch.RanksFailed"]
    program.change("".join(f"print({f'[rank0]: {line}'!r})\n" for line in said) + "raise SystemExit(1)\n")
    assert "First traceback in the log, line 3: ValueError: no data\n" in program.run("--", "python", "train.py").stderr


def test_the_last_lines_of_a_failed_run_are_repeated_only_where_its_output_goes_elsewhere(program: OwnProgram) -> None:
    program.change("raise SystemExit('no data')")
    shown = program.run_on_one_screen("--", "python", "train.py")
    assert shown.count("no data") == 1
    assert "train/1 failed. Exit status 1." in shown
    assert "Last lines of the log:\n  no data\n" in program.run("--", "python", "train.py").stderr


def test_stated_facts_name_the_case(program: OwnProgram) -> None:
    program.run(
        "--model", "GPT 2", "--batch-size", "8", "--precision", "bf16", "--cards", "2", "--", "python", "train.py"
    )
    assert program.cases() == ["GPT-2_bs8_bf16_N1C2/1"]
    case = program.facts("GPT-2_bs8_bf16_N1C2/1")["case"]
    assert {name: case[name] for name in ("model", "batch_size", "precision", "cards")} == {
        "model": "GPT 2",
        "batch_size": 8,
        "precision": "bf16",
        "cards": 2,
    }


def test_cards_that_the_command_states_are_kept_with_its_words(program: OwnProgram) -> None:
    program.run("--", "torchrun", "--nproc_per_node", "2", "train.py")
    facts = program.facts("train_N1C2/1")
    assert facts["case"]["cards"] == 2
    assert facts["case_from"] == {"cards": "--nproc_per_node 2"}


def test_what_is_stated_is_not_taken_from_the_command(program: OwnProgram) -> None:
    program.run("--cards", "4", "--", "torchrun", "--nproc_per_node", "2", "train.py")
    assert program.facts("train_N1C4/1")["case_from"] == {}


def test_the_changes_of_a_checkout_are_kept_as_a_patch(program: OwnProgram) -> None:
    program.change(TRAIN + "# changed\n")
    program.run("--", "python", "train.py")
    source = program.facts("train/1")["source"]
    patch = program.folder / "logs/project/train/1/source.patch"
    git(program.folder, "stash", "-q")
    git(program.folder, "apply", str(patch))
    assert (program.folder / "train.py").read_text(encoding="utf-8") == TRAIN + "# changed\n"
    assert source["dirty"] is True


def test_changes_that_are_no_utf_8_are_kept_as_they_are(program: OwnProgram) -> None:
    latin = "# Größe\n".encode("latin-1")
    sizes = program.folder / "sizes.txt"
    sizes.write_bytes(latin)
    git(program.folder, "add", "-A")
    git(program.folder, "commit", "-q", "-m", "sizes")
    sizes.write_bytes(latin + b"# changed\n")
    answer = program.run("--", "python", "train.py")
    assert answer.returncode == 0
    patch = program.folder / "logs/project/train/1/source.patch"
    assert latin in patch.read_bytes()


def test_cards_of_a_command_on_other_nodes_than_it_says_must_be_stated(program: OwnProgram) -> None:
    answer = program.run("--nodes", "2", "--", "torchrun", "--nproc_per_node", "2", "train.py")
    assert answer.returncode == 2
    assert "The command does not say how many cards train on 2 nodes; state them with --cards." in answer.stderr


def test_cards_that_cannot_be_split_across_the_nodes_are_refused(program: OwnProgram) -> None:
    answer = program.run("--nodes", "2", "--cards", "3", "--", "python", "train.py")
    assert answer.returncode == 2
    assert "3 cards cannot be split evenly across 2 nodes; use a multiple of 2." in answer.stderr


def test_a_clean_checkout_has_no_patch(program: OwnProgram) -> None:
    program.run("--", "python", "train.py")
    assert "patch" not in program.facts("train/1")["source"]
    assert not (program.folder / "logs/project/train/1/source.patch").exists()


def test_a_patch_has_no_secret(program: OwnProgram) -> None:
    program.change(TRAIN + "# token = ghp_abcdefghijklmnopqrstuvwxyz0123456789\n")
    program.run("--", "python", "train.py")
    patch = (program.folder / "logs/project/train/1/source.patch").read_text(encoding="utf-8")
    assert "ghp_" not in patch
    assert "<redacted>" in patch


def test_a_folder_within_a_checkout_has_its_commit(program: OwnProgram) -> None:
    (program.folder / "examples").mkdir()
    program.run("--into", "../logs/project", "--", "python", "../train.py", below="examples")
    head = git(program.folder, "rev-parse", "HEAD")
    assert program.facts("train/1")["source"]["commit"] == head


def test_a_command_that_does_not_exist_fails_in_one_sentence(program: OwnProgram) -> None:
    answer = program.run("--", "no-such-program")
    assert answer.returncode == 2
    assert answer.stderr.endswith("Error: no-such-program is not a program on PATH, or cannot be executed.\n")
    assert program.cases() == []


def test_a_dry_run_prints_the_command_and_runs_nothing(program: OwnProgram) -> None:
    answer = program.run("--dry-run", "--", "python", "train.py", "a b")
    assert "cd \"$REPO\" && python train.py 'a b'" in answer.stdout
    assert program.cases() == []


def test_an_option_behind_the_command_is_for_the_command(program: OwnProgram) -> None:
    program.change("import sys; print(sys.argv[1:])")
    program.run("python", "train.py", "--model", "x")
    assert program.facts("train/1")["command"] == ["python", "train.py", "--model", "x"]


def test_the_folder_of_this_machine_is_not_kept(program: OwnProgram) -> None:
    program.run("--", "python", str(program.folder / "train.py"))
    facts = program.facts("train/1")
    assert facts["command"] == ["python", "train.py"]
    assert str(program.folder) not in str(facts)


def test_master_and_rank_are_left_to_the_shell() -> None:
    job = OwnCommand(("true", "--rdzv_endpoint=$MASTER", "--node_rank", "$NODE_RANK", "$HOME"), Path(os.sep))
    assert job.command == 'cd "$REPO" && true --rdzv_endpoint="$MASTER" --node_rank "$NODE_RANK" \'$HOME\''

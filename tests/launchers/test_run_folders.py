"""The runner keeps what was printed, and says how it came about."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
from pathlib import Path

import pytest
from native_checkout import TOP, Native, executable, make_native

RAW = b"\x00\xff\x1b[32mgreen\r[Train][Epoch 1/1][Iter: 0/1] ips: 4.97591 samples/s\nno newline at the end"
KEYS = ["schema", "suite", "case", "repeat", "recipe", "command", "variables", "environment", "source"]
OUTCOME = ["start", "end", "exit_status", "status", "log"]


def test_the_log_holds_every_byte_as_printed(native: Native) -> None:
    native.trains(f"import sys; sys.stdout.buffer.write({RAW!r})\n")
    native.launch()
    assert (native.run / "train.log").read_bytes() == RAW


def test_the_terminal_shows_every_byte_as_printed(native: Native) -> None:
    native.trains(f"import sys; sys.stdout.buffer.write({RAW!r})\n")
    assert native.launch().stdout == RAW


def test_standard_output_and_standard_error_stay_in_order(native: Native) -> None:
    native.trains("import sys\nfor number in range(9):\n    print(number, file=(sys.stdout, sys.stderr)[number % 2])\n")
    native.launch()
    assert (native.run / "train.log").read_text().split() == list("012345678")


def test_sha256_bytes_and_lines_of_the_log_are_recorded(native: Native) -> None:
    native.trains(f"import sys; sys.stdout.buffer.write({RAW!r})\n")
    native.launch()
    digest = hashlib.sha256(RAW).hexdigest()
    assert native.facts()["log"] == {"file": "train.log", "sha256": digest, "bytes": len(RAW), "lines": 2}


def test_an_empty_log_has_no_lines(native: Native) -> None:
    native.trains("")
    native.launch()
    assert native.facts()["log"]["lines"] == 0


def test_the_keys_of_the_facts_stand_in_order(native: Native) -> None:
    native.launch()
    assert list(native.facts()) == KEYS + OUTCOME


def test_the_case_is_recorded(native: Native) -> None:
    native.launch()
    expected = {"model": "ResNet50", "framework": "PaddleClas", "nodes": 1, "cards": 1, "precision": "fp32"}
    assert native.facts()["case"] == {**expected, "batch_size": 64, "device": "CPU"}


def test_the_device_of_the_case_is_the_name_of_the_gpu(native: Native) -> None:
    executable(native.top / "bin" / "nvidia-smi", "#!/bin/sh\necho NVIDIA H200\necho NVIDIA H200\n")
    native.launch("--device", "gpu")
    assert native.facts()["case"]["device"] == "NVIDIA H200"
    assert native.facts()["environment"]["gpus"] == ["NVIDIA H200", "NVIDIA H200"]


def test_a_done_run_has_exit_status_0(native: Native) -> None:
    native.launch()
    assert (native.facts()["status"], native.facts()["exit_status"]) == ("done", 0)


def test_a_failed_program_makes_a_failed_run(native: Native) -> None:
    native.trains("print('half'); raise SystemExit(3)\n")
    answer = native.launch()
    assert (native.facts()["status"], native.facts()["exit_status"]) == ("failed", 3)
    assert (native.run / "train.log").read_text() == "half\n"
    assert (answer.returncode, answer.stderr.count(b"\n")) == (1, 1)


def test_repeats_after_a_failed_one_are_not_started(native: Native) -> None:
    native.trains("raise SystemExit(3)\n")
    native.launch("--repeats", "2")
    assert [path.name for path in native.run.parent.iterdir()] == ["1"]


def test_a_done_run_is_not_repeated(native: Native) -> None:
    native.launch()
    before = (native.run / "run.json").read_bytes()
    answer = native.launch()
    assert (answer.returncode, answer.stdout) == (0, b"")
    assert (native.run / "run.json").read_bytes() == before


def test_a_failed_run_is_repeated(native: Native) -> None:
    native.trains("raise SystemExit(3)\n")
    native.launch()
    native.trains("print('now')\n")
    native.launch()
    assert (native.facts()["status"], (native.run / "train.log").read_text()) == ("done", "now\n")


def test_a_launch_goes_on_with_the_repeats_that_are_missing(native: Native) -> None:
    native.launch()
    native.launch("--repeats", "3")
    assert sorted(path.name for path in native.run.parent.iterdir()) == ["1", "2", "3"]


def test_a_folder_without_facts_is_left_alone(native: Native) -> None:
    native.run.mkdir(parents=True)
    (native.run / "train.log").write_text("someone else's")
    answer = native.launch()
    assert (answer.returncode, answer.stderr.count(b"\n")) == (1, 1)
    assert (native.run / "train.log").read_text() == "someone else's"


def test_a_run_in_progress_cannot_be_taken_for_a_run(native: Native) -> None:
    native.trains(f"import os; print(os.listdir({str(native.run.parent)!r}))\n")
    assert native.launch().stdout == b"['.1.unfinished']\n"


def test_what_a_killed_launch_left_is_replaced(native: Native) -> None:
    unfinished = native.run.with_name(".1.unfinished")
    unfinished.mkdir(parents=True)
    (unfinished / "train.log").write_text("half")
    native.launch()
    assert (unfinished.exists(), (native.run / "train.log").read_text()) == (False, "one line\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_so_and_keeps_its_log(native: Native, number: signal.Signals) -> None:
    native.trains("import time\nprint('started')\ntime.sleep(60)\n")
    process = native.started()
    assert process.stdout is not None
    assert process.stdout.readline() == b"started\n"
    process.send_signal(number)
    process.communicate(timeout=30)
    assert (native.facts()["status"], (native.run / "train.log").read_text()) == ("interrupted", "started\n")


@pytest.mark.parametrize("name", ["a 0", "a'; echo foo"])
def test_hostile_folder_names_change_nothing(tmp_path: Path, name: str) -> None:
    native = make_native(tmp_path / name)
    assert native.launch().stdout == b"one line\n"
    assert native.facts()["variables"]["DATA"] == "data"


def test_extra_arguments_reach_the_native_program_unchanged(native: Native) -> None:
    native.trains("import sys; print(sys.argv[-2:])\n")
    assert native.launch("--", "it's a", "[{'x': 1}]").stdout == b'["it\'s a", "[{\'x\': 1}]"]\n'


def test_variables_that_lie_around_do_not_reach_the_launcher(native: Native) -> None:
    native.environment["BATCH_SIZE"] = "7"
    native.launch()
    assert native.facts()["variables"]["BATCH_SIZE"] == "64"


def test_no_path_of_the_machine_is_recorded(native: Native) -> None:
    native.launch()
    assert str(native.top) not in (native.run / "run.json").read_text()
    assert native.facts()["command"] == ["bash", "launchers/paddleclas_resnet50.sh"]


def test_the_commit_of_the_checkout_is_recorded(native: Native) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(native.repo)], check=True)
    subprocess.run(["git", "-C", str(native.repo), *identity, "commit", "-q", "--allow-empty", "-m", "a"], check=True)
    expected = subprocess.check_output(["git", "-C", str(native.repo), "rev-parse", "HEAD"], text=True).strip()
    native.launch()
    assert native.facts()["source"]["commit"] == expected


def test_a_checkout_without_git_has_no_commit(native: Native) -> None:
    native.launch()
    assert native.facts()["source"]["commit"] is None


def test_a_missing_python_is_said_in_one_sentence(native: Native) -> None:
    (native.top / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    answer = native.launch()
    assert (answer.returncode, answer.stderr.count(b"\n")) == (1, 1)
    assert not native.suite.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--precision", "amp"], "does not train in amp on a cpu; possible: fp32."),
        (["--nodes", "2", "--cards", "3"], "2 nodes cannot share 3 cards; a multiple of 2 is possible."),
        (["--cards", "0"], "0 is not in the range x>=1."),
        (["--repo", "/nowhere"], "Directory '/nowhere' does not exist."),
    ],
)
def test_a_wrong_option_is_explained_and_starts_nothing(native: Native, arguments: list[str], words: str) -> None:
    answer = native.launch(*arguments)
    assert (answer.returncode, words in answer.stderr.decode(), native.suite.exists()) == (2, True, False)


def test_an_option_that_the_recipe_does_not_read_is_refused(native: Native) -> None:
    options = [word.replace("paddleclas_resnet50", "paddleseg_deeplabv3p") for word in native.options]
    command = [*native.command, *options, "--epochs", "2"]
    answer = subprocess.run(command, cwd=TOP, capture_output=True, env=os.environ, check=False)
    assert (answer.returncode, b"does not read EPOCHS" in answer.stderr) == (2, True)

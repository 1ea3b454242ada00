"""What cannot be read is refused in one sentence by every command that reads, before anything is made."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from parsers.io.files import opened
from tests.commandline import ENVIRONMENT, PROGRAM, run
from tests.parsers.ingesting import logs
from tests.parsers.toy_logs import step, write

# It is a second's work; whoever waits for a pipe waits for ever.
PATIENCE = 60
PIPE = "it is a pipe, not a file; write its output to a file first"

# The command, where {made} is what cannot be read; its ending.
COMMANDS = {
    "show {made}": "log",
    "parse {made} --out {folder}/out.csv": "log",
    "ingest {made} --into {folder}/suite": "log",
    "scrub {made} --out {folder}/public": "log",
    "why {made}": "log",
    "why {made} e1": "toml",
    "audit {made}": "log",
    "audit {folder}": "md",
    "recover {made} --published 2791.98": "log",
    "report {made} --out {folder}/pages": "toml",
    "show {log} --format {made}": "lark",
}


def started(command: str) -> "subprocess.CompletedProcess[str]":
    """Run a command of bash, whose end is not waited for longer than anybody would."""
    words = ["bash", "-c", command.replace("tachograph", shlex.join(PROGRAM), 1)]
    return subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=PATIENCE)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("is_pipe", [True, False], ids=["a pipe", "a name too long for a file"])
def test_no_command_waits_for_a_pipe_or_fails_at_a_name(tmp_path: Path, command: str, is_pipe: bool) -> None:
    (tmp_path / "train.log").write_bytes(step(1))
    made = tmp_path / (f"made.{COMMANDS[command]}" if is_pipe else "x" * 300)
    if is_pipe:
        os.mkfifo(made)
    words = command.format(made=made, folder=tmp_path if is_pipe else made, log=tmp_path / "train.log")
    done = started(f"tachograph {words}") if is_pipe else run(*words.split())
    said = [line for line in done.stderr.splitlines() if made.name in line]
    assert (done.returncode in (1, 2), len(said), "Traceback" in done.stderr) == (True, 1, False)
    assert not is_pipe or any(words in said[0] for words in (PIPE, "is not a regular file"))


@pytest.mark.slow
def test_what_a_shell_puts_in_the_place_of_a_command_is_a_pipe_and_one_in_a_run_folder_is_named(tmp_path: Path) -> None:
    done = started("tachograph show <(echo a)")
    assert (done.returncode, PIPE in done.stderr) == (2, True)
    (tmp_path / "train.log").write_bytes(step(1))
    os.mkfifo(tmp_path / "run.json")
    done = started(f"tachograph show {tmp_path}")
    assert (done.returncode, done.stderr) == (2, f"Error: {tmp_path}/run.json: cannot be read: {PIPE}.\n")


def test_a_pipe_in_a_suite_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "logs/case/1").mkdir(parents=True)
    os.mkfifo(tmp_path / "logs/case/1/run.json")
    assert [log.is_new for log in logs(tmp_path / "logs", write(tmp_path, step(1)))] == [True]


def test_a_link_to_a_pipe_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "made")
    (tmp_path / "link").symlink_to(tmp_path / "made")
    with pytest.raises(OSError, match=PIPE):
        opened(tmp_path / "link")

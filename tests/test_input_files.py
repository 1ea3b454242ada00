"""What is no regular file is refused in one sentence by every command that reads, and waited for by none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from parsers.ingesting.suite import Suite
from parsers.io.files import data_of, opened, text_of
from tests.commandline import PROJECT
from tests.commandline import run as run_here
from tests.parsers.toy_logs import step

# It is a second's work; whoever waits for a pipe waits for ever.
PATIENCE = 60
PIPE = "it is a pipe, not a file; write its output to a file first"

COMMANDS = {
    "show": ("show", "{pipe}"),
    "parse": ("parse", "{pipe}", "--out", "{folder}/out.csv"),
    "ingest": ("ingest", "{pipe}", "--into", "{folder}/suite"),
    "scrub": ("scrub", "{pipe}", "--out", "{folder}/public"),
    "why": ("why", "{pipe}"),
    "why with a page": ("why", "{pipe}", "e1"),
    "export": ("export", "csv", "{pipe}"),
    "audit": ("audit", "{pipe}"),
    "audit of a folder": ("audit", "{folder}"),
    "recover": ("recover", "{pipe}", "--published", "2791.98"),
    "report": ("report", "{pipe}", "--out", "{folder}/pages"),
    "a grammar": ("show", "{log}", "--format", "{pipe}"),
}
ENDINGS = {"why with a page": "toml", "audit of a folder": "md", "report": "toml", "a grammar": "lark"}


def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run a command, whose end is not waited for longer than anybody would."""
    return subprocess.run(
        [sys.executable, "-c", "import tachograph; tachograph.main()", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_waits_for_a_pipe(tmp_path: Path, name: str) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(step(1))
    made = pipe(tmp_path / f"made.{ENDINGS.get(name, 'log')}")
    done = run(*(part.format(pipe=made, folder=tmp_path, log=log) for part in COMMANDS[name]))
    said = [line for line in done.stderr.splitlines() if made.name in line]
    assert (done.returncode in (1, 2), len(said), "Traceback" in done.stderr) == (True, 1, False)
    assert any(words in said[0] for words in (PIPE, "is not a regular file"))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_name_too_long_for_a_file_is_reported_in_one_sentence(tmp_path: Path, name: str) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(step(1))
    long = "x" * 300
    done = run_here(*(part.format(pipe=long, folder=tmp_path / long, log=log) for part in COMMANDS[name]))
    said = [line for line in done.stderr.splitlines() if long in line]
    assert (done.returncode in (1, 2), len(said), "Traceback" in done.stderr) == (True, 1, False)


@pytest.mark.slow
def test_what_a_shell_puts_in_the_place_of_a_command_is_a_pipe() -> None:
    command = f"{sys.executable} -c 'import tachograph; tachograph.main()' show <(echo a)"
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    bash = ["bash", "-c", command]
    done = subprocess.run(bash, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, PIPE in done.stderr) == (2, True)


@pytest.mark.slow
def test_a_run_folder_with_a_pipe_in_it_is_reported_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_bytes(step(1))
    made = pipe(tmp_path / "run.json")
    done = run("show", tmp_path)
    assert (done.returncode, done.stderr) == (2, f"Error: {made}: cannot be read: {PIPE}.\n")


def test_a_pipe_in_a_suite_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "case/1").mkdir(parents=True)
    pipe(tmp_path / "case/1/run.json")
    assert Suite(tmp_path).known("case") == frozenset()


def test_a_link_to_a_pipe_is_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(pipe(tmp_path / "made"))
    with pytest.raises(OSError, match=PIPE):
        opened(tmp_path / "link")


def test_a_pipe_that_takes_the_place_of_a_file_amid_all_this_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, log = pipe(tmp_path / "made"), tmp_path / "train.log"
    log.write_bytes(step(1))
    was = log.stat()
    monkeypatch.setattr("parsers.io.files.os.stat", lambda _: was)
    with pytest.raises(OSError, match=PIPE):
        opened(made)


def test_a_file_is_read_as_it_lies_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("a\r\nb\rc\nä".encode())
    assert (data_of(path), text_of(path)) == (path.read_bytes(), path.read_text(encoding="utf-8"))

"""What is no regular file is refused in one sentence by every command that reads, and waited for by none."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from parsers.ingesting.suite import Suite
from parsers.io.errors import LogError
from parsers.io.input_file import data_of, opened, text_of
from parsers.ranks.rank_files import NO_RANKS
from parsers.runs.clock import clock
from parsers.runs.reading import survey
from parsers.runs.runfile import log_of, run_file, sha256_of
from parsers.runs.telemetry import telemetry
from report.audit.finding import AcceptedError, read_accepted
from report.evidence.evidence_file import EvidenceFileError
from report.evidence.evidence_file import read as read_evidence
from report.pagefile.page_file import PageError, find, load
from report.published.document import DocumentError, read_document
from tests.commandline import PROJECT
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
    "a log that is followed": ("show", "--follow", "{pipe}"),
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
    done = run(*(part.format(pipe=long, folder=tmp_path / long, log=log) for part in COMMANDS[name]))
    said = [line for line in done.stderr.splitlines() if long in line]
    assert (done.returncode in (1, 2), len(said), "Traceback" in done.stderr) == (True, 1, False)


@pytest.mark.slow
def test_one_command_tells_all_that_is_no_file(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        done = run("show", "/dev/zero", tmp_path / "socket", tmp_path)
    assert done.stderr.splitlines() == [
        "Error: /dev/zero: cannot be read: it is a device, not a file.",
        f"Error: {tmp_path}/socket: cannot be read: it is a socket, not a file.",
        f"Error: {tmp_path}: {NO_RANKS}",
    ]


@pytest.mark.slow
def test_what_a_shell_puts_in_the_place_of_a_command_is_a_pipe() -> None:
    command = f"{sys.executable} -c 'import tachograph; tachograph.main()' show <(echo a)"
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    bash = ["bash", "-c", command]
    done = subprocess.run(bash, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, PIPE in done.stderr) == (2, True)


@pytest.mark.slow
def test_a_log_on_standard_input_that_is_a_file_is_read(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(step(1))
    with log.open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", "import tachograph; tachograph.main()", "show", "/dev/stdin"],
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
            stdin=file,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    assert "lines: 1 = 1 matched" in done.stdout


READERS: dict[str, tuple[Callable[[Path], object], type[Exception]]] = {
    "a log": (survey, LogError),
    "a page file": (load, PageError),
    "an evidence file": (read_evidence, EvidenceFileError),
    "a Markdown page": (read_document, DocumentError),
    "accepted findings": (read_accepted, AcceptedError),
}


@pytest.mark.parametrize(("read", "error"), READERS.values(), ids=READERS)
def test_a_pipe_is_refused_in_one_sentence(
    tmp_path: Path, read: Callable[[Path], object], error: type[Exception]
) -> None:
    made = pipe(tmp_path / "made")
    with pytest.raises(error, match=rf"^{made}: cannot be read: {PIPE}\.$"):
        read(made)


BESIDE: dict[str, Callable[[Path, str], object]] = {
    "run.json": lambda log, _: run_file(log),
    "gpu.csv": telemetry,
    "clock.csv": clock,
}


@pytest.mark.parametrize("name", BESIDE)
def test_a_pipe_in_place_of_what_lies_beside_a_log_is_reported(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "1"
    shutil.copytree(PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1", folder)
    (folder / name).unlink(missing_ok=True)
    made, log = pipe(folder / name), folder / "train.log"
    with pytest.raises(LogError, match=rf"^{made}: cannot be read: {PIPE}\.$"):
        BESIDE[name](log, sha256_of(log))


@pytest.mark.slow
def test_a_run_folder_with_a_pipe_in_it_is_reported_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_bytes(step(1))
    made = pipe(tmp_path / "run.json")
    done = run("show", tmp_path)
    assert (done.returncode, done.stderr) == (2, f"Error: {made}: cannot be read: {PIPE}.\n")


def test_a_run_folder_whose_run_file_is_a_pipe_has_no_log(tmp_path: Path) -> None:
    pipe(tmp_path / "run.json")
    with pytest.raises(LogError, match=PIPE):
        log_of(tmp_path)


def test_a_pipe_in_a_suite_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "case/1").mkdir(parents=True)
    pipe(tmp_path / "case/1/run.json")
    assert Suite(tmp_path).known("case") == frozenset()


def test_a_page_that_is_a_pipe_is_found_and_reported_as_one(tmp_path: Path) -> None:
    made = pipe(tmp_path / "page.toml")
    assert find(str(made)) == made


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
    monkeypatch.setattr("parsers.io.input_file.os.stat", lambda _: was)
    with pytest.raises(OSError, match=PIPE):
        opened(made)


def test_a_file_is_read_as_it_lies_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("a\r\nb\rc\nä".encode())
    assert (data_of(path), text_of(path)) == (path.read_bytes(), path.read_text(encoding="utf-8"))

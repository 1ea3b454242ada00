"""The command as users run it: in this process, which is faster by a second each time, or in one of its own."""

import gc
import os
import pty
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from unittest.mock import patch

import tachograph

PROJECT = Path(__file__).parent.parent
PROGRAM = [sys.executable, "-c", "import tachograph; tachograph.main()"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT), "COLUMNS": "120"}


def run(
    *arguments: str | Path, cwd: Path | None = None, main: Callable[[], None] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run ``tachograph``, or another program, in this process and return what it printed and its exit status.

    An exception that it lets through is raised: as a process it would end with 1, the status of a finding.
    """
    command = ["tachograph", *map(str, arguments)]
    with ExitStack() as stack:
        out, err = (stack.enter_context(TemporaryFile("w+", encoding="utf-8", newline="")) for _ in range(2))
        stack.enter_context(_process_restored())
        stack.enter_context(patch.object(sys, "argv", command))
        stack.enter_context(patch.dict(os.environ, COLUMNS="120"))
        for name, stream in (("stdout", out), ("stderr", err), ("__stdout__", out), ("__stderr__", err)):
            stack.enter_context(patch.object(sys, name, stream))
        if cwd:
            stack.enter_context(chdir(cwd))
        status = _status(main or tachograph.main)
        return subprocess.CompletedProcess(command, status, _text(out), _text(err))


def _text(file: IO[str]) -> str:
    file.seek(0)
    return file.read().replace("\r\n", "\n")


def _status(main: Callable[[], None]) -> int:
    """The exit status of the command, whose arguments and streams are those of this process."""
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


@contextmanager
def _process_restored() -> Iterator[None]:
    """Undo what the command does to a process that it takes for its own."""
    handler, threshold = signal.getsignal(signal.SIGTERM), gc.get_threshold()
    with warnings.catch_warnings():
        try:
            yield
        finally:
            gc.set_threshold(*threshold)
            if handler is not None:
                signal.signal(signal.SIGTERM, handler)


def start(
    *arguments: str | Path, cwd: Path | None = None, project: Path = PROJECT
) -> "subprocess.CompletedProcess[str]":
    """The same in a process of its own, for what a process is: its modules, its environment, its end."""
    command, environment = [*PROGRAM, *map(str, arguments)], {**ENVIRONMENT, "PYTHONPATH": str(project)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as somebody, and return what it prints."""
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def executable(path: Path, text: str) -> None:
    """Write an executable script, folders included."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def files(folder: Path) -> dict[str, bytes]:
    """The regular files below a folder, by their paths in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def on_a_terminal(command: Sequence[str], environment: Mapping[str, str], cwd: Path = PROJECT) -> tuple[int, str]:
    """The exit status of a command, and what a terminal of 200 columns gets of it."""
    ours, theirs = pty.openpty()
    given = {**environment, "TERM": "xterm", "COLUMNS": "200"}
    with subprocess.Popen(command, cwd=cwd, env=given, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # that is how Linux tells that the other end is closed
            while piece := os.read(ours, 65536):
                shown += piece
    os.close(ours)
    return process.returncode, shown.decode()

"""The command as users run it: in this process, which is faster by a second each time, or in one of its own."""

import gc
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from unittest.mock import patch

import tachograph

PROJECT = Path(__file__).parent.parent


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
    return subprocess.run(
        [sys.executable, "-c", "import tachograph; tachograph.main()", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(project), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )

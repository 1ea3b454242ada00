"""The command as users run it: a child process."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parent.parent


def run(*arguments: str | Path, cwd: Path | None = None, project: Path = PROJECT) -> "subprocess.CompletedProcess[str]":
    """Run ``tachograph`` with these arguments and return what it printed and its exit status."""
    return subprocess.run(
        [sys.executable, "-c", "import tachograph; tachograph.main()", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(project), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )

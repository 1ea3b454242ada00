"""A training program of one's own in a git checkout, and `tachograph run` that starts it as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from git_checkout import git
from native_checkout import executable

from tests.commandline import run

TACHOGRAPH = Path(sys.executable).with_name("tachograph")
TRAIN = """\
for step in range(1, 41):
    print(f"step {step}: loss {4 - step / 20:.4f}, {1000 + step % 3} tokens/s")
"""


@dataclass
class OwnProgram:
    """A folder with `train.py` under git, with a `python` and a `torchrun` on PATH that start this Python."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def change(self, text: str) -> None:
        """Make a text the program."""
        (self.folder / "train.py").write_text(text, encoding="utf-8")

    def run(self, *arguments: str, below: str = ".") -> subprocess.CompletedProcess[str]:
        """Run `tachograph run` to its end, in the folder or in one below it."""
        with patch.dict(os.environ, self.environment):
            return run("run", *arguments, cwd=self.folder / below)

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command as it was printed, in the folder."""
        environment = os.environ | self.environment
        environment["PATH"] = f"{TACHOGRAPH.parent}:{environment['PATH']}"
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def cases(self) -> list[str]:
        """The names of the folders of all runs, as seen from that of their suite."""
        return sorted(path.parent.relative_to(self._suite).as_posix() for path in self._suite.glob("*/[0-9]*/run.json"))

    def facts(self, run: str) -> dict[str, Any]:
        """The run.json of a run, such as `train/1`."""
        return dict(json.loads((self._suite / run / "run.json").read_text(encoding="utf-8")))

    def all_facts(self) -> list[dict[str, Any]]:
        """Those of all runs."""
        return [self.facts(run) for run in self.cases()]

    @property
    def _suite(self) -> Path:
        return self.folder / "logs" / self.folder.name


def make_program(top: Path) -> OwnProgram:
    """Lay out a program under `top`, in a commit of its own."""
    folder = top / "project"
    folder.mkdir()
    program = OwnProgram(folder)
    program.change(TRAIN)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    executable(top / "bin" / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    executable(top / "bin" / "torchrun", f'#!/bin/sh\nshift 2\nexec "{sys.executable}" "$@"\n')
    program.environment["PATH"] = f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return program

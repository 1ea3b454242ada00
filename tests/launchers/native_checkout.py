"""A small native checkout, and a `python` for it, so that launchers and runner start real processes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from room_commands import main

from tests.commandline import run

TOP = Path(__file__).resolve().parents[2]
RECIPE = "paddleclas_resnet50"
RECIPES = sorted(path.stem for path in (TOP / "launchers").glob("*.sh"))  # the names of all
COMMANDS = f"""
import sys
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(TOP)!r}]
import room_commands
room_commands.main()
"""
METRIC = "[Train][Epoch 1/1][Iter: 0/1]lr: 0.1, batch_cost: 0.80387s, ips: 4.97591 samples/s, eta: 0:00:00\n"
PRINT = f"print({METRIC!r}, end='')\n"


def executable(path: Path, text: str) -> None:
    """Write an executable script, folders included."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@dataclass
class Native:
    """A checkout with a training program, its data, and the `python` on PATH that the launcher starts."""

    top: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def repo(self) -> Path:
        """The checkout."""
        return self.top / "checkout"

    @property
    def suite(self) -> Path:
        """Where run folders go."""
        return self.top / "logs" / "suite"

    @property
    def run(self) -> Path:
        """The folder of the first repeat."""
        return self.suite / "ResNet50_bs64_fp32_N1C1" / "1"

    @property
    def command(self) -> list[str]:
        """The start of every `tachograph` command line."""
        return [sys.executable, "-c", COMMANDS]

    @property
    def options(self) -> list[str]:
        """A command line that runs the case once on a CPU."""
        place = ["--repo", str(self.repo), "--data", str(self.repo / "data"), "--into", str(self.suite)]
        return ["launch", RECIPE, *place, "--device", "cpu", "--repeats", "1"]

    @property
    def unfinished(self) -> Path:
        """Where the first repeat lies as long as it goes on."""
        return self.run.with_name(".1.unfinished")

    def trains(self, program: str) -> None:
        """Make `program`, a Python text, what the checkout trains with."""
        (self.repo / "tools" / "train.py").write_text(program, encoding="utf-8")

    def started(
        self, *arguments: str, group: bool = False, limits: Mapping[int, int] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start `tachograph launch` with further arguments, in a process group of its own, or with limits."""
        process = subprocess.Popen(
            [*self.command, *self.options, *arguments],
            cwd=TOP,
            env=os.environ | self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=group,
        )
        for what, most in (limits or {}).items():
            resource.prlimit(process.pid, what, (most, most))
        return process

    def launch(self, *arguments: str, limits: Mapping[int, int] | None = None) -> subprocess.CompletedProcess[bytes]:
        """Run `tachograph launch` to its end, in this process where it needs no modules or limits of its own."""
        if limits or "PYTHONPATH" in self.environment:
            process = self.started(*arguments, limits=limits)
            output, errors = process.communicate(timeout=60)
            return subprocess.CompletedProcess(process.args, process.returncode, output, errors)
        with patch.dict(os.environ, self.environment):
            answer = run(*self.options, *arguments, cwd=TOP, main=main)
        return subprocess.CompletedProcess(
            answer.args, answer.returncode, answer.stdout.encode(), answer.stderr.encode()
        )

    def facts(self) -> dict[str, Any]:
        """The run.json of the first repeat."""
        return dict(json.loads((self.run / "run.json").read_text(encoding="utf-8")))


def make_native(top: Path) -> Native:
    """Lay out a checkout under `top`."""
    here = Native(top)
    (here.repo / "tools").mkdir(parents=True)
    (here.repo / "data").mkdir()
    here.trains(PRINT)
    executable(top / "bin" / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    here.environment["PATH"] = f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return here

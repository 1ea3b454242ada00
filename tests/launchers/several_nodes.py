"""A checkout whose program takes part on several nodes, and what tests need to know of its run on two."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from native_checkout import METRIC, Native, executable

ON_TWO = ["--nodes", "2", "--cards", "4"]


def telling(*names: str) -> str:
    """A program that prints the values of environment variables, NODE_RANK before them, and then a metric line."""
    template = " ".join(f"{{{name}}}" for name in ("NODE_RANK", *names))
    # In one write, so that the lines of two nodes do not run together.
    line = f"'{template}\\n'.format_map(os.environ) + {METRIC!r}"
    return f"import os\nos.write(1, ({line}).encode())\n"


def on_nodes(native: Native) -> Native:
    """Make the program print its node and where the nodes meet, then a metric line."""
    # The distributed launcher of the framework is not installed here; what it would start is started in its place.
    skip = '[ "$1" != -m ] || until case $1 in *.py) ;; *) false ;; esac; do shift; done'
    body = f'{skip}\nexec "{sys.executable}" "$@"'
    executable(native.top / "bin" / "python", f"#!/bin/sh\n{body}\n")
    native.trains(telling("MASTER"))
    return native


def run_of(native: Native) -> Path:
    """The folder of the first repeat on two nodes."""
    return native.suite / "ResNet50_bs64_fp32_N2C4" / "1"


def facts_of(native: Native) -> dict[str, Any]:
    """The run.json of the first repeat on two nodes."""
    return dict(json.loads((run_of(native) / "run.json").read_text(encoding="utf-8")))


def lines_of(native: Native) -> list[str]:
    """The log of the first repeat on two nodes."""
    return (run_of(native) / "train.log").read_text(encoding="utf-8").splitlines()


def told(native: Native) -> list[list[str]]:
    """What the nodes printed about themselves, in their order."""
    lines = [re.sub(r"^\d+: |^\[\d+,\d+\]<stdout>:", "", line) for line in lines_of(native)]
    return sorted(line.split() for line in lines if re.match(r"\d ", line))


def dry_run(native: Native, *arguments: str) -> str:
    """The script that a dry run prints."""
    return native.launch(*arguments, "--dry-run").stdout.decode()


def execute(native: Native, script: str) -> None:
    """Execute the script of a dry run."""
    environment = os.environ | native.environment
    subprocess.run(["bash"], input=script.encode(), env=environment, cwd=native.top, check=True, capture_output=True)

"""The nodes of a job: each describes itself and samples its cards, and what they wrote is put together."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import psutil

from ..io.whole_file import write_whole
from ..machine import machine_facts, sampling
from .folders import TELEMETRY

_LOOK = 0.5


def observe(folder: Path, node: int, until: int) -> None:
    """Write what is known of this machine into `folder`, and go on in the background with samples of its cards.

    `until`: the process whose end is that of the samples.
    """
    path = folder / f"node{node}.json"
    write_whole(path, json.dumps(machine_facts.describe(os.environ)).encode())
    if os.fork():
        return
    with sampling.recorded(path.with_suffix(".csv")):
        while psutil.pid_exists(until):
            time.sleep(_LOOK)
    os._exit(0)


def collect(folder: Path) -> list[dict[str, Any]]:
    """Take what all nodes wrote into `folder`: their descriptions in order; their samples become those of the run.

    The cards are counted on from node to node. Without any observed node the list is empty.
    """
    paths = sorted(folder.glob("node*.json"), key=lambda path: int(path.stem.removeprefix("node")))
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    first = 0
    for path, description in zip(paths, found, strict=True):
        _append(path.with_suffix(".csv"), folder / TELEMETRY, first)
        first += len(description["gpus"])
        path.unlink()
    return found


def _append(samples: Path, out: Path, first: int) -> None:
    if not samples.is_file():
        return
    # A node that was ended while it wrote leaves a last row that is cut.
    whole = samples.read_text(encoding="ascii", errors="replace").rpartition("\n")[0].splitlines()
    cells = [row.split(",") for row in whole[1:]]
    numbered = [",".join([row[0], str(int(row[1]) + first), *row[2:]]) for row in cells if _is_whole(row)]
    with out.open("a", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in ([] if out.stat().st_size else whole[:1]) + numbered)
    samples.unlink()


def _is_whole(row: list[str]) -> bool:
    return len(row) == len(sampling.COLUMNS) and row[1].isdecimal()

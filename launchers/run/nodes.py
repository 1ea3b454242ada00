"""The nodes of a job: each describes itself and samples its cards, and what they wrote is put together."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from parsers.io.files import data_of, replace_file, text_of
from parsers.io.printable import say
from parsers.runs.run_folder import PROCESS_COLUMNS, PROCESSES, TELEMETRY, TELEMETRY_COLUMNS, Environment, Foreign

from ..machine import facts
from ..machine.telemetry import RunLoad, below, recorded, worst
from .folder import NODE

_LOOK = 0.5
_OF_PROCESSES = ".cpu.csv"
_OF_CARDS = ".csv"
_OF_OTHERS = ".foreign.json"
_NUMBERS = re.compile(r"[0-9][-+0-9.e,]*", re.ASCII)  # the cells of a row, the first of which is not empty
_NUMBER = re.compile(NODE + r"[0-9]{1,9}")


def observe(folder: Path, node: int, until: int, *, finds_processes: bool = True) -> None:
    """Write what is known of this machine into `folder`, and go on in the background with samples.

    They are of its cards, and of what the processes of the job take on it. `until`: the process whose end is that of
    the samples, one of the tasks of the job. `finds_processes`: whether all these descend from what started the tasks.
    """
    path = folder / f"{NODE}{node}.json"
    replace_file(path, json.dumps(facts.describe(os.environ)).encode())
    if os.fork():
        return
    load = RunLoad(below(lambda: _starter(until))) if finds_processes else None
    with recorded(path.with_suffix(_OF_CARDS), path.with_suffix(_OF_PROCESSES), load):
        while psutil.pid_exists(until):
            if load:  # again and again, for this may be killed with the job; half a file tells nothing
                path.with_suffix(_OF_OTHERS).write_text(json.dumps(load.foreign()), encoding="ascii")
            time.sleep(_LOOK)
    os._exit(0)


def _starter(task: int) -> int:
    """What started a task and its neighbours on this node, as far as it still runs; else the task itself."""
    try:
        parent = psutil.Process(task).ppid()
    except psutil.Error:
        return task
    return parent if parent > 1 else task


def collect(folder: Path) -> tuple[list[Environment], Foreign | None]:
    """Take what all nodes wrote into `folder`: their descriptions in order, and what others took on them, if told.

    Their samples become those of the run. The cards are counted on from node to node. Samples of processes are kept
    where there is one node: those of one of several would pass for those of the job. A file that is not a description
    of a node, because the job put something else there, is reported and left.
    """
    paths = [path for path in folder.glob(f"{NODE}*.json") if _NUMBER.fullmatch(path.stem)]
    found, cards, processes = list[Environment](), list[list[str]](), list[list[str]]()
    others, first = list[Foreign](), 0
    for path in sorted(paths, key=lambda path: int(path.stem.removeprefix(NODE))):
        with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
            others.append(worst([json.loads(data_of(path.with_suffix(_OF_OTHERS)))]))  # which raises for anything else
        path.with_suffix(_OF_OTHERS).unlink(missing_ok=True)
        try:
            description: Environment = json.loads(data_of(path))
            gpus = len(description["gpus"])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            say(f"{path} ignored: it is not a node description.", err=True)
        else:
            rows = [row for row in _rows(path.with_suffix(_OF_CARDS), TELEMETRY_COLUMNS) if row[1].isdecimal()]
            cards += [[row[0], str(int(row[1]) + first), *row[2:]] for row in rows]
            first += max([gpus, *(int(row[1]) + 1 for row in rows)])
            processes = _rows(path.with_suffix(_OF_PROCESSES), PROCESS_COLUMNS)
            path.unlink()
            found.append(description)
    _write(folder / TELEMETRY, TELEMETRY_COLUMNS, cards)
    _write(folder / PROCESSES, PROCESS_COLUMNS, processes if len(found) == 1 else [])
    return found, worst(others) if others else None


def _rows(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """Take the rows of numbers that a node wrote into a file; one that was cut, as the node was ended, is left out."""
    if not path.is_file():
        return []
    whole = text_of(path, errors="replace").rpartition("\n")[0].splitlines()
    path.unlink()
    return [row for line in whole[1:] if _NUMBERS.fullmatch(line) and len(row := line.split(",")) == len(columns)]


def _write(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if rows:
        replace_file(path, "".join(f"{','.join(row)}\n" for row in [columns, *rows]).encode())

"""The runner: it executes a job once, keeps every byte that was printed, and fills a run folder."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from . import machine
from .folders import RunFolder
from .jobs import Job
from .recipes import ROOM

SCHEMA = 1
_CHUNK = 65536


def folders(job: Job, suite: Path, repeats: int) -> list[RunFolder]:
    """List the run folders that `repeats` executions of `job` fill under `suite`, done or not."""
    return [RunFolder(suite / job.case_name / str(number)) for number in range(1, repeats + 1)]


def run(job: Job, folder: RunFolder, terminal: BinaryIO) -> str:
    """Execute `job`, copy what it prints to `terminal` and into `folder`, and return `done`, `failed` or `interrupted`.

    Raises click.ClickException where the native Python is missing, OSError where the folder cannot be written.
    """
    facts = _facts(job, folder)
    with folder.start().open("wb", buffering=0) as log:
        outcome = _execute(job, log, terminal)
    folder.publish({**facts, **outcome})
    return str(outcome["status"])


def _facts(job: Job, folder: RunFolder) -> dict[str, Any]:
    environment = machine.describe(job.recipe.facts["packages"].split())
    return {
        "schema": SCHEMA,
        "suite": folder.path.resolve().parent.parent.name,
        "case": _case(job, environment["gpus"]),
        "repeat": int(folder.path.name),
        "recipe": job.recipe.name,
        "command": job.recipe.command,
        "variables": job.variables,
        "environment": environment,
        "source": _source(job),
    }


def _case(job: Job, gpus: list[str]) -> dict[str, Any]:
    facts, variables = job.recipe.facts, job.variables
    return {
        "model": facts["model"],
        "framework": facts["framework"],
        "nodes": int(variables["NODES"]),
        "cards": int(variables["CARDS"]),
        "precision": variables["PRECISION"],
        "batch_size": int(variables["BATCH_SIZE"]),
        "device": gpus[0] if variables["DEVICE"] == "gpu" and gpus else variables["DEVICE"].upper(),
    }


def _source(job: Job) -> dict[str, Any]:
    facts = job.recipe.facts
    return {"repository": facts["repository"], "commit": machine.commit(job.repo), "licence": facts["licence"]}


def _execute(job: Job, log: BinaryIO, terminal: BinaryIO) -> dict[str, Any]:
    start = _now()
    with _started(job) as process, _signals_passed_on(process) as signals:
        _copy(cast(BinaryIO, process.stdout).fileno(), log, terminal)
        exit_status = process.wait()
    status = "interrupted" if signals else "failed" if exit_status else "done"
    return {"start": start, "end": _now(), "exit_status": exit_status, "status": status}


def _started(job: Job) -> subprocess.Popen[bytes]:
    # A session of its own, so that a signal reaches the whole job, and reaches it once.
    return subprocess.Popen(
        job.recipe.command,
        cwd=ROOM.parent,
        env=job.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


@contextmanager
def _signals_passed_on(process: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """Pass SIGINT and SIGTERM on to the job as SIGTERM, a second one as SIGKILL; yields the numbers received so far."""
    received: list[int] = []

    def pass_on(number: int, _frame: object) -> None:
        received.append(number)
        os.killpg(process.pid, signal.SIGKILL if len(received) > 1 else signal.SIGTERM)

    earlier = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


def _copy(source: int, *outputs: BinaryIO) -> None:
    while chunk := os.read(source, _CHUNK):
        for output in outputs:
            output.write(chunk)
            output.flush()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

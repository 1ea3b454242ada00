"""The runner: it executes a job once, keeps every byte that was printed, and fills a run folder."""

from __future__ import annotations

import os
import re
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from . import checkout, machine, nodes, telemetry
from .execution import Ended, execute
from .folders import LOG, TELEMETRY, RunFolder
from .jobs import Job
from .places import Local, Place
from .redaction import Redactor, redact_text, secret_values
from .screen import Screen

SCHEMA = 2
_LAST_LINES = 20


@dataclass(frozen=True)
class Runner:
    """`timeout`: seconds a run may take. `redacts`: whether secrets are taken out of what is kept."""

    place: Place
    screen: Screen
    timeout: float | None = None
    redacts: bool = True

    def run(self, job: Job, folder: RunFolder, title: str) -> dict[str, Any]:
        """Execute `job`, fill `folder`, which is claimed already, and return what its run.json says.

        `title`: the run in a few words, for the progress line. Raises click.ClickException where the native Python
        does not answer, OSError where the folder cannot be written.
        """
        facts = self._facts(job, folder)
        unfinished = folder.start()
        start = _now()
        ended = self._execute(job, unfinished, title)
        observed = nodes.collect(unfinished)
        facts |= {"environment": observed[0], "nodes": observed} if observed else {}
        facts |= {"start": start, "end": _now(), **_outcome(ended, unfinished / LOG, job.recipe.facts["metric"])}
        folder.publish(facts)
        return facts

    def _execute(self, job: Job, unfinished: Path, title: str) -> Ended:
        what = self.place.start(job, unfinished.resolve())
        redactor = Redactor(secret_values(os.environ)) if self.redacts else None
        here = isinstance(self.place, Local)
        with (
            self.screen.following(unfinished / LOG, title) as follower,
            telemetry.recorded(unfinished / TELEMETRY) if here else nullcontext(),
        ):
            return execute(what.command, what.environment, unfinished, follower, redactor, self.timeout)

    def _facts(self, job: Job, folder: RunFolder) -> dict[str, Any]:
        environment = machine.describe(job.environment)
        return {
            "schema": SCHEMA,
            "suite": folder.path.resolve().parent.parent.name,
            "case": _case(job, environment["gpus"]),
            "repeat": int(folder.path.name),
            "recipe": job.recipe.name,
            "command": job.recipe.command,
            "native": self._public(job.command),
            "variables": {name: self._public(value) for name, value in job.variables.items()},
            "environment": environment,
            "source": _source(job),
        }

    def _public(self, text: str) -> str:
        return redact_text(text, secret_values(os.environ))[0] if self.redacts else text


def _case(job: Job, gpus: list[str]) -> dict[str, Any]:
    facts, variables = job.recipe.facts, job.variables
    return {
        "model": facts["model"],
        "framework": facts["framework"],
        "nodes": job.nodes,
        "cards": job.cards,
        "precision": variables["PRECISION"],
        "batch_size": int(variables["BATCH_SIZE"]),
        "device": gpus[0] if job.device == "gpu" and gpus else job.device.upper(),
    }


def _source(job: Job) -> dict[str, Any]:
    facts = job.recipe.facts
    found = checkout.describe(job.repo)
    return {**found, "recipe_repository": facts["repository"], "pinned": facts["commit"], "licence": facts["licence"]}


def _outcome(ended: Ended, log: Path, metric: str) -> dict[str, Any]:
    """What the end of a run means: its status, and the reason where it is not done."""
    metric_lines = count(log, metric)
    reason = _reason(ended, metric, metric_lines)
    status = "interrupted" if ended.interrupted else "failed" if reason else "done"
    found = {"exit_status": ended.exit_status, "status": status, "metric_lines": metric_lines}
    found |= {"redacted": ended.output.redacted}
    return found if status == "done" else {**found, "reason": reason, "last_lines": last_lines(log)}


def _reason(ended: Ended, metric: str, metric_lines: int) -> str | None:
    if ended.interrupted:
        return "It was interrupted."
    if ended.timed_out:
        return "Its time was over."
    if ended.output.problem:
        return f"It was ended because {ended.output.problem}."
    if ended.exit_status:
        return f"It ended with exit status {ended.exit_status}."
    return None if metric_lines else f"It ended with exit status 0, but no line of its log matches {metric}."


def count(log: Path, pattern: str) -> int:
    """How many lines of a log match a regular expression."""
    matches = re.compile(pattern.encode()).search
    with log.open("rb") as lines:
        return sum(1 for line in lines if matches(line))


def last_lines(log: Path) -> list[str]:
    """The last lines of a log, as text."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 16384))
        return [line.decode("utf-8", "replace") for line in file.read().splitlines()[-_LAST_LINES:]]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

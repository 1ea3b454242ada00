"""The runner: it executes a job once, keeps every byte that was printed, and fills a run folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..io.regular_file import text_of
from ..machine import machine_facts, sampling
from ..native import checkout
from ..secrets.published_run import command, public
from ..secrets.redaction import Redactor, redact_text, secret_values
from . import nodes
from .execution import Ended, execute
from .folders import DONE, FAILED, INTERRUPTED, LOG, SCHEMA, SCRIPT, TELEMETRY, RunFolder
from .jobs import Job
from .places import Local, Place
from .screen import Screen
from .stall import Stall, count, last_lines


@dataclass(frozen=True)
class Runner:
    """`timeout`: seconds a run may take. `redacts`: whether secrets are taken out of what is kept.

    `stall`: seconds without getting on after which that is told, 0 for never; `stall_ends`: and the run is ended.
    """

    place: Place
    screen: Screen
    timeout: float | None = None
    redacts: bool = True
    stall: float = 0
    stall_ends: bool = False

    def run(self, job: Job, folder: RunFolder, title: str, signals: Sequence[int]) -> dict[str, Any]:
        """Execute `job`, fill `folder`, which is claimed already, and return what its run.json says.

        `title`: the run in a few words, for the progress line. `signals`: those received so far, which end the run.
        Raises click.ClickException where the native Python does not answer, OSError where the folder cannot be written.
        """
        facts = self._facts(job, folder)
        unfinished = folder.start()
        start = _now()
        ended = self._execute(job, unfinished, title, signals)
        observed = nodes.collect(unfinished)
        if observed:
            facts |= {"case": _case(job, observed[0]["gpus"]), "environment": observed[0], "nodes": observed}
        facts |= {"start": start, "end": _now(), **_outcome(ended, unfinished / LOG, job.recipe.facts["metric"])}
        if self.redacts:
            facts = public(facts)
            _make_public(unfinished / SCRIPT, job)
        folder.publish(facts)
        return facts

    def _execute(self, job: Job, unfinished: Path, title: str, signals: Sequence[int]) -> Ended:
        what = self.place.start(job, unfinished.resolve())
        redactor = Redactor(secret_values(os.environ)) if self.redacts else None
        # On other machines the nodes sample their cards themselves.
        here = [sampling.recorded(unfinished / TELEMETRY)] if isinstance(self.place, Local) else []
        metric, log = job.recipe.facts["metric"], unfinished / LOG
        ran = partial(self.place.ran, unfinished)
        stall = Stall(log, metric, self.stall, self.stall_ends, ran, self.screen.tell)
        meanwhile = [self.screen.following(unfinished / LOG, title), *here]
        try:
            return execute(
                what.command,
                what.environment,
                unfinished,
                signals,
                redactor=redactor,
                timeout=self.timeout,
                stall=stall,
                meanwhile=meanwhile,
            )
        finally:
            self.place.finish(unfinished)

    def _facts(self, job: Job, folder: RunFolder) -> dict[str, Any]:
        environment = machine_facts.describe(job.environment)
        return {
            "schema": SCHEMA,
            "tachograph": version("tachograph"),
            "suite": folder.path.resolve().parent.parent.name,
            "case": _case(job, environment["gpus"]),
            "repeat": int(folder.path.name),
            "recipe": job.recipe.name,
            "command": job.recipe.command,
            "native": None if self.place.edited else job.command,
            "variables": job.variables,
            "environment": environment,
            "source": _source(job),
        }


def _case(job: Job, gpus: list[str]) -> dict[str, Any]:
    facts, variables = job.recipe.facts, job.variables
    data = {"data": job.trains_on} if job.trains_on else {}
    return {
        "model": facts["model"],
        "framework": facts["framework"],
        "nodes": job.nodes,
        "cards": job.cards,
        "precision": variables["PRECISION"],
        "batch_size": int(variables["BATCH_SIZE"]),
        "device": gpus[0] if job.device == "gpu" and gpus else job.device.upper(),
        **data,
    }


def _source(job: Job) -> dict[str, Any]:
    facts = job.recipe.facts
    found = checkout.describe(job.repo)
    return {**found, "recipe_repository": facts["repository"], "pinned": facts["commit"], "licence": facts["licence"]}


def _outcome(ended: Ended, log: Path, metric: str) -> dict[str, Any]:
    """What the end of a run means: its status, and the reason where it is not done."""
    metric_lines = count(log, metric)
    reason = _reason(ended, metric, metric_lines)
    status = INTERRUPTED if ended.interrupted else FAILED if reason else DONE
    found = {"exit_status": ended.exit_status, "status": status, "metric_lines": metric_lines}
    found |= {"redacted": ended.output.redacted}
    return found if status == DONE else {**found, "reason": reason, "last_lines": last_lines(log)}


def _reason(ended: Ended, metric: str, metric_lines: int) -> str | None:
    stalled = f", after {ended.stall}" if ended.stall else ""
    if ended.interrupted:
        return f"Interrupted{stalled}."
    if ended.timed_out:
        return f"Time limit exceeded{stalled}."
    if ended.stalled:
        return f"Stopped: {ended.stall}."
    if ended.output.problem:
        return f"Stopped: {ended.output.problem}."
    if ended.exit_status:
        return f"Exit status {ended.exit_status}."
    return None if metric_lines else f"Exit status 0, but no log line matches {metric}."


def _make_public(script: Path, job: Job) -> None:
    """Take secrets out of the job script of a run, where there is one."""
    if script.is_file():
        text = text_of(script).replace(job.command, command(job.command))
        script.write_text(redact_text(text, secret_values(os.environ))[0], encoding="utf-8")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

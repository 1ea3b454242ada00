"""The runner: it executes a job once, keeps every byte that was printed, and fills a run folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from parsers.runs.run_folder import CARD_PROCESSES, LOG, PATCH, PROCESSES, SCRIPT, TELEMETRY, RunJson

from ..clusters.place import Local, Place
from ..jobs.job import Job
from ..jobs.source_patch import patch
from ..machine.telemetry import RunLoad, processes_recorded, recorded
from ..runs.folders import RunFolder
from ..secrets.published_run import public
from ..secrets.redaction import Redactor, secret_values
from . import nodes
from .execution import Ended, execute
from .run_facts import known, make_public, now, of_nodes, outcome
from .screen import Screen
from .stall import Stall


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

    def run(self, job: Job, folder: RunFolder, title: str, signals: Sequence[int]) -> RunJson:
        """Execute `job`, fill `folder`, which is claimed already, and return what its run.json says.

        `title`: the run in a few words, for the progress line. `signals`: those received so far, which end the run.
        Raises click.ClickException where the native Python does not answer, OSError where the folder cannot be written.
        """
        changes = patch(job.work_tree)
        facts = known(job, folder, self.place, changes)
        unfinished = folder.start()
        if changes:
            (unfinished / PATCH).write_bytes(changes)
        start = now()
        load = RunLoad(self.place.members(unfinished.resolve())) if isinstance(self.place, Local) else None
        ended = self._execute(job, unfinished, title, signals, load)
        foreign = load.foreign() if load else nodes.foreign(unfinished)
        facts |= {"foreign": foreign} if foreign else {}
        observed = of_nodes(nodes.collect(unfinished), facts["environment"])
        if observed:
            facts |= {"case": job.case(observed[0]["gpus"]), "environment": observed[0], "nodes": observed}
        facts |= {**self.place.described(unfinished), "start": start, "end": now()}
        facts |= outcome(
            unfinished / LOG,
            job.metric,
            ended.exit_status,
            ended.output.redacted,
            reason=_reason(ended),
            interrupted=ended.interrupted,
        )
        if self.redacts:
            facts = public(facts)
            make_public(unfinished / SCRIPT, job.command)
        folder.publish(facts)
        return facts

    def _execute(self, job: Job, unfinished: Path, title: str, signals: Sequence[int], load: RunLoad | None) -> Ended:
        what = self.place.start(job, unfinished.resolve())
        redactor = Redactor(secret_values(os.environ)) if self.redacts else None
        here = list(self._telemetry(unfinished, load))
        metric, log = job.metric, unfinished / LOG
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

    def _telemetry(self, unfinished: Path, load: RunLoad | None) -> Iterator[AbstractContextManager[object]]:
        """What samples this machine, where there is a `load` of it; others sample themselves."""
        if load:
            yield recorded(unfinished / TELEMETRY, unfinished / CARD_PROCESSES, load)
            yield processes_recorded(unfinished / PROCESSES, load)


def _reason(ended: Ended) -> str | None:
    stalled = f", after {ended.stall}" if ended.stall else ""
    if ended.interrupted:
        return f"Interrupted{stalled}."
    if ended.timed_out:
        return f"Time limit exceeded{stalled}."
    if ended.stalled:
        return f"Stopped: {ended.stall}."
    if ended.output.problem:
        return f"Stopped: {ended.output.problem}."
    return f"Exit status {ended.exit_status}." if ended.exit_status else None

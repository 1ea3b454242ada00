"""The runner: it executes a job once, keeps every byte that was printed, and fills a run folder.

A run has a begin and an end. At its begin what is known of it is gathered; at its end its status is decided, its log is
held against what was asked, and its folder gets its name. Between the two this process waits for the job; a job that is
only submitted has the same begin and end (`submitted`).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from parsers.io.input_file import opened, text_of
from parsers.runs.run_folder import (
    CARD_PROCESSES,
    DONE,
    FAILED,
    INTERRUPTED,
    LOG,
    PATCH,
    PROCESSES,
    SCHEMA,
    SCRIPT,
    TELEMETRY,
    Environment,
    RunJson,
)

from ..backends.place import Place
from ..job import Job
from ..machine.facts import describe
from ..machine.telemetry import RunLoad, recorded
from ..recipes.checkout import Checkout
from ..recipes.recipe import ROOM
from ..secrets.redaction import Redactor, public, public_command, redact_text, secret_values
from .execution import Ended, Stall, execute, last_lines, lines
from .folder import Begun, RunFolder
from .screen import Screen

_INSIDE = {"container", "container_runtime", "container_digest", "python", "packages", "frameworks"}


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
        begun = self.begin(job, folder)
        with self._own_folders(job, folder) as placed:
            members = self.place.members(folder.unfinished.resolve())
            load = RunLoad(members) if members else None
            ended = self._execute(placed, folder.unfinished, title, signals, load)
        facts: RunJson = {**begun.facts, **self.place.described(folder.unfinished), "end": now()}
        if load:
            facts["foreign"] = load.foreign()
        reason = _reason(ended)
        status = ended.exit_status
        redacted = ended.output.redacted
        return finished(folder, replace(begun, facts=facts), status, redacted, reason, interrupted=ended.interrupted)

    def begin(self, job: Job, folder: RunFolder) -> Begun:
        """Gather what is known of a run before it begins, and make its unfinished folder."""
        source, changes = job.source()
        container = self.place.container
        environment = describe(job.environment, None if container else job.python)
        if container:
            environment |= container.described(job, is_here=self.place.is_here)
        own = Checkout(ROOM.parent, configured=[])
        commit = {"tachograph_commit": own.commit, "tachograph_dirty": own.is_dirty} if own.commit else {}
        facts = cast(
            RunJson,
            {
                "schema": SCHEMA,
                "tachograph": version("tachograph"),
                **commit,
                "suite": folder.path.resolve().parent.parent.name,
                "case": job.case(environment["gpus"]),
                "repeat": int(folder.path.name),
                **job.kept,
                **({"native": None} if self.place.edited else {}),
                "environment": environment,
                "source": source,
                "start": now(),
            },
        )
        folder.unfinished.mkdir()
        if changes:
            (folder.unfinished / PATCH).write_bytes(changes)
        return Begun(facts, job.metric, job.device, self.redacts)

    @contextmanager
    def _own_folders(self, job: Job, folder: RunFolder) -> Iterator[Job]:
        """The job with a folder for what it writes; on this machine also with one for temporary files.

        The path of the latter is short, because sockets are made there, and a socket has a path of at most 107 bytes.
        """
        folder.work.mkdir(exist_ok=True)
        with ExitStack() as stack:
            own = {"WORK": str(folder.work.resolve())}
            if self.place.is_here:
                made = tempfile.TemporaryDirectory(prefix="tachograph-", ignore_cleanup_errors=True)
                own["TMPDIR"] = stack.enter_context(made)
            yield replace(job, environment={**job.environment, **own})

    def _execute(self, job: Job, unfinished: Path, title: str, signals: Sequence[int], load: RunLoad | None) -> Ended:
        what = self.place.start(job, unfinished.resolve())
        redactor = Redactor(secret_values(os.environ)) if self.redacts else None
        log = unfinished / LOG
        stall = Stall(
            log, job.metric, self.stall, self.stall_ends, partial(self.place.ran, unfinished), self.screen.tell
        )
        meanwhile: list[AbstractContextManager[object]] = [self.screen.following(log, title)]
        if load:  # other nodes sample themselves
            files = (unfinished / TELEMETRY, unfinished / CARD_PROCESSES, unfinished / PROCESSES)
            meanwhile.append(recorded(*files, load))
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
            if self.redacts:
                redact_script(unfinished / SCRIPT, job.command)


def differing(job: Job, place: Place, facts: Mapping[str, Any]) -> list[str]:
    """What `facts`, those of a run, say otherwise than a job would at a place, so that it is no repeat of that run."""
    found = facts.get("environment", {})
    image = found.get("container") if "container_runtime" in found else None
    wanted = place.container.name if place.container else None
    others = [] if image == wanted else [f"container={image}, not {wanted}"]
    return [*others, *job.differences(facts)]


def finished(
    folder: RunFolder, begun: Begun, exit_status: int, redacted: int, reason: str | None, *, interrupted: bool
) -> RunJson:
    """Decide what the end of a run means, give its folder its name, and return what its run.json says.

    `redacted`: the secrets replaced in the log. `reason`: why it is not done, as far as its execution says.
    """
    from . import nodes
    from .verify import faults

    log, facts = folder.unfinished / LOG, begun.facts
    if foreign := nodes.foreign(folder.unfinished):
        facts = {**facts, "foreign": foreign}
    if observed := _observed(nodes.collect(folder.unfinished), facts["environment"]):
        gpus = observed[0]["gpus"]
        device = {"device": gpus[0]} if begun.device == "gpu" and gpus else {}
        facts = {**facts, "case": {**facts["case"], **device}, "environment": observed[0], "nodes": observed}
    counted: RunJson = {} if begun.metric is None else {"metric_lines": _count(log, begun.metric)}
    if reason is None and counted.get("metric_lines") == 0:
        reason = f"Exit status 0, but no log line matches {begun.metric}."
    if reason is None:
        reason = next(map(str, faults(log, facts, folder.siblings())), None)
    status = INTERRUPTED if interrupted else FAILED if reason else DONE
    facts = {**facts, "exit_status": exit_status, "status": status, **counted, "redacted": redacted}
    if reason:
        facts |= {"reason": reason, "last_lines": last_lines(log)}
        with suppress(OSError):
            folder.work.rmdir()  # where nothing is in it
    else:
        shutil.rmtree(folder.work, ignore_errors=True)
    if begun.redacts:
        facts = public(facts)
    folder.publish(facts)
    return facts


def _observed(observed: list[Environment], environment: Environment) -> list[Environment]:
    """What nodes observed of themselves, for a container with what is known of its inside."""
    known = _INSIDE if "container_runtime" in environment else set()
    inside = {key: value for key, value in environment.items() if key in known}
    outside = ({key: value for key, value in node.items() if key not in known} for node in observed)
    return [cast(Environment, {**node, **inside}) for node in outside]


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
    return of_status(ended.exit_status)


def of_status(status: int) -> str | None:
    """What an exit status means: a negative one, and as a shell tells it one above 128, is the number of a signal."""
    number = -status if status < 0 else status - 128
    if number > 0 and number in set(signal.Signals):
        name = signal.Signals(number).name
        return f"Killed ({name})." if status < 0 else f"Exit status {status}: a process was killed ({name})."
    return f"Exit status {status}." if status else None


def redact_script(script: Path, native: str) -> None:
    """Take secrets out of the job script of a run, where there is one; `native`: the command in it."""
    if script.is_file():
        text, known = text_of(script), secret_values(os.environ)
        text = text.replace(native, public_command(native, known)) if native else text
        script.write_text(redact_text(text, known)[0], encoding="utf-8")


def _count(log: Path, pattern: str) -> int:
    """How many lines of a log match a regular expression."""
    matches = re.compile(pattern.encode()).search
    with opened(log) as file:
        return sum(1 for line in lines(file) if matches(line))


def now() -> str:
    """The time as run.json has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")

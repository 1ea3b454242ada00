"""The runner: it executes a job once, keeps every byte that was printed, and fills a run folder.

A run has a begin and an end. At its begin what is known of it is collected; at its end its status is decided, its log
is held against what was asked, and its folder gets its name. Between the two this process waits for the job; a job that
is only submitted has the same begin and end (`submitted`).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from parsers.io.files import opened, text_of
from parsers.runs.run_folder import (
    DONE,
    FAILED,
    INTERRUPTED,
    LOG,
    PATCH,
    PROCESSES,
    SCRIPT,
    TELEMETRY,
    Environment,
    RunJson,
    Source,
    heading,
)

from ..backends.place import Place
from ..job import Job
from ..machine.facts import describe
from ..machine.telemetry import RunLoad, recorded
from ..recipes.checkout import Checkout
from ..recipes.recipe import ROOM
from ..secrets.redaction import Redactor, public, public_command, redact_text, secret_values
from .execution import Ended, execute
from .folder import RunFolder, done_below
from .screen import Screen

_INSIDE = {"container", "container_runtime", "container_digest", "python", "packages", "frameworks"}
_LAST_LINES = 20
_LONGEST_LINE = 1 << 16  # bytes


@dataclass(frozen=True)
class Runner:
    """`timeout`: seconds a run may take, `stall`: seconds without output after which it is ended; None for no limit.

    `redacts`: whether secrets are taken out of what is kept.
    """

    place: Place
    screen: Screen
    timeout: float | None = None
    redacts: bool = True
    stall: float | None = None

    def run(self, job: Job, folder: RunFolder, signals: Sequence[int]) -> RunJson:
        """Execute `job`, fill `folder`, which is claimed already, and return what its run.json says.

        `signals`: those received so far, which end the run. Raises click.ClickException where the native Python does
        not answer, OSError where the folder cannot be written.
        """
        facts, unfinished = self._begin(job, folder), folder.unfinished.resolve()
        members = self.place.members(unfinished)
        load = RunLoad(members) if members else None
        redactor = Redactor(secret_values(os.environ)) if self.redacts else None
        with ExitStack() as stack:
            own = {"WORK": str(folder.work.resolve())}
            if self.place.is_here:
                # Its path is short, because sockets are made there, whose paths have at most 107 bytes.
                made = TemporaryDirectory(prefix="tachograph-", ignore_cleanup_errors=True)
                own["TMPDIR"] = stack.enter_context(made)
            stack.enter_context(self.screen.following(unfinished / LOG))
            if load:  # other nodes sample themselves
                stack.enter_context(recorded(unfinished / TELEMETRY, unfinished / PROCESSES, load))
            command, environment = self.place.start(replace(job, environment={**job.environment, **own}), unfinished)
            try:
                ended = execute(command, environment, unfinished, signals, redactor, self.timeout, self.stall)
            finally:
                self.place.finish(unfinished)
                if self.redacts:
                    redact_script(unfinished, job.command)
        facts |= {**self.place.described(), "end": _now()}
        if load:
            facts["foreign"] = load.foreign()
        return self._end(job, folder, facts, ended)

    def asked(self, job: Job, folder: RunFolder, source: Source) -> RunJson:
        """What run.json says of a run that has not begun; `source`: its checkout as it is now."""
        container = self.place.container
        image = {"container": container.name, "container_runtime": container.runtime} if container else {}
        return {
            "suite": folder.path.resolve().parent.parent.name,
            "case": dict(job.facts),
            "repeat": int(folder.path.name),
            **job.kept,
            "environment": cast(Environment, image),
            "source": source,
        }

    def _begin(self, job: Job, folder: RunFolder) -> RunJson:
        """Gather what is known of a run before it begins, and make its unfinished folder and its work folder."""
        source, changes = job.source()
        container = self.place.container
        environment = describe(job.environment, None if container else job.python)
        if container:
            environment |= container.described(job, is_here=self.place.is_here)
        own = Checkout(ROOM.parent, configured=[])
        commit: RunJson = {"tachograph_commit": own.commit, "tachograph_dirty": own.is_dirty} if own.commit else {}
        facts: RunJson = {
            **heading(),
            **commit,
            **self.asked(job, folder, source),
            "case": job.case(environment["gpus"]),
            "environment": environment,
            "start": _now(),
        }
        folder.unfinished.mkdir()
        folder.work.mkdir(exist_ok=True)
        if changes:
            (folder.unfinished / PATCH).write_bytes(changes)
        return facts

    def _end(self, job: Job, folder: RunFolder, facts: RunJson, ended: Ended) -> RunJson:
        """Decide what the end of a run means, give its folder its name, and return what its run.json says."""
        from . import nodes
        from .verify import faults

        log = folder.unfinished / LOG
        described, foreign = nodes.collect(folder.unfinished)
        if foreign:
            facts = {**facts, "foreign": foreign}
        if observed := _observed(described, facts["environment"]):
            gpus = observed[0]["gpus"]
            device = {"device": gpus[0]} if job.device == "gpu" and gpus else {}
            facts = {**facts, "case": {**facts["case"], **device}, "environment": observed[0], "nodes": observed}
        counted: RunJson = {"metric_lines": _count(log, job.recipe.facts["metric"])} if job.recipe else {}
        reason = ended.reason or _of_status(ended.exit_status)
        if reason is None and job.recipe and counted["metric_lines"] == 0:
            reason = f"Exit status 0, but no log line matches {job.recipe.facts['metric']}."
        if reason is None:
            reason = next(map(str, faults(log, facts, [*done_below(folder.path.parent)])), None)
        status = INTERRUPTED if ended.is_interrupted else FAILED if reason else DONE
        facts = {**facts, "exit_status": ended.exit_status, "status": status, **counted, "redacted": ended.redacted}
        if reason:
            facts |= {"reason": reason, "last_lines": _last_lines(log)}
            with suppress(OSError):
                folder.work.rmdir()  # where nothing is in it
        else:
            shutil.rmtree(folder.work, ignore_errors=True)
        if self.redacts:
            facts = public(facts)
        folder.publish(facts)
        return facts


def differing(job: Job, place: Place, facts: Mapping[str, Any]) -> list[str]:
    """What `facts`, those of a run, say otherwise than a job would at a place, so that it is no repeat of that run."""
    found = facts.get("environment", {})
    image = found.get("container") if "container_runtime" in found else None
    wanted = place.container.name if place.container else None
    others = [] if image == wanted else [f"container={image}, not {wanted}"]
    return [*others, *job.differences(facts)]


def _observed(observed: list[Environment], environment: Environment) -> list[Environment]:
    """What nodes observed of themselves, for a container with what is known of its inside."""
    known = _INSIDE if "container_runtime" in environment else set()
    inside = {key: value for key, value in environment.items() if key in known}
    outside = ({key: value for key, value in node.items() if key not in known} for node in observed)
    return [cast(Environment, {**node, **inside}) for node in outside]


def _of_status(status: int) -> str | None:
    """What an exit status means: a negative one, and as a shell tells it one above 128, is the number of a signal."""
    number = -status if status < 0 else status - 128
    if number > 0 and number in set(signal.Signals):
        name = signal.Signals(number).name
        return f"Killed ({name})." if status < 0 else f"Exit status {status}: a process was killed ({name})."
    return f"Exit status {status}." if status else None


def redact_script(folder: Path, native: str) -> None:
    """Take secrets out of the job script in the folder of a run, where there is one; `native`: the command in it."""
    script = folder / SCRIPT
    if script.is_file():
        text, known = text_of(script), secret_values(os.environ)
        text = text.replace(native, public_command(native, known)) if native else text
        script.write_text(redact_text(text, known)[0], encoding="utf-8")


def _count(log: Path, pattern: str) -> int:
    """How many lines of a log match a regular expression; a very long line is looked at in pieces."""
    matches = re.compile(pattern.encode()).search
    with opened(log) as file:
        return sum(1 for line in iter(partial(file.readline, _LONGEST_LINE), b"") if matches(line))


def _last_lines(log: Path) -> list[str]:
    with opened(log) as file:
        file.seek(max(0, log.stat().st_size - 16384))
        return [line.decode("utf-8", "replace") for line in file.read().splitlines()[-_LAST_LINES:]]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

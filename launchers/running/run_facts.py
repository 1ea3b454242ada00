"""The facts of a run for its run.json: what is known before it begins, and what its end means."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from parsers.io.input_file import text_of
from parsers.runs.run_folder import DONE, FAILED, INTERRUPTED, SCHEMA, Environment, RunJson

from ..clusters.place import Local, Place
from ..jobs.job import Job
from ..machine.facts import describe
from ..native import checkout
from ..native.recipes import ROOM
from ..runs.folders import RunFolder
from ..secrets.published_run import command
from ..secrets.redaction import redact_text, secret_values
from .stall import count, last_lines

_INSIDE = {"container", "container_runtime", "container_digest", "python", "packages", "frameworks"}


def known(job: Job, folder: RunFolder, place: Place, changes: bytes) -> RunJson:
    """Return what is known of a run before it begins; `changes`: those of its checkout, as a patch.

    Raises click.ClickException where the native Python does not answer.
    """
    container = place.container
    environment = describe(job.environment, None if container else job.python)
    if container:
        environment |= container.described(job, is_here=isinstance(place, Local))
    edited: RunJson = {"native": None} if place.edited else {}
    return {
        "schema": SCHEMA,
        "tachograph": version("tachograph"),
        **_own_commit(),
        "suite": folder.path.resolve().parent.parent.name,
        "case": job.case(environment["gpus"]),
        "repeat": int(folder.path.name),
        **job.kept,
        **edited,
        "environment": environment,
        "source": job.source(changes),
    }


def _own_commit() -> RunJson:
    """The commit of Tachograph, and whether its files differ from it, where it runs from a checkout of its own."""
    found = checkout.describe(ROOM.parent)
    commit = found["commit"]
    return {"tachograph_commit": commit, "tachograph_dirty": found["dirty"]} if commit else {}


def differing(job: Job, place: Place, facts: Mapping[str, Any]) -> list[str]:
    """What `facts`, those of a run, say otherwise than a job would at a place, so that it is no repeat of that run."""
    found = facts.get("environment", {})
    image = found.get("container") if "container_runtime" in found else None
    wanted = place.container.name if place.container else None
    others = [] if image == wanted else [f"container={image}, not {wanted}"]
    return [*others, *job.differences(facts)]


def of_nodes(observed: list[Environment], environment: Environment) -> list[Environment]:
    """What nodes observed of themselves; where a container ran, with what is known of its inside instead."""
    if "container_runtime" not in environment:
        return observed
    inside = {key: value for key, value in environment.items() if key in _INSIDE}
    outside = ({key: value for key, value in node.items() if key not in _INSIDE} for node in observed)
    return [cast(Environment, {**node, **inside}) for node in outside]


def outcome(
    log: Path, metric: str | None, exit_status: int, redacted: int, *, reason: str | None, interrupted: bool
) -> RunJson:
    """Return what the end of a run means: its status, and the `reason` where it is not done.

    `metric`: a regular expression without whose lines it has not trained. `redacted`: the secrets replaced in `log`.
    """
    counted: RunJson = {} if metric is None else {"metric_lines": count(log, metric)}
    if reason is None and counted.get("metric_lines") == 0:
        reason = f"Exit status 0, but no log line matches {metric}."
    status = INTERRUPTED if interrupted else FAILED if reason else DONE
    found: RunJson = {"exit_status": exit_status, "status": status, **counted, "redacted": redacted}
    return {**found, "reason": reason, "last_lines": last_lines(log)} if reason else found


def make_public(script: Path, native: str) -> None:
    """Take secrets out of the job script of a run, where there is one; `native`: the command in it."""
    if script.is_file():
        text = text_of(script).replace(native, command(native))
        script.write_text(redact_text(text, secret_values(os.environ))[0], encoding="utf-8")


def now() -> str:
    """The time as run.json has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")

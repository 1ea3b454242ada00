"""The run.json beside a log: what the launcher knew of the run."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .errors import LogError
from .facts import SCALING, Fact, is_count

NAME = "run.json"


def run_facts(log: Path) -> Iterator[Fact]:
    """The facts of the case in the ``run.json`` of a log's folder, if any; raises LogError when it is broken."""
    case = run_file(log).get("case", {})
    for name, said in case.items():
        if name in SCALING and not is_count(said):
            raise LogError(f"{log.parent / NAME}: {name} is {said!r}; it is a whole number of at least 1.")
        if isinstance(said, int | float | str):
            yield Fact(str(name), said, NAME)


def run_problem(log: Path, sha256: str) -> str | None:
    """What the ``run.json`` beside a log says against it: the run is not done, or the log is not the one it describes.

    ``sha256`` is that of the log. None where nothing is said against it. Raises LogError when run.json is broken.
    """
    run = run_file(log)
    return " ".join(filter(None, (_not_done(run), _another_log(run, log, sha256)))) or None


def _not_done(run: Mapping[str, Any]) -> str | None:
    status = run.get("status", "done")
    if status == "done":
        return None
    said = "failed" if status == "failed" else f"was {status}"
    left = f" (exit status {run['exit_status']})" if "exit_status" in run else ""
    return f"{NAME} says this run {said}{left}."


def _another_log(run: Mapping[str, Any], log: Path, sha256: str) -> str | None:
    """A log beside the one that run.json names is not spoken of."""
    described = run.get("log")
    if not isinstance(described, dict) or described.get("file", log.name) != log.name:
        return None
    same = described.get("sha256", sha256) == sha256
    return None if same else f"The log is not the one that {NAME} describes: its sha256 differs."


def run_file(log: Path) -> dict[str, Any]:
    """What the ``run.json`` of a log's folder holds, nothing when there is none; raises LogError when it is broken."""
    path = log.parent / NAME
    if not path.is_file():
        return {}
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        run["case"].items()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LogError(
            f"{path}: is no run.json of a run folder ({error}); it needs a 'case' of names and values."
        ) from error
    return dict(run)

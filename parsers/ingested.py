"""Ingested runs: what their run.json says of where the log came from."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from .facts import FORMER_NAME, Fact, name_facts
from .runfile import RunFile


def told_by_name(run: RunFile, log: Path) -> Iterator[Fact]:
    """The facts that the name of a log states; of an ingested log the name that it had in its source.

    ``run``: the run.json beside it, as ``run_file`` gives it.
    """
    source, described = run.get("source"), run.get("log")
    path = source.get("path") if isinstance(source, dict) else None
    if isinstance(path, str) and isinstance(described, dict) and described.get("file") == log.name:
        yield from (replace(fact, witness=FORMER_NAME) for fact in name_facts(Path(path)))
    else:
        yield from name_facts(log)

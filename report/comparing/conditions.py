"""Conditions: all that a run was made with, as its log and its run.json say, each with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from parsers.runs.facts import Fact
from parsers.runs.provenance import DERIVED, Provenance
from parsers.runs.run_folder import RUN_FILE
from parsers.runs.runfile import RunFile

from .compared_runs import ComparedRun

# What a run gave, and which of the repeats it is.
OUTCOMES = ("minutes_to_train", "repeat")
# Commands, whose words are compared.
WORDS = ("native", "command")
# Keys of run.json that say how a run went or which it is, and those that are read elsewhere: the case, whose facts the
# log's reader knows, what these come from, and the nodes, which are as environments.
OF_THE_RUN = (
    *("schema", "suite", "repeat", "start", "end", "exit_status", "status", "reason", "last_lines", "metric_lines"),
    *("redacted", "log", "ingested", "case", "case_from", "nodes", *WORDS),
)
OF_THE_JOB = ("scheduler.job",)
DEEPEST = 8
MOST_NAMES = 4096
# Several names of one thing, which is named once: the first group whose pattern fits the whole name.
ALIASES = (
    (r"variables\.(NODES|CARDS|PRECISION|BATCH_SIZE)", lambda found: found[1].lower()),
    (r"environment\.(gpus|gpu_memory_mib)", lambda _: "device"),
    (r"environment\.(cuda_)?driver", lambda _: "driver"),
    (r"environment\.(frameworks\.[^.]+\.nccl|packages\.nvidia-nccl-cu\d+)", lambda _: "nccl"),
    (r"environment\.(frameworks\.[^.]+\.cudnn|packages\.nvidia-cudnn-cu\d+)", lambda _: "cudnn"),
    (r"environment\.frameworks\.[^.]+\.cuda", lambda _: "cuda"),
    (r"source\.(commit|pinned)", lambda _: "source.commit"),
    (r"source\.(dirty|patch)", lambda _: "source.patch"),
    (r"source\.(repository|recipe_repository)", lambda _: "source.repository"),
)


@dataclass(frozen=True)
class StatedAt:
    """Where a condition is stated: a file, and there a physical line (from 1) or a key of run.json.

    ``source``: the same as the log's reader knows it, where the log or its name says so.
    """

    file: Path
    line: int | None = None
    key: str | None = None
    source: Provenance | None = None


@dataclass(frozen=True)
class Condition:
    """One thing that a run was made with: its name in neutral words, its value as text, and where that is stated.

    ``thing``: what it is of, which several names may share. ``section``: the part of run.json that states it, as
    ``sections`` names it.
    """

    name: str
    value: str
    place: StatedAt
    thing: str
    section: str = ""


@dataclass(frozen=True)
class StatedRun:
    """A run by what states its conditions: the path of its log, the facts of that, and its run.json."""

    log: Path
    facts: tuple[Fact, ...]
    run: RunFile


def stated_run(run: ComparedRun) -> StatedRun:
    """What states the conditions of a run; where sources contradict the first one, they may change and that not."""
    reading = run.reading
    told = (*reading.facts.values(), *(other for _, other in reading.facts.contradictions))
    facts = (fact for fact in told if fact.name not in OUTCOMES and fact.source.kind not in DERIVED)
    return StatedRun(reading.path, tuple(facts), run.run)


def conditions(run: StatedRun) -> list[Condition]:
    """What the log and the run.json of a run say of how it was made, the facts of the log first."""
    return [*_of_facts(run), *_of_file(run)]


def sections(run: StatedRun) -> set[str]:
    """The parts of run.json that a run has, and of its tables those below: what they lack is then known to be absent.

    ``""`` stands for the log.
    """
    found = {"", *(name for name in WORDS if name in run.run)}
    for name, table in _tables(run.run):
        inner = table.items() if isinstance(table, dict) else ()
        found |= {name, *(f"{name}.{key}" for key, value in inner if isinstance(value, dict))}
    return found


def _of_facts(run: StatedRun) -> Iterator[Condition]:
    for fact in run.facts:
        yield Condition(fact.name, str(fact.value), _place(fact, run.log), _thing(fact.name, run.run))


def _place(fact: Fact, log: Path) -> StatedAt:
    source = fact.source
    if source.kind == "run_file":
        return StatedAt(log.with_name(RUN_FILE), key=f"case.{fact.name}", source=source)
    if source.kind == "side_line":
        name, number = source.values
        return StatedAt(log.with_name(str(name)), line=int(str(number)), source=source)
    line = source.values[0] if source.kind in ("line", "lines") else None
    return StatedAt(log, line=line if isinstance(line, int) else None, source=source)


def _of_file(run: StatedRun) -> Iterator[Condition]:
    file = run.log.with_name(RUN_FILE)
    for key, value in _stated(run.run):
        name = re.sub(r"^nodes\.\d+\.", "environment.", key)
        if name not in OF_THE_JOB:
            yield Condition(name, value, StatedAt(file, key=key), _thing(name, run.run), _section(name))


def _section(name: str) -> str:
    """The part of run.json, as ``sections`` names it, that states what is called so."""
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 else parts[0]


def _stated(run: RunFile) -> Iterator[tuple[str, str]]:
    """The keys and values of run.json that say how a run was made."""
    for name, table in _tables(run):
        yield from _leaves(name, table)
    nodes = run.get("nodes")
    for number, node in enumerate(nodes if isinstance(nodes, list) else ()):
        yield from _leaves(f"nodes.{number}", node)


def _tables(run: RunFile) -> Iterator[tuple[str, Any]]:
    """What run.json says of how a run was made, by its first keys; not where an ingested log was found."""
    for name, said in run.items():
        if name not in OF_THE_RUN and not (name == "source" and isinstance(said, dict) and "path" in said):
            yield name, said


def _leaves(key: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth < DEEPEST:
        for name, inner in value.items():
            yield from _leaves(f"{key}.{name}", inner, depth + 1)
    else:
        yield key, _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _thing(name: str, run: RunFile) -> str:
    if (thing := _alias(name)) is not None:
        return thing
    framework = re.fullmatch(r"environment\.frameworks\.([^.]+)\.version", name)
    if framework or name == "framework_version":
        return _package(framework[1] if framework else None, run) or name
    return name


@lru_cache(MOST_NAMES)
def _alias(name: str) -> str | None:
    """What a name is one of several names of; the same names are asked for in each run."""
    found = ((re.fullmatch(pattern, name), thing) for pattern, thing in ALIASES)
    return next((str(thing(match)) for match, thing in found if match), None)


def _package(framework: str | None, run: RunFile) -> str | None:
    """The package of a framework, or of the only one that run.json states; None where it cannot be told."""
    environment = run.get("environment")
    known = environment if isinstance(environment, dict) else {}
    packages, frameworks = known.get("packages"), known.get("frameworks")
    if framework is None and isinstance(frameworks, dict) and len(frameworks) == 1:
        (framework,) = frameworks
    if framework is None or not isinstance(packages, Mapping):
        return None
    pattern = re.compile(rf"{re.escape(framework)}(paddle)?(-gpu)?")
    return next((f"environment.packages.{name}" for name in packages if pattern.fullmatch(name)), None)

"""Conditions: all that runs were made with, as their logs and run.json say, and what of it differs between two sides.

A thing differs where the values that the runs of one side have are not those of the other. What only one side records
is no difference: nothing is known of the other.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from parsers.runs.facts import Fact
from parsers.runs.provenance import DERIVED
from parsers.runs.run_folder import RUN_FILE
from parsers.runs.runfile import RunFile

OUTCOMES = ("minutes_to_train", "repeat")  # what a run gave, and which of the repeats it is
COMMANDS = ("native", "command")  # of which the words are compared
# A word of a command, with quotes or without; an option with its value.
WORD = re.compile(r"""(?<!\S)(?:-[^=\s]+ (?!-))?(?:'[^']*'|"[^"]*"|[^\s'"])+""")
# Keys of run.json that say how a run went or which it is, and those that are read elsewhere: the case, whose facts the
# log's reader knows, what these come from, and the nodes, which are as environments.
OF_THE_RUN = (
    *("schema", "suite", "repeat", "start", "end", "exit_status", "status", "reason", "last_lines", "metric_lines"),
    *("redacted", "log", "ingested", "case", "case_from", "nodes", "foreign"),
)
OF_THE_JOB = "scheduler.job"
DEEPEST = 8
# Several names of one thing, which is named once: the first pattern that fits the whole name.
ALIASES: Mapping[str, str] = {
    **{rf"variables\.{name.upper()}": name for name in ("nodes", "cards", "precision", "batch_size")},
    r"environment\.(gpus|gpu_memory_mib)": "device",
    r"environment\.(cuda_)?driver": "driver",
    r"environment\.(frameworks\.[^.]+\.nccl|packages\.nvidia-nccl-cu\d+)": "nccl",
    r"environment\.(frameworks\.[^.]+\.cudnn|packages\.nvidia-cudnn-cu\d+)": "cudnn",
    r"environment\.frameworks\.[^.]+\.cuda": "cuda",
    r"environment\.frameworks\.([^.]+)\.version": r"environment.packages.\1",
    r"source\.(commit|pinned)": "source.commit",
    r"source\.(dirty|patch)": "source.patch",
    r"source\.(repository|recipe_repository)": "source.repository",
}
# What makes two machines two: the noise between these is not that between repeats on one.
OF_MACHINE = ("device", "environment.cpu", "environment.cores", "scheduler.nodes")


@dataclass(frozen=True)
class Condition:
    """One value of something that a run was made with.

    ``file``: what states it, on a ``line`` (from 1), or at a ``key`` of run.json; of a log without a line the key says
    what of it tells so, such as its name.
    """

    value: str
    file: str
    line: int | None = None
    key: str = ""

    @property
    def place(self) -> str:
        """Where it is stated: ``train.log:12``, ``run.json: case.cards``."""
        name = Path(self.file).name
        return f"{name}: {self.key}" if self.line is None else f"{name}:{self.line}"


Conditions = Mapping[str, Condition]


@dataclass(frozen=True)
class Difference:
    """One thing that differs: its name in neutral words, and for each side one condition for each value."""

    name: str
    sides: tuple[tuple[Condition, ...], tuple[Condition, ...]]

    @property
    def said(self) -> tuple[str, str]:
        """The values of each side as text, ``-`` where it has none."""
        a, b = (" / ".join(one.value for one in side) or "-" for side in self.sides)
        return a, b


def conditions_of(facts: Mapping[str, Fact], run: RunFile, log: Path) -> dict[str, Condition]:
    """What the ``facts`` of a ``log`` and its run.json say of how a run was made, each thing once, the log first."""
    found: dict[str, Condition] = {}
    for fact in facts.values():
        if fact.name not in OUTCOMES and fact.source.kind not in DERIVED:
            found.setdefault(_thing(fact.name), _of_fact(fact, log))
    file = str(log.with_name(RUN_FILE))
    for name, key, value in _stated(run):
        known = found.setdefault(_thing(name), Condition(value, file, key=key))
        if known.file == file and name != key and value not in known.value.split(" / "):
            # Nodes that state one thing differently give all of its values.
            found[_thing(name)] = replace(known, value=f"{known.value} / {value}")
    found.pop(OF_THE_JOB, None)
    return found


def _of_fact(fact: Fact, log: Path) -> Condition:
    value, source = str(fact.value), fact.source
    if source.kind == "run_file":
        return Condition(value, str(log.with_name(RUN_FILE)), key=f"case.{fact.name}")
    if source.kind in ("line", "lines"):
        return Condition(value, str(log), line=int(str(source.values[0])))
    return Condition(value, str(log), key=str(source))


def _stated(run: RunFile) -> Iterator[tuple[str, str, str]]:
    """What run.json says of how a run was made, not where an ingested log was found: names, keys there and values.

    What it says of a node has the name that it has of the environment.
    """
    for name, said in run.items():
        if name in COMMANDS:
            yield name, name, shlex.join(map(str, said)) if isinstance(said, list) else str(said)
        elif name not in OF_THE_RUN and not (name == "source" and isinstance(said, dict) and "path" in said):
            yield from _leaves(name, name, said)
    nodes = run.get("nodes")
    for number, node in enumerate(nodes if isinstance(nodes, list) else ()):
        yield from _leaves("environment", f"nodes.{number}", node)


def _leaves(name: str, key: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, dict) and depth < DEEPEST:
        for part, inner in value.items():
            yield from _leaves(f"{name}.{part}", f"{key}.{part}", inner, depth + 1)
    else:
        yield name, key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@lru_cache(4096)
def _thing(name: str) -> str:
    """The one name of what has several."""
    fitting = (re.sub(pattern, thing, name) for pattern, thing in ALIASES.items() if re.fullmatch(pattern, name))
    return next(fitting, name)


def differences(a: Sequence[Conditions], b: Sequence[Conditions]) -> tuple[Difference, ...]:
    """What differs between the runs of two sides, at least one each, in the order in which they state it."""
    found = list[Difference]()
    for name in dict.fromkeys(name for run in (*a, *b) for name in run):
        one, other = ({run[name].value: run[name] for run in side[::-1] if name in run} for side in (a, b))
        if one.keys() != other.keys() and _is_known(name, a, b) and _is_known(name, b, a):
            change = Difference(name, (tuple(one.values())[::-1], tuple(other.values())[::-1]))
            found.append(_by_words(change) if name in COMMANDS and one and other else change)
    return tuple(found)


def _is_known(name: str, side: Sequence[Conditions], other: Sequence[Conditions]) -> bool:
    """Whether runs state something, or would if it were there: all have the part of run.json that it would be in."""
    if any(name in run for run in side):
        return True
    part = next(run[name].key for run in other if name in run).rpartition(".")[0]
    return bool(part) and all(any(one.key.startswith(f"{part}.") for one in run.values()) for run in side)


def _by_words(change: Difference) -> Difference:
    """A changed command by the words that the other side lacks, an option with its value."""
    (one, *_), (other, *_) = change.sides
    a, b = (Counter(WORD.findall(side.value)) for side in (one, other))
    if a == b:  # their order alone
        return change
    first, second = (replace(of, value=" ".join(own)) for of, own in ((one, a - b), (other, b - a)))
    return Difference(change.name, ((first,), (second,)))

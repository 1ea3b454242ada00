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

# What a run gave, and which of the repeats it is.
OUTCOMES = ("minutes_to_train", "repeat")
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
MOST_NAMES = 4096
# Several names of one thing, which is named once: the first group whose pattern fits the whole name.
ALIASES = (
    (r"variables\.(NODES|CARDS|PRECISION|BATCH_SIZE)", lambda found: found[1].lower()),
    (r"environment\.(gpus|gpu_memory_mib)", lambda _: "device"),
    (r"environment\.(cuda_)?driver", lambda _: "driver"),
    (r"environment\.(frameworks\.[^.]+\.nccl|packages\.nvidia-nccl-cu\d+)", lambda _: "nccl"),
    (r"environment\.(frameworks\.[^.]+\.cudnn|packages\.nvidia-cudnn-cu\d+)", lambda _: "cudnn"),
    (r"environment\.frameworks\.[^.]+\.cuda", lambda _: "cuda"),
    (r"environment\.frameworks\.([^.]+)\.version", lambda found: f"environment.packages.{found[1]}"),
    (r"source\.(commit|pinned)", lambda _: "source.commit"),
    (r"source\.(dirty|patch)", lambda _: "source.patch"),
    (r"source\.(repository|recipe_repository)", lambda _: "source.repository"),
)
# What makes two machines two: the noise between these is not that between repeats on one.
OF_MACHINE = ("device", "environment.cpu", "environment.cores", "scheduler.nodes")
ABSENT = "-"


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
        a, b = (" / ".join(one.value for one in side) or ABSENT for side in self.sides)
        return a, b

    @property
    def is_of_machine(self) -> bool:
        """Whether it makes it another machine."""
        return self.name in OF_MACHINE


def conditions_of(facts: Mapping[str, Fact], run: RunFile, log: Path) -> dict[str, Condition]:
    """What the ``facts`` of a ``log`` and its run.json say of how a run was made, each thing once, the log first."""
    found: dict[str, Condition] = {}
    for fact in facts.values():
        if fact.name not in OUTCOMES and fact.source.kind not in DERIVED:
            found.setdefault(_thing(fact.name), _of_fact(fact, log))
    file = str(log.with_name(RUN_FILE))
    for key, value in _stated(run):
        name = re.sub(r"^nodes\.\d+\.", "environment.", key)
        known = found.setdefault(_thing(name), Condition(value, file, key=key))
        if known.file == file and key.startswith("nodes.") and value not in known.value.split(" / "):
            # Nodes that state one thing differently give all of its values.
            found[_thing(name)] = Condition(f"{known.value} / {value}", file, key=known.key)
    found.pop(OF_THE_JOB, None)
    return found


def _of_fact(fact: Fact, log: Path) -> Condition:
    value, source = str(fact.value), fact.source
    if source.kind == "run_file":
        return Condition(value, str(log.with_name(RUN_FILE)), key=f"case.{fact.name}")
    if source.kind == "side_line":
        name, number = source.values
        return Condition(value, str(log.with_name(str(name))), line=int(str(number)))
    if source.kind in ("line", "lines"):
        return Condition(value, str(log), line=int(str(source.values[0])))
    return Condition(value, str(log), key=str(source))


def _stated(run: RunFile) -> Iterator[tuple[str, str]]:
    """The keys and values of run.json that say how a run was made; not where an ingested log was found."""
    for name, said in run.items():
        if name in COMMANDS:
            yield name, shlex.join(map(str, said)) if isinstance(said, list) else str(said)
        elif name not in OF_THE_RUN and not (name == "source" and isinstance(said, dict) and "path" in said):
            yield from _leaves(name, said)
    nodes = run.get("nodes")
    for number, node in enumerate(nodes if isinstance(nodes, list) else ()):
        yield from _leaves(f"nodes.{number}", node)


def _leaves(key: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth < DEEPEST:
        for name, inner in value.items():
            yield from _leaves(f"{key}.{name}", inner, depth + 1)
    else:
        yield key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@lru_cache(MOST_NAMES)
def _thing(name: str) -> str:
    """The one name of what has several."""
    found = ((re.fullmatch(pattern, name), thing) for pattern, thing in ALIASES)
    return next((str(thing(match)) for match, thing in found if match), name)


def differences(a: Sequence[Conditions], b: Sequence[Conditions]) -> list[Difference]:
    """What differs between the runs of two sides, at least one each, in the order in which they state it."""
    names = dict.fromkeys(name for run in (*a, *b) for name in run)
    found = ((name, tuple(_values(side, name) for side in (a, b))) for name in names)
    each = [
        Difference(name, (one, other))
        for name, (one, other) in found
        if {of.value for of in one} != {of.value for of in other} and _is_known(name, a, b) and _is_known(name, b, a)
    ]
    return [_by_words(one) if one.name in COMMANDS and all(one.sides) else one for one in each]


def _values(side: Sequence[Conditions], name: str) -> tuple[Condition, ...]:
    """One condition for each value of something: the runs of a side state it alike."""
    first: dict[str, Condition] = {}
    for run in side:
        if name in run:
            first.setdefault(run[name].value, run[name])
    return tuple(first.values())


def _is_known(name: str, side: Sequence[Conditions], other: Sequence[Conditions]) -> bool:
    """Whether runs state something, or would if it were there: all have the part of run.json that it would be in."""
    if any(name in run for run in side):
        return True
    part = next(run[name].key for run in other if name in run).rpartition(".")[0]
    return bool(part) and all(any(one.key.startswith(f"{part}.") for one in run.values()) for run in side)


def unrecorded(a: Sequence[Conditions], b: Sequence[Conditions]) -> tuple[list[str], list[str]]:
    """The parts of run.json that the runs of each side lack, and those of the other side have."""
    of_a, of_b = ({name.partition(".")[0] for run in side for name in run if "." in name} for side in (a, b))
    return sorted(of_b - of_a), sorted(of_a - of_b)


def _by_words(change: Difference) -> Difference:
    """A changed command by the words that the other side lacks, an option with its value."""
    (one, *_), (other, *_) = change.sides
    a, b = (Counter(WORD.findall(side.value)) for side in (one, other))
    if a == b:  # their order alone
        return change
    first, second = (replace(of, value=" ".join(own)) for of, own in ((one, a - b), (other, b - a)))
    return Difference(change.name, ((first,), (second,)))

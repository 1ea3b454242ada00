"""A command line: what the words that start a training say of it. Nothing of it is executed."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from parsers.io.files import opened

from .recipe import ROOM

_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_PROGRAM = re.compile(r".+\.(?:py|sh|ipynb)|python[0-9.]*|bash|sh")
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_COUNT = re.compile("[1-9][0-9]{0,8}")
_LIST = re.compile("[0-9]+(?:,[0-9]+)*")
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_ONE_CARD = re.compile("[0-9]+|(?:GPU|MIG)-[0-9A-Za-z/-]+")  # of CUDA_VISIBLE_DEVICES; -1 or a word is no card
_LONGEST_SHEBANG = 1024  # bytes

_STARTERS: dict[str, dict[str, Any]] = {
    name: starter
    for starter in tomllib.loads((ROOM / "starters.toml").read_text(encoding="utf-8"))["starter"]
    for name in starter["names"]
}


class Count(NamedTuple):
    """A whole number of at least one that a command states, and the words that state it."""

    value: int
    words: str


def counts(words: Sequence[str], environment: Mapping[str, str]) -> dict[str, Count]:
    """How many `cards` (processes that train) and `nodes` a command starts, as far as its words prove it.

    `environment`: the one that it is started in; its CUDA_VISIBLE_DEVICES, or that of the command, proves one card
    where it names one.
    """
    assigned, rest = _assignments(words)
    found = _started(rest)
    visible = assigned.get(_VISIBLE, environment.get(_VISIBLE, ""))
    if "cards" not in found and _ONE_CARD.fullmatch(visible):
        found["cards"] = Count(1, f"{_VISIBLE}={visible}")
    return found


def _started(words: Sequence[str]) -> dict[str, Count]:
    """What the last of several starters, each of which starts the next one, says; it must say its nodes then."""
    program = next((place for place, word in enumerate(words) if word.endswith(".py")), len(words))
    starters = [(place, name) for place, word in enumerate(words[:program]) if (name := _starter(word))]
    if not starters:
        return {}
    place, name = starters[-1]
    own = list(takewhile(lambda word: not _PROGRAM.fullmatch(Path(word).name), words[place + 1 :]))
    stated: dict[str, Count | None] = {}  # None for a value that is no count
    for word, following in zip(own, [*own[1:], ""], strict=False):
        option, equals, glued = word.partition("=")
        meaning = _STARTERS[name]["options"].get(option.lstrip("-"))
        if meaning and option.startswith("-"):
            value = glued if equals else following
            pattern, count = (_LIST, value.count(",") + 1) if meaning == "list" else (_COUNT, value)
            stated[meaning] = Count(int(count), f"{option} {value}") if pattern.fullmatch(value) else None
    if "elsewhere" in stated:
        return {}
    nodes, per_node = stated.get("nodes"), stated.get("per_node") or stated.get("list")
    found = {"nodes": nodes} if nodes else {}
    if total := stated.get("total"):
        found["cards"] = total
    elif per_node and nodes:
        found["cards"] = Count(per_node.value * nodes.value, f"{per_node.words} {nodes.words}")
    elif per_node and "nodes" not in stated:
        found["cards"] = per_node
    elif "alone" in _STARTERS[name] and not stated:
        found["cards"] = Count(_STARTERS[name]["alone"], name)
    return found if len(starters) == 1 or nodes else {}


def _starter(word: str) -> str:
    return next((name for name in (word, Path(word).name) if name in _STARTERS), "")


def _assignments(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The variables that `env` sets for a command, and the words after them."""
    if not words or Path(words[0]).name != "env":
        return {}, list(words)
    found = [match for match in takewhile(bool, map(_ASSIGNED.fullmatch, words[1:])) if match]
    return {match[1]: match[2] for match in found}, list(words[1 + len(found) :])


def python(words: Sequence[str], folder: Path, path: str) -> str | None:
    """The Python that a command starts, as its words or the first line of its program say; None where there is none.

    `folder`: where it is started; `path`: the PATH of its environment. A shell script may start the one on `path`.
    """
    _, rest = _assignments(words)
    for word in rest:
        program = str(folder / word) if os.sep in word else shutil.which(word, path=path)
        if _PYTHON.fullmatch(Path(word).name):
            return program
        if program and (_starter(word) or word == rest[0]) and (interpreter := _interpreter(Path(program))):
            return interpreter
    return shutil.which("python", path=path)


def _interpreter(program: Path) -> str | None:
    """The Python in the first line of a script; None for another program."""
    try:
        with opened(program) as file:
            first = file.readline(_LONGEST_SHEBANG)
    except OSError:
        return None
    words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
    return next((word for word in words if _PYTHON.fullmatch(Path(word).name)), None)

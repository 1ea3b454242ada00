"""The published configuration that a recipe reproduces, and where its native command differs from it.

What was published lies in `published/RECIPE.toml` as settings: options, keys of a config and variables with their
values. Each setting in which the command of the recipe differs must be named there with the reason.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from launchers.recipes.recipe import Recipe

PROGRAM = "program"
WORK = "$WORK"
FOLDER = Path(__file__).parent / "published"
# Options that are followed by `key=value`: they override what a config says.
_OVERRIDES = ("-o", "--override", "--opt", "--opts", "--cfg-options", "--options")
_OPTION = re.compile(r"(--?[A-Za-z][^=]*)(?:=(.*))?", re.DOTALL)
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_PROGRAM = re.compile(r"(?!.*multiproc\.py).*\.py|(?:.*/)?(?:runner|swift|llamafactory-cli|yolo)")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


class _PublishedPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class PublishedCommand(_PublishedPart):
    """One command that was published, and the variables with which the launcher should give it.

    A value may name variables: `{DATA}`.
    """

    variables: Mapping[str, str]
    settings: Mapping[str, str] = {}


class KnownDifference(_PublishedPart):
    """Settings in which the recipe differs on purpose, and why."""

    settings: tuple[str, ...]
    why: str


class Published(_PublishedPart):
    """What was published: `settings` are those of all `commands`."""

    title: str
    settings: Mapping[str, str]
    commands: tuple[PublishedCommand, ...]
    differences: tuple[KnownDifference, ...] = ()


def read(recipe: Recipe) -> Published | None:
    """Read what a recipe reproduces; None where its head says that nothing was published."""
    path = FOLDER / f"{recipe.name}.toml"
    return Published.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


def differing(published: Mapping[str, str], line: str) -> dict[str, tuple[str | None, str | None]]:
    """Map each setting that differs to its published value and that of a native command; None where one lacks it.

    `line`: what the launcher prints in a dry run. That a run writes into its own folder is no difference.
    """
    ours = settings(line)
    names = [name for name in dict.fromkeys([*published, *ours]) if ours.get(name) != WORK]
    pairs = {name: (published.get(name), ours.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if not _is_same(*pair)}


def settings(line: str) -> dict[str, str]:
    """Return what a native command sets: its program, variables of `env`, options, and keys of a config.

    `line`: what a launcher prints in a dry run. What starts a process on each card is no setting.
    """
    _, _folder, _, *command = shlex.split(line)
    place = next((place for place, word in enumerate(command) if _PROGRAM.fullmatch(word)), len(command) - 1)
    return {**dict(_variables(command)), PROGRAM: Path(command[place]).name, **options(command[place + 1 :])}


def options(arguments: Iterable[str]) -> dict[str, str]:
    """Options and keys of configs with their values; several words are one value, and that of a flag is "".

    What stands before the first option is called `arguments`.
    """
    found: dict[str, list[str]] = {}
    name = "arguments"
    for argument in arguments:
        is_glued = argument[:2] in _OVERRIDES and "=" in argument  # -oGlobal.epochs=1
        name, word = (argument[:2], argument[2:]) if is_glued else (name, argument)
        key, is_override, value = word.partition("=")
        if option := _OPTION.fullmatch(word):
            name = option[1]
            found |= {} if name in _OVERRIDES else {name: [] if option[2] is None else [option[2]]}
        elif name in ("arguments", *_OVERRIDES) and is_override:
            found[key] = [value]
        else:
            found.setdefault(name, []).append(word)
    return {name: " ".join(values) for name, values in found.items()}


def _variables(command: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The variables that each `env` of a command sets, but for where Python looks for modules."""
    for word in takewhile(lambda word: not word.startswith("python"), command):
        assigned = _ASSIGNED.fullmatch(word)
        if assigned and assigned[1] != "PYTHONPATH":
            yield assigned[1], assigned[2]


def _is_same(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one == other
    if _NUMBER.fullmatch(one) and _NUMBER.fullmatch(other):
        return float(one) == float(other)
    return one.lower() == other.lower()

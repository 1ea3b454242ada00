"""Recipes: the shell scripts beside this file, and what each states about itself at its head."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import click

ROOM = Path(__file__).resolve().parents[1]
_FACT = re.compile(r"^# ([a-z]+): (.+)$", re.MULTILINE)
_DEFAULTS = re.compile(r"^: (.+)$", re.MULTILINE)
_VARIABLE = re.compile(r'"\$\{([A-Z_]+):[=?]([^}]*)\}"')
_READ = re.compile(r'^\. ".+/(\w+\.bash)"$', re.MULTILINE)
_ENTERED = re.compile(r'^cd "\$REPO/([^"$]+)"', re.MULTILINE)
_OF_ALL = "native.bash"
SYNTHETIC = "synthetic"  # data, and the value of DATA that asks for them
LAUNCHERS = "TACHOGRAPH_LAUNCHERS"  # the variable by which a script elsewhere finds what all share
ARGUMENTS = "arguments"  # what stands before the first option, as `options` names it
# Options that are followed by `key=value`: they override what a config says.
OVERRIDES = ("-o", "--override", "--opt", "--opts", "--cfg-options", "--options")
_OPTION = re.compile(r"(--?[A-Za-z][^=]*)(?:=(.*))?", re.DOTALL)
_SIZES = (
    {"NODES": "1", "CARDS": "1"},
    {"NODES": "1", "CARDS": "8"},
    {"NODES": "2", "CARDS": "16", "MASTER": "node0:29500", "NODE_RANK": "0"},
)
# Where one process a card is wanted, several nodes are possible only with processes that were started from outside.
_SIZES_WITH_TASKS = (
    {"NODES": "1", "CARDS": "1", "TASKS": "node"},
    {"NODES": "1", "CARDS": "8", "TASKS": "node"},
    {"NODES": "1", "CARDS": "8", "TASKS": "card"},
    {"NODES": "2", "CARDS": "16", "TASKS": "card"},
)


@dataclass(frozen=True)
class Recipe:
    """One launcher script: `facts` are its `# name: value` lines, `defaults` the variables it reads."""

    name: str
    facts: Mapping[str, str]
    defaults: Mapping[str, str]
    folder: Path | None = None  # of a recipe that is not part of Tachograph

    @property
    def path(self) -> Path:
        """The script."""
        return (self.folder or ROOM) / f"{self.name}.sh"

    @property
    def shared(self) -> list[Path]:
        """The files that give options to the scripts of one framework; native.bash, which all read, gives none."""
        read, path = list[Path](), self.path
        while (found := _READ.search(path.read_text(encoding="utf-8"))) and found[1] != _OF_ALL:
            read.append(path := ROOM / found[1])
        return read

    @property
    def sha256(self) -> str:
        """That of the script, and of what it shares with others of its framework, put behind it."""
        return hashlib.sha256(b"".join(path.read_bytes() for path in [self.path, *self.shared])).hexdigest()

    @property
    def command(self) -> list[str]:
        """The arguments that start the script, seen from the folder above this one; of one's own from its folder."""
        return ["bash", self.path.name if self.folder else f"{ROOM.name}/{self.path.name}"]

    @property
    def working_folder(self) -> Path:
        """The folder that `command` is seen from."""
        return self.folder or ROOM.parent

    @property
    def is_alone(self) -> bool:
        """Whether its program writes into its checkout whatever it is told, so that two runs would mix their files."""
        return self.facts.get("alone") == "yes"

    @property
    def folders(self) -> list[str]:
        """The folders of the checkout that the script enters, as seen from it."""
        return _ENTERED.findall(self.path.read_text(encoding="utf-8"))

    @property
    def data(self) -> str:
        """What the recipe trains on: `real` data, which it reads, or `synthetic` ones, which the program makes."""
        return SYNTHETIC if self.facts["data"].startswith(f"{SYNTHETIC},") else "real"

    @property
    def can_make_data(self) -> bool:
        """Whether the program of a recipe that reads data makes synthetic ones as well, with DATA=synthetic."""
        return SYNTHETIC in self.facts

    def states(self, variables: Mapping[str, str]) -> dict[str, int | str]:
        """Return the further facts of a case that the head states, such as `dali=$DALI sequence_length=128`."""
        pairs = (word.partition("=") for word in self.facts.get("case", "").split())
        said = {name: variables.get(value[1:], "") if value.startswith("$") else value for name, _, value in pairs}
        return {name: int(value) if value.isdecimal() else value for name, value in said.items()}

    def precisions(self, device: str) -> list[str]:
        """List the precisions in which the recipe really trains on `device`; none on a device it does not know."""
        return self.facts.get(device, "").split()


def names() -> list[str]:
    """List the names of all recipes, sorted."""
    return sorted(path.stem for path in ROOM.glob("*.sh"))


def read(name: str) -> Recipe:
    """Read the recipe called `name`. Raises FileNotFoundError where there is none."""
    return parsed(name, (ROOM / f"{name}.sh").read_text(encoding="utf-8"))


def parsed(name: str, script: str, folder: Path | None = None) -> Recipe:
    """Read the text of a script; `folder`: where it is, if not here."""
    defaults = "\n".join(_DEFAULTS.findall(script))
    return Recipe(name, dict(_FACT.findall(script)), dict(_VARIABLE.findall(defaults)), folder)


def cases(recipe: Recipe) -> Iterator[dict[str, str]]:
    """Yield the launcher variables of every case worth looking at.

    These are each device and precision the recipe states, on 1 card, 8 cards, and 2 nodes of 8 cards.
    """
    on_one_node = _SIZES if "MASTER" in recipe.defaults else _SIZES[:2]
    sizes = _SIZES_WITH_TASKS if "TASKS" in recipe.defaults else on_one_node
    for device in ("gpu", "cpu"):
        for precision, size in product(recipe.precisions(device), sizes):
            wanted = {"DEVICE": device, "PRECISION": precision, **size}
            yield {name: value for name, value in wanted.items() if name in recipe.defaults}


def dry_run(recipe: Recipe, repo: Path, variables: Mapping[str, str]) -> str:
    """Return the shell line that the launcher of `recipe` would start in the checkout `repo`.

    Raises click.ClickException with the launcher's own words where it refuses the variables.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in {*recipe.defaults, "DATA"}}
    environment = {**inherited, **variables, "REPO": str(repo.resolve()), "DRY_RUN": "1", LAUNCHERS: str(ROOM)}
    answer = subprocess.run(
        recipe.command, cwd=recipe.working_folder, env=environment, capture_output=True, text=True, check=False
    )
    if answer.returncode or not answer.stdout.startswith("cd "):
        given = " ".join(f"{name}={value}" for name, value in variables.items())
        reason = answer.stderr.strip() or "its dry run does not print a command"
        raise click.ClickException(f"{recipe.name} cannot build a command for {given} in {repo}: {reason}")
    return answer.stdout


def words(line: str) -> tuple[str, list[str]]:
    """Return the folder and the words of a native command, as a dry run prints it, with $REPO and $WORK in them."""
    _, folder, _, *command = shlex.split(line)
    return folder, command


def options(arguments: Iterable[str]) -> dict[str, str]:
    """Options and keys of configs with their values; several words are one value, and none is "" as of a flag."""
    found: dict[str, list[str]] = {}
    name = ARGUMENTS
    for argument in arguments:
        is_glued = argument[:2] in OVERRIDES and "=" in argument  # -oGlobal.epochs=1
        name, word = (argument[:2], argument[2:]) if is_glued else (name, argument)
        key, is_override, value = word.partition("=")
        if option := _OPTION.fullmatch(word):
            name = option[1]
            found |= {} if name in OVERRIDES else {name: [] if option[2] is None else [option[2]]}
        elif name in (ARGUMENTS, *OVERRIDES) and is_override:
            found[key] = [value]
        else:
            found.setdefault(name, []).append(word)
    return {name: " ".join(values) for name, values in found.items()}

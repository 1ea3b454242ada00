"""The native commands of a recipe, as its launcher prints them, and the words that such a command is made of."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path

import click

from parsers.io.input_file import text_of

from . import native_configs
from .native_sources import parse
from .recipes import LAUNCHERS, ROOM, Recipe

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
# Options that are followed by `key=value`: they override what a config says.
OVERRIDES = ("-o", "--override", "--opt", "--opts", "--cfg-options", "--options")


@dataclass(frozen=True)
class Use:
    """A word of a command that has to exist: an option, or the key of a config that is overridden.

    `programs` are the native programs of which one has to know it, `value` is what an option or a key is given; None
    where an option is given nothing. A key stands behind an override option, or by itself where there is no option.
    """

    option: str
    programs: tuple[Path, ...]
    key: str = ""
    value: str | None = None


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


def printed(recipe: Recipe, repo: Path, variables: dict[str, str]) -> str:
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


class NativeCommand:
    """One native command, seen from a checkout.

    `line` is what a launcher prints, `cd "$REPO"/FOLDER && PROGRAM WORD…`, `repo` the resolved path of the checkout.
    Raises click.ClickException where no word of it is a program of the checkout.
    """

    def __init__(self, line: str, repo: Path) -> None:
        _, folder, _, *words = shlex.split(line)
        self.words = [*words, *appended(words)]
        self.folder, self.repo = Path(folder.replace("$REPO", str(repo), 1)).resolve(), repo
        files = ((place, self._file(word)) for place, word in enumerate(self.words))
        self._programs = {place: path for place, path in files if path and _is_program(path)}
        if not self._programs:
            raise click.ClickException(
                f"The native command does not run any program in {repo}: {shlex.join(self.words)}"
            )

    @property
    def programs(self) -> list[Path]:
        """The programs of the checkout that the command names, in its order."""
        return list(self._programs.values())

    @property
    def configs(self) -> list[Path]:
        """The configs of the checkout that the command names."""
        files = (self._file(value) for value in self._values)
        return [path for path in files if path and native_configs.is_config(path)]

    @property
    def missing(self) -> list[str]:
        """The programs and configs that the command names and the checkout lacks, but for data, which begin with ./."""
        named = (value for value in self._values if value.endswith(native_configs.SUFFIXES))
        return [value for value in named if not value.startswith("./") and not self._file(value)]

    @property
    def starter(self) -> list[str]:
        """The options before the first native program: those of env, of python, of what starts one process a card."""
        words = self.words[: min(self._programs)]
        options = [place for place, word in enumerate(words) if _is_option(word)]
        # What -m starts is named with it; of the others the value does not matter.
        return [" ".join(words[place : place + 1 + (words[place] == "-m")]).partition("=")[0] for place in options]

    def uses(self) -> Iterator[Use]:
        """Yield every option and every overridden key from the first native program on."""
        option, programs = "", self._started()
        for place, word in enumerate(self.words):
            if place in self._programs:
                option, programs = "", self._started(place)
            elif place > min(self._programs) and _is_option(word):
                option, value = _split(word)
                yield Use(option, programs, value=value or self._value(place))
                yield from _overridden(option, value, programs)
            elif option or place > min(self._programs):
                yield from _overridden(option, word, programs)

    def _value(self, place: int) -> str | None:
        """What follows an option, if that is no option itself."""
        following = self.words[place + 1 : place + 2]
        return following[0] if following and not _is_option(following[0]) else None

    @property
    def _values(self) -> list[str]:
        return [word.rpartition("=")[2] for word in self.words[min(self._programs) :]]

    def _file(self, word: str) -> Path | None:
        path = (self.folder / word).resolve()
        return path if path.is_relative_to(self.repo) and path.is_file() else None

    def _started(self, after: int = 0) -> tuple[Path, ...]:
        """List the programs named in the command from the word `after` on, and those that they and these start."""
        found = dict.fromkeys(path for place, path in self._programs.items() if place >= after)
        waiting = list(found)
        while waiting:
            inner = [path for path in self._inner(waiting.pop(0)) if path not in found]
            found |= dict.fromkeys(inner)
            waiting += inner
        return tuple(found)

    def _inner(self, program: Path) -> list[Path]:
        files = [self._file(str(place / name)) for name in _names(program) for place in (program.parent, self.folder)]
        return [path for path in files if path]


def appended(words: Sequence[str]) -> list[str]:
    """List what a piece of shell in a command, `bash -c '… "$@" …'`, puts after the words that it is given."""
    pieces = (word for flag, word in pairwise(words) if flag == "-c" and '"$@"' in word)
    return [appended for piece in pieces for appended in shlex.split(piece.partition('"$@"')[2])]


def _names(program: Path) -> list[str]:
    """List the words and literals of a program that look like the name of another one."""
    if program.suffix == ".sh":
        return re.findall(r"[\w.-]+\.py\b", text_of(program, errors="replace"))
    literals = (node.value for node in ast.walk(parse(program)) if isinstance(node, ast.Constant))
    return [text for text in literals if isinstance(text, str) and re.fullmatch(r"[\w./-]+\.py|\./[\w.-]+", text)]


def _is_program(path: Path) -> bool:
    if path.suffix == ".py":
        return not native_configs.is_config(path)
    return path.suffix == ".sh" or (not path.suffix and os.access(path, os.X_OK))


def _is_option(word: str) -> bool:
    return re.match(r"--?[A-Za-z]", word) is not None


def _split(word: str) -> tuple[str, str]:
    """Split an option from the value glued to it."""
    if word[:2] in OVERRIDES:
        return word[:2], word[2:]
    option, _, value = word.partition("=")
    return option, value


def _overridden(option: str, value: str, programs: tuple[Path, ...]) -> Iterator[Use]:
    key, is_override, given = value.partition("=")
    if option in ("", *OVERRIDES) and is_override:
        yield Use(option, programs, key, given)

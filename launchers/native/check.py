"""The check of a recipe against a checkout: does every option that its launcher passes exist there?"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import click
import yaml

from . import checkout, native_configs, native_options
from .native_commands import NativeCommand, Use, cases, printed
from .native_configs import ConfigKey
from .native_fields import inherits_from_outside
from .native_sources import PythonFile, reachable
from .outcome import Checked, CheckOutcome, passing_sha256
from .recipes import Recipe

_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false"}
_BUILDS = ("name", "type")  # the keys of a config that say which class is built with the other keys beside them


def check(recipe: Recipe, repo: Path) -> CheckOutcome:
    """Check every option that the launcher of `recipe` passes in any of its cases against the checkout `repo`.

    The programs are read, never executed. Raises click.ClickException where the launcher prints no command for a case,
    the command starts no program of the checkout, or a config of it cannot be read.
    """
    with _uncollected():
        return _outcome(recipe, repo.resolve())


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect no garbage: there is none among the millions of nodes of a large checkout, and looking takes longest."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _outcome(recipe: Recipe, repo: Path) -> CheckOutcome:
    commands = [NativeCommand(printed(recipe, repo, variables), repo) for variables in cases(recipe)]
    native = _Native(commands, repo)
    checked = [item for item in native.examined(commands) if not native.is_outside(item)]
    outside = [item.option for item in native.examined(commands) if native.is_outside(item)]
    starter = dict.fromkeys([*(option for command in commands for option in command.starter), *outside])
    commit = checkout.describe(repo)["commit"]
    return CheckOutcome(recipe.name, passing_sha256(recipe), commit, tuple(checked), tuple(starter))


def examine(commands: Sequence[NativeCommand], repo: Path) -> list[Checked]:
    """List every option of any of the commands once, in their order; `repo` is the resolved path of the checkout.

    Raises click.ClickException where a config cannot be read.
    """
    return _Native(commands, repo).examined(commands)


class _Native:
    """What can be set in the programs and configs that some commands name."""

    def __init__(self, commands: Iterable[NativeCommand], repo: Path) -> None:
        programs = {program for command in commands for use in command.uses() for program in use.programs}
        sources = {program: reachable(program, repo) for program in programs}
        self._repo = repo
        self._options = {program: native_options.options(files) for program, files in sources.items()}
        self._listed = {program: native_options.values(files) for program, files in sources.items()}
        self._sources = sources
        self._configs = {path: _config(path, repo) for command in commands for path in command.configs}
        self._inherits = {self._shown(program): inherits_from_outside(files) for program, files in sources.items()}

    @cached_property
    def _new_keys(self) -> dict[Path, dict[str, str]]:
        """By program the keys that its configs need not have; only a command with keys asks for them."""
        return {program: _new_keys(files) for program, files in self._sources.items()}

    def examined(self, commands: Iterable[NativeCommand]) -> list[Checked]:
        """List every option of any of the commands once, in their order."""
        return list(dict.fromkeys(item for command in commands for item in self.checked(command)))

    def is_outside(self, item: Checked) -> bool:
        """Say whether an option is not found that may be one of a library which the checkout builds on."""
        return item.where is None and self._inherits.get(item.program, False)

    def checked(self, command: NativeCommand) -> Iterator[Checked]:
        """Yield what is known of every use of a command, and the files that it names and that are not there."""
        uses = list(command.uses())
        overridden = {use.key: use.value or "" for use in uses if use.key}
        for use in uses:
            yield self._key(use, command.configs, overridden) if use.key else self._option(use)
        for name in command.missing:
            yield Checked(name, self._shown(command.programs[0]), None)

    def _option(self, use: Use) -> Checked:
        for program in use.programs:
            for name in (use.option, use.option[:2]):  # a short option may have its value glued to it
                if where := self._options[program].get(name):
                    listed = self._listed[program].get(name, ())
                    return Checked(name, self._shown(program), where, _refused(use.value, listed))
        return Checked(use.option, self._shown(use.programs[0]), None)

    def _key(self, use: Use, configs: Sequence[Path], overridden: Mapping[str, str]) -> Checked:
        keys = use.key.split(".")
        found = max((self._configs[path].find(keys) for path in configs), key=len, default=[])
        # What the config lacks may still be asked for: every such key, with the line that asks for the last of them.
        built = _built(keys[:-1], found[: len(keys) - 1], overridden)
        asked = [self._asked(key, built, use.programs) for key in keys[len(found) :]]
        where = found[-1].where if not asked else None if None in asked else asked[-1]
        # That another config sets it is better known than that something reads a key of this name.
        if (where is None or where.startswith("read")) and any(self._new_keys[program] for program in use.programs):
            where = self._set_beside(keys, configs) or where
        kind = found[-1].kind if len(found) == len(keys) else ""
        wrong = "" if native_configs.fits(kind, use.value or "") else f"{use.value}; expected {_KINDS[kind]}"
        return Checked(f"{use.option} {use.key}".strip(), self._shown(use.programs[0]), where, wrong)

    def _set_beside(self, keys: Sequence[str], configs: Iterable[Path]) -> str | None:
        """Say which other config of the same folder sets a key: a library that is not here may ask for it."""
        for path in (path for config in configs for path in sorted(config.parent.iterdir())):
            if path.is_file() and native_configs.is_config(path):
                found = _config(path, self._repo).find(keys)
                if len(found) == len(keys):
                    return f"set by {found[-1].where}"
        return None

    def _asked(self, key: str, built: Sequence[str], programs: Iterable[Path]) -> str | None:
        known = {name: where for program in programs for name, where in self._new_keys[program].items()}
        places = (known.get(name) for name in (*(f"{name}.{key}" for name in built), key))
        return next((place for place in places if place), None)

    def _shown(self, program: Path) -> str:
        return program.relative_to(self._repo).as_posix()


def _refused(value: str | None, listed: Sequence[str]) -> str:
    """Say which value is not among those that a program lists, if it lists any."""
    return f"{value}; possible: {', '.join(listed)}" if value and listed and value not in listed else ""


def _built(keys: Sequence[str], entries: Sequence[ConfigKey], overridden: Mapping[str, str]) -> list[str]:
    """List the classes that the mapping under `keys` may build: what it is given to build comes before what it has."""
    given = [overridden[name] for word in _BUILDS if (name := ".".join([*keys, word])) in overridden]
    own = [entries[-1].below[word].text for word in _BUILDS if entries and word in entries[-1].below]
    return [*given, *own]


def _new_keys(sources: Sequence[PythonFile]) -> dict[str, str]:
    """Map keys that a config need not have to the place that asks for them, parameters as `Name.parameter`."""
    if not native_options.takes_new_keys(sources):
        return {}
    read = {key: f"read by {where}" for key, where in native_options.keys_read(sources).items()}
    return read | {name: f"taken by {where}" for name, where in native_options.parameters(sources).items()}


def _config(path: Path, repo: Path) -> ConfigKey:
    try:
        return native_configs.read(path, repo)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise click.ClickException(f"Cannot read the config {path}: {error}") from None

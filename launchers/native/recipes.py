"""Recipes: the shell scripts beside this file, and what each states about itself at its head."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOM = Path(__file__).resolve().parents[1]
_FACT = re.compile(r"^# ([a-z]+): (.+)$", re.MULTILINE)
_DEFAULTS = re.compile(r"^: (.+)$", re.MULTILINE)
_VARIABLE = re.compile(r'"\$\{([A-Z_]+):[=?]([^}]*)\}"')
_READ = re.compile(r'^\. "\$\(dirname "\$\{BASH_SOURCE\[0\]\}"\)/(.+\.bash)"$', re.MULTILINE)
_OF_ALL = "native.bash"
SYNTHETIC = "synthetic"  # data, and the value of DATA that asks for them
LAUNCHERS = "TACHOGRAPH_LAUNCHERS"  # the variable by which a script elsewhere finds what all share


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
    def command(self) -> list[str]:
        """The arguments that start the script, seen from the folder above this one; of one's own from its folder."""
        return ["bash", self.path.name if self.folder else f"{ROOM.name}/{self.path.name}"]

    @property
    def working_folder(self) -> Path:
        """The folder that `command` is seen from."""
        return self.folder or ROOM.parent

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

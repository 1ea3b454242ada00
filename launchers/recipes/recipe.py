"""Recipes: shell scripts that start a native program, and what each states about itself at its head.

Those of Tachograph are the scripts above this package. One's own are found by their path.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from parsers.io.files import text_of
from parsers.io.printable import printable

ROOM = Path(__file__).resolve().parents[1]
LAUNCHERS = "TACHOGRAPH_LAUNCHERS"  # the variable by which a script elsewhere finds what all share
SUFFIX = ".sh"
MADE = "made-images.txt"  # says that images were made, and is beside them
SYNTHETIC = "synthetic"  # data, and the value of DATA that asks for them
_FACT = re.compile(r"^# ([a-z]+): (.+)$", re.MULTILINE)
_DEFAULTS = re.compile(r"^: (.+)$", re.MULTILINE)
_VARIABLE = re.compile(r'"\$\{([A-Z_]+):[=?]([^}]*)\}"')
_READ = re.compile(r'^\. ".+/(\w+\.bash)"$', re.MULTILINE)
_ENTERED = re.compile(r'^cd "\$REPO/([^"$]+)"', re.MULTILINE)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_FACTS = ("model", "framework", "repository", "commit", "licence", "metric", "data", "needs")
_VARIABLES = ("REPO", "NODES", "CARDS", "PRECISION", "BATCH_SIZE", "STEPS", "EXTRA")
_LARGEST = 1 << 20  # bytes of a script


@dataclass(frozen=True)
class Recipe:
    """One script: `facts` are its `# name: value` lines, `defaults` the variables it reads.

    `folder`: where it is, if it is not part of Tachograph.
    """

    name: str
    facts: Mapping[str, str]
    defaults: Mapping[str, str]
    folder: Path | None = None

    @property
    def path(self) -> Path:
        """The script."""
        return (self.folder or ROOM) / f"{self.name}{SUFFIX}"

    @property
    def sha256(self) -> str:
        """That of the script, and of the files that give options to all scripts of its framework, put behind it."""
        digest, path = hashlib.sha256(), self.path
        while path.name != "native.bash":  # which all read; it gives no options
            digest.update(text := path.read_bytes())
            path = ROOM / (found[1] if (found := _READ.search(text.decode())) else "native.bash")
        return digest.hexdigest()

    @property
    def command(self) -> list[str]:
        """The arguments that start the script, as seen from the folder above Tachograph's; from that of one's own."""
        return ["bash", self.path.name if self.folder else f"{ROOM.name}/{self.path.name}"]

    @property
    def data(self) -> str:
        """What the recipe trains on: `real` data, which it reads, or `synthetic` ones, which the program makes."""
        return SYNTHETIC if self.facts["data"].startswith(f"{SYNTHETIC},") else "real"

    @property
    def can_make_data(self) -> bool:
        """Whether the program of a recipe that reads data makes synthetic ones as well, with DATA=synthetic."""
        return SYNTHETIC in self.facts

    @property
    def folders(self) -> list[str]:
        """The folders of the checkout that the script enters, as seen from it."""
        return _ENTERED.findall(self.path.read_text(encoding="utf-8"))

    def states(self, variables: Mapping[str, str]) -> dict[str, int | str]:
        """Return the further facts of a case that the head states, such as `dali=$DALI sequence_length=128`."""
        pairs = (word.partition("=") for word in self.facts.get("case", "").split())
        said = {name: variables.get(value[1:], "") if value.startswith("$") else value for name, _, value in pairs}
        return {name: int(value) if value.isdecimal() else value for name, value in said.items()}

    def precisions(self, device: str) -> list[str]:
        """List the precisions in which the recipe really trains on `device`; none on a device it does not know."""
        return self.facts.get(device, "").split()


def _scripts() -> dict[str, Path]:
    return {path.stem: path for path in sorted(ROOM.glob(f"*{SUFFIX}"))}


def read_all() -> Iterator[Recipe]:
    """Read all recipes of Tachograph."""
    yield from map(_read, _scripts().values())


def is_known(name: str) -> bool:
    """Whether a name, or a path, is that of a recipe."""
    return name.endswith(SUFFIX) or name in _scripts()


def find(name: str) -> Recipe:
    """Read a recipe by its name, or by the path of its script.

    Raises click.UsageError for an unknown one, and for a script whose head does not say what a recipe has to.
    """
    scripts = _scripts()
    if not is_known(name):
        raise click.UsageError(f"No recipe is named {printable(name)}; recipes: {', '.join(scripts)}.")
    return _read(scripts.get(name, Path(name)))


def _read(path: Path) -> Recipe:
    """Read a script; raises click.UsageError where it cannot be read, or is not a recipe."""
    shown = printable(str(path))
    try:
        if path.stat().st_size > _LARGEST:
            raise click.UsageError(f"{shown} is larger than {_LARGEST} bytes, so it is not a recipe.")
        script = text_of(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise click.UsageError(f"Recipe {shown} cannot be read: {reason}.") from None
    folder = path.resolve().parent
    defaults = "\n".join(_DEFAULTS.findall(script))
    facts, variables = dict(_FACT.findall(script)), dict(_VARIABLE.findall(defaults))
    recipe = Recipe(path.stem, facts, variables, None if folder == ROOM else folder)
    if mistake := next(_mistakes(recipe), None):
        raise click.UsageError(f"{shown} is not a recipe: {mistake}.")
    return recipe


def _mistakes(recipe: Recipe) -> Iterator[str]:
    """What keeps a script from being a recipe."""
    if not _NAME.fullmatch(recipe.name):
        yield "its name has other characters than letters, digits, `_`, `-` and `.`"
    if recipe.folder and (ROOM / recipe.path.name).exists():
        yield "a recipe of this name is part of Tachograph; give it another name"
    for name in _FACTS:
        if not recipe.facts.get(name, "").strip():
            yield f"its head has no line `# {name}: ...`"
    if not (recipe.precisions("gpu") or recipe.precisions("cpu")):
        yield "its head has no line `# gpu: ...` or `# cpu: ...` with the precisions that it trains in"
    for name in _VARIABLES:
        if name not in recipe.defaults:
            yield f'it does not set a default of {name}, such as : "${{{name}:=1}}"'
    try:
        re.compile(recipe.facts.get("metric", ""))
    except re.error as error:
        yield f"its metric is not a regular expression: {error}"


def dry_run(recipe: Recipe, repo: Path, variables: Mapping[str, str]) -> str:
    """Return the shell line that the launcher of `recipe` would start in the checkout `repo`; it needs REPO and WORK.

    Raises click.ClickException with the launcher's own words where it refuses the variables.
    """
    ours = {*recipe.defaults, "DATA", "PYTHONPATH"}
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    environment = {**inherited, **variables, "REPO": str(repo.resolve()), "DRY_RUN": "1", LAUNCHERS: str(ROOM)}
    answer = subprocess.run(
        recipe.command, cwd=recipe.folder or ROOM.parent, env=environment, capture_output=True, text=True, check=False
    )
    if answer.returncode or not answer.stdout.startswith("cd "):
        given = " ".join(f"{name}={value}" for name, value in variables.items())
        reason = answer.stderr.strip() or "its dry run does not print a command"
        raise click.ClickException(f"{recipe.name} cannot build a command for {given} in {repo}: {reason}")
    return answer.stdout

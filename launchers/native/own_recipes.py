"""Recipes of one's own: scripts outside of this package, by their path or in the folders of TACHOGRAPH_RECIPES."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import click

from parsers.io.input_file import text_of
from parsers.io.printable import printable

from . import checkout, recipes
from .recipes import ROOM, Recipe

FOLDERS = "TACHOGRAPH_RECIPES"
SUFFIX = ".sh"
_FACTS = ("model", "framework", "repository", "commit", "licence", "metric", "data", "needs")
_VARIABLES = ("REPO", "NODES", "CARDS", "PRECISION", "BATCH_SIZE", "STEPS", "EXTRA")
_LARGEST = 1 << 20  # bytes of a script
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_DRAFT = ROOM / "recipe.sh.draft"


def find(name: str, own: Sequence[Path] = ()) -> Recipe:
    """Read a recipe by its name, that of a shipped one or of one of one's own, or by the path of its script.

    `own`: scripts beside those in the folders of TACHOGRAPH_RECIPES. Raises click.UsageError for an unknown one, and
    for a script whose head does not say what a recipe has to.
    """
    if name.endswith(SUFFIX):
        return read(Path(name))
    if name in recipes.names():
        return recipes.read(name)
    scripts = _scripts(own)
    if name not in scripts:
        known = [*recipes.names(), *scripts]
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"recipes: {', '.join(known)}."
        raise click.UsageError(f"No recipe is named {printable(name)}; {hint}")
    return read(scripts[name])


def is_known(name: str, own: Sequence[Path] = ()) -> bool:
    """Whether a name, or a path, is that of a recipe."""
    return name.endswith(SUFFIX) or name in recipes.names() or name in _scripts(own)


def read_all() -> Iterator[Recipe]:
    """Read all recipes, the shipped ones and those in the folders of TACHOGRAPH_RECIPES; raises click.UsageError."""
    yield from map(recipes.read, recipes.names())
    yield from map(read, _scripts(()).values())


def read(path: Path) -> Recipe:
    """Read a script; raises click.UsageError where it cannot be read, or is no recipe."""
    shown = printable(str(path))
    try:
        if path.stat().st_size > _LARGEST:
            raise click.UsageError(f"{shown} is larger than {_LARGEST} bytes, so it is not a recipe.")
        recipe = recipes.parsed(path.stem, text_of(path), path.resolve().parent)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise click.UsageError(f"Recipe {shown} cannot be read: {reason}.") from None
    if mistake := next(_mistakes(recipe), None):
        raise click.UsageError(f"{shown} is not a recipe: {mistake}.")
    return recipe


def _scripts(own: Sequence[Path]) -> Mapping[str, Path]:
    """The scripts of one's own by their names, those that are named first."""
    folders = [Path(folder) for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]
    found = [*own, *(path for folder in folders for path in sorted(folder.glob(f"*{SUFFIX}")))]
    return {path.stem: path for path in reversed(found)}


def _mistakes(recipe: Recipe) -> Iterator[str]:
    """What keeps a script from being a recipe."""
    if not _NAME.fullmatch(recipe.name):
        yield "its name has other characters than letters, digits, `_`, `-` and `.`"
    if recipe.name in recipes.names():
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


def draft(name: str, repo: Path | None) -> str:
    """Return the script of a new recipe; of a checkout `repo` its repository and commit.

    Raises click.UsageError for a name that no recipe may have.
    """
    if not _NAME.fullmatch(name) or name in recipes.names():
        taken = "is the name of a recipe of Tachograph" if name in recipes.names() else "is not a name"
        raise click.UsageError(f"{printable(name)} {taken}; use letters, digits, `_`, `-` and `.`, such as my_model.")
    known = checkout.describe(repo) if repo else {}
    text = text_of(_DRAFT).replace("@NAME@", name)
    text = text.replace("@REPOSITORY@", known.get("repository") or "https://example.com/owner/repository")
    return text.replace("@COMMIT@", known.get("commit") or "0" * 40)

"""The catalogue of the recipes: what each runs and needs, and what its check against the native repository found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import TypeAdapter
from tabulate import tabulate

from ..io.regular_file import write_whole
from . import outcome as words
from . import own_recipes, recipes
from .outcome import CheckOutcome
from .recipes import Recipe

_OUTCOMES = TypeAdapter(dict[str, CheckOutcome])
_TEMPLATES = Environment(  # noqa: S701  it renders Markdown, where nothing is to be escaped
    loader=FileSystemLoader(recipes.ROOM), keep_trailing_newline=True, undefined=StrictUndefined
)


def rows() -> list[dict[str, str]]:
    """List the recipes with the columns recipe, model, framework, repository@commit, precisions, data and needs."""
    return [_row(recipe) for recipe in own_recipes.read_all()]


def table() -> str:
    """Render the recipes for the terminal."""
    return tabulate(rows(), "keys", "simple", maxcolwidths=[*[None] * 6, 40], disable_numparse=True)


def load(path: Path) -> dict[str, CheckOutcome]:
    """Read the outcomes that `keep` wrote; none where there is no such file. Raises pydantic.ValidationError."""
    return _OUTCOMES.validate_json(path.read_bytes()) if path.is_file() else {}


def keep(outcome: CheckOutcome, path: Path) -> None:
    """Write an outcome into the JSON file `path`, in the place of an earlier one of the same recipe; raises OSError."""
    outcomes = load(path) | {outcome.recipe: outcome}
    write_whole(path, _OUTCOMES.dump_json(dict(sorted(outcomes.items())), indent=1) + b"\n")


def page(outcomes: Mapping[str, CheckOutcome]) -> str:
    """Render the page of all recipes in Markdown; the outcome for a launcher that has changed since is left out."""
    known = [recipes.read(name) for name in recipes.names()]
    told = [(recipe, outcomes.get(recipe.name)) for recipe in known]
    current = [(recipe, outcome if outcome and is_current(recipe, outcome) else None) for recipe, outcome in told]
    template = _TEMPLATES.get_template("catalogue.md.jinja")
    return template.render(recipes=current, repository=_repository, summary=words.summary, remarks=words.remarks)


def is_current(recipe: Recipe, outcome: CheckOutcome) -> bool:
    """Say whether the launcher is the very file that was checked."""
    return outcome.launcher == words.recipe_sha256(recipe)


def _row(recipe: Recipe) -> dict[str, str]:
    facts = recipe.facts
    return {
        "recipe": recipe.name,
        "model": facts["model"],
        "framework": facts["framework"],
        "repository": _repository(recipe),
        "precisions": _precisions(recipe),
        "data": recipe.data,
        "needs": facts["needs"],
    }


def _repository(recipe: Recipe) -> str:
    return f"{'/'.join(recipe.facts['repository'].split('/')[-2:])}@{recipe.facts['commit'][:7]}"


def _precisions(recipe: Recipe) -> str:
    stated = {device: recipe.precisions(device) for device in ("gpu", "cpu")}
    return "; ".join(f"{device}: {' '.join(precisions)}" for device, precisions in stated.items() if precisions)

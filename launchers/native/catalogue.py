"""The catalogue of the recipes: what each runs and needs, and what its check against the native repository found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import TypeAdapter
from tabulate import tabulate

from parsers.io.atomic_write import replace_file

from . import outcome as words
from . import own_recipes, published, recipes
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
    replace_file(path, _OUTCOMES.dump_json(dict(sorted(outcomes.items())), indent=1, exclude_defaults=True) + b"\n")


def page(outcomes: Mapping[str, CheckOutcome]) -> str:
    """Render the page of all recipes in Markdown; the outcome for a launcher that has changed since is left out."""
    known = [recipes.read(name) for name in recipes.names()]
    told = [(recipe, outcomes.get(recipe.name)) for recipe in known]
    current = [(recipe, outcome if outcome and is_current(recipe, outcome) else None) for recipe, outcome in told]
    template = _TEMPLATES.get_template("catalogue.md.jinja")
    outcomes_told = {"summary": words.summary, "remarks": words.remarks}
    recipes_told = {"repository": _repository, "data": _data}
    as_published = {"published": _published, "same": _same, "different": _different}
    return template.render(recipes=current, **outcomes_told, **recipes_told, **as_published)


def is_current(recipe: Recipe, outcome: CheckOutcome) -> bool:
    """Say whether the launcher passes what was checked: its comments may have changed since."""
    return outcome.launcher == words.passing_sha256(recipe)


def _row(recipe: Recipe) -> dict[str, str]:
    facts = recipe.facts
    return {
        "recipe": recipe.name,
        "model": facts["model"],
        "framework": facts["framework"],
        "repository": _repository(recipe),
        "precisions": _precisions(recipe),
        "data": _data(recipe),
        "needs": facts["needs"],
    }


def _published(recipe: Recipe) -> str:
    """The source of what a recipe reproduces, as a link; without one the words of its head."""
    known, source = published.read(recipe), recipe.facts["published"]
    return f"[{known.title}]({source})" if known else source.partition(", ")[2]


def _same(recipe: Recipe) -> str:
    """The settings in which a recipe does not differ; the file beside the recipes has their values."""
    known = published.read(recipe)
    return f"{_listed(known.same)} ([values](../launchers/{published.FOLDER}/{recipe.name}.toml))" if known else "-"


def _different(recipe: Recipe) -> str:
    known = published.read(recipe)
    return "<br>".join(f"{_listed(each.settings)}: {each.why}" for each in known.differences) if known else "-"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _data(recipe: Recipe) -> str:
    """What a recipe trains on, both where its program can make data as well."""
    return f"{recipe.data}, {recipes.SYNTHETIC}" if recipe.can_make_data else recipe.data


def _repository(recipe: Recipe) -> str:
    return f"{'/'.join(recipe.facts['repository'].split('/')[-2:])}@{recipe.facts['commit'][:7]}"


def _precisions(recipe: Recipe) -> str:
    stated = {device: recipe.precisions(device) for device in ("gpu", "cpu")}
    return "; ".join(f"{device}: {' '.join(precisions)}" for device, precisions in stated.items() if precisions)

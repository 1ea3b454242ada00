"""The catalogue of the recipes: what each runs and needs."""

from __future__ import annotations

from tabulate import tabulate

from . import own_recipes, recipes
from .recipes import Recipe


def rows() -> list[dict[str, str]]:
    """List the recipes with the columns recipe, model, framework, repository@commit, precisions, data and needs."""
    return [_row(recipe) for recipe in own_recipes.read_all()]


def table() -> str:
    """Render the recipes for the terminal."""
    return tabulate(rows(), "keys", "simple", maxcolwidths=[*[None] * 6, 40], disable_numparse=True)


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


def _data(recipe: Recipe) -> str:
    """What a recipe trains on, both where its program can make data as well."""
    return f"{recipe.data}, {recipes.SYNTHETIC}" if recipe.can_make_data else recipe.data


def _repository(recipe: Recipe) -> str:
    return f"{'/'.join(recipe.facts['repository'].split('/')[-2:])}@{recipe.facts['commit'][:7]}"


def _precisions(recipe: Recipe) -> str:
    stated = {device: recipe.precisions(device) for device in ("gpu", "cpu")}
    return "; ".join(f"{device}: {' '.join(precisions)}" for device, precisions in stated.items() if precisions)

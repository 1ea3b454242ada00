"""Each recipe says which published configuration it reproduces, and runs it but for what it says and why."""

from __future__ import annotations

from pathlib import Path

import published_commands as published
import pytest
from native_checkout import RECIPES
from test_launched_commands import start

from launchers.recipes import recipe as recipes

PUBLISHED = sorted(path.stem for path in published.FOLDER.glob("*.toml"))
every_published = pytest.mark.parametrize("recipe", PUBLISHED)
LINE = 'cd "$REPO"/example && env A=1 python -m torch.distributed.run --nproc_per_node 8 train.py data '


def settings_of(known: published.Published, command: published.PublishedCommand) -> dict[str, str]:
    """Every setting of one of the commands, with its variables filled in."""
    stated = {**known.settings, **command.settings}
    return {name: value.format_map(command.variables) for name, value in stated.items()}


def differing(recipe: str, top: Path) -> set[str]:
    """The settings in which a command of the recipe is not the published one."""
    known = published.read(recipes.find(recipe))
    assert known
    found = set[str]()
    for number, command in enumerate(known.commands):
        answer = start(top / str(number), recipe, DRY_RUN="1", **command.variables)
        assert answer.returncode == 0, answer.stderr
        found |= published.differing(settings_of(known, command), answer.stdout).keys()
    return found


def explained(recipe: str) -> list[str]:
    """The settings whose difference has a reason."""
    known = published.read(recipes.find(recipe))
    assert known
    return [name for difference in known.differences for name in difference.settings]


@every_published
def test_a_recipe_runs_what_was_published_but_for_the_settings_that_it_says(tmp_path: Path, recipe: str) -> None:
    reasons = explained(recipe)
    assert (differing(recipe, tmp_path), len(reasons)) == (set(reasons), len(set(reasons)))


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_says_where_its_configuration_was_published_or_why_none_was(recipe: str) -> None:
    said = recipes.find(recipe).facts["published"]
    assert said.startswith("https://" if recipe in PUBLISHED else "none, ")


def test_another_value_a_missing_option_and_one_that_was_not_published_differ() -> None:
    known = {"--lr": "0.1", "--amp": "", "program": "train.py", "arguments": "data", "A": "1"}
    found = {"--lr": ("0.1", "0.2"), "--amp": ("", None), "--fast": (None, "")}
    assert published.differing(known, f"{LINE}--lr=0.2 --fast") == found


@pytest.mark.parametrize(("one", "other"), [("1e-4", "0.0001"), ("true", "True"), ("7.5e-4", "7.500000e-04")])
def test_a_value_that_is_spelt_otherwise_is_the_same(one: str, other: str) -> None:
    assert published.differing(published.settings(f"{LINE}--x {one}"), f"{LINE}--x={other}") == {}


def test_an_overridden_key_is_a_setting() -> None:
    line = (
        """cd "$REPO" && bash -c 'exec "$@"' fresh python train.py -c a.yaml -o Global.epochs=8 -o x -betas 0.9 0.99"""
    )
    known = {"program": "train.py", "-c": "a.yaml", "Global.epochs": "8", "-o": "x", "-betas": "0.9 0.99"}
    assert published.settings(line) == known

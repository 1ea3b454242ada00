"""Each recipe runs the configuration that was published, but for what it says and why.

What was published lies in `published/RECIPE.toml` as `settings`: options, keys of a config and variables with their
values, which may name variables: `{DATA}`. Its `commands` were published one by one: the `variables` with which the
launcher should give it, and `settings` of its own. Each of the settings in which the command of the recipe differs must
stand among its `differences`, with `why`.
"""

import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path

import pytest
from checkouts import RECIPES, start

from launchers.recipes import recipe as recipes

FOLDER = Path(__file__).parent / "published"
PUBLISHED = sorted(path.stem for path in FOLDER.glob("*.toml"))
# Options that are followed by `key=value`: they override what a config says.
OVERRIDES = ("-o", "--override", "--opt", "--opts", "--cfg-options", "--options")
OPTION = re.compile(r"(--?[A-Za-z][^=]*)(?:=(.*))?", re.DOTALL)
ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
PROGRAM = re.compile(r"(?!.*multiproc\.py).*\.py|(?:.*/)?(?:runner|swift|llamafactory-cli|yolo)")
NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def differing(published: Mapping[str, str], line: str) -> dict[str, tuple[str | None, str | None]]:
    """Map each setting that differs to its published value and that of a native command; None where one lacks it.

    `line`: what the launcher prints in a dry run. That a run writes into its own folder is no difference.
    """
    ours = settings(line)
    names = [name for name in dict.fromkeys([*published, *ours]) if ours.get(name) != "$WORK"]
    pairs = {name: (published.get(name), ours.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if spelt(pair[0]) != spelt(pair[1])}


def settings(line: str) -> dict[str, str]:
    """What a native command sets: its program, variables of `env`, options, and keys of a config.

    What starts a process on each card, and where Python looks for modules, is no setting.
    """
    _, _folder, _, *command = shlex.split(line)
    words = takewhile(lambda word: not word.startswith("python"), command)
    variables = {found[1]: found[2] for found in map(ASSIGNED.fullmatch, words) if found and found[1] != "PYTHONPATH"}
    place = next((place for place, word in enumerate(command) if PROGRAM.fullmatch(word)), len(command) - 1)
    return {**variables, "program": Path(command[place]).name, **options(command[place + 1 :])}


def options(arguments: Iterable[str]) -> dict[str, str]:
    """Options and keys of configs with their values; several words are one value, and that of a flag is "".

    What stands before the first option is called `arguments`.
    """
    found: dict[str, list[str]] = {}
    name = "arguments"
    for argument in arguments:
        is_glued = argument[:2] in OVERRIDES and "=" in argument  # -oGlobal.epochs=1
        name, word = (argument[:2], argument[2:]) if is_glued else (name, argument)
        key, is_override, value = word.partition("=")
        if option := OPTION.fullmatch(word):
            name = option[1]
            found |= {} if name in OVERRIDES else {name: [] if option[2] is None else [option[2]]}
        elif name in ("arguments", *OVERRIDES) and is_override:
            found[key] = [value]
        else:
            found.setdefault(name, []).append(word)
    return {name: " ".join(values) for name, values in found.items()}


def spelt(value: str | None) -> str | float | None:
    """A value in one spelling."""
    return float(value) if value and NUMBER.fullmatch(value) else value and value.lower()


@pytest.mark.parametrize("recipe", PUBLISHED)
def test_a_recipe_runs_what_was_published_but_for_the_settings_that_it_says(tmp_path: Path, recipe: str) -> None:
    known = tomllib.loads((FOLDER / f"{recipe}.toml").read_text(encoding="utf-8"))
    found = set[str]()
    for number, command in enumerate(known["commands"]):
        answer = start(tmp_path / str(number), recipe, DRY_RUN="1", **command["variables"])
        assert answer.returncode == 0, answer.stderr
        stated = {**known["settings"], **command.get("settings", {})}
        filled = {name: value.format_map(command["variables"]) for name, value in stated.items()}
        found |= differing(filled, answer.stdout).keys()
    differences = known.get("differences", [])
    reasons = [name for difference in differences for name in difference["settings"]]
    assert (found, len(reasons), all(difference["why"] for difference in differences)) == (
        set(reasons),
        len(found),
        True,
    )


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_says_where_its_configuration_was_published_or_why_none_was(recipe: str) -> None:
    said = recipes.find(recipe).facts["published"]
    assert said.startswith("https://" if recipe in PUBLISHED else "none, ")


def test_every_kind_of_setting_is_compared_by_its_value() -> None:
    line = 'cd "$REPO"/example && env A=1 python -m torch.distributed.run --nproc_per_node 8 train.py data '
    known = {"--lr": "0.1", "--amp": "", "program": "train.py", "arguments": "data", "A": "1"}
    found = {"--lr": ("0.1", "0.2"), "--amp": ("", None), "--fast": (None, "")}
    assert differing(known, f"{line}--lr=0.2 --fast") == found
    for one, other in (("1e-4", "0.0001"), ("true", "True"), ("7.5e-4", "7.500000e-04")):
        assert differing(settings(f"{line}--x {one}"), f"{line}--x={other}") == {}
    line = (
        """cd "$REPO" && bash -c 'exec "$@"' fresh python train.py -c a.yaml -o Global.epochs=8 -o x -betas 0.9 0.99"""
    )
    known = {"program": "train.py", "-c": "a.yaml", "Global.epochs": "8", "-o": "x", "-betas": "0.9 0.99"}
    assert settings(line) == known

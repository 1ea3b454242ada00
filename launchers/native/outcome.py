"""The outcome of a check: which options of a recipe exist, where, and what that means in words."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tabulate import tabulate

from parsers.io.printable import printable

from .recipes import Recipe


@dataclass(frozen=True)
class Checked:
    """One option, the program that takes it, and the `file:line` that says so: None where nothing does.

    `refused` is a value that a launcher passes and that the program does not allow, with what it does.
    """

    option: str
    program: str
    where: str | None
    refused: str = ""


@dataclass(frozen=True)
class CheckOutcome:
    """What the check of one recipe found.

    `launcher` is what `passing_sha256` gives, `commit` the checkout's, None where it is not a git checkout, `unchecked`
    the options of what starts the native program, which does not belong to the repository.
    """

    recipe: str
    launcher: str
    commit: str | None
    checked: tuple[Checked, ...]
    unchecked: tuple[str, ...]

    @property
    def unknown(self) -> list[Checked]:
        """The options that do not exist."""
        return [item for item in self.checked if item.where is None]

    @property
    def refused(self) -> list[Checked]:
        """The options with a value that their program does not allow."""
        return [item for item in self.checked if item.refused]


def recipe_sha256(recipe: Recipe) -> str:
    """Return the sha256 of the launcher script, and of what it shares with others of its framework, put behind it."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in [recipe.path, *recipe.shared])).hexdigest()


def passing_sha256(recipe: Recipe) -> str:
    """Return the sha256 of what a launcher does: of its script and of what it shares, without the lines of comment."""
    lines = [line for path in [recipe.path, *recipe.shared] for line in path.read_bytes().splitlines(keepends=True)]
    return hashlib.sha256(b"".join(line for line in lines if not line.lstrip().startswith(b"#"))).hexdigest()


def text(recipe: Recipe, outcome: CheckOutcome) -> str:
    """Render the outcome for the terminal."""
    rows = [map(printable, (item.option, item.program, item.where or "does not exist")) for item in outcome.checked]
    lines = [tabulate(rows, ["option", "program", "where"], "plain", disable_numparse=True), ""]
    return "\n".join([*lines, *map(printable, remarks(recipe, outcome)), printable(summary(outcome))])


def summary(outcome: CheckOutcome) -> str:
    """Say whether all options exist, and which values are not allowed."""
    count = len({item.option for item in outcome.checked})
    unknown = dict.fromkeys(item.option for item in outcome.unknown)
    missing = f"{len(unknown)} of {count} options do not exist: {', '.join(unknown)}."
    refused = [f"Not allowed: {item.option} {item.refused}." for item in outcome.refused]
    return " ".join([missing if unknown else f"All {count} options exist.", *refused])


def remarks(recipe: Recipe, outcome: CheckOutcome) -> list[str]:
    """List, a sentence each, what the check could not look at, and a checkout that is not the pinned one."""
    sentences = []
    if outcome.unchecked:
        sentences.append(f"Not checked, because the repository does not define them: {', '.join(outcome.unchecked)}.")
    if outcome.commit is None:
        sentences.append(f"The commit of the checkout is unknown; {recipe.name} pins {recipe.facts['commit']}.")
    elif outcome.commit != recipe.facts["commit"]:
        sentences.append(f"The checkout is at {outcome.commit}; {recipe.name} pins {recipe.facts['commit']}.")
    return sentences

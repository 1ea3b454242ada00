"""A job: one recipe with its checkout, its data and its options, ready to be executed any number of times."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from .recipes import Recipe


@dataclass(frozen=True)
class Job:
    """`options` are launcher variables that differ from the recipe's defaults, for example `{"CARDS": "2"}`.

    Raises click.UsageError where the recipe cannot do what the options ask.
    """

    recipe: Recipe
    repo: Path
    data: Path
    options: Mapping[str, str]

    def __post_init__(self) -> None:
        self._check_names()
        self._check_cards()
        self._check_precision()

    @property
    def variables(self) -> dict[str, str]:
        """All launcher variables with their values.

        The checkout stands by its name alone and the data as seen from it, so that no path of a machine is kept.
        """
        data = os.path.relpath(self.data.resolve(), self.repo.resolve())
        given = {"REPO": self.repo.resolve().name, "DATA": data}
        return {**self.recipe.defaults, **self.options, **given}

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the launcher: ours, and every launcher variable, so that none is inherited by chance."""
        # What Python prints to a pipe would wait in a buffer, and standard output and error would change order.
        return {**os.environ, "PYTHONUNBUFFERED": "1", **self.variables, "REPO": str(self.repo.resolve())}

    @property
    def case_name(self) -> str:
        """The name of the case's folder, for example ResNet50_bs4_fp32_N1C2."""
        values = {**self.recipe.facts, **self.variables}
        return "{model}_bs{BATCH_SIZE}_{PRECISION}_N{NODES}C{CARDS}".format_map(values)

    def _check_names(self) -> None:
        for name in self.options.keys() - self.recipe.defaults.keys():
            known = ", ".join(self.recipe.defaults)
            raise click.UsageError(f"{self.recipe.name} does not read {name}; it reads {known}.")

    def _check_cards(self) -> None:
        nodes, cards = int(self.variables["NODES"]), int(self.variables["CARDS"])
        if cards % nodes:
            raise click.UsageError(f"{nodes} nodes cannot share {cards} cards; a multiple of {nodes} is possible.")

    def _check_precision(self) -> None:
        device, precision = self.variables["DEVICE"], self.variables["PRECISION"]
        possible = self.recipe.precisions(device)
        if precision not in possible:
            message = f"{self.recipe.name} does not train in {precision} on a {device}"
            raise click.UsageError(f"{message}; possible: {', '.join(possible)}.")

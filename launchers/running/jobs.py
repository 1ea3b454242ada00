"""A job: one recipe with its checkout, its data and its options, ready to be executed any number of times."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from ..native.images import MADE
from ..native.recipes import ROOM, Recipe

_PLACES = {"REPO", "MASTER", "NODE_RANK"}
# Never inherited: TF32 is for a launcher alone to forbid, and a launcher that does not read DATA refuses it.
_OURS = {"NVIDIA_TF32_OVERRIDE", "DATA"}
# Lies in a folder of images that were made and not taken.
_COUNTS = {"NODES", "CARDS", "BATCH_SIZE", "STEPS", "EPOCHS"}


class CannotRunHere(click.UsageError):
    """A job that can run, but at another place than the one that was chosen."""


@dataclass(frozen=True)
class Job:
    """`options` are launcher variables that differ from the recipe's defaults, for example `{"CARDS": "2"}`.

    `data`: None for where the recipe expects it.
    Raises click.UsageError where the recipe cannot do what the options ask.
    """

    recipe: Recipe
    repo: Path
    data: Path | None
    options: Mapping[str, str]

    def __post_init__(self) -> None:
        self._check_data()
        self._check_names()
        self._check_counts()
        self._check_cards()
        self._check_epochs()
        self._check_precision()

    @property
    def variables(self) -> dict[str, str]:
        """All launcher variables with their values.

        The checkout stands by its name alone and the data as seen from it, so that no path of a machine is kept.
        """
        given = {"REPO": self.repo.resolve().name}
        if self.data:
            given["DATA"] = os.path.relpath(self.data.resolve(), self.repo.resolve())
        return {**self.recipe.defaults, **self.options, **given}

    @property
    def settings(self) -> dict[str, str]:
        """The variables that make two runs repeats of each other: all but where it runs."""
        return {name: value for name, value in self.variables.items() if name not in _PLACES}

    @property
    def environment(self) -> dict[str, str]:
        """The environment of the launcher: ours, and every launcher variable, so that none is inherited by chance."""
        # What Python prints to a pipe would wait in a buffer, and standard output and error would change order.
        inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
        ours = {**inherited, "PYTHONUNBUFFERED": "1", "DRY_RUN": ""}
        return {**ours, **self.variables, "REPO": str(self.repo.resolve())}

    @property
    def command(self) -> str:
        """The native command as a line of shell that holds no path of a machine: it needs REPO, the checkout.

        It needs MASTER and NODE_RANK as well where several nodes take part.
        """
        places = {"MASTER": "@MASTER@", "NODE_RANK": "@NODE_RANK@"} if self.nodes > 1 else {}
        inherited = {name: value for name, value in self.environment.items() if name != "PYTHONPATH"}
        environment = {**inherited, **places, "DRY_RUN": "1"}
        answer = subprocess.run(
            self.recipe.command, cwd=ROOM.parent, env=environment, capture_output=True, text=True, check=False
        )
        if answer.returncode:
            raise click.ClickException(f"{self.recipe.name} did not print a command: {answer.stderr.strip()}")
        return re.sub(r"@(MASTER|NODE_RANK)@", r'"$\1"', answer.stdout.strip())

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return int(self.variables["NODES"])

    @property
    def cards(self) -> int:
        """The number of cards of all nodes."""
        return int(self.variables["CARDS"])

    @property
    def tasks(self) -> str:
        """What the native program wants one task for when something starts it on several machines: node or card."""
        return self.recipe.facts.get("tasks", "node")

    @property
    def meets_by_address(self) -> bool:
        """Whether Paddle's launcher brings several nodes together, which knows machines by addresses, not by names."""
        return self.nodes > 1 and "paddle.distributed.launch" in self.command

    @property
    def device(self) -> str:
        """What trains: cpu or gpu."""
        return self.variables.get("DEVICE", "gpu")

    @property
    def trains_on(self) -> str | None:
        """Whether the data are `real` or `synthetic`; None where EXTRA may say otherwise than the recipe."""
        if ("data" if self.recipe.data == "synthetic" else "synthetic") in self.variables["EXTRA"].lower():
            return None
        made = "DATA" in self.variables and (self.repo / self.variables["DATA"] / MADE).exists()
        return "synthetic" if made else self.recipe.data

    @property
    def case_name(self) -> str:
        """The name of the case's folder, for example ResNet50_bs4_fp32_N1C2."""
        values = {**self.recipe.facts, **self.variables}
        return "{model}_bs{BATCH_SIZE}_{PRECISION}_N{NODES}C{CARDS}".format_map(values)

    def _check_data(self) -> None:
        if self.recipe.data == "synthetic" and (self.data or "DATA" in self.options):
            message = f"{self.recipe.name} trains on synthetic data generated by its program"
            raise click.UsageError(f"{message}; omit --data.")

    def _check_names(self) -> None:
        for name in self.options.keys() - self.recipe.defaults.keys():
            known = ", ".join(self.recipe.defaults)
            raise click.UsageError(f"{self.recipe.name} does not have the option {name}; its options: {known}.")

    def _check_counts(self) -> None:
        for name, value in self.variables.items():
            if name in _COUNTS and not re.fullmatch("[1-9][0-9]{0,17}", value):
                raise click.UsageError(f"{name} is {value!r}; expected a whole number of at least 1.")

    def _check_cards(self) -> None:
        if self.cards % self.nodes:
            message = f"{self.cards} cards cannot be split evenly across {self.nodes} nodes"
            raise click.UsageError(f"{message}; use a multiple of {self.nodes}.")

    def _check_epochs(self) -> None:
        steps, epochs = int(self.variables["STEPS"]), int(self.variables.get("EPOCHS", "1"))
        if steps % epochs:  # the native programs would train more steps than run.json says
            fewer = steps // epochs * epochs or epochs
            message = f"--steps {steps} cannot be split evenly across {epochs} epochs; use a multiple of {epochs}"
            raise click.UsageError(f"{message}, such as --steps {fewer}.")

    def _check_precision(self) -> None:
        precision, possible = self.variables["PRECISION"], self.recipe.precisions(self.device)
        if precision not in possible:
            message = f"{self.recipe.name} does not support {precision} on {self.device}"
            raise click.UsageError(f"{message}; supported: {', '.join(possible) or 'none'}.")

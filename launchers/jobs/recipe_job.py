"""A recipe with its checkout, its data and its options, ready to be executed any number of times."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from parsers.runs.run_folder import RunJson, Source

from ..recipes import checkout
from ..recipes.images import MADE
from ..recipes.recipe import LAUNCHERS, ROOM, SYNTHETIC, Recipe
from ..secrets.published_run import variables as public_variables
from .job import outermost
from .source_patch import described

_PLACES = {"REPO", "MASTER", "NODE_RANK"}
# Never inherited: TF32 is for a launcher alone to forbid, and a launcher that does not read DATA refuses it.
_OURS = {"NVIDIA_TF32_OVERRIDE", "DATA"}
_COUNTS = {"NODES", "CARDS", "BATCH_SIZE", "STEPS", "EPOCHS", "ACCUMULATION", "SEQUENCE_LENGTH"}
# Words of the arguments of a native program by which it may set otherwise what a recipe states.
_SETS = {"accumulation": ("accum", "merge"), "sequence_length": ("seq", "length", "block"), "dali": ("dali", "data")}


@dataclass(frozen=True)
class RecipeJob:
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
    def name(self) -> str:
        """That of the recipe."""
        return self.recipe.name

    @property
    def work_tree(self) -> Path:
        """The checkout."""
        return self.repo

    @property
    def folders(self) -> list[Path]:
        """The checkout and the data."""
        data = [self.repo / self.variables["DATA"]] if self.variables.get("DATA") and not self._makes_data else []
        return outermost([self.repo, *data])

    @property
    def metric(self) -> str:
        """That of the recipe."""
        return self.recipe.facts["metric"]

    @property
    def python(self) -> str:
        """The one on PATH, which launchers start."""
        return "python"

    @property
    def start(self) -> list[str]:
        """The launcher itself."""
        return ["bash", str(self.recipe.path)]

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
    def environment(self) -> dict[str, str]:
        """The environment of the launcher: ours, and every launcher variable, so that none is inherited by chance."""
        # What Python prints to a pipe would wait in a buffer, and standard output and error would change order.
        inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
        ours = {**inherited, "PYTHONUNBUFFERED": "1", "DRY_RUN": "", LAUNCHERS: str(ROOM)}
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
            self.recipe.command,
            cwd=self.recipe.working_folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode:
            raise click.ClickException(f"{self.recipe.name} did not print a command: {answer.stderr.strip()}")
        return re.sub(r"@(MASTER|NODE_RANK)@", r'"$\1"', answer.stdout.strip())

    @property
    def exported(self) -> dict[str, str]:
        """MASTER and NODE_RANK of several nodes."""
        return {name: self.variables[name] for name in ("MASTER", "NODE_RANK") if self.nodes > 1}

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return int(self.variables["NODES"])

    @property
    def cards_per_node(self) -> int:
        """The number of cards of one node."""
        return self.cards // self.nodes

    @property
    def cards(self) -> int:
        """The number of cards of all nodes."""
        return int(self.variables["CARDS"])

    @property
    def tasks(self) -> str:
        """What the native program wants one task for when something starts it on several machines: node or card."""
        return self.recipe.facts.get("tasks", "node")

    @property
    def needs_starter(self) -> bool:
        """Whether nobody starts it on each node by hand."""
        return self.nodes > 1 and (self.tasks == "card" or not self.variables.get("MASTER"))

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
        if ("data" if self._makes_data else SYNTHETIC) in self.variables["EXTRA"].lower():
            return None
        made = "DATA" in self.variables and (self.repo / self.variables["DATA"] / MADE).exists()
        return SYNTHETIC if made or self._makes_data else self.recipe.data

    @property
    def case_name(self) -> str:
        """The name of the case's folder, for example ResNet50_bs4_fp32_N1C2."""
        values = {**self.recipe.facts, **self.variables}
        return "{model}_bs{BATCH_SIZE}_{PRECISION}_N{NODES}C{CARDS}".format_map(values)

    @property
    def kept(self) -> RunJson:
        """The recipe, the SHA-256 of its script, what starts it, the native command, and all launcher variables."""
        return {
            "recipe": self.recipe.name,
            "launcher": self.recipe.sha256,
            "command": self.recipe.command,
            "native": self.command,
            "variables": self.variables,
        }

    def differences(self, facts: Mapping[str, Any]) -> Iterator[str]:
        """The recipe, and the variables but for where it runs."""
        found = {"recipe": facts.get("recipe"), **facts.get("variables", {})}
        settings = {name: value for name, value in self.variables.items() if name not in _PLACES}
        hidden = public_variables(settings)
        for name, value in {"recipe": self.recipe.name, **settings}.items():
            if found.get(name) not in {value, hidden.get(name)}:
                yield f"{name}={found.get(name)}, not {value}"

    def case(self, gpus: Sequence[str]) -> dict[str, Any]:
        """All facts of the recipe and its variables that a page can compare."""
        facts, variables = self.recipe.facts, self.variables
        data = {"data": self.trains_on} if self.trains_on else {}
        return {
            "model": facts["model"],
            "framework": facts["framework"],
            "nodes": self.nodes,
            "cards": self.cards,
            "precision": variables["PRECISION"],
            "batch_size": int(variables["BATCH_SIZE"]),
            "device": gpus[0] if self.device == "gpu" and gpus else self.device.upper(),
            **data,
            **self._stated,
        }

    def source(self, changes: bytes) -> Source:
        """The checkout, and the one that the recipe is for."""
        facts = self.recipe.facts
        return {
            **described(self.repo, changes),
            "recipe_repository": facts["repository"],
            "pinned": facts["commit"],
            "licence": facts["licence"],
        }

    def remarks(self) -> Iterator[str]:
        """How the checkout differs from the one that the recipe is for."""
        yield from map(str, checkout.remarks(checkout.describe(self.repo), self.recipe.facts))

    def by_card(self) -> RecipeJob:
        """With the launcher's variable for it."""
        return replace(self, options={**self.options, "TASKS": "card"})

    @property
    def _makes_data(self) -> bool:
        """Whether the program makes its data itself."""
        asked = self.recipe.can_make_data and self.variables.get("DATA") == SYNTHETIC
        return asked or self.recipe.data == SYNTHETIC

    @property
    def _stated(self) -> dict[str, int | str]:
        """The facts that the head of the recipe states, but for those that EXTRA may set otherwise."""
        extra, stated = self.variables["EXTRA"].lower(), self.recipe.states(self.variables)
        unsure = {name for name in stated if any(word in extra for word in _SETS.get(name, (name,)))}
        return {name: value for name, value in stated.items() if name not in unsure}

    def _check_data(self) -> None:
        asks = self.options.get("DATA") == SYNTHETIC
        if self.recipe.data == SYNTHETIC and (self.data or "DATA" in self.options):
            message = f"{self.recipe.name} trains on synthetic data generated by its program"
            raise click.UsageError(f"{message}; omit --data.")
        if asks and self.data:
            raise click.UsageError("--synthetic and --data cannot be used together.")
        if asks and not self.recipe.can_make_data:
            raise click.UsageError(f"{self.recipe.name} cannot generate data; omit --synthetic.")

    def _check_names(self) -> None:
        stated = {name.upper(): str(value) for name, value in self.recipe.states(self.variables).items()}
        for name in self.options.keys() - self.recipe.defaults.keys():
            if stated.get(name) == self.options[name]:
                continue
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

"""A job: what a runner executes any number of times, at any place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import click

from parsers.runs.run_folder import RunJson, Source


class CannotRunHere(click.UsageError):
    """A job that can run, but at another place than the one that was chosen."""


class Job(Protocol):
    """What can run at every place, and what run.json says of it."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def repo(self) -> Path:
        """The folder that it runs in."""

    @property
    def work_tree(self) -> Path:
        """The checkout that its program is of."""

    @property
    def folders(self) -> Sequence[Path]:
        """The folders that it needs apart from programs: its checkout, its data; none is within another."""

    @property
    def metric(self) -> str | None:
        """A regular expression that matches the lines without which it has not trained; None where none is known."""

    @property
    def python(self) -> str | None:
        """The Python that trains; None where none does."""

    @property
    def start(self) -> Sequence[str]:
        """The arguments that start it on this machine."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of these."""

    @property
    def command(self) -> str:
        """A line of shell that starts it and holds no path of a machine: it needs REPO, the folder that it runs in.

        It needs MASTER and NODE_RANK as well where several nodes take part.
        """

    @property
    def exported(self) -> Mapping[str, str]:
        """The variables that the line needs, but for REPO, where one starts it on each node by hand."""

    @property
    def nodes(self) -> int:
        """The number of nodes."""

    @property
    def cards_per_node(self) -> int:
        """The number of cards that a cluster is asked for on each node."""

    @property
    def tasks(self) -> str:
        """What it wants one task for when something starts it on several machines: node or card."""

    @property
    def needs_starter(self) -> bool:
        """Whether something else must start it on its several machines."""

    @property
    def meets_by_address(self) -> bool:
        """Whether its nodes know each other by addresses, not by names."""

    @property
    def device(self) -> str:
        """What trains: cpu or gpu."""

    @property
    def case_name(self) -> str:
        """The name of the case's folder, for example ResNet50_bs4_fp32_N1C2."""

    @property
    def kept(self) -> RunJson:
        """What run.json says of what was asked for: as far as known, `recipe`, `command`, `native`, `variables`."""

    def differences(self, facts: Mapping[str, Any]) -> Iterator[str]:
        """What the run.json of a run says otherwise than this job, so that it is no repeat of it."""

    def case(self, gpus: Sequence[str]) -> dict[str, Any]:
        """What is measured; `gpus`: the names of those of its first machine."""

    def source(self, changes: bytes) -> Source:
        """The checkout that it runs from, for run.json; `changes`: those since its commit, as a patch."""

    def remarks(self) -> Iterator[str]:
        """What somebody should know of the checkout before it runs, a sentence each."""

    def by_card(self) -> Job:
        """The same job where each card is a task that something else starts."""


def outermost(folders: Iterable[Path]) -> list[Path]:
    """Return these folders without those that are within another one, links resolved."""
    found = list(dict.fromkeys(folder.resolve() for folder in folders))
    return [folder for folder in found if not any(folder.is_relative_to(other) for other in found if other != folder)]

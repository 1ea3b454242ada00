"""Hosts: on which machine each task runs that mpirun starts."""

from __future__ import annotations

import re

import click

from ..job import CannotRunHere

_HOST = re.compile(r"(?P<name>[\w.-]+)(:(?P<slots>[1-9]\d*))?", re.ASCII)


def of_tasks(hosts: str, nodes: int, tasks_per_node: int) -> list[str]:
    """Return the host of each task in the order of the ranks; those of a node stand together.

    `hosts`: as for the option -H of mpirun, names with the number of tasks that each may have, such as a:8,b:8. One
    host takes the part of several nodes only where there are fewer hosts than nodes.
    Raises click.UsageError where one cannot be read, jobs.CannotRunHere where there are too few.
    """
    turns = [
        (turn, position, name)
        for position, (name, slots) in enumerate(_slots(hosts).items())
        for turn in range(min(nodes, slots // tasks_per_node))
    ]
    if len(turns) < nodes:
        holds = f"-H {hosts} has slots for {len(turns)} of {nodes} nodes (tasks per node: {tasks_per_node})"
        possible = ",".join(f"{name}:{tasks_per_node}" for name in ("a", "b", "c")[:nodes])
        raise CannotRunHere(f"{holds}; set the slots of each machine, such as {possible}.")
    return [name for _, _, name in sorted(turns)[:nodes] for _ in range(tasks_per_node)]


def _slots(hosts: str) -> dict[str, int]:
    """The number of tasks that each host may have, in their order; one that is named twice has the sum."""
    slots: dict[str, int] = {}
    for entry in hosts.split(","):
        if not (found := _HOST.fullmatch(entry)):
            possible = "expected host names or IPv4 addresses with their slots, such as a:8,b:8"
            raise click.UsageError(f"-H {hosts} contains {entry!r}; {possible}.")
        slots[found["name"]] = slots.get(found["name"], 0) + int(found["slots"] or 1)
    return slots

"""Axes: the coordinates of a cell, by which its case is told."""

from typing import Literal

Axis = Literal["model", "framework", "device", "nodes", "cards", "precision", "batch_size"]
Value = int | str
Case = dict[Axis, Value]

# The axes that a launcher takes as variables of these names; the case of a cell says them.
LAUNCHED: tuple[Axis, ...] = ("nodes", "cards", "precision", "batch_size")
# Those that say how the throughput of a card, or the time of a step, becomes that of the job.
SCALING: tuple[Axis, ...] = ("nodes", "cards", "batch_size")

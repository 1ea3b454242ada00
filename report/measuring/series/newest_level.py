"""The newest level: how fast the last runs of a series are, and where and by how much that changed last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .change_points import SMALLEST, ChangePoint, change_points


@dataclass(frozen=True)
class NewestLevel:
    """The speed of the last runs of a series, by their geometric mean.

    ``at``: the place of the first of them, 0 where the speed never changed, and ``change``: that of the speed there, as
    a fraction, None where there is none. ``suspect``: how many runs at the end do not count, because they are at
    another speed and fewer than confirm a change, and by how much they are off.
    """

    speed: float
    at: int = 0
    change: float | None = None
    suspect: tuple[int, float] | None = None


def newest_level(speeds: Sequence[float]) -> NewestLevel:
    """The newest level of speeds, each above 0, at least one, in the order in which they were measured.

    A change is at least half of 3%, as in a history. Raises ExtraError where ruptures or SciPy is not installed.
    """
    logs = np.log(np.array(speeds, np.float64))
    found = change_points(-logs, SMALLEST)
    at = found.points[-1].at if found.points else 0
    end = found.suspect.at if found.suspect else len(logs)
    change = _of_speed(found.points[-1]) if found.points else None
    suspect = (len(logs) - end, _of_speed(found.suspect)) if found.suspect else None
    return NewestLevel(float(np.exp(logs[at:end].mean())), at, change, suspect)


def _of_speed(point: ChangePoint) -> float:
    """A change of the log time as one of the speed."""
    return float(np.expm1(-point.change))

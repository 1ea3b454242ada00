"""What a column of the records means: its type, unit, scope and kind."""

from dataclasses import dataclass
from typing import Literal

Scope = Literal["card", "node", "job"]
Kind = Literal["instant", "window_mean", "running_mean", "total"]


@dataclass(frozen=True)
class Field:
    """One field of a line kind, as its grammar states it.

    ``type``: name of the terminal that it holds, which decides the dtype of its column.
    ``unit``: of a throughput what is counted each second ("images"), of a time "seconds" or "milliseconds".
    ``scope``: whether the number is one card's, one node's or the whole job's.
    ``kind``: an instant value, the mean of the window since the last line, a running mean, or the total of the run.
    ``since``: for a running mean the number of steps of the epoch that it leaves out.
    ``per``: whether a running mean starts anew with each "epoch" or covers the whole "run".
    ``first``: for a counter (``step``) the number that the log gives to the first one, 0 or 1.
    """

    name: str
    type: str
    unit: str | None = None
    scope: Scope | None = None
    kind: Kind | None = None
    since: int | None = None
    per: Literal["epoch", "run"] | None = None
    first: int | None = None

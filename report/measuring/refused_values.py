"""Refused values: what a log prints as a throughput or a time, and what cannot be one."""

import numpy as np
from numpy.typing import NDArray

from .estimate import Values
from .protocol import NoMeasurement, Protocol

IMPOSSIBLE = (
    "estimate={estimate} gives {value} at line {line}, which is not a valid throughput or step time: use another "
    "window or another estimate."
)
ALL_ZERO = "{column} is 0 in all {count} records, first at line {line}, and is not used."


def refuse_zero(values: Values, column: str, lines: NDArray[np.int64]) -> None:
    """Raise ``NoMeasurement`` where a column prints nothing but 0; ``lines``: those of the values."""
    if not values.any():
        raise NoMeasurement(ALL_ZERO, column=column, count=len(values), line=lines[0])


def refuse_impossible(values: Values, lines: NDArray[np.int64], protocol: Protocol) -> None:
    """Raise ``NoMeasurement`` where one of the values that a protocol uses is no throughput or time of a step."""
    # Such values come of undoing a running mean that is not what the format says. A throughput printed as 0 may be so.
    bad = values < 0 if protocol.estimate == "reported" else ~(values > 0)
    if bad.any():
        told = {"value": f"{values[bad][0]:g}", "line": lines[bad][0]}
        raise NoMeasurement(IMPOSSIBLE, estimate=protocol.estimate, **told)

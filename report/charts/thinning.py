"""Thinning: fewer points of a long series, so that its lowest and highest values stay where they are."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 1000


def thinned(values: NDArray[np.float64], most: int = MOST_POINTS) -> NDArray[np.int64]:
    """The places (int64, ascending) of at most so many of some finite values: all where they are no more.

    Else the values are cut into stretches of the same length, each of which keeps its lowest and its highest.
    """
    if len(values) <= most:
        return np.arange(len(values))
    edges = np.linspace(0, len(values), most // 2 + 1).astype(np.int64).tolist()
    ends = (np.argmin, np.argmax)
    kept = {start + int(end(values[start:stop])) for start, stop in pairwise(edges) for end in ends}
    return np.array(sorted(kept), dtype=np.int64)

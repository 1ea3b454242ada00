"""Warm-up: the first records of a run, as far as they are slower than the steady ones."""

import numpy as np

from ..estimate import Values

# A record is of the warm-up while it is slower than this share of the steady ones.
SLOW = 0.9


def warm_up(rates: Values) -> int:
    """Return how many of the first records are warm-up: each is more than 10% slower than the second half's median.

    ``rates``: throughputs in file order, at least one. At most half of them are.
    """
    half = len(rates) // 2
    steady = rates[:half] >= SLOW * np.median(rates[half:])
    return int(np.argmax(steady)) if steady.any() else half

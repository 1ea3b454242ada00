"""Repeated runs: what the protocols give for several logs of one case together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import Literal

import numpy as np

from .protocol_group import Values
from .protocol_search import Searched

Repeats = Literal["mean", "median", "max"]
# How the throughputs of several runs become one.
REPEATS: Mapping[Repeats, Callable[[Sequence[float]], float]] = {"mean": fmean, "median": median, "max": max}
_OF_RUNS: Mapping[Repeats, Callable[..., Values]] = {
    "mean": np.nanmean,
    "median": np.nanmedian,
    "max": np.nanmax,
}


def together(runs: Sequence[Searched], repeats: Repeats) -> Searched:
    """What the protocols give for several runs together, each from the runs that allow it."""
    values = np.stack([run.values for run in runs])
    known = np.isfinite(values).any(axis=0)
    found = np.full(values.shape[1], np.nan)
    found[known] = _OF_RUNS[repeats](values[:, known], axis=0)
    low, high = min(run.low for run in runs), max(run.high for run in runs)
    if all(run.low == run.high for run in runs):  # then they have no range together either
        high = low
    return replace(runs[0], values=found, low=low, high=high)

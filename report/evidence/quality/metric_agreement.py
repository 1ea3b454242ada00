"""Metric agreement: whether runs reach what those of a reference do, within a tolerance that somebody states.

Both directions count: who states a tolerance says which results are the same. Sides are compared by their means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from parsers.io.message import Message

from .final_metric import FinalMetric

MetricVerdict = Literal["same", "higher", "lower", "NaN", "unknown"]
ROUNDING = 1e-9

NOT_A_NUMBER = "{log} prints {value} at line {line}"
NOTHING_TO_SHARE = "the reference is 0, so a share of it says nothing"


@dataclass(frozen=True)
class MetricAgreement:
    """Whether the final metric ``name`` of some runs is that of their reference, within ``tolerance``, a fraction.

    ``values``: the means of the reference and of the runs, ``change``: between them, as a fraction of the reference.
    ``printed``: what each run prints, those of the reference first. ``reason``: why it is unknown, or not a number.
    """

    name: str
    verdict: MetricVerdict
    tolerance: float
    change: float | None = None
    values: tuple[float, float] | None = None
    printed: tuple[FinalMetric, ...] = ()
    reason: Message | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether the runs do not reach what their reference does."""
        return self.verdict in ("higher", "lower", "NaN")


def metric_agreement(
    name: str, reference: Sequence[FinalMetric], judged: Sequence[FinalMetric], tolerance: float
) -> MetricAgreement:
    """Hold the final metrics of some runs against those of a reference, at least one run each."""
    printed = (*reference, *judged)
    for verdict, side in (("unknown", reference), ("NaN", judged)):
        broken = next((one for one in side if not np.isfinite(one.value)), None)
        if broken is not None:
            reason = Message(NOT_A_NUMBER, log=broken.log, value=f"{broken.value:g}", line=broken.line)
            return MetricAgreement(name, verdict, tolerance, printed=printed, reason=reason)  # type: ignore[arg-type]
    a, b = (float(np.mean([one.value for one in side])) for side in (reference, judged))
    if not a:
        return MetricAgreement(name, "unknown", tolerance, None, (a, b), printed, Message(NOTHING_TO_SHARE))
    change = (b - a) / abs(a)
    verdict_of_change: MetricVerdict = "higher" if change > 0 else "lower"
    verdict_ = "same" if abs(change) <= tolerance + ROUNDING else verdict_of_change
    return MetricAgreement(name, verdict_, tolerance, change, (a, b), printed)

"""Stages: what a protocol does step by step, and how many records are left after each step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..measurement import Measurement
from ..window import REASON_KEYS, Reason
from ..words import words

# Why each group of records is left out, as a reader is told.
REASONS: Mapping[str, str] = {
    "no_value": "they print no number to read",
    "other_rank": "another rank printed them",
    "skip_records": "warm-up: the first records are skipped",
    "skip_steps": "warm-up: the first steps are skipped",
    "drop_last": "dropped at the end",
    "beyond": "after the stretch that is taken",
    "before": "before the stretch that is taken",
    "trim": "cut from either end of the sorted values",
    "not_last": "only the last value counts",
    "between": "between the two lines that the clock reads",
}
_UNREADABLE = (REASON_KEYS[Reason.NO_VALUE], REASON_KEYS[Reason.OTHER_RANK])
# The step of a protocol by which each group goes, by how its key begins.
_STEPS: Mapping[str, tuple[str, ...]] = {
    "skip_records": ("skip_records",),
    "skip_steps": ("skip_steps",),
    "drop_last": ("drop_last",),
    "take_first": ("beyond",),
    "take_last": ("before",),
    "trim": ("trim",),
    "statistic_last": ("not_last",),
    "estimate_clock": ("between",),
}


@dataclass(frozen=True)
class Stage:
    """A step in English words, and how many records are left after it."""

    words: str
    left: int


def stages(measured: Measurement) -> Iterator[Stage]:
    """Return the steps that make one value of one log, in the order in which they are done."""
    say = words("en").gettext
    left = measured.available
    for key, values in measured.protocol.steps():
        if key.startswith(("repeats_", "decimals", "significant", "rounding_")):
            continue
        gone = next((_STEPS[step] for step in _STEPS if key.startswith(step)), ())
        left -= sum(len(measured.left_out.get(reason, ())) for reason in gone)
        yield Stage(say(key).format(**values), left)
        if key.startswith("records_"):
            for reason in _unreadable(measured):
                left -= len(measured.left_out[reason])
                yield Stage(f"without {len(measured.left_out[reason])} because {REASONS[reason]}", left)


def _unreadable(measured: Measurement) -> list[str]:
    return [reason for reason in _UNREADABLE if reason in measured.left_out]

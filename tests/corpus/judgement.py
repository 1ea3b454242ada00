"""What a person read from an unseen log before any program read it, as `unseen.csv` lists it.

``by_hand`` is yes where the log prints a speed or times of training, stamps where only the stamps of its lines tell how
fast it went, and no for the rest. ``right`` is the number that it gives, in ``unit``, as a rule the median of its
steady part; it is empty where a log prints times that nothing honest follows from, as where it shows no unit.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

LISTED = Path(__file__).with_name("unseen.csv")
NEAR = 0.1  # means, medians and the steady part of one log are that near to each other as a rule
SAMPLES = ("images/s", "sequences/s", "samples/s")


@dataclass(frozen=True)
class Judgement:
    """``by_hand``: yes, stamps, no, or nothing where nobody judged it; ``right``: a number or None, in ``unit``."""

    by_hand: str = ""
    right: float | None = None
    unit: str = ""

    @property
    def is_readable(self) -> bool:
        """Whether the log prints a speed or times of training from which a number follows."""
        return self.by_hand == "yes" and self.right is not None

    def ratio(self, number: float | None, unit: str) -> float | None:
        """How many times the number of the person a number is; None of another unit, or where one is missing."""
        is_same = unit == self.unit or (unit in SAMPLES and self.unit in SAMPLES)
        return number / self.right if number is not None and self.right and is_same else None


def judgement_of(log: Path) -> Judgement:
    """That of a log with the same bytes; an empty one of a log that is not listed."""
    return judgements().get(sha256(log.read_bytes()).hexdigest(), Judgement())


@cache
def judgements() -> Mapping[str, Judgement]:
    """All that are listed, by the SHA-256 of the log."""
    with LISTED.open(encoding="utf-8", newline="") as file:
        return {
            listed["sha256"]: Judgement(
                listed["by_hand"], float(listed["right"]) if listed["right"] else None, listed["unit"]
            )
            for listed in csv.DictReader(file)
        }


def is_far(ratio: float | None) -> bool:
    """Whether a number is not that of the person."""
    return ratio is not None and not 1 - NEAR <= ratio <= 1 / (1 - NEAR)

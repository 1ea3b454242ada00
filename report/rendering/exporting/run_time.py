"""When a run began, as exported files say it."""

from datetime import UTC, datetime

from ...evidence.cell import Proof
from ...evidence.run_begin import begin_of


def begin_in_words(proof: Proof) -> str:
    """When a run began, in ISO 8601: UTC by its run.json, else as its log says; empty where neither does."""
    first = begin_of(proof)
    return "" if first is None else str(first.astype("M8[s]"))


def moment(time: str) -> datetime:
    """A time in ISO 8601; one without a zone is taken for UTC, so that any two can be ordered."""
    stamp = datetime.fromisoformat(time)
    return stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)

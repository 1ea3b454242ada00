"""When a run began, as its log or its run.json says."""

from contextlib import suppress
from datetime import UTC, datetime

from parsers.io.errors import ParserError
from parsers.runs.runfile import run_file

from ...evidence.cell import Proof
from ...evidence.circumstances import began


def begin_of(proof: Proof) -> str:
    """The time of the first record that has one with a year, else the start in run.json, in ISO 8601; empty if none.

    The time of a log has no zone where the log prints none.
    """
    if (first := began([proof])) is not None:
        return str(first.astype("M8[s]"))
    # A run.json that is broken makes no number of a page, and says nothing of a log; another may say anything.
    with suppress(ParserError, KeyError, TypeError, ValueError):
        return datetime.fromisoformat(run_file(proof.reading.path)["start"]).isoformat()
    return ""


def moment(time: str) -> datetime:
    """A time of ``begin_of``; one without a zone is taken for UTC, so that any two can be ordered."""
    stamp = datetime.fromisoformat(time)
    return stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)

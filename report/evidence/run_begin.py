"""When a run began: as its run.json says, which knows the time zone, else when its log printed its first record."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np

from parsers.io.errors import ParserError
from parsers.runs.runfile import RunFile, run_file
from parsers.scanning.record_table import RecordTable

from .cell import Proof

# Stamps without a year are read as of this one.
NO_YEAR = np.datetime64("2000", "Y")


def began(run: RunFile, records: RecordTable) -> np.datetime64 | None:
    """When a run began: UTC, or as its log says where that has no time zone; None where neither tells it with a year.

    ``run``: its run.json, empty where there is none. ``records``: those of its log.
    """
    start = stated_start(run)
    return _first_printed(records) if start is None else start


def stated_start(run: RunFile) -> np.datetime64 | None:
    """When a run began by its run.json (UTC, or as it says); None where that tells no time."""
    try:
        start = datetime.fromisoformat(str(run["start"]))
        return np.datetime64(start.astimezone(UTC).replace(tzinfo=None) if start.tzinfo else start, "us")
    except (KeyError, ValueError, OverflowError):
        return None


def begin_of(proof: Proof) -> np.datetime64 | None:
    """When the run behind a number began, as ``began``; a run.json that is broken says nothing."""
    start = _stated(proof.reading.path, proof.reading.sha256)
    return _first_printed(proof.reading.parts[0].table) if start is None else start


@cache
def _stated(log: Path, _: str) -> np.datetime64 | None:
    """What the run.json beside a log of this SHA-256 says, which each table asks for in each language."""
    with suppress(ParserError):
        return stated_start(run_file(log))
    return None


def first_begin(proofs: Iterable[Proof]) -> np.datetime64 | None:
    """When the first of some runs began; None where none of them says it."""
    return min((start for proof in proofs if (start := begin_of(proof)) is not None), default=None)


def _first_printed(records: RecordTable) -> np.datetime64 | None:
    times = records["time"] if "time" in records else np.zeros(0, "M8[us]")
    known = times[~np.isnat(times)]
    first = known.min() if len(known) else None
    return first if first is not None and first.astype("M8[Y]") > NO_YEAR else None

"""Histories for programs and notebooks: what `tachograph.history` gives, which a notebook shows as tables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from parsers.sharing.workers import Workers

from ...measure.protocol import Protocol
from ..effect import GATE
from .case_histories import CaseHistories, case_histories
from .history_html import fragment
from .run_order import By


@dataclass(frozen=True)
class History(CaseHistories):
    """The cases of some suites over time, as ``CaseHistories``; a notebook shows them as the command prints them."""

    def _repr_html_(self) -> str:
        return fragment(self)


def history(
    *suites: str | Path,
    by: By = "date",
    protocol: str | Protocol | None = None,
    gate: float = GATE,
    since: datetime | None = None,
    index: str | Path | None = None,
    workers: Workers | None = None,
) -> History:
    """Find where the speed of each case of ``suites`` changed.

    A suite is a folder of run folders, or of logs; cases of one name are one case. Runs are ordered ``by`` date, commit
    or version of the framework, and measured by ``protocol`` (by default the first that a run allows, without the first
    10% of its records). ``gate``: the smallest change that matters, as a fraction of the time per unit of work.
    ``since``: runs that began earlier are left out; a time without a zone is UTC. ``index``: the Parquet file that
    keeps what was read, by default in the user's caches. ``workers``: who reads the logs; by default all cores.

    Raises LogError where a suite has no log, ProtocolError, GateError, WriteError where the index cannot be written,
    and ExtraError where ruptures, SciPy or pyarrow is not installed.
    """
    found = case_histories(
        [Path(suite) for suite in suites],
        by=by,
        protocol=Protocol.parse(protocol) if isinstance(protocol, str) else protocol,
        gate=gate,
        since=since.astimezone(UTC).replace(tzinfo=None) if since and since.tzinfo else since,
        index=None if index is None else Path(index),
        workers=workers,
    )
    return History(**vars(found))

"""The histories of all cases of some suites, and what a gate says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from parsers.sharing.workers import Workers

from ...measure.protocol import Protocol
from ..change_points import refuse_without_extra
from ..effect import GATE
from ..sides import FAILED, NO_GATE, PASSED, UNKNOWN, GateError
from .case_history import CaseHistory, case_history
from .indexed_runs import indexed_runs
from .run_order import By
from .run_record import RunRecord


@dataclass(frozen=True)
class CaseHistories:
    """All cases of some suites. ``gate``: the smallest change that matters, as a fraction of the time."""

    paths: tuple[Path, ...]
    by: By
    gate: float
    cases: tuple[CaseHistory, ...]

    @property
    def status(self) -> int:
        """What the gate says: 1 where a case became slower, else 3 where one is unknown, else 0."""
        states = {case.state for case in self.cases}
        if "slower" in states:
            return FAILED
        return UNKNOWN if "unknown" in states or not states else PASSED


def case_histories(
    suites: Sequence[Path],
    *,
    by: By = "date",
    protocol: Protocol | None = None,
    gate: float = GATE,
    since: datetime | None = None,
    index: Path | None = None,
    workers: Workers | None = None,
) -> CaseHistories:
    """Find the changes of all cases of some suites; cases of one name are one case.

    ``since``: runs that began earlier are left out (UTC). ``index``: the file of the index, by default in the user's
    caches. Raises LogError where a suite has no log, GateError, WriteError where the index cannot be written, and
    ExtraError where a package of the extra is missing.
    """
    if not 0 < gate < 1:
        raise GateError(NO_GATE, gate=gate)
    refuse_without_extra()
    cases: dict[str, list[RunRecord]] = {}
    for record in indexed_runs(list(dict.fromkeys(suites)), protocol, index=index, workers=workers):
        if since is None or (record.began or "") >= since.isoformat():
            cases.setdefault(record.case or Path(record.root).resolve().name, []).append(record)
    each = tuple(case_history(title, records, by, gate) for title, records in cases.items())
    return CaseHistories(tuple(suites), by, gate, each)

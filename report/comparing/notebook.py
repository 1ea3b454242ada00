"""Comparisons and histories for programs and notebooks, which show them as the commands print them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from parsers.io.errors import LogError
from parsers.sharing.workers import Workers

from ..measure.protocol import Protocol
from ..views.publish import LOGS
from .change_points import refuse_without_extra
from .compare import ComparedSides, compared_case, pairs, share, tolerances
from .effect import GATE
from .history import By, CaseHistories, HistoryRun, case_history, indexed_runs
from .history_tables import history_document
from .metrics import Better
from .output import fragment
from .sides import read_side
from .store import Store
from .tables import comparison_document
from .target import Target

NO_SUITE = "file or folder not found."


@dataclass(frozen=True)
class Comparison(ComparedSides):
    """Side B held against side A, as ``ComparedSides``; a notebook shows it as the command prints it."""

    def _repr_html_(self) -> str:
        return fragment(comparison_document(self))


@dataclass(frozen=True)
class History(CaseHistories):
    """The cases of some suites over time, as ``CaseHistories``; a notebook shows them as the command prints them."""

    def _repr_html_(self) -> str:
        return fragment(history_document(self))


def compare(
    a: str | Path,
    b: str | Path,
    *,
    protocol: str | Protocol | None = None,
    gate: float | str = GATE,
    metrics: Mapping[str, float | str | tuple[float, Better]] | None = None,
    target: str | Target | None = None,
    workers: Workers | None = None,
    logs: str | Path = LOGS,
) -> Comparison:
    """Compare the runs of side ``b`` with those of side ``a``.

    A side is a log, a run folder, the folder of a case with its repeats, a suite, any folder that holds such, a page by
    its name or its file, or a ``PAGE.report.json``. Cases are paired by the names of their folders, numbers of
    pages by their addresses; ``logs`` is the folder of the logs of pages. All runs of a case are measured by one
    ``protocol`` (by default the first that they allow) over the steps that all of them have. ``gate``: the smallest
    slowdown that matters, as a share of the time (``0.03``, ``"3%"``). ``metrics``: by the names of final metrics, as
    the logs print them, how much worse those of B may be than those of A, with ``"lower"`` or ``"higher"`` where the
    name does not say which way is better (``{"top1": 0.005, "gap": "1%,lower"}``); ``loss`` is that of training, at
    the same steps. ``target``: compare the time to it instead of the speed (``"val_loss=3.28"``). ``workers``: who
    reads the logs; by default all cores.

    Raises LogError where a side has no log or its only one cannot be read, PageError and ReportError for a page or a
    report with a mistake, ParserError for what is no side, ProtocolError, GateError, MetricError, and ExtraError where
    SciPy is not installed.
    """
    gate, limits = share(gate), tolerances(metrics or {})
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    aim = Target.parse(target) if isinstance(target, str) else target
    one, other = (read_side(Path(side), stated, workers, Path(logs)) for side in (a, b))
    cases = tuple(
        compared_case(title, sides, gate=gate, protocol=stated, metrics=limits, target=aim)
        for title, sides in pairs(one, other)
    )
    return Comparison((one.path, other.path), gate, cases, (one.left_out, other.left_out))


def history(
    *suites: str | Path,
    by: By = "date",
    protocol: str | Protocol | None = None,
    gate: float | str = GATE,
    since: datetime | None = None,
    store: str | Path | None = None,
    workers: Workers | None = None,
) -> History:
    """Find where the speed of each case of ``suites`` changed.

    A suite is a folder of run folders, or of logs; cases of one name are one case. Runs are ordered ``by`` date, commit
    or name; where most do not say the date, by the order that git has of their commits, else by name. They are
    measured by ``protocol`` (by default the first that a run allows, without the first 10% of its records).
    ``gate``: the smallest change that matters, as a share of the time per unit of work (``"3%"``). ``since``: runs
    that began earlier are left out; a time without a zone is UTC. ``store``: the SQLite file that keeps what was
    read, by default in the user's caches. ``workers``: who reads the logs; by default all cores.

    Raises LogError where a suite is missing or has no log, ProtocolError, GateError, WriteError where the store cannot
    be written, and ExtraError where ruptures or SciPy is not installed.
    """
    gate = share(gate)
    refuse_without_extra()
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    first = since.astimezone(UTC).replace(tzinfo=None).isoformat() if since and since.tzinfo else ""
    first = first or (since.isoformat() if since else "")
    cases: dict[str, list[HistoryRun]] = {}
    paths = tuple(dict.fromkeys(map(Path, suites)))
    if gone := next((path for path in paths if not path.exists()), None):
        raise LogError.at(gone, NO_SUITE)
    for run in indexed_runs(
        paths, stated, Store(Path(store) if store else None, stated.words() if stated else ""), workers
    ):
        if not first or (run.began or "") >= first:
            cases.setdefault(run.case, []).append(run)
    each = tuple(case_history(title, runs, by, gate) for title, runs in cases.items())
    return History(paths, by, gate, each)

"""Comparisons for programs and notebooks: what `tachograph.compare` gives, which a notebook shows as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from parsers.sharing.workers import Workers

from ..measure.protocol import Protocol
from ..views.publish import LOGS
from .effect import GATE
from .output.comparison_html import fragment
from .sides import ComparedSides, compared_sides


@dataclass(frozen=True)
class Comparison(ComparedSides):
    """Side B held against side A, as ``ComparedSides``; a notebook shows it as the command prints it."""

    def _repr_html_(self) -> str:
        return fragment(self)


def compare(
    a: str | Path,
    b: str | Path,
    *,
    protocol: str | Protocol | None = None,
    gate: float = GATE,
    earlier: Sequence[str | Path] = (),
    loss_tolerance: float | None = None,
    metrics: Mapping[str, float] = MappingProxyType({}),
    workers: Workers | None = None,
    logs: str | Path = LOGS,
) -> Comparison:
    """Compare the runs of side ``b`` with those of side ``a``.

    A side is a log, a run folder, the folder of a case with its repeats, a suite, or any folder that holds such; cases
    are paired by the names of their folders. Or it is a page, by its name or its file, or one at a revision of git,
    ``REVISION:PAGE``, whose cells are paired by their addresses; ``logs`` is the folder of its logs. All runs of a case
    are measured by one ``protocol`` (by default the first that they allow) over the steps that all of them have.
    ``gate``: the smallest slowdown that matters, as a fraction of the time per unit of work. ``earlier``: folders of
    earlier repeats of the same cases on the same machine, which tell how much runs vary. ``loss_tolerance``: how far
    the losses of B may be from those of A at the same steps, as a fraction; by default the noise between repeats
    decides. ``metrics``: by the names of final metrics, as the logs print them after training began, how far those of B
    may be from those of A, as fractions (``{"top1": 0.005}``). ``workers``: who reads the logs; by default all cores.

    Raises LogError where a side has no log or its only one cannot be read, PageError for a page file with a mistake,
    ParserError for what is no side or no revision, ProtocolError, GateError, and ExtraError where SciPy is not
    installed.
    """
    stated = Protocol.parse(protocol) if isinstance(protocol, str) else protocol
    before = [Path(side) for side in earlier]
    found = compared_sides(
        Path(a),
        Path(b),
        protocol=stated,
        gate=gate,
        earlier=before,
        loss_tolerance=loss_tolerance,
        metrics=metrics,
        workers=workers,
        logs=Path(logs),
    )
    return Comparison(**vars(found))

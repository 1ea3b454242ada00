"""Two sides compared, case by case: which of them are slower, and whether a gate lets them pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from parsers.io.errors import TachographError
from parsers.io.message import Message
from parsers.sharing.workers import Workers

from ..measure.protocol import Protocol
from ..views.publish import LOGS
from .case_pairs import by_case, case_pairs
from .compared_cases import SIDES, ComparedCase, compared_case
from .compared_runs import runs_of_side
from .effect import GATE
from .page_sides import stated_runs

PASSED, FAILED, UNKNOWN = 0, 1, 3
NO_TOLERANCE = "The tolerance of the loss is {tolerance}; expected a share above 0 and below 1, such as 0.02 for 2%."
NO_TOLERANCE_OF = "The tolerance of {name} is {tolerance}; expected a share above 0 and below 1, such as 0.02 for 2%."
NO_GATE = "The gate is {gate}; expected a share above 0 and below 1, such as 0.03 for 3%."


class GateError(TachographError, ValueError):
    """A gate that is no share of a time, or a tolerance that is none of a loss."""


@dataclass(frozen=True)
class ComparedSides:
    """Side B held against side A.

    ``paths``: the two sides. ``gate``: the smallest slowdown that matters, as a fraction of the time per unit of work.
    ``cases``: in the order of A, then what only B has. ``left_out``: for A, B and each folder of earlier runs, why
    logs of it do not count.
    """

    paths: tuple[Path, Path]
    gate: float
    cases: tuple[ComparedCase, ...]
    left_out: tuple[tuple[Message, ...], ...] = ((), ())

    @property
    def status(self) -> int:
        """What the gate says: 1 where a case is slower or wrong, else 3 where one is unknown or B lacks it, else 0.

        A case is wrong where B does not train as A does. Where a tolerance of the loss or of a metric is stated, a case
        of which that is unknown is unknown.

        A case that only B has is new, and cannot be slower than before, unless logs of A were left out. Where nothing
        could be compared at all it is 3.
        """
        held = [case for case in self.cases if not self.is_new(case)]
        if any(case.verdict == "slower" or case.is_wrong for case in held):
            return FAILED
        are_known = all(case.verdict != "unknown" and not case.is_unanswered for case in held)
        return PASSED if held and are_known else UNKNOWN

    def is_new(self, case: ComparedCase) -> bool:
        """Whether only B has a case, and A is not merely without logs of it that count."""
        return case.lacks == SIDES[0] and not self.left_out[0]


def compared_sides(
    a: Path,
    b: Path,
    *,
    protocol: Protocol | None = None,
    gate: float = GATE,
    earlier: Sequence[Path] = (),
    loss_tolerance: float | None = None,
    metrics: Mapping[str, float] = MappingProxyType({}),
    workers: Workers | None = None,
    logs: Path = LOGS,
) -> ComparedSides:
    """Compare side ``b`` with side ``a``; arguments and errors are those of ``notebook.compare``."""
    if not 0 < gate < 1:
        raise GateError(NO_GATE, gate=gate)
    if loss_tolerance is not None and not 0 < loss_tolerance < 1:
        raise GateError(NO_TOLERANCE, tolerance=loss_tolerance)
    for name, tolerance in metrics.items():
        if not 0 < tolerance < 1:
            raise GateError(NO_TOLERANCE_OF, name=name, tolerance=tolerance)
    found = [(side, stated_runs(side, logs)) for side in (a, b, *earlier)]
    one, other, *before = (runs_of_side(side, protocol, workers, runs) for side, runs in found)
    groups = [by_case(side) for side in before]
    judge = partial(compared_case, gate=gate, stated=protocol, loss_tolerance=loss_tolerance, metrics=metrics)
    pairs = case_pairs((one, other))
    cases = tuple(judge(pair, earlier=[group.get(pair.title, ()) for group in groups]) for pair in pairs)
    left_out = tuple(side.left_out for side in (one, other, *before))
    return ComparedSides((one.path, other.path), gate, cases, left_out)

"""Two sides compared, case by case: which of them are slower, and whether a gate lets them pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from parsers.io.errors import MessageError
from parsers.io.message import Message
from parsers.sharing.workers import Workers

from ..measuring.protocol import Protocol
from ..rendering.publish import LOGS
from .case_pairs import Runs, by_case, case_pairs
from .compared_cases import SIDES, ComparedCase, compared_case
from .compared_runs import SideRuns, runs_of_side
from .effect import GATE
from .page_sides import stated_runs

PASSED, SLOWER, UNKNOWN = 0, 1, 3
NO_GATE = "The gate is {gate}; expected a share above 0 and below 1, such as 0.03 for 3%."


class GateError(MessageError, ValueError):
    """A gate that is no share of a time."""


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
        """What the gate says: 1 where a case is slower, else 3 where one is unknown or B lacks it, else 0.

        A case that only B has is new, and cannot be slower than before, unless logs of A were left out. Where nothing
        could be compared at all it is 3.
        """
        verdicts = {case.verdict for case in self.cases if not self.is_new(case)}
        if "slower" in verdicts:
            return SLOWER
        return UNKNOWN if "unknown" in verdicts or not verdicts else PASSED

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
    workers: Workers | None = None,
    logs: Path = LOGS,
) -> ComparedSides:
    """Compare side ``b`` with side ``a``; arguments and errors are those of ``notebook.compare``."""
    if not 0 < gate < 1:
        raise GateError(NO_GATE, gate=gate)
    found = [(side, stated_runs(side, logs)) for side in (a, b, *earlier)]
    one, other, *before = (runs_of_side(side, protocol, workers, runs) for side, runs in found)
    cases = tuple(_cases((one, other), gate, protocol, [by_case(side) for side in before]))
    left_out = tuple(side.left_out for side in (one, other, *before))
    return ComparedSides((one.path, other.path), gate, cases, left_out)


def _cases(
    sides: tuple[SideRuns, SideRuns], gate: float, stated: Protocol | None, before: Sequence[Mapping[str, Runs]]
) -> Iterator[ComparedCase]:
    for pair in case_pairs(sides):
        earlier = [groups.get(pair.title, ()) for groups in before]
        yield compared_case(pair, gate, stated, earlier)

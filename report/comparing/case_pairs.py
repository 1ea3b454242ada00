"""Pairs of cases: which runs of one side are held against which of the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .compared_runs import ComparedRun, SideRuns

Runs = tuple[ComparedRun, ...]
ARROW = "{a} → {b}"


@dataclass(frozen=True)
class CasePair:
    """The runs of a case on side A and side B, none on a side that lacks it. ``title``: the name of the case."""

    title: str
    sides: tuple[Runs, Runs]

    @property
    def is_whole(self) -> bool:
        """Whether both sides have it."""
        return all(self.sides)


def case_pairs(sides: tuple[SideRuns, SideRuns]) -> list[CasePair]:
    """Pair the cases of two sides by name, in the order of A; what only one of them has comes last.

    Where each side has a single case, these are a pair: whoever compares two cases knows that they differ.
    """
    a, b = (by_case(side) for side in sides)
    pairs = [CasePair(name, (runs, b[name])) for name, runs in a.items() if name in b]
    only_a, only_b = ({name: one[name] for name in one if name not in other} for one, other in ((a, b), (b, a)))
    if len(a) == len(b) == 1 and not pairs:
        return [*pairs, _of_two(only_a, only_b)]
    return [*pairs, *_alone(only_a, 0), *_alone(only_b, 1)]


def by_case(side: SideRuns) -> Mapping[str, Runs]:
    """The runs of a side by the names of their cases, in their order."""
    cases: dict[str, Runs] = {}
    for run in side.runs:
        cases[run.case] = (*cases.get(run.case, ()), run)
    return cases


def _of_two(a: Mapping[str, Runs], b: Mapping[str, Runs]) -> CasePair:
    ((one, runs_a),), ((other, runs_b),) = a.items(), b.items()
    return CasePair(ARROW.format(a=one, b=other), (runs_a, runs_b))


def _alone(cases: Mapping[str, Runs], side: int) -> Iterator[CasePair]:
    for name, runs in cases.items():
        yield CasePair(name, ((), runs) if side else (runs, ()))

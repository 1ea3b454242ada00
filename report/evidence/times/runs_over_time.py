"""Runs over time: those behind one number in the order in which they began, and what became of their speed."""

from collections.abc import Iterator, Sequence

from parsers.io.message import Message
from parsers.runs.health import UNSOUND

from ...measuring.number import signed
from ...measuring.series.newest_level import newest_level
from ..cell import Proof
from ..reason import NoEvidenceError
from .run_begin import begin_of

NO_BEGIN = "{log} left out: neither its run.json nor the log itself says when it began."
UNSOUND_RUN = "{log} left out: {reason}"
CHANGED = "The throughput changed by {change} with the run of {day} ({log}); {count} runs since then."
UNCHANGED = "No change of the throughput was found in {count} runs since {day}."
SUSPECT_RUN = "The last run ({log}) is left out: it is at another speed ({change}), which one run does not confirm."
SUSPECT_RUNS = (
    "The last {count} runs, from {log} on, are left out: they are at another speed ({change}), which fewer than 3 runs "
    "do not confirm."
)


def in_order(proofs: Sequence[Proof]) -> tuple[tuple[Proof, ...], list[Message]]:
    """Runs in the order in which they began, then of their names, and why others have no place in it.

    A run that failed or lost its loss has none, as in ``history``. Raises NoEvidenceError where no run has one.
    """
    without = [Message(UNSOUND_RUN, log=proof.log, reason=said) for proof in proofs for said in _unsound(proof)]
    starts = [(begin_of(proof), proof) for proof in proofs if not _unsound(proof)]
    begun = [(start, proof.log, proof) for start, proof in starts if start is not None]
    without += [Message(NO_BEGIN, log=proof.log) for start, proof in starts if start is None]
    if not begun:
        raise NoEvidenceError(without[0])
    return tuple(proof for *_, proof in sorted(begun, key=lambda one: one[:2])), without


def _unsound(proof: Proof) -> list[Message]:
    """Why the throughput of a run is no point of a series, if it is none."""
    return [said for said in proof.reading.warnings if said.key in UNSOUND][:1]


def course_of(proofs: Sequence[Proof]) -> Iterator[Message]:
    """Where the throughput of runs in their order changed last, and which of the last ones confirm nothing yet."""
    level = newest_level([proof.value for proof in proofs])
    count, change = level.suspect or (0, 0.0)
    first = proofs[level.at]
    if level.change is None:
        yield Message(UNCHANGED, count=len(proofs) - count, day=_day(first))
    else:
        since = len(proofs) - level.at - count
        yield Message(CHANGED, change=signed(level.change), day=_day(first), log=first.log, count=since)
    if count:
        told = {"log": proofs[-count].log, "change": signed(change)}
        yield Message(SUSPECT_RUN, **told) if count == 1 else Message(SUSPECT_RUNS, count=count, **told)


def _day(proof: Proof) -> str:
    return str(begin_of(proof))[:10]

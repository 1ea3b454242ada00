"""Explanations: one number with the derivation of each of its logs, how it moves, and the command that proves it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from parsers.facts import Fact

from ..cell import Cell, Proof
from ..crosscheck import caveats
from ..evidence import cells, facts_of
from ..number import printed
from ..pagefile import find, load
from ..protocol import NoMeasurement, Protocol
from ..show import summarise
from .awk import Command, command, together
from .cellname import named
from .derivation import Derivation, derive
from .sensitivity import Variation, combined, variations
from .steadiness import few, spread, stalls


@dataclass(frozen=True)
class Explanation:
    """A number, in ``unit``, and all that it was made of.

    ``title``: the log, or the page and the place of the cell. ``words``: the protocol. ``derivations``: one a log.
    """

    title: str
    number: float
    printed: str
    unit: str
    words: str
    protocol: Protocol
    derivations: tuple[Derivation, ...]
    variations: tuple[Variation, ...]
    warnings: tuple[str, ...]
    command: Command


def of_log(log: Path, protocol: Protocol | None, given: Sequence[Fact], format_: str | None) -> Explanation:
    """Explain the throughput of one log, by the first protocol that it allows where none is given.

    Raises ``NoMeasurement`` where it has none, ParserError when it, or a side file of its run, cannot be read.
    """
    summary = summarise(log, protocol, tuple(given), format_)
    if summary.measurement is None:
        raise NoMeasurement(f"{log}: {summary.reason}")
    measured = summary.measurement
    derived = derive(summary.reading, summary.part, summary.reading.facts, measured)
    return _explained(str(log), measured.unit, measured.protocol.words(), (derived,))


def of_cell(page: str, cell: str, logs: Path) -> Explanation:
    """Explain a cell of a page; ``page``: a name or a path, ``cell``: as ``named`` takes it.

    Raises PageError for a page with a mistake, NoCellError where no cell or no single one is meant, LogError.
    """
    path = find(page)
    definition = load(path)
    number, found = named(definition, list(cells(definition, logs)), cell)
    derived = tuple(_derived(proof, found) for proof in found.proofs)
    title = f"{path.stem} e{number}: {found.table}, {found.row}, {found.column}"
    remarks = [str(remark) for remark in (*found.disagreements, *found.remarks)]
    return _explained(title, found.shown.unit, found.words, derived, remarks)


def _derived(proof: Proof, cell: Cell) -> Derivation:
    return derive(proof.reading, proof.reading.parts[0], facts_of(cell, proof), proof.measurement)


def _explained(
    title: str, unit: str, words: str, derived: tuple[Derivation, ...], remarks: Sequence[str] = ()
) -> Explanation:
    protocol = derived[0].protocol
    number = combined([one.measurement for one in derived], protocol)
    moved = tuple(variations(derived, protocol))
    found = command(derived[0]) if len(derived) == 1 else together(derived, number, protocol)
    told = [said for one in derived for said in _told(one, of_several=len(derived) > 1)]
    others = (said for said in remarks if not any(known.endswith(said) for known in told))
    warned = (*others, *told, *spread(moved, number))
    return Explanation(title, number, printed(number, protocol), unit, words, protocol, derived, moved, warned, found)


def _told(derived: Derivation, *, of_several: bool) -> Iterator[str]:
    """What speaks against the number of one log; of several each sentence says of which."""
    measured = derived.measurement
    others = caveats(derived.checks, derived.reading.events, measured)
    for said in (*derived.reading.warnings, *measured.warnings, *others, *few(derived), *stalls(derived)):
        yield f"{derived.log}: {said}" if of_several else said

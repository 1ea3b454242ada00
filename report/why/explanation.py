"""Explanations: one number with the derivation of each of its logs, and how other rules would move it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parsers.io.message import Message
from parsers.runs.facts import Fact

from ..evidence.case_evidence import cells, facts_of
from ..evidence.cell import Cell, Proof
from ..evidence.log_summary import summarise
from ..measure.diagnostics import NoMeasurement
from ..measure.number import printed
from ..measure.protocol import Protocol
from ..measuring.checking.own_figures import differing, own_figures
from ..measuring.crosscheck import caveats
from ..measuring.estimate import counting
from ..measuring.timing import Timed
from ..pagefile.page import Page
from ..pagefile.page_file import find, load
from ..wording.words import Translator
from .cell_name import named
from .derivation import Derivation, derive
from .sensitivity import Variation, combined, few, spread, stalls, variations

OF_LOG = "{log}: {said}"


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
    warnings: tuple[Message, ...]


def of_log(log: Path, protocol: Protocol | None, given: Sequence[Fact], format_: str | None) -> Explanation:
    """Explain the throughput of one log, by the first protocol that it allows where none is given.

    Raises ``NoMeasurement`` where it has none, ParserError when it, or a side file of its run, cannot be read.
    """
    summary = summarise(log, protocol, tuple(given), format_)
    if summary.measurement is None:
        raise NoMeasurement(OF_LOG, log=log, said=summary.reason)
    measured = summary.measurement
    derived = derive(summary.reading, summary.part, summary.reading.facts, measured)
    return _explained(str(log), measured.unit, measured.protocol.words(), (derived,))


def of_cell(page: str, cell: str, logs: Path) -> Explanation:
    """Explain a cell of a page; ``page``: a name or a path, ``cell``: as ``named`` takes it.

    Raises PageError for a page with a mistake, NoCellError where no cell or no single one is meant, LogError.
    """
    path = find(page)
    return of_page(path.stem, load(path), cell, logs)


def of_page(name: str, page: Page, cell: str, logs: Path) -> Explanation:
    """Explain a cell of a page, which is called ``name``; ``cell`` and errors: as of ``of_cell``."""
    found = named(page, list(cells(page, logs)), cell)
    derived = tuple(_derived(proof, found) for proof in found.proofs)
    title = f"{name} {found.slug}: {found.row}, {found.column}"
    return _explained(title, found.shown.unit, found.words, derived, found.messages)


def _derived(proof: Proof, cell: Cell) -> Derivation:
    facts, figure = facts_of(cell, proof), proof.figure
    if figure is None or figure.part is None:
        return derive(proof.reading, proof.reading.parts[0], facts, proof.measurement)
    printing = cell.shown.printing(proof.measurement.protocol)
    protocol = proof.measurement.protocol.overridden(f"decimals={printing.decimals},rounding={printing.rounding}")
    measured = replace(figure.measured, protocol=protocol)
    derived = derive(proof.reading, figure.part, facts, measured, figure.operations)
    if counting(measured.unit) == counting(cell.shown.rate):
        return derived
    rule = cell.shown.quantity.rule  # what was read is no throughput
    stages = (replace(one, key=rule) if one.key.startswith("estimate_") else one for one in derived.stages)
    return replace(derived, stages=tuple(stages))


def _explained(
    title: str, unit: str, words: str, derived: tuple[Derivation, ...], remarks: Sequence[Message] = ()
) -> Explanation:
    protocol = derived[0].protocol
    number = combined([replace(one.measurement, value=one.value) for one in derived], protocol)
    moved = tuple(variations(derived, protocol))
    told = [(one, said) for one in derived for said in _told(one)]
    known = {said for _, said in told}
    others = (said for said in remarks if said not in known)
    each = (said if len(derived) == 1 else Message(OF_LOG, log=one.log, said=said) for one, said in told)
    warned = (*others, *each, *spread(moved, number))
    return Explanation(title, number, printed(number, protocol), unit, words, protocol, derived, moved, warned)


def _told(derived: Derivation) -> Iterator[Message]:
    """What speaks against the number of one log."""
    measured = derived.measurement
    others = caveats(derived.checks, derived.reading.happened, measured)
    own = differing(own_figures(derived.reading.parts, derived.facts, measured, derived.part), measured)
    yield from (*derived.reading.warnings, *measured.warnings, *own, *others, *few(derived), *stalls(derived))


def as_json(explanation: Explanation) -> dict[str, Any]:
    """An explanation with all lines and values; a number is in ``unit``, a percentage by how much another differs."""
    number = explanation.number
    return {
        "title": explanation.title,
        "printed": explanation.printed,
        "number": number,
        "unit": explanation.unit,
        "protocol": explanation.words,
        "logs": [_log(derivation) for derivation in explanation.derivations],
        "sensitivity": [
            {
                "rule": str(variation.name),
                "number": variation.value,
                "percent": variation.percent(number),
                "records": variation.records,
                "as_good": variation.is_as_good,
            }
            for variation in explanation.variations
        ],
        "warnings": [str(said) for said in explanation.warnings],
    }


def _log(derivation: Derivation) -> dict[str, Any]:
    reading, measured = derivation.reading, derivation.measurement
    english = Translator("en").translate
    return {
        "log": str(reading.path),
        "sha256": reading.sha256,
        "format": derivation.part.format.name if derivation.part.format else None,
        "steps": [{"step": stage.worded(english), "records": stage.left} for stage in derivation.stages],
        "used": list(measured.lines),
        "quotes": {str(line): text for line, text in derivation.quotes.items()},
        "left_out": {reason: list(lines) for reason, lines in measured.left_out.items()},
        **_numbers(derivation),
        "factors": [{"name": f.name, "value": f.value, "witness": str(f.source)} for f in derivation.factors],
        "number": measured.value,
        "unit": measured.unit,
        **({"operations": [str(step) for step in derivation.steps]} if derivation.operations else {}),
        "scope": measured.scope,
        "checks": [
            {"number": c.measurement.value, "ratio": c.ratio, "protocol": c.measurement.protocol.words()}
            for c in derivation.checks
        ],
    }


def _numbers(derivation: Derivation) -> dict[str, Any]:
    if isinstance(derivation.found, Timed):
        return {derivation.found.counted: derivation.found.amount, "seconds": derivation.found.seconds}
    return {"values": derivation.numbers}

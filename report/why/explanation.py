"""Explanations: one number with the derivation of each of its logs, and what other records would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parsers.io.message import Message
from parsers.runs.facts import Fact

from ..evidence.case_evidence import cells, facts_of
from ..evidence.cell import Cell, Proof
from ..evidence.measured_log import measured_log
from ..measure.checks import Check
from ..measure.diagnostics import Diagnostic, NoMeasurement
from ..measure.measurement import Measurement
from ..measure.number import DEFAULT_DECIMALS, DIGITS, digits, printed
from ..measure.protocol import Protocol, Step
from ..measure.statistic import reduce_repeats
from ..measure.work import thing
from ..pagefile.page import Page
from ..pagefile.page_file import find, load
from ..wording.words import Translator
from .cell_name import named
from .derivation import Derivation, Variation

OF_LOG = "{log}: {said}"


@dataclass(frozen=True)
class Explanation:
    """A number, in ``unit``, and all that it was made of.

    ``title``: the log, or the page and the place of the cell. ``words``: the protocol, in words that it reads back, or
    ``rule``. ``derivations``: one a log. ``contradicts``: what another source says of a log that has no one number;
    then ``number`` is the one side.
    """

    title: str
    number: float
    printed: str
    unit: str
    words: str
    protocol: Protocol
    derivations: tuple[Derivation, ...]
    warnings: tuple[Message, ...]
    contradicts: Check | None = None

    @property
    def variations(self) -> tuple[Variation, ...]:
        """The number by other windows and statistics that all of its logs allow."""
        each = [{one.name: one for one in derived.variations} for derived in self.derivations]
        found = ([of[name] for of in each] for name in each[0] if all(name in of for of in each))
        return tuple(
            Variation(of[0].name, self.combined([one.value for one in of]), min(one.records for one in of))
            for of in found
        )

    def combined(self, values: Sequence[float]) -> float:
        """The number of some repeats, which of a single one is its own."""
        return values[0] if len(values) == 1 else reduce_repeats(values, self.protocol.repeats)

    @property
    def states_digits(self) -> bool:
        """Whether its protocol says how a number is printed; else it has as many digits as ``show`` prints."""
        return self.protocol.states_rule or bool(self.protocol.model_fields_set & {"decimals", "significant"})

    @property
    def rounding(self) -> tuple[Step, ...]:
        """How the number is rounded, as steps of a protocol."""
        if not self.states_digits:
            return (("significant", {"count": DIGITS}),)
        stated = [step for step in self.protocol.steps() if step[0].startswith(("decimals", "significant", "rounding"))]
        return (("decimals", {"count": DEFAULT_DECIMALS}), *stated) if len(stated) == 1 else tuple(stated)

    def shown(self, number: float) -> str:
        """A number in the digits of this one."""
        return printed(number, self.protocol) if self.states_digits else digits(number)


def of_log(
    log: Path, protocol: Protocol | None, given: Sequence[Fact], format: str | None = None, read: str | None = None
) -> Explanation:
    """Explain the throughput of one log, by the rule where no protocol is stated.

    Raises ``NoMeasurement`` where it has none, ParserError when it, or a side file of its run, cannot be read.
    """
    found = measured_log(log, protocol, given, format, read)
    measured = found.measurement
    if measured is None:
        raise NoMeasurement(OF_LOG, log=log, said=found.reason.message if found.reason else "")
    told = found.diagnostics if found.reason else (*found.diagnostics, *_both_sides(measured))
    remarks = (*found.reading.warnings, *(said.message for said in told))
    derived = Derivation(found.reading, measured, found.reading.facts, remarks=remarks)
    explained = _explained(str(log), measured.unit, measured.protocol.words(), (derived,))
    return replace(explained, contradicts=measured.by if found.reason else None)


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
    measured = figure.measured if figure else proof.measurement
    told = (*measured.diagnostics, *_both_sides(measured))
    remarks = (*proof.reading.warnings, *(said.message for said in told))
    if figure is None:
        return Derivation(proof.reading, measured, facts, remarks=remarks)
    printing = cell.shown.printing(measured.protocol)
    protocol = proof.measurement.protocol.overridden(f"decimals={printing.decimals},rounding={printing.rounding}")
    is_read = thing(measured.unit) != thing(cell.shown.rate)  # what was read is no throughput
    rule = cell.shown.quantity.rule if is_read else None
    return Derivation(proof.reading, replace(measured, protocol=protocol), facts, figure.operations, remarks, rule)


def _both_sides(measured: Measurement) -> list[Diagnostic]:
    """What to say of a number by a stated protocol that another source contradicts."""
    return [measured.contradiction] if measured.contradiction else []


def _explained(
    title: str, unit: str, words: str, derived: tuple[Derivation, ...], remarks: Sequence[Message] = ()
) -> Explanation:
    protocol = derived[0].measurement.protocol
    told = [(one, said) for one in derived for said in one.remarks]
    known = {said for _, said in told}
    each = [said if len(derived) == 1 else Message(OF_LOG, log=one.log, said=said) for one, said in told]
    warned = (*(said for said in remarks if said not in known), *dict.fromkeys(each))
    found = Explanation(title, 0.0, "", unit, words, protocol, derived, warned)
    number = found.combined([one.value for one in derived])
    return replace(found, number=number, printed=found.shown(number))


def as_json(explanation: Explanation) -> dict[str, Any]:
    """An explanation with all lines and values; a number is in ``unit``, a percentage by how much another differs.

    Of a log that contradicts itself ``number`` and ``printed`` are null, and ``sides`` has both.
    """
    number, by = explanation.number, explanation.contradicts
    sides = [explanation.derivations[0].measurement.estimate, by.estimate] if by else []
    return {
        "title": explanation.title,
        "printed": None if by else explanation.printed,
        "number": None if by else number,
        "unit": explanation.unit,
        **({"sides": [side.as_json() for side in sides]} if by else {}),
        "protocol": explanation.words,
        "logs": [_log(derivation) for derivation in explanation.derivations],
        "sensitivity": [
            {"rule": str(one.name), "number": one.value, "percent": one.percent(number), "records": one.records}
            for one in explanation.variations
        ],
        "warnings": [str(said) for said in explanation.warnings],
    }


def _log(derivation: Derivation) -> dict[str, Any]:
    reading, measured = derivation.reading, derivation.measurement
    english = Translator("en").translate
    numbers = list(zip(*derivation.rows, strict=True))
    return {
        "log": str(reading.path),
        "sha256": reading.sha256,
        "format": reading.format.name if reading.format else None,
        "source": measured.estimate.name,
        "steps": [{"step": stage.worded(english), "records": stage.left} for stage in derivation.stages],
        "used": list(measured.lines),
        "quotes": {str(line): text for line, text in derivation.quotes.items()},
        "left_out": {reason: list(lines) for reason, lines in measured.left_out.items()},
        **dict(zip(("values",) if measured.calculation else ("work", "seconds"), map(list, numbers), strict=True)),
        "factors": [{"name": f.name, "value": f.value, "witness": str(f.source)} for f in derivation.factors],
        "number": measured.value,
        "unit": measured.unit,
        **({"operations": [str(step) for step in derivation.steps]} if derivation.operations else {}),
        "scope": measured.scope,
        "status": measured.status,
        "checks": [check.as_json() for check in measured.checks],
        "diagnostics": [said.as_json() for said in measured.diagnostics],
    }

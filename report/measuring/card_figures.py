"""Card figures: what one card does in a second and how long a step takes, of a log of a model that reads tokens.

They are the quantities of pages, of one log and over the window of its throughput. What the log does not prove is left
out; how many operations its model needs for a token only a page states.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords
from parsers.runs.reading import Reading

from ..measure.diagnostics import NoMeasurement
from ..measure.number import printed
from ..measure.quantities.kinds import LogQuantity
from ..measure.quantities.run_figure import Operation, RunFigure, RunNumbers
from ..measure.quantities.speed import PRINTED_MFU, TOKENS, mfu, printed_mfu
from ..measure.quantity import QUANTITIES, Shown
from .estimate import tokens_of_a_sample
from .measurement import Measurement

SHOWN = "{quantity}: {number} {unit}"
PERCENT = "{quantity}: {number}%"
OPERATIONS = ("flops", "hardware_flops", "mfu")
_QUANTITIES = tuple(one for one in QUANTITIES.values() if isinstance(one, LogQuantity) and one.is_of_a_card)


@dataclass(frozen=True)
class CardFigure:
    """A number of one log: the quantity with its unit, and how it was made."""

    shown: Shown
    figure: RunFigure

    @property
    def summary(self) -> Message:
        """The quantity, its number and its unit."""
        number = printed(self.figure.value, self.shown.printing(self.figure.measured.protocol))
        told = {"quantity": Message(self.shown.quantity.name), "number": number, "unit": self.shown.unit}
        return Message(PERCENT if self.shown.unit == "%" else SHOWN, **told)

    @property
    def is_of_a_rule(self) -> bool:
        """Whether a page shows it, too: not an MFU as printed, whose peak is not known."""
        return all(said.key != PRINTED_MFU for said in self.figure.remarks)

    def as_json(self) -> dict[str, float | str]:
        """Its value and unit."""
        return {"value": self.figure.value, "unit": self.shown.unit}


def card_figures(reading: Reading, part: FormatRecords, found: Measurement) -> tuple[CardFigure, ...]:
    """The figures of a log beside its throughput; none of a log that counts no tokens and no operations."""
    length = tokens_of_a_sample(part.table, reading.facts)
    kind = found.protocol.records
    has_operations = any((kind, name) in one.fields for one in reading.parts for name in OPERATIONS)
    if found.unit != "tokens/s" and length is None and not has_operations:
        return ()
    parts = (part, *(other for other in reading.parts if other is not part))
    run = RunNumbers(parts, reading.happened, reading.facts, {}, found.protocol, found.unit)
    return tuple(_figures(run, found, length))


def _figures(run: RunNumbers, found: Measurement, length: float | None) -> Iterator[CardFigure]:
    """Those that are not just the throughput again."""
    for quantity in _QUANTITIES:
        rate, figure = run.rate, _figure(quantity, run)
        if figure is None:
            continue
        if quantity.scope == "card" and length is not None and figure.measured.unit == "samples/s":
            figure = figure.then(Operation("×", length, Message(TOKENS, count=f"{length:g}")))
            rate = "tokens/s"
        if figure.operations or figure.measured.value != found.value:
            yield CardFigure(Shown(quantity, rate), figure)


def _figure(quantity: LogQuantity, run: RunNumbers) -> RunFigure | None:
    """A figure by its rule, or an MFU as printed where its peak is not known; None where the log proves none."""
    for rule in (quantity.of, printed_mfu)[: 1 + (quantity.of is mfu)]:
        try:
            return rule(run)
        except NoMeasurement:
            pass
    return None


def remarks(figures: tuple[CardFigure, ...]) -> Iterator[Message]:
    """What a reader must know of the figures, each sentence once."""
    yield from dict.fromkeys(said for one in figures for said in one.figure.remarks)

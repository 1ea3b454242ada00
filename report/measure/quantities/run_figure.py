"""Figures: one number of one run, with the records that it was read from and the arithmetic that made it of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from parsers.io.message import Message
from parsers.runs.events import Event
from parsers.runs.facts import Value
from parsers.runs.format_records import FormatRecords

from ...measuring.estimate import Facts
from ...measuring.measurement import Measurement
from ..number import without_noise
from ..protocol import Protocol
from .formula import Formula

SHOWN: Mapping[str, str] = {
    "×": "{value} × {what} = {result}",
    "÷": "{value} ÷ {what} = {result}",
    "over": "{what} ÷ {value} = {result}",
}


@dataclass(frozen=True)
class RunNumbers:
    """What is known of one run.

    ``parts``: its records, those of the main format first. ``happened``: its events. ``facts``: also those that the
    page states of its case, which is ``labels``. ``rate``: the unit of throughput on the page. ``formula``: that of the
    model, if the page states one. ``target``: the loss that is to be reached.
    """

    parts: Sequence[FormatRecords]
    happened: Sequence[Event]
    facts: Facts
    labels: Mapping[str, Value]
    protocol: Protocol
    rate: str
    formula: Formula | None = None
    target: float | None = None

    @property
    def part(self) -> FormatRecords:
        """The records of the main format, from which its throughput is measured."""
        return self.parts[0]

    def by(self, **keys: str) -> Protocol:
        """The protocol with other keys and the same window; ``counts`` only where it is among them."""
        stated = self.protocol.model_dump(exclude_defaults=True, exclude={"counts"})
        return Protocol.of({**stated, **keys})


@dataclass(frozen=True)
class Operation:
    """One step of arithmetic: ``×`` or ``÷`` a number, or the number ``over`` the value; ``what`` says what it is."""

    sign: Literal["×", "÷", "over"]
    number: float
    what: Message

    def of(self, value: float) -> float:
        """The result."""
        if self.sign == "×":
            return value * self.number
        return value / self.number if self.sign == "÷" else self.number / value

    def shown(self, value: float) -> Message:
        """The step with its result in words."""
        return Message(SHOWN[self.sign], value=f"{value:.10g}", what=self.what, result=f"{self.of(value):.10g}")


def after(operations: Iterable[Operation], value: float) -> float:
    """What some arithmetic makes of a value."""
    for operation in operations:
        value = operation.of(value)
    return value


def steps(operations: Iterable[Operation], value: float) -> Iterator[Message]:
    """Each step of some arithmetic with its result."""
    for operation in operations:
        yield operation.shown(value)
        value = operation.of(value)


@dataclass(frozen=True)
class RunFigure:
    """A number of one run.

    ``measured``: the statistic of the records that it was read from, with their lines. ``part``: the records, with the
    column that was read as their throughput; None where events were read. ``operations``: what makes the number of it.
    ``remarks``: what a reader must know beside the warnings of ``measured``.
    """

    measured: Measurement
    part: FormatRecords | None
    operations: tuple[Operation, ...] = ()
    remarks: tuple[Message, ...] = ()

    @property
    def value(self) -> float:
        """The number, in 15 significant digits."""
        return without_noise(after(self.operations, self.measured.value))

    def steps(self) -> tuple[Message, ...]:
        """The arithmetic, a step each."""
        return tuple(steps(self.operations, self.measured.value))

    def then(self, *operations: Operation) -> RunFigure:
        """The number that further arithmetic makes of this one."""
        return replace(self, operations=(*self.operations, *operations))

    def remarked(self, *remarks: Message) -> RunFigure:
        """The same number with more remarks."""
        return replace(self, remarks=(*self.remarks, *remarks))

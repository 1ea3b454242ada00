"""A cell of a page: its number with the proofs, or the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from parsers.facts import Value
from parsers.reading import Reading

from .measurement import Measurement
from .number import printed
from .page import Case
from .protocol import Protocol


@dataclass(frozen=True)
class Proof:
    """One log behind a cell: its path below the folder of logs, what it holds, and the measurement it gives."""

    log: str
    reading: Reading
    measurement: Measurement


@dataclass(frozen=True)
class Disagreement:
    """A witness in the log (or its name) that contradicts the label of a cell."""

    fact: str
    label: Value
    said: Value
    witness: str

    def __str__(self) -> str:
        """The contradiction in one English sentence."""
        fact = self.fact.replace("_", " ")
        return f"The label says {fact} {self.label}, but {self.witness} says {self.said}."


@dataclass(frozen=True)
class Reason:
    """Why a cell is empty, or a remark on it: a message that the catalogues translate, and its values."""

    message: str
    values: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The reason in English."""
        return self.message.format(**self.values)


@dataclass(frozen=True)
class Cell:
    """One number of a page with its proofs, or the reason why there is none.

    ``printed``: the number as it stands on the page; None when the cell is empty. ``number``: the same, unrounded.
    ``remarks``: what else a reader of the number must know, such as the warnings of its logs.
    """

    table: str
    row: str
    column: str
    case: Case
    proofs: tuple[Proof, ...] = ()
    protocol: Protocol | None = None
    number: float | None = None
    reason: Reason | None = None
    disagreements: tuple[Disagreement, ...] = ()
    remarks: tuple[Reason, ...] = ()

    @property
    def words(self) -> str:
        """The protocol in neutral words; of several runs it always says how they are put together."""
        words = self.protocol.words() if self.protocol else ""
        if self.protocol is None or len(self.proofs) < 2 or "repeats=" in words:
            return words
        return f"{words} repeats={self.protocol.repeats}"

    @property
    def printed(self) -> str | None:
        """The number in the digits that its protocol states."""
        return None if self.number is None or self.protocol is None else printed(self.number, self.protocol)

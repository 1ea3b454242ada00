"""A cell of a page: its number with the proofs, or the reason why there is none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from parsers.io.message import Message, joined
from parsers.runs.facts import Value
from parsers.runs.format_records import RankLog
from parsers.runs.provenance import Provenance
from parsers.runs.reading import Reading

from ..measure.diagnostics import Diagnostic
from ..measure.measurement import Measurement
from ..measure.number import printed, quotient
from ..measure.protocol import Protocol
from ..measure.quantity import Shown
from ..measure.run_figures import RunFigure
from ..pagefile.parts import MARKED, Case
from .library import NOTHING_STATED, Stated
from .telemetry.telemetry_quantities import Observation

DISAGREES = "Label: {fact} {label}; {witness}: {said}."
LOG, SAID = "log", "The page says: {said}."
QUALIFIERS = {"batch_size": "BS={said}", "nodes": "{said} nodes", "cards": "{said} cards"}
MARKS: Mapping[str, str] = {str(axis): mark for axis, mark in MARKED.items()}


@dataclass(frozen=True)
class Exhibit:
    """One file behind a number: its path below the folder of logs, and which of its lines were used.

    ``format``: the format of a log, None where it has none, or the name of a side file. ``total``: how many physical
    lines it has. ``lines``: the first and the last that was used, ``used`` how many.
    """

    path: str
    sha256: str
    format: str | None
    total: int
    lines: tuple[int, int]
    used: int


@dataclass(frozen=True)
class RankExhibit:
    """The log of another rank than the one whose lines are shown, and its lines that were used."""

    exhibit: Exhibit
    lines: Sequence[int]


def of_other_ranks(log: str, reading: Reading, measured: Measurement) -> dict[str, RankExhibit]:
    """The logs of the other ranks that a measurement compares or adds up, by their paths; none of a single log.

    ``log``: the path, below the folder of logs, of the log that the reading is of, or of the folder of all ranks.
    """
    if measured.ranks is None or reading.folder is None:
        return {}
    lead, *others = reading.ranks
    folder = PurePosixPath(str(PurePosixPath(log)).removesuffix(_below(lead, reading)))
    lines, found = measured.ranks.lines or {}, dict[str, RankExhibit]()
    for other in (other for other in others if lines.get(other.rank)):
        path, own = str(folder / _below(other, reading)), [line - other.before for line in lines[other.rank]]
        name = reading.format.name if reading.format else None
        exhibit = Exhibit(path, other.sha256, name, other.account.total, (own[0], own[-1]), len(own))
        found[path] = RankExhibit(exhibit, own)
    return found


def _below(log: RankLog, reading: Reading) -> str:
    return log.path.relative_to(reading.folder or log.path.parent).as_posix()


@dataclass(frozen=True)
class Proof:
    """One log behind a cell: its path below the folder of logs, what it holds, and the measurement it gives.

    ``observation``: what its telemetry gives, where the cell shows that; ``figure``: what else its log does, of which
    ``measurement`` then is a part.
    """

    log: str
    reading: Reading
    measurement: Measurement
    observation: Observation | None = None
    figure: RunFigure | None = None

    @property
    def value(self) -> float:
        """What the cell shows of this run."""
        return (self.observation or self.figure or self.measurement).value

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is said of the measurement; of one that another source contradicts also that."""
        found = self.measurement
        return (*found.diagnostics, *([found.contradiction] if found.contradiction else []))

    @property
    def exhibits(self) -> tuple[Exhibit, ...]:
        """The files that prove the number, the one it stands in first; a log also where it sets the window of power."""
        of_the_logs = (self.of_the_log, *(found.exhibit for found in self.of_ranks.values()))
        if self.observation is None:
            return of_the_logs
        observed = self._of_telemetry(self.observation)
        return (observed,) if self.observation.quantity.is_peak else (observed, *of_the_logs)

    def lines_of(self, exhibit: Exhibit) -> Sequence[int]:
        """The lines of a file behind the number that were used."""
        if exhibit.path == self.log:
            return self.measurement.lines
        if exhibit.path in self.of_ranks:
            return self.of_ranks[exhibit.path].lines
        return self.observation.lines if self.observation else ()

    @cached_property
    def of_ranks(self) -> Mapping[str, RankExhibit]:
        """The logs of the other ranks, by their paths."""
        return of_other_ranks(self.log, self.reading, self.measurement)

    @property
    def of_the_log(self) -> Exhibit:
        """The log itself; of several ranks the one whose lines are shown."""
        reading, measured = self.reading, self.measurement
        name = reading.format.name if reading.format else None
        return Exhibit(self.log, reading.sha256, name, reading.account.total, measured.ends, measured.records_used)

    def _of_telemetry(self, observed: Observation) -> Exhibit:
        table, lines, name = observed.telemetry, observed.lines, observed.telemetry.path.name
        path = str(PurePosixPath(self.log).with_name(name))
        return Exhibit(path, table.sha256, name, table.lines, (lines[0], lines[-1]), len(lines))


@dataclass(frozen=True)
class Disagreement:
    """What a log (or its name) says otherwise than the label of a cell."""

    fact: str
    label: Value
    said: Value
    source: Provenance

    @property
    def message(self) -> Message:
        """The contradiction in a sentence, in any language."""
        return self._told_by(self.source.message)

    @property
    def of_its_log(self) -> Message:
        """The same without the line of the log, so that it is one sentence for all numbers that it is true of."""
        is_file = self.source.is_name or self.source.kind == "run_file"
        return self._told_by(self.source.message if is_file else Message(LOG))

    def _told_by(self, witness: Message) -> Message:
        fact = Message(self.fact.replace("_", " "))
        return Message(DISAGREES, fact=fact, label=self.label, witness=witness, said=self.said)

    @property
    def is_certain(self) -> bool:
        """Whether the label is wrong for certain: names of files say fp16 for whatever is not fp32."""
        return not (self.fact == "precision" and self.source.is_name)

    @property
    def qualifier(self) -> Message:
        """What is so instead of the label, as it stands beside the number."""
        return Message(QUALIFIERS.get(self.fact, "{said}"), said=f"{MARKS.get(self.fact, '')}{self.said}".upper())


@dataclass(frozen=True)
class Quoted:
    """A figure that somebody published: its digits as printed, and the name of its source on the page."""

    digits: str
    source: str


@dataclass(frozen=True)
class Quotient:
    """How a number is computed from two others: ``of`` / ``against`` / ``ideal``, 1 being shown as ``whole``.

    ``ideal``: what the quotient would be if throughput grew as the cards do; 1 where nothing is expected.
    """

    of: "Cell"
    against: "Cell"
    ideal: float = 1.0
    whole: int = 1

    @property
    def value(self) -> float:
        """The number; both cells have one, and that of ``against`` is not 0."""
        return quotient(self.of.value or 0, self.against.value or 0, self.ideal, self.whole)


@dataclass(frozen=True, eq=False)
class Cell:
    """One number of a page with its proofs, or the reason why there is none; equal to no other, whatever they hold.

    ``shown``: the quantity, its unit and how it is printed. ``printed``: the number as it stands on the page; None when
    the cell is empty. ``number``: the same, unrounded. ``protocol``: that of the throughput, whose window is also that
    of the power. ``remarks``: what else a reader of the number must know, such as the warnings of its logs.
    ``quoted``: a published figure that stands there because there is no measurement; ``reason`` then says why there is
    none. ``published``: one that somebody published of what was measured here. ``quotient``: how the number was
    computed, where it comes from two cells and not from logs of its own.
    ``caution``: what its page says that no log does, and ``of_logs`` what it states of the logs. ``slug``: its address,
    such as ``main/v100-fp32-8/paddle``.
    """

    table: str
    row: str
    column: str
    case: Case
    shown: Shown
    proofs: tuple[Proof, ...] = ()
    protocol: Protocol | None = None
    number: float | None = None
    reason: Diagnostic | None = None
    disagreements: tuple[Disagreement, ...] = ()
    remarks: tuple[Diagnostic, ...] = ()
    quoted: Quoted | None = None
    published: Quoted | None = None
    quotient: Quotient | None = None
    caution: str = ""
    slug: str = ""
    of_logs: Stated = NOTHING_STATED

    @property
    def words(self) -> str:
        """The rule of the number in neutral words; of several runs it always says how they are put together."""
        if self.protocol is None:
            return ""
        words = self.shown.quantity.words(self.protocol)
        if len(self.proofs) < 2 or "repeats=" in words:
            return words
        return f"{words} repeats={self.shown.quantity.repeats(self.protocol)}"

    @property
    def printed(self) -> str | None:
        """The number in the digits that its protocol states, or that are usual for its quantity; no quoted figure."""
        if self.number is None:
            return None
        return printed(self.number, self.shown.printing(self.protocol or Protocol()))

    @property
    def digits(self) -> str | None:
        """What stands on the page: the number, or the figure that is quoted in its place; None for an empty cell."""
        return self.quoted.digits if self.quoted else self.printed

    @property
    def value(self) -> float | None:
        """The same as a number to compute with: unrounded where it was measured."""
        return float(self.quoted.digits) if self.quoted else self.number

    @property
    def parts(self) -> tuple["Cell", ...]:
        """The two cells that the number is computed from; none where it is not."""
        return (self.quotient.of, self.quotient.against) if self.quotient else ()

    @property
    def rests_on_quotes(self) -> bool:
        """Whether the digits are quoted, or computed from any that are."""
        return self.quoted is not None or any(part.rests_on_quotes for part in self.parts)

    @property
    def certain_disagreements(self) -> list[Disagreement]:
        """What its logs say otherwise than its label for certain."""
        return [found for found in self.disagreements if found.is_certain]

    @property
    def qualifier(self) -> Message | None:
        """What is so instead of its label, or what its page says, beside the number; None where nothing is."""
        found = dict.fromkeys(found.qualifier for found in self.certain_disagreements) | self.cautions
        return joined("{first}, {second}", found) if found else None

    @property
    def cautions(self) -> dict[Message, None]:
        """What the page says of it and of the numbers that it is computed from."""
        own = {Message(self.caution): None} if self.caution else {}
        return own | {caution: None for part in self.parts for caution in part.cautions}

    @property
    def stated(self) -> Mapping[str, Value]:
        """Its case, as its log states it where that says otherwise than the label."""
        labels: dict[str, Value] = {str(axis): value for axis, value in self.case.items()}
        return labels | {found.fact: found.said for found in self.certain_disagreements}

    @property
    def rule(self) -> str | None:
        """The protocol in words that ``Protocol.parse`` reads back; None when the cell is empty."""
        if self.protocol is None:
            return None
        return self.protocol.words(len(self.proofs))

    @property
    def said(self) -> list[str]:
        """What a reader of the number must know, in English sentences, once each."""
        return list(dict.fromkeys(map(str, self.messages)))

    @property
    def messages(self) -> tuple[Message, ...]:
        """What a reader of the number must know, in any language."""
        of_page = [Message(SAID, said=one) for one in self.cautions]
        return (*(found.message for found in self.disagreements), *of_page, *(said.message for said in self.remarks))


@dataclass(frozen=True)
class Coverage:
    """How many cells have a number from logs, and how many a quoted one, of those that are planned."""

    measured: int
    quoted: int
    planned: int

    @property
    def missing(self) -> int:
        """How many cells have neither."""
        return self.planned - self.measured - self.quoted


def coverage(cells: Iterable[Cell]) -> Coverage:
    """The coverage of cells: what is computed from others, and what repeats their runs, counts with these alone."""
    own = [cell for cell in cells if not (cell.shown.quantity.is_quotient or cell.shown.quantity.of_runs)]
    return Coverage(sum(bool(cell.proofs) for cell in own), sum(bool(cell.quoted) for cell in own), len(own))

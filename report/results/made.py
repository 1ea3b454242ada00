"""What a result is made of: its place on the page, and the runs behind it with what their logs hold.

A report keeps the result; this is there while a page is made of its logs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from parsers.runs.facts import Facts
from parsers.runs.reading import Reading
from parsers.runs.runfile import RunFile

from ..measure.diagnostics import Diagnostic
from ..measure.measurement import Measurement
from ..measure.quantity import Shown
from ..measure.run_figures import RunFigure
from ..pagefile.page import CellPlace
from .model import FileLines, Log, Result
from .store import NOTHING_STATED, Stated, Wanted, scaled
from .telemetry import Observation


@dataclass(frozen=True)
class MadeRun:
    """One run behind a number: the path of its log below the folder of logs, what this holds, and what it gives.

    ``wanted``: what the page asks of it, if one does. ``observation``: what its telemetry gives, where that is shown.
    """

    log: str
    reading: Reading
    figure: RunFigure
    wanted: Wanted | None = None
    observation: Observation | None = None

    @property
    def measured(self) -> Measurement:
        """What was read of the log."""
        return self.figure.measured

    @property
    def value(self) -> float:
        """What is shown of this run."""
        return (self.observation or self.figure).value

    @property
    def run_file(self) -> RunFile:
        """What the run.json beside its log says, empty where there is none."""
        return self.reading.run_file

    @property
    def facts(self) -> Facts:
        """The facts of its log, with what the page says of its case where the log says nothing."""
        return scaled(self.reading, self.stated).facts

    @property
    def stated(self) -> Stated:
        """What the page states of it."""
        return self.wanted.stated if self.wanted else NOTHING_STATED

    @property
    def files(self) -> Iterator[tuple[FileLines, Log]]:
        """The files that prove its number, the one it stands in first; a log also where it sets the window of power.

        Then the logs of the other ranks that are compared or added up.
        """
        reading, found = self.reading, self.measured
        if self.observation is not None:
            table, lines = self.observation.telemetry, self.observation.lines
            path = str(PurePosixPath(self.log).with_name(table.path.name))
            yield FileLines(path, lines[0], lines[-1], len(lines)), Log(table.sha256, table.path.name, table.lines)
            if self.observation.quantity.is_peak:
                return
        name = reading.format.name if reading.format else None
        yield FileLines(self.log, *found.ends, found.records_used), Log(reading.sha256, name, reading.account.total)
        if found.ranks is None or reading.folder is None:
            return
        lead, *others = (one.path.relative_to(reading.folder).as_posix() for one in reading.ranks)
        for other, below in zip(reading.ranks[1:], others, strict=True):
            own = [line - other.before for line in (found.ranks.lines or {}).get(other.rank, ())]
            path = str(PurePosixPath(self.log.removesuffix(lead)) / below)
            if own:
                yield FileLines(path, own[0], own[-1], len(own)), Log(other.sha256, name, other.account.total)


@dataclass(frozen=True, eq=False)
class Made:
    """A result with its place and its runs; equal to no other, whatever they hold.

    ``shown``: the quantity, its unit and how it is printed. ``cautions``: what a note of its table says of it.
    ``said``: what the page says of it, and of the numbers that it is computed from, its ``parts``.
    """

    place: CellPlace
    shown: Shown
    result: Result
    runs: tuple[MadeRun, ...] = ()
    cautions: tuple[Diagnostic, ...] = ()
    said: tuple[str, ...] = ()
    parts: tuple["Made", ...] = ()

    @property
    def printed(self) -> str | None:
        """Its digits, where they are not quoted."""
        return None if self.result.origin == "quoted" else self.result.digits

    @property
    def is_throughput(self) -> bool:
        """Whether it is one, which charts and comparisons are of."""
        return self.shown.quantity.is_throughput

    @property
    def is_contradicted(self) -> bool:
        """Whether another source of a log says something else than a number that rests on it."""
        rests = self.shown.quantity.rests_on_throughput
        return rests and any(run.measured.status == "contradicted" for run in self.runs)

    @property
    def denied(self) -> set[str]:
        """The axes of its case of which a log says otherwise for certain."""
        return {axis for axis, one in self.result.case.items() if one.state == "contradicted"}

    @property
    def all_runs(self) -> Iterator[MadeRun]:
        """The runs behind it, and behind those that it is computed from."""
        yield from self.runs
        for part in self.parts:
            yield from part.all_runs

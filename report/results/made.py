"""What a result is made of: its place on the page, and the runs behind it with what their logs hold.

A report keeps the result; this is there while a page is made of its logs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from parsers.runs.facts import Facts
from parsers.runs.format_records import RankLog
from parsers.runs.reading import Reading
from parsers.runs.runfile import RunFile

from ..measure.diagnostics import Diagnostic
from ..measure.measurement import Measurement
from ..measure.quantity import Shown
from ..measure.run_figures import RunFigure
from ..pagefile.page import CellPlace
from .model import FileLines, Log, Result
from .store import NOTHING_STATED, Stated, scaled
from .telemetry import Observation


@dataclass(frozen=True)
class MadeRun:
    """One run behind a number: the path of its log below the folder of logs, what this holds, and what it measures.

    ``stated``: what the page states of it. ``observation``: what its telemetry gives, where that is shown; ``figure``:
    what else its log does, of which ``measured`` then is a part.
    """

    log: str
    reading: Reading
    measured: Measurement
    stated: Stated = NOTHING_STATED
    observation: Observation | None = None
    figure: RunFigure | None = None

    @property
    def value(self) -> float:
        """What is shown of this run."""
        return (self.observation or self.figure or self.measured).value

    @property
    def run_file(self) -> RunFile:
        """What the run.json beside its log says, empty where there is none."""
        return self.reading.run_file

    @property
    def facts(self) -> Facts:
        """The facts of its log, with what the page says of its case where the log says nothing."""
        return scaled(self.reading, self.stated).facts

    @property
    def files(self) -> Iterator[tuple[FileLines, Log]]:
        """The files that prove its number, the one it stands in first; a log also where it sets the window of power."""
        if self.observation is not None:
            table, lines = self.observation.telemetry, self.observation.lines
            path = str(PurePosixPath(self.log).with_name(table.path.name))
            yield FileLines(path, lines[0], lines[-1], len(lines)), Log(table.sha256, table.path.name, table.lines)
            if self.observation.quantity.is_peak:
                return
        reading, found = self.reading, self.measured
        name = reading.format.name if reading.format else None
        total = reading.account.total
        yield FileLines(self.log, *found.ends, found.records_used), Log(reading.sha256, name, total)
        if found.ranks is None or reading.folder is None:
            return
        # The logs of the other ranks that are compared or added up.
        lead, *others = reading.ranks
        folder = PurePosixPath(str(PurePosixPath(self.log)).removesuffix(_below(lead, reading)))
        of_ranks = found.ranks.lines or {}
        for other in (one for one in others if of_ranks.get(one.rank)):
            own = [line - other.before for line in of_ranks[other.rank]]
            log = Log(other.sha256, name, other.account.total)
            yield FileLines(str(folder / _below(other, reading)), own[0], own[-1], len(own)), log


def _below(log: RankLog, reading: Reading) -> str:
    return log.path.relative_to(reading.folder or log.path.parent).as_posix()


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

"""Exhibits: the files behind a number, and where each rank wrote a log of its own those of all ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from parsers.runs.format_records import RankLog
from parsers.runs.reading import Reading

from ...measure.measurement import Measurement


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

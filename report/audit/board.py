"""Boards: the rules of a leaderboard, one TOML file, held against a record folder: its files, and what its logs state.

A record's logs are runs of one thing, or of several in folders of their own; each such series of runs is judged apart.
Runs of what a record is compared with are in folders that the board names, and are what it has to beat.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from parsers.io.errors import CANNOT_BE_READ, ParserError, reason_of
from parsers.io.extras import ExtraError
from parsers.io.input_file import text_of
from parsers.io.validation import NOT_TOML, mistake

from .constants import OTHER_QUANTITY
from .evidence import LAST, DataFile, Statistic, read
from .rules.mean_tests import Sample, Trial

SHIPPED = Path(__file__).parent / "boards"


class BoardError(ParserError):
    """A board file with a mistake; one sentence says which file and what is possible."""


# A pattern of folders below a checkout.
Pattern = Annotated[str, Field(pattern=r"^[\w*?\[][^/]*(?:/[\w*?\[][^/]*)*$")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Series(_Part):
    """What a run states: the series of its log whose names match one of these patterns; the last one stated counts."""

    series: list[str] = Field(min_length=1)

    def of(self, statistics: Sequence[Statistic]) -> Statistic | None:
        """The last value that a log states, None if none."""
        stated = [one for one in statistics if one.how == LAST and self._is_named(one.name)]
        return max(stated, key=lambda one: one.line, default=None)

    def _is_named(self, name: str) -> bool:
        """Whether a pattern matches a name, or its last word: the words before it are those of its line."""
        return any(fnmatchcase(one, pattern) for pattern in self.series for one in (name, name.rpartition(" ")[2]))


class Cap(Series):
    """The most that a run may take: seconds, or bytes. ``leeway``: how much more is let pass."""

    most: float = Field(gt=0)
    leeway: float = Field(default=0.0, ge=0)


class Margin(Series):
    """What must be less than before: by how much, and with which p value; without one the means are compared."""

    by: float = Field(default=0.0, ge=0)
    p_value: float | None = Field(default=None, gt=0, lt=1)


class Board(_Part):
    """The rules of a board.

    ``records``: patterns of the folders of its records. ``claims``: which documents of one hold claims. ``files``: what
    must be in one. ``logs``: which of its files are logs; ``baselines``: in which folders those of others are.
    ``metric`` is what is to be low: its mean at most ``target``, with ``p_value``, over at least ``seeds`` runs.
    """

    records: list[Pattern] = Field(min_length=1)
    claims: list[str] = Field(min_length=1)
    files: list[str] = Field(default_factory=list)
    logs: list[str] = Field(min_length=1)
    baselines: list[str] = Field(default_factory=list)
    metric: Series
    seeds: int = Field(default=1, ge=1)
    target: float | None = None
    p_value: float | None = Field(default=None, gt=0, lt=1)
    caps: dict[str, Cap] = Field(default_factory=dict)
    beats: dict[str, Margin] = Field(default_factory=dict)


def read_board(path: Path) -> Board:
    """Read the rules of a board; raises BoardError."""
    try:
        return Board.model_validate(tomllib.loads(text_of(path)))
    except OSError as error:
        raise BoardError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BoardError.at(path, NOT_TOML, reason=error) from error
    except ValidationError as error:
        raise BoardError.at(path, mistake(error.errors()[0], Board)) from error


def board_of(name: str) -> Board:
    """A board by its name, of those that come with the program, or by the path of its file; raises BoardError."""
    shipped = SHIPPED / f"{name}.toml"
    return read_board(shipped if name == Path(name).name and shipped.is_file() else Path(name))


class Kind(StrEnum):
    """What a rule asks for."""

    FILE = "file"
    SEEDS = "seeds"
    TARGET = "target"
    P_VALUE = "p value"
    CAP = "cap"
    BEATS = "beats"


class Status(StrEnum):
    """What a record folder says of a rule."""

    MET = "met"
    FAILED = "failed"
    CANNOT_SAY = "cannot say"


@dataclass(frozen=True)
class Verdict:
    """One rule of a board, held against a record.

    ``subject``: the pattern of the file, or the name of the cap or margin. ``runs``: the folder of the logs, empty for
    files. ``value``: what they give, ``bound``: what the rule asks for, ``count``: of how many logs that is.
    ``path``: the log that decides it, or the file. Of a p value, ``value`` is None where it cannot be computed.
    """

    record: str
    kind: Kind
    status: Status
    subject: str = ""
    runs: str = ""
    value: float | None = None
    bound: float | None = None
    count: int = 0
    path: str = ""


def records_of(board: Board, root: Path) -> list[str]:
    """The record folders of a checkout, by their paths in it."""
    try:
        paths = [path for pattern in board.records for path in root.glob(pattern)]
    except (ValueError, IndexError, NotImplementedError):  # of a pattern that Python's glob does not know
        return []
    return sorted({path.relative_to(root).as_posix() for path in paths if path.is_dir() and not path.is_symlink()})


def judged(board: Board, root: Path, record: str, prior: str | None = None) -> list[Verdict]:
    """What a record folder of a checkout says of each rule of a board: of its files, then of each series of runs.

    ``prior``: the folder of the record that stands, for records without runs of what they are compared with.
    """
    return list(_Record(board, root, record, prior).verdicts())


Runs = Mapping[str, Sequence[Statistic]]  # what each log states, by its path


class _Record:
    def __init__(self, board: Board, root: Path, record: str, prior: str | None) -> None:
        self.board, self.root, self.record = board, root, record
        series = _series_of_runs(board, root, record)
        self.runs = {folder: runs for folder, runs in series.items() if not self._is_baseline(folder)}
        self.baselines = [runs for folder, runs in series.items() if self._is_baseline(folder)]
        if prior and not self.baselines:
            of_prior = _series_of_runs(board, root, prior)
            self.baselines = [runs for folder, runs in of_prior.items() if not self._is_baseline(folder)]

    def _is_baseline(self, folder: str) -> bool:
        name = folder.rpartition("/")[2].lower()
        return any(fnmatchcase(name, pattern) for pattern in self.board.baselines)

    def verdicts(self) -> Iterator[Verdict]:
        folder = self.root / self.record
        names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        for pattern in self.board.files:
            path = next((name for name in names if fnmatchcase(name.rpartition("/")[2], pattern)), "")
            yield Verdict(self.record, Kind.FILE, _status(bool(path)), pattern, path=path)
        for runs_folder, runs in self.runs.items() or [(self.record, {})]:
            yield from self._of_runs(runs_folder, runs)

    def _of_runs(self, folder: str, runs: Runs) -> Iterator[Verdict]:
        board, metric = self.board, _values(self.board.metric, runs)
        values, count = list(metric.values()), len(metric)
        verdict = _Maker(self.record, folder)
        yield verdict.of(Kind.SEEDS, count, board.seeds, count >= board.seeds, count)
        if board.target is not None:
            mean = fmean(values) if values else None
            yield verdict.of(Kind.TARGET, mean, board.target, mean is not None and mean <= board.target, count)
            if board.p_value is not None:
                p = _p_value(values, board.target)
                yield verdict.of(Kind.P_VALUE, p, board.p_value, p is not None and p < board.p_value, count)
        for name, cap in board.caps.items():
            taken = _values(cap, runs)
            path = max(taken, key=lambda one: taken[one], default="")
            most = taken.get(path)
            is_met = most is not None and most <= cap.most + cap.leeway
            yield verdict.of(Kind.CAP, most, cap.most, is_met, len(taken), name, path)
        for name, margin in board.beats.items():
            yield self._against_baselines(verdict, name, margin, list(_values(margin, runs).values()))

    def _against_baselines(self, verdict: "_Maker", name: str, margin: Margin, own: Sequence[float]) -> Verdict:
        """Whether the runs are less than the best of what they are compared with.

        That meets the target, or it is no record; and what took far more or less ran on another machine.
        """
        mean = fmean(own) if own else 0.0
        others = [_values(margin, runs).values() for runs in self.baselines if self._is_on_target(runs)]
        means = [fmean(values) for values in others if values]
        means = [other for other in means if abs(mean - other) <= OTHER_QUANTITY * max(mean, other)]
        if not means:
            return verdict.of(Kind.BEATS, None, None, False, len(own), name)
        bound = min(means) - margin.by
        if margin.p_value is None:
            return verdict.of(Kind.BEATS, mean, bound, mean < bound, len(own), name)
        p = _p_value(own, bound)
        return verdict.of(Kind.BEATS, p, margin.p_value, p is not None and p < margin.p_value, len(own), name)

    def _is_on_target(self, runs: Runs) -> bool:
        target = self.board.target
        return target is None or fmean(_values(self.board.metric, runs).values()) <= target


@dataclass(frozen=True)
class _Maker:
    """Makes the verdicts on one series of runs."""

    record: str
    folder: str

    def of(
        self,
        kind: Kind,
        value: float | None,
        bound: float | None,
        is_met: bool,
        count: int,
        subject: str = "",
        path: str = "",
    ) -> Verdict:
        status = _status(is_met) if value is not None else Status.CANNOT_SAY
        return Verdict(self.record, kind, status, subject, self.folder, value, bound, count, path)


def _status(is_met: bool) -> Status:
    return Status.MET if is_met else Status.FAILED


def _p_value(values: Sequence[float], bound: float) -> float | None:
    """How likely a mean as low is by accident; None of too few runs, or without SciPy."""
    trial = Trial.of(Sample(tuple(values), ""), bound)
    try:
        return trial.p("less") if trial else None
    except ExtraError:
        return None


def _values(series: Series, runs: Runs) -> dict[str, float]:
    """What each log that states a series ends with; times in seconds."""
    found = {path: series.of(statistics) for path, statistics in runs.items()}
    return {path: one.value * (one.seconds or 1.0) for path, one in found.items() if one}


def _series_of_runs(board: Board, root: Path, record: str) -> dict[str, Runs]:
    """The logs of a record that state its metric, by their folders; of a log that is there twice, one."""
    found: dict[str, dict[str, Sequence[Statistic]]] = defaultdict(dict)
    known: set[str] = set()
    for path in sorted((root / record).rglob("*")):
        name = path.relative_to(root).as_posix()
        if any(fnmatchcase(path.name, pattern) for pattern in board.logs):
            file: DataFile | None = read(root, name)
            statistics = file.statistics() if file and file.digest not in known else []
            if file and board.metric.of(statistics):
                known.add(file.digest)
                found[name.rpartition("/")[0]][name] = statistics
    return dict(found)

"""Boards: the rules of a leaderboard, one TOML file, held against a record folder: its files, and what its logs state.

A record's logs are runs of one thing, or of several in folders of their own; each such series of runs is judged apart.
Runs of what a record is compared with are in folders that the board names, and are not judged.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from parsers.io.errors import CANNOT_BE_READ, ExtraError, ParserError, reason_of
from parsers.io.files import text_of
from parsers.io.validation import NOT_TOML, mistake

from .checkout import is_named
from .evidence import LAST, Stated, Statistic, read
from .rules.formulas import p_value

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

    def is_stated_by(self, one: Statistic) -> bool:
        """Whether a statistic is what a log ends with of it."""
        # A pattern matches a name, or its last word: the words before it are those of its line.
        names = (one.name, one.name.rpartition(" ")[2])
        return one.how == LAST and any(fnmatchcase(name, pattern) for name in names for pattern in self.series)

    def of(self, log: Stated) -> Statistic | None:
        """The last value that a log states, None if none."""
        return max(filter(self.is_stated_by, log.statistics), key=lambda one: one.line, default=None)


class Cap(Series):
    """The most that a run may take: seconds, or bytes. ``leeway``: how much more is let pass."""

    most: float = Field(gt=0)
    leeway: float = Field(default=0.0, ge=0)


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

    def asks_for(self, one: Statistic) -> bool:
        """Whether a statistic of a log is held against a rule."""
        return any(series.is_stated_by(one) for series in (self.metric, *self.caps.values()))


def board_of(name: str) -> Board:
    """A board by its name, of those that come with the program, or by the path of its file; raises BoardError."""
    shipped = SHIPPED / f"{name}.toml"
    if not (shipped.is_file() or Path(name).exists()):
        known = ", ".join(sorted(path.stem for path in SHIPPED.glob("*.toml")))
        raise BoardError(f"No board is named {name!r}; use one of {known}, or the path of a TOML file.")
    path = shipped if name == Path(name).name and shipped.is_file() else Path(name)
    try:
        return Board.model_validate(tomllib.loads(text_of(path)))
    except OSError as error:
        raise BoardError.at(path, CANNOT_BE_READ, reason=reason_of(error)) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BoardError.at(path, NOT_TOML, reason=error) from error
    except ValidationError as error:
        raise BoardError.at(path, mistake(error.errors()[0], Board)) from error


class Kind(StrEnum):
    """What a rule asks for."""

    FILE = "file"
    SEEDS = "seeds"
    TARGET = "target"
    P_VALUE = "p value"
    CAP = "cap"


class Status(StrEnum):
    """What a record folder says of a rule."""

    MET = "met"
    FAILED = "failed"
    CANNOT_SAY = "cannot say"

    @classmethod
    def of(cls, is_met: bool | None) -> "Status":
        """``is_met``: None where nobody can say."""
        return cls.CANNOT_SAY if is_met is None else cls.MET if is_met else cls.FAILED


@dataclass(frozen=True)
class Verdict:
    """One rule of a board, held against a record.

    ``subject``: the pattern of the file, or the name of the cap. ``runs``: the folder of the logs, empty for
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


def judged(board: Board, root: Path, record: str, known: Mapping[Path, Stated]) -> Iterator[Verdict]:
    """What a record folder of a checkout says of each rule of a board: of its files, then of each series of runs.

    ``known``: what is kept of files that were read already.
    """
    names = sorted(path.relative_to(root / record).as_posix() for path in (root / record).rglob("*") if path.is_file())
    for pattern in board.files:
        path = next((name for name in names if is_named(name, [pattern])), "")
        yield Verdict(record, Kind.FILE, Status.of(bool(path)), pattern, path=path)
    # The logs that state the metric, by their folders; of a log that is there twice, one.
    series: dict[str, dict[str, Stated]] = defaultdict(dict)
    used: set[str] = set()
    for path in (f"{record}/{name}" for name in names if is_named(name, board.logs)):
        log = known.get(root / path) or ((file := read(root, path)) and file.stated())
        folder = path.rpartition("/")[0]
        if log and log.digest not in used and board.metric.of(log):
            used.add(log.digest)
            if not is_named(folder, board.baselines):
                series[folder][path] = log
    for folder, runs in series.items() or [(record, {})]:
        yield from _judged_runs(board, record, folder, runs)


def _judged_runs(board: Board, record: str, folder: str, runs: Mapping[str, Stated]) -> Iterator[Verdict]:
    of = partial(Verdict, record, runs=folder)
    values = list(_values(board.metric, runs).values())
    count, mean = len(values), fmean(values) if values else None
    yield of(Kind.SEEDS, Status.of(count >= board.seeds), value=count, bound=board.seeds, count=count)
    if board.target is not None:
        is_met = None if mean is None else mean <= board.target
        yield of(Kind.TARGET, Status.of(is_met), value=mean, bound=board.target, count=count)
        if board.p_value is not None:
            p = None  # of few runs, or without SciPy, nobody can say
            with suppress(ExtraError):
                p = p_value(values, board.target, "less")
            is_met = None if p is None else p < board.p_value
            yield of(Kind.P_VALUE, Status.of(is_met), value=p, bound=board.p_value, count=count)
    for name, cap in board.caps.items():
        taken = _values(cap, runs)
        path, most = max(taken.items(), key=lambda one: one[1], default=("", None))
        allowed = cap.most + cap.leeway
        is_met = None if most is None else most <= allowed
        yield of(Kind.CAP, Status.of(is_met), name, value=most, bound=allowed, count=len(taken), path=path)


def _values(series: Series, runs: Mapping[str, Stated]) -> dict[str, float]:
    """What each log that states a series ends with; times in seconds."""
    found = {path: series.of(log) for path, log in runs.items()}
    return {path: one.value * (one.seconds or 1.0) for path, one in found.items() if one}

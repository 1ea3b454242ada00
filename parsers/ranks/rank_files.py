"""Rank files: which files of a folder hold what the ranks of a run printed, by how launchers call them."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal

from ..io.compression import SUFFIXES
from ..io.containment import leading_out
from ..io.errors import CANNOT_BE_READ, LogError, reason_of

Counts = Literal["job", "node", "unknown"]

NAMES = Path(__file__).with_name("names.toml")
DEPTH = 5  # torchrun's stdout.log lies three folders below the one that it is given
MOST_FILES = 1 << 17
LOG_SUFFIXES = (".log", ".out", ".err", ".txt", ".jsonl")

NO_RANKS = "is a folder without logs of several ranks, such as rank_0.log and rank_1.log; pass a log file."
OF_SEVERAL = "holds the logs of ranks of {count} runs; pass the folder or files of one of them, such as {first}."
ALL_EMPTY = "holds only empty logs of ranks."
TOO_MANY = "holds more than {most} files; pass the folder that holds the logs of the ranks only."
TWICE = "holds two logs of rank {rank}, {first} and {second}; remove one of them."


@dataclass(frozen=True)
class RankFile:
    """The log of one rank: its number, its path, and which of its streams it is ("" where there is one)."""

    rank: int
    path: Path
    stream: str


@dataclass(frozen=True)
class RankFiles:
    """The logs of the ranks of one run, ascending by rank, two streams of a rank side by side.

    ``counts``: what their numbers count. ``unread``: logs in the folder that are none of a rank.
    """

    folder: Path
    files: tuple[RankFile, ...]
    counts: Counts
    unread: tuple[Path, ...]

    @property
    def ranks(self) -> list[int]:
        """The numbers of the ranks, ascending."""
        return sorted({file.rank for file in self.files})

    @property
    def streams(self) -> dict[str, list[RankFile]]:
        """The files of each stream, but for empty ones: a rank need not print anything."""
        found: dict[str, list[RankFile]] = {}
        for file in (file for file in self.files if file.path.stat().st_size):
            found.setdefault(file.stream, []).append(file)
        return found

    @property
    def are_complete(self) -> bool:
        """Whether the numbers are 0, 1 and so on without a gap."""
        return self.ranks == list(range(len(self.ranks)))


@dataclass(frozen=True)
class _Named:
    """A file that is called like that of a rank; ``family``: its path without the number and the stream."""

    family: str
    counts: Counts
    file: RankFile


def rank_files(folder: Path) -> RankFiles:
    """The logs of the ranks of a run in a folder.

    Links that lead out of the folder are none of them. Raises LogError where there are not the logs of two ranks, all
    of them are empty, or they are of several runs.
    """
    paths = _files(folder)
    families: dict[str, list[_Named]] = {}
    for named in filter(None, (_named(path, folder) for path in paths)):
        families.setdefault(named.family, []).append(named)
    several = {family: of for family, of in families.items() if len({named.file.rank for named in of}) > 1}
    # Where some names are sure to be those of ranks, others that may be anything are none.
    chosen = {family: of for family, of in several.items() if of[0].counts != "unknown"} or several
    if not chosen:
        raise LogError.at(folder, NO_RANKS)
    if len(chosen) > 1:
        first = next(iter(chosen.values()))[0].file.path
        raise LogError.at(folder, OF_SEVERAL, count=len(chosen), first=first.relative_to(folder))
    (found,) = chosen.values()
    files = sorted((named.file for named in found), key=lambda file: (file.rank, file.stream))
    _refuse_twice(folder, files)
    known = {file.path for file in files}
    unread = tuple(path for path in paths if path not in known and path.suffix in LOG_SUFFIXES)
    ranks = RankFiles(folder, tuple(files), found[0].counts, unread)
    if not ranks.streams:
        raise LogError.at(folder, ALL_EMPTY)
    return ranks


def _files(folder: Path) -> list[Path]:
    """The files below a folder, those that links lead out of it left out; raises LogError."""

    def refuse(error: OSError) -> None:
        raise LogError.at(folder, CANNOT_BE_READ, reason=reason_of(error)) from error

    found = list(islice(_walked(folder, refuse), MOST_FILES + 1))
    if len(found) > MOST_FILES:
        raise LogError.at(folder, TOO_MANY, most=MOST_FILES)
    return sorted(path for path in found if not path.is_symlink() or leading_out([path], folder) is None)


def _walked(folder: Path, refuse: object) -> Iterator[Path]:
    for at, folders, names in os.walk(folder, onerror=refuse):  # type: ignore[arg-type]
        if len(Path(at).relative_to(folder).parts) >= DEPTH - 1:
            folders.clear()
        yield from (Path(at, name) for name in names if not name.startswith("."))


def _named(path: Path, folder: Path) -> _Named | None:
    """What the name of a file says of the rank that wrote it; the first of the patterns counts."""
    packed = path.suffix if path.suffix in SUFFIXES else ""
    text = f"/{path.relative_to(folder).as_posix()}".removesuffix(packed)
    for pattern, counts in _patterns():
        if found := pattern.search(text):
            begin, end = found.span("number")
            stream = found.groupdict().get("stream") or ""
            rest = text[end : found.start("stream")] + text[found.end("stream") :] if stream else text[end:]
            return _Named(f"{text[:begin]}#{rest}", counts, RankFile(int(found["number"]), path, stream))
    return None


@cache
def _patterns() -> Sequence[tuple[re.Pattern[str], Counts]]:
    said = tomllib.loads(NAMES.read_text(encoding="utf-8"))["names"]
    return [(re.compile(rf"{one['pattern']}\Z", re.ASCII), one["counts"]) for one in said]


def _refuse_twice(folder: Path, files: Sequence[RankFile]) -> None:
    """Refuse two files of one rank and stream, as of 1 and 01; raises LogError."""
    known: dict[tuple[int, str], Path] = {}
    for file in files:
        first = known.setdefault((file.rank, file.stream), file.path)
        if first is not file.path:
            told = {"first": first.relative_to(folder), "second": file.path.relative_to(folder)}
            raise LogError.at(folder, TWICE, rank=file.rank, **told)

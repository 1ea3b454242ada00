"""Evidence: the data files of a checkout in, every number in them out: by record, and as named series with statistics.

A file is read once and let go of; what stays are its statistics and the records that hold numbers that were asked for.
A series is named by the words before its numbers, so that all lines of one shape carry one name: the shape of a line is
what is left of it without its numbers, and is looked at once.
"""

import csv
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parsers.io.files import ERRORS, opened, unpacked

from .documents import Places, decoded, json_values
from .number import NUMBER, in_seconds
from .vocabulary import seconds_of

PACKED = ".gz"
LAST, LEAST, GREATEST, MEAN = "last", "least", "greatest", "mean"
LONGEST_LINE = 4_000  # characters; longer lines are data dumps, whose numbers are no records
LARGEST_FILE = 16 << 20  # bytes, unpacked; longer files are traces, and are named in the account as not read
KNOWN_LINES = 1 << 17  # lines kept parsed: logs of one program repeat their source text and headers
KNOWN_SHAPES = 1 << 16  # lines without their numbers
_NO_DATA = re.compile(
    r"\.(?:md|rst|py|pyi|pyx|sh|ya?ml|toml|cfg|ini|lock|png|jpe?g|svg|gif|webp|pdf|html?|patch|diff|wav|c|cc|cpp"
    r"|h|hpp|cu|cuh|js|ts|css|java|go|rs|model|vocab|ipynb|pkl|npz?|npy|pt|pth|bin|zip|tar|tgz|xz|zst|parquet|lua|prototxt"
    r"|nix|xml|sarif|drawio|excalidraw|ttf|woff2?|xlsx?|docx?|pptx?|tex|bib)$"
    r"|^(?:requirements[\w.-]*|cmakelists|licen[cs]e\w*|readme|notice|authors|contributors)(?:\.txt)?$"
    r"|^\.git|^Dockerfile|^Makefile",
    re.IGNORECASE,
)
_NUMBERS = re.compile(f"({NUMBER.pattern})")  # splits a line into words and numbers in turn
_CODE = re.compile(
    r"^\s*(?:def |class |import |from \w|return|if |for |elif |else\b|#|@|assert |with |while |try:"
    r"|[\w.\[\], *]+\s*[-+*/]?=\s)|[\w)]\($|\)\s*:$"
)
_PAIR = re.compile(r"\s*[\w/ ]+[:=]\s*\0\S*\s*$")  # a name and its number alone, in which way settings are logged
_NAME = re.compile(
    r"([A-Za-z_\u4e00-\u9fff][\w\u4e00-\u9fff/.@%-]*(?: [A-Za-z_(][\w/.@%)-]*){0,3})"
    r"[\"'\])]{0,3}\s*(?:[:=|]\s*)?[(\"'\[]?\s*$"
)
_UNIT = re.compile(r"\s?([%A-Za-zµ\u4e00-\u9fff]{1,12}(?:/[A-Za-z]{1,12})?)(?![\w(]|\s?[:=])")
_COMPOUND = re.compile(r"\d\s?(?:h|m|min)[a-z]{0,6},?\s{0,2}\d")  # in every compound duration of minutes or hours
_HEAD_WORD = re.compile(r"^[^A-Za-z_]{0,60}([A-Za-z_][\w]{2,})")
_UNFINISHED = re.compile(r"[-+.eE]*")  # behind the digits of a number that may go on
_MARK = "\0"

Name = tuple[str, str]  # of a series, and the unit behind its numbers
Row = tuple[int, int, Sequence[float], Sequence[Name]]  # record, line, numbers, and the name of each


@dataclass(frozen=True)
class Statistic:
    """What a rule makes of a log: ``how`` of the series ``name``.

    ``line``: where it stands, 0 for a mean. ``seconds``: what its unit is in seconds, None where it is no time or no
    unit is known.
    """

    name: str
    how: str
    value: float
    line: int
    seconds: float | None


@dataclass(frozen=True)
class Stated:
    """What is kept of a data file: its statistics. ``digest``: equal for equal files."""

    digest: str
    statistics: Sequence[Statistic]


@dataclass
class DataFile:
    """The numbers of a file in order of appearance.

    ``records``: in which record each stands: a line, what a progress bar drew at once, or an object of JSON.
    ``lines``: on which line. ``name_of``: of which of the series ``names``, whose units are ``units``. ``digest``:
    equal for equal files.
    """

    path: str
    digest: str
    values: NDArray[np.float64]
    records: NDArray[np.int32]
    lines: NDArray[np.int32]
    names: list[str]
    name_of: NDArray[np.int32]
    units: list[str]

    @cached_property
    def ascending(self) -> dict[int, NDArray[np.float64]]:
        """The values of each series, by its place in ``names``."""
        return {int(self.name_of[places[0]]): np.sort(self.values[places]) for places in _grouped(self.name_of)}

    @cached_property
    def _by_record(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        order = np.argsort(self.records, kind="stable")
        return order, self.records[order]

    def beside(self, place: int) -> NDArray[np.float64]:
        """The other numbers of the record of a number."""
        order, ascending = self._by_record
        first, end = (np.searchsorted(ascending, self.records[place], side) for side in ("left", "right"))
        return self.values[[one for one in order[first:end].tolist() if one != place]]

    def stated(self, is_kept: Callable[[Statistic], bool] = lambda _: True) -> Stated:
        """Last, least, greatest and mean of each named series, and of all series that share the last word of a name."""
        found = self._reduced(self.name_of, self.names, self.units)
        short = [name if name.endswith(")") else name.rpartition(" ")[2] for name in self.names]
        distinct = {name: place for place, name in enumerate(dict.fromkeys(short))}
        if len(distinct) < len(set(self.names)):
            units = dict(zip(short, self.units, strict=True))
            merged = np.array([distinct[name] for name in short], dtype=np.int32)
            found += self._reduced(merged[self.name_of], list(distinct), [units[name] for name in distinct])
        every = {(one.name, one.how, one.seconds): one for one in found}.values()
        return Stated(self.digest, [one for one in every if is_kept(one)])

    def _reduced(self, name_of: NDArray[np.int32], names: Sequence[str], units: Sequence[str]) -> list[Statistic]:
        found = []
        for places in _grouped(name_of):
            name, unit = names[name_of[places[0]]], units[name_of[places[0]]]
            if not name:
                continue
            seconds = seconds_of(unit, name) if unit or "_" in name or "time" in name else None
            part = self.values[places]
            ways = {LAST: -1, LEAST: int(part.argmin()), GREATEST: int(part.argmax())} if len(part) > 1 else {LAST: -1}
            for how, at in ways.items():
                found.append(Statistic(name, how, float(part[at]), int(self.lines[places[at]]), seconds))
            if len(part) > 1:
                found.append(Statistic(name, MEAN, float(part.mean()), 0, seconds))
        return found


def is_data(path: str) -> bool:
    """Whether nothing in the name of a file says that it is no data."""
    return not _NO_DATA.search(path.rpartition("/")[2].removesuffix(PACKED)) and "/.git/" not in f"/{path}"


def read(root: Path, path: str) -> DataFile | None:
    """The numbers of a data file; None of one that is too large, holds no text, or cannot be read."""
    file, name = root / path, path.removesuffix(PACKED)
    try:
        if file.is_symlink() or file.stat().st_size > LARGEST_FILE:
            return None
        with opened(file) as packed:
            data = (unpacked(packed) if name != path else packed).read(LARGEST_FILE + 1)
    except (OSError, *ERRORS):
        return None
    if len(data) > LARGEST_FILE or (text := decoded(data)) is None:
        return None
    digest = hashlib.blake2b(data, digest_size=12).hexdigest()
    if name.endswith(".json"):
        return _collected(path, digest, _of_json(text))
    if name.endswith((".csv", ".tsv")):
        return _collected(path, digest, _of_table(text))
    return _collected(path, digest, _of_lines(text))


def _grouped(ids: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """The places of each id, in order."""
    if not len(ids):
        return []
    order = np.argsort(ids, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(ids[order])) + 1)


def _of_lines(text: str) -> Iterator[Row]:
    """The numbers of each line; of one that a progress bar is drawn on again and again, those of each drawing.

    A number that the file ends in may be cut, unless a line ends behind it, and is left out.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    record = 0
    for number, line in enumerate(lines, start=1):
        for drawn in line.split("\r") if "\r" in line else (line,):
            record += 1
            values, names, behind = _parsed(drawn)
            if values and number == len(lines) and _UNFINISHED.fullmatch(behind):
                values, names = values[:-1], names[:-1]
            if values:
                yield record, number, values, names


@lru_cache(maxsize=KNOWN_LINES)
def _parsed(line: str) -> tuple[tuple[float, ...], tuple[Name, ...], str]:
    """The numbers of a line, the name of each, and what stands behind the last."""
    if len(line) > LONGEST_LINE:
        return (), (), ""
    parts = _NUMBERS.split(in_seconds(line) if _COMPOUND.search(line) else line)
    if len(parts) == 1:
        return (), (), ""
    values = tuple(map(_value, parts[1::2]))
    return values, _names(_MARK.join(parts[::2])), parts[-1]


def _value(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float(text.replace(",", "").replace("−", "-"))


@lru_cache(maxsize=KNOWN_SHAPES)
def _names(shape: str) -> tuple[Name, ...]:
    """The name and the unit of each number of a line of this shape; no name in program text."""
    parts = shape.split(_MARK)
    is_code = bool(_CODE.search(shape)) and not _PAIR.match(shape)
    head = found[1] if (found := _HEAD_WORD.match(parts[0])) else ""
    named, unit = [], ""
    for before, behind in pairwise(parts):
        found = None if is_code else _NAME.search(before.strip().removeprefix(unit)[-80:])
        own = found[1] if found else ""
        unit = found[1] if (found := _UNIT.match(behind)) else ""
        name = own if own.startswith(head) or not own else f"{head} {own}"
        named.append((name.lower(), unit))
    return tuple(named)


def _of_table(text: str) -> Iterator[Row]:
    """The numbers of each row of a CSV file, a line each, named by its first; those of lines where that names none."""
    first, *lines = text.split("\n")
    mark = max(",;\t", key=first.count)
    head = [cell.strip().lower() for cell in _cells(first, mark)]
    if len(head) < 2 or any(map(NUMBER.fullmatch, head)):
        yield from _of_lines(text)
        return
    for number, line in enumerate(lines, start=2):
        cells = _cells(line, mark)
        cells = cells[:-1] if number == len(lines) + 1 else cells  # no line ends behind it, so it may be cut
        told = zip(cells, head, strict=False)
        numbers = [(_value(cell), name) for cell, name in told if NUMBER.fullmatch(cell.strip())]
        if numbers:
            yield number, number, [value for value, _ in numbers], tuple((name, "") for _, name in numbers)


def _cells(line: str, mark: str) -> list[str]:
    if '"' not in line or len(line) > LONGEST_LINE:
        return line.split(mark)
    return next(csv.reader([line.replace("\r", " ")], delimiter=mark), [])


def _of_json(text: str) -> Iterator[Row]:
    """The numbers of each object by their keys, with those of its lists and of the objects that are its values."""
    places = Places(text)
    for one in json_values(text):
        value, line = _value(one.shown), places.line(one.offset) + 1
        if one.path and np.isfinite(value):
            yield one.group, line, (value,), ((one.path[-1].lower(), ""),)
            if one.outer:
                yield one.outer, line, (value,), ((" ".join(one.path[-2:]).lower(), ""),)


def _collected(path: str, digest: str, rows: Iterable[Row]) -> DataFile:
    values: list[float] = []
    places: list[tuple[int, int, int]] = []  # record, line, and how many numbers are there
    ids: list[int] = []
    known: dict[Name, int] = {}
    of_names: dict[Sequence[Name], list[int]] = {}
    for record, line, some, names in rows:
        of_row = of_names.get(names)
        if of_row is None:
            of_row = of_names[names] = [known.setdefault(one, len(known)) for one in names]
        values += some
        places.append((record, line, len(of_row)))
        ids += of_row
    records, lines, counts = np.array(places, dtype=np.int32).reshape(-1, 3).T
    of_series, units = [name for name, _ in known], [unit for _, unit in known]
    every = np.array(values, dtype=np.float64), np.repeat(records, counts), np.repeat(lines, counts)
    return DataFile(path, digest, *every, of_series, np.array(ids, dtype=np.int32), units)

"""Copies: a log that lies under the name of another case, told by its records and by what its lines say."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from parsers.io.input_file import data_of
from parsers.io.message import Message

from ..published.labels import Value
from ..published.site_logs import Log
from .backing_logs import Evidence
from .log_matching import agree

ALIKE = 0.9  # of the values of the shorter of two logs
FEWEST = 5  # different values, below which two logs agree by chance
AXES_OF_LINES = ("nodes", "cards", "batch_size", "precision")
READ_OF_TEXT = 1 << 22  # bytes of a log in which a name is looked for
SPREADING = np.uint64(0x9E3779B97F4A7C15)  # is odd, so that no two values of one place become one mark
Marks = NDArray[np.uint64]

_LETTERS = re.compile(r"[a-z]{3,}")


class LogCopies:
    """Which of the logs of a site are copies of each other, whole or but for a few lines."""

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        self._known = {one.log.path: one for one in evidence}
        self._logs = list(self._known.values())
        self._copies: dict[tuple[str, str], list[Evidence]] = {}

    def of(self, evidence: Evidence) -> list[Evidence]:
        """The other logs whose records are those of a log."""
        key = evidence.log.path, evidence.format
        if key not in self._copies:
            self._copies[key] = [other for other in self._sharing_marks(key[0]) if self._is_copy(evidence, other)]
        return self._copies[key]

    def _is_copy(self, evidence: Evidence, other: Evidence) -> bool:
        is_other = evidence.log.path != other.log.path and other.format == evidence.format
        return is_other and self._are_alike(evidence, other)

    def _are_alike(self, one: Evidence, other: Evidence) -> bool:
        if one.reading.sha256 == other.reading.sha256:
            return True
        return are_alike(self._values[one.log.path], self._values[other.log.path])

    @cached_property
    def _values(self) -> dict[str, NDArray[np.float64]]:
        return {path: _printed(evidence) for path, evidence in self._known.items()}

    @cached_property
    def _marks(self) -> dict[str, Marks]:
        return {path: _marks_of(one, self._values[path]) for path, one in self._known.items()}

    @cached_property
    def _ordered_marks(self) -> tuple[Marks, NDArray[np.intp]]:
        """The marks of all logs in order, and the place of the log that each is of."""
        marks = np.concatenate([np.zeros(0, np.uint64), *self._marks.values()])
        owners = np.repeat(np.arange(len(self._marks)), [len(some) for some in self._marks.values()])
        order = np.argsort(marks)
        return marks[order], owners[order]

    def _sharing_marks(self, path: str) -> list[Evidence]:
        """The logs that share a mark with one: only these need to be compared with it, value by value."""
        marks, owners = self._ordered_marks
        bounds = (np.searchsorted(marks, self._marks[path], side).tolist() for side in ("left", "right"))
        found = (owners[first:end].tolist() for first, end in zip(*bounds, strict=True) if end > first + 1)
        return [self._logs[owner] for owner in sorted(set(chain.from_iterable(found)))]


def _marks_of(evidence: Evidence, values: NDArray[np.float64]) -> Marks:
    """What a log shares with each of its copies at least in part.

    These are its bytes, and so many values at its beginning and at its end, each with its place, that a copy has some
    of them.
    """
    count = min(len(values), int((1 - ALIKE) * len(values)) + 2)
    ends = np.stack([values[:count], values[::-1][:count]], axis=1).ravel() + 0.0  # of two zeros one is the other
    marks = ends.view(np.uint64) * SPREADING + np.arange(2 * count, dtype=np.uint64)
    return np.append(marks, np.uint64(int(evidence.reading.sha256[:16], 16)))


def are_alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether two logs print nearly the same values, counted from their first or from their last one."""
    count = min(len(one), len(other))
    pairs = [(one[:count], other[:count]), (one[len(one) - count :], other[len(other) - count :])]
    same = [first[first == second] for first, second in pairs]
    return any(len(values) >= ALIKE * count and len(np.unique(values)) >= FEWEST for values in same)


def _printed(evidence: Evidence) -> NDArray[np.float64]:
    """The values that a log prints in its records, in their order."""
    table = evidence.part.table
    names = [name for name in ("throughput", "step_time", "duration") if name in table]
    columns = [np.asarray(table[name], dtype=np.float64) for name in names if table[name].dtype.kind in "iuf"]
    values = np.concatenate([np.zeros(0), *columns])
    finite: NDArray[np.float64] = values[np.isfinite(values)]
    return finite


def line_against(log: Log, case: Mapping[str, Value], other: Log) -> tuple[str, Value, Message] | None:
    """An axis on which the lines of a log say what the name of another one does, and not the labels of a number."""
    for axis in AXES_OF_LINES:
        for fact in (fact for fact in log.told if fact.name == axis and not fact.source.is_name):
            value: Value = fact.value if isinstance(fact.value, int) else str(fact.value)
            is_label = axis not in case or agree(axis, case[axis], value)
            if not is_label and axis in other.named and agree(axis, other.named[axis], value):
                return axis, value, fact.source.message
    return None


def word_against(log: Log, other: Log) -> str | None:
    """A word of the path of another log that a log holds, where it holds none of the words of its own path."""
    own, others = (set(_LETTERS.findall(path.path.lower())) for path in (log, other))
    try:
        text = data_of(log.file)[:READ_OF_TEXT].decode("utf-8", "replace").lower()
    except OSError:
        return None
    if any(word in text for word in own - others):
        return None
    return next((word for word in sorted(others - own) if word in text), None)

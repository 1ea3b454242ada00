"""Copies: a log that lies under the name of another case, told by its records and by what its lines say."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

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
_LETTERS = re.compile(r"[a-z]{3,}")


class LogCopies:
    """Which of the logs of a site are copies of each other, whole or but for a few lines."""

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        self._known = {one.log.path: one for one in evidence}

    def of(self, evidence: Evidence) -> Iterator[Evidence]:
        """The other logs whose records are those of a log."""
        for path, other in self._known.items():
            if path != evidence.log.path and other.format == evidence.format and self._are_alike(evidence, other):
                yield other

    def _are_alike(self, one: Evidence, other: Evidence) -> bool:
        if one.reading.sha256 == other.reading.sha256:
            return True
        return are_alike(self._values[one.log.path], self._values[other.log.path])

    @cached_property
    def _values(self) -> dict[str, NDArray[np.float64]]:
        return {path: _printed(evidence) for path, evidence in self._known.items()}


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

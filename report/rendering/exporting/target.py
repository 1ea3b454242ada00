"""Targets: the formats of other programs, each with what it takes and the files that it makes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parsers.io.errors import ParserError

from .metric import Metric, one_line

QUOTED = "quoted from others, or computed from what is quoted"
SAME_NAME = "{target}: two numbers would both be called {name}; export them separately."

Files = Mapping[str, bytes]
Refusal = Callable[[Metric], str | None]


class ExportError(ParserError):
    """What cannot be exported; one sentence says what and why."""


def nothing(_: Metric) -> str | None:
    """No reason to leave a metric out."""
    return None


@dataclass(frozen=True)
class Target:
    """The format of another program.

    ``files``: the files of some metrics by their names, one of any name where it is a format of a single file.
    ``refused``: why a metric does not fit, a key of the catalogues, or None. ``takes_quotes``: it has room to say that
    a number was not measured. ``is_folder``: it has several files, and ``is_text`` that its file can be printed.
    """

    name: str
    files: Callable[[Sequence[Metric]], Files]
    refused: Refusal = nothing
    takes_quotes: bool = False
    is_folder: bool = False
    is_text: bool = True


@dataclass(frozen=True)
class Export:
    """Files, how many numbers are in them, and how many were left out for which reasons, keys of the catalogues."""

    files: Files
    count: int
    left_out: Mapping[str, int]


def exported(target: Target, metrics: Iterable[Metric]) -> Export:
    """The files of a target with the metrics that fit it; no files where none does. Raises ExportError."""
    left_out: Counter[str] = Counter()
    taken = list[Metric]()
    for metric in map(one_line, metrics):
        reason = QUOTED if metric.is_quoted and not target.takes_quotes else target.refused(metric)
        if reason is None:
            taken.append(metric)
        else:
            left_out[reason] += 1
    return Export(target.files(taken) if taken else {}, len(taken), left_out)


def apart(target: str, names: Iterable[str]) -> list[str]:
    """Names of which no two are the same, so that no number takes the place of another; else raises ExportError."""
    found = Counter(listed := list(names))
    if same := next((name for name, count in found.items() if count > 1), None):
        raise ExportError(SAME_NAME, target=target, name=repr(same))
    return listed

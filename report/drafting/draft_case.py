"""Cases of a draft: logs that repeat each other are one of them."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from parsers.io.message import Message
from parsers.io.printable import printable

from ..pagefile.parts import Case
from .draft_logs import why
from .log_pattern import pattern_of
from .measured_log import MeasuredLog

SAME_LOG = "it is the same log as {other}."
NO_PATTERN = "no pattern matches it and the runs that it repeats ({others}) without matching other logs."
NOT_FOUND_BY = "no pattern of a page file finds it."
_COUNTED_RUN = r"run|rep|repeat|trial|seed|try|attempt"
# A number that counts repeats: the whole name of a folder or a log, behind a word for a run, or behind another number.
_REPEAT = re.compile(rf"(?:^|/|(?:{_COUNTED_RUN}|log|\d)[_.-]|{_COUNTED_RUN})(\d{{1,3}})(?=[./]|$)", re.IGNORECASE)
_MOST_NUMBERS = 3
FIRST_REPEATS = (0, 1)
NAMELESS = "logs"


@dataclass(frozen=True)
class DraftCase:
    """One case of a draft: its logs, which are repeats, at least one; and the pattern that finds them."""

    logs: tuple[MeasuredLog, ...]
    pattern: str

    @property
    def case(self) -> Case:
        """The axes that its logs state."""
        return self.logs[0].case

    @property
    def unit(self) -> str:
        """What it counts in a second."""
        return self.logs[0].unit

    @property
    def place(self) -> str:
        """The folder of its case, or the path of its first log."""
        return self.logs[0].place

    @property
    def program(self) -> str:
        """What trained, or the first folder on the way to its logs where nothing says it."""
        return self.logs[0].program or printable(PurePosixPath(self.logs[0].path).parts[0]).strip() or NAMELESS


def each_once(logs: Iterable[MeasuredLog]) -> tuple[list[MeasuredLog], list[Message]]:
    """The logs without copies, and why each of those is left out."""
    # Two runs may print the same.
    first: dict[tuple[str, str], MeasuredLog] = {}
    copies = [(log, known) for log in logs if (known := first.setdefault((log.sha256, log.launched), log)) is not log]
    return list(first.values()), [why(log.path, Message(SAME_LOG, other=known.path)) for log, known in copies]


def cases_of(
    logs: Sequence[MeasuredLog], folder: Path, others: Collection[str]
) -> tuple[list[DraftCase], list[Message]]:
    """The cases of some logs, in the order of their paths, and why further logs are left out.

    ``others``: as for ``pattern_of``.
    """
    cases, left_out = list[DraftCase](), list[Message]()
    for repeats in sorted(_repeats(logs), key=lambda found: (found[0].place, found[0].path)):
        alike = list(repeats)
        pattern = pattern_of(folder, [log.path for log in alike], others)
        if pattern is None:
            first, *more = alike
            left_out += [why(log.path, Message(NO_PATTERN, others=first.path)) for log in more]
            alike, pattern = [first], pattern_of(folder, [first.path], others)
        if pattern is None:
            left_out.append(why(alike[0].path, Message(NOT_FOUND_BY)))
        else:
            cases.append(DraftCase(tuple(alike), pattern))
    return cases, left_out


def _repeats(logs: Sequence[MeasuredLog]) -> Iterator[list[MeasuredLog]]:
    """The logs in groups that repeat each other: run folders of one case, else logs whose names count them."""
    by_place: dict[object, list[MeasuredLog]] = {}
    loose = {}
    for log in logs:
        if log.is_of_a_run:
            by_place.setdefault((log.place, *_likeness(log)), []).append(log)
        else:
            loose[log.path] = log
    yield from by_place.values()
    for number in range(1, _MOST_NUMBERS + 1):
        for group in list(_counted(loose.values(), number)):
            yield group
            for log in group:
                del loose[log.path]
    yield from ([log] for log in loose.values())


def _counted(logs: Iterable[MeasuredLog], number: int) -> Iterator[list[MeasuredLog]]:
    """Logs that differ in one number of their paths, the last but ``number - 1``, which counts them from 0 or 1."""
    groups: dict[object, dict[int, MeasuredLog]] = {}
    for log in logs:
        found = list(_REPEAT.finditer(log.path))
        if len(found) >= number:
            start, end = found[-number].span(1)
            key = (log.path[:start], log.path[end:], *_likeness(log))
            groups.setdefault(key, {})[int(log.path[start:end])] = log
    for group in groups.values():
        first = min(group)
        if len(group) > 1 and first in FIRST_REPEATS and max(group) == first + len(group) - 1:
            yield [group[at] for at in sorted(group)]


def _likeness(log: MeasuredLog) -> tuple[object, ...]:
    """What all repeats have in common."""
    return log.program, log.unit, *log.case.items()

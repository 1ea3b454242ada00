"""A log that is still written: its format once a line tells it, what it states so far, and its records as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from ..grammar.field import Field
from ..grammar.format import METRICS, Format
from ..io.errors import FormatError, LogError
from ..io.lazy import pd
from ..io.message import Message
from ..scanning.cascade import Cascade, FormatLines, of_kinds
from ..scanning.detection import common, detect, formats, known_shapes, most_claimed
from ..scanning.record_table import table
from ..scanning.tail import Change, Tail
from .appended import BANNERS
from .events import Event, events
from .facts import Fact, Value
from .reading import heard, known_format, steps_of
from .runfile import run_facts, run_file, told_by_name
from .sidefile import configured
from .statements import COUNTS, line_facts, statements

MOST_EVENTS = 1024


class GrowingLog:
    """One log and all that was read of it so far, but for its records, which are handed out and not kept.

    ``format``: None until a metric line tells it; ``doubt`` then says why it cannot be told, where that is known.
    ``lines``: how many lines of the present file were read. ``fields``: what the columns of the records mean, by
    (record, column). ``facts``: those that scale a throughput; of several values that lines state two are kept.
    ``happened``: the events that may begin a run.
    """

    def __init__(self, path: Path, *, format: str | Path | None = None, facts: Iterable[Fact] = ()) -> None:
        """Begin before the first line; raises FormatError or GrammarError as ``read`` does for a named format."""
        self.path = path
        self._given = tuple(facts)
        self._named = None if format is None else known_format(format)
        self._tail = Tail(path)
        self._begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._tail.__exit__(*error)

    @property
    def written(self) -> float | None:
        """When something was written last, in seconds since the epoch; None where there is no log yet."""
        return self._tail.written

    def news(self) -> Iterator[Change | pd.DataFrame]:
        """What has come since the last call: records as ``Reading.records`` has them, and what happened to the log.

        ``line`` is of the present file. A log that was cut or replaced is that of another run, whose format and facts
        are found anew; one that was rotated goes on. Raises LogError where the log cannot be read.
        """
        for piece in self._tail.pieces():
            if isinstance(piece, Change):
                self._change(piece)
                yield piece
            elif self.format is None:
                self._find_format(piece)
            else:
                yield from self._records(piece)

    def _begin(self) -> None:
        self.doubt: Message | None = None
        self._time: np.datetime64 | None = None
        self._levels: tuple[_Told, _Told] = {}, {}  # of the format, and of any program
        self.happened: list[Event] = []
        self._use(self._named)
        self._tell()

    def _use(self, fmt: Format | None) -> None:
        self.format = fmt
        self.fields: Mapping[tuple[str, str], Field] = fmt.fields if fmt else {}
        self.lines = 0

    def _change(self, change: Change) -> None:
        if change is Change.ROTATED:
            self.lines, self.happened = 0, []
            self._levels = _before_all_lines(self._levels[0]), _before_all_lines(self._levels[1])
        else:
            self._begin()

    def _find_format(self, block: bytes) -> None:
        """Look for the format; the lines before the one that tells it are read again then, because they state facts."""
        self.lines += block.count(b"\n")
        if found := self._detected(block):
            self._use(found)
            self._tail.rewind()

    def _detected(self, block: bytes) -> Format | None:
        """The format of the log, when a metric line of any stands in its newest block."""
        known = formats()
        shapes = known_shapes(known)
        lines = shapes.table.lines(block)
        try:
            if most_claimed(self.path, lines, np.arange(len(lines)), shapes):
                return detect(self.path, known)
        except (FormatError, LogError) as error:
            self.doubt = error.message  # The next lines may tell it.
        return None

    def _records(self, block: bytes) -> Iterator[pd.DataFrame]:
        formats_ = [fmt for fmt in (self.format, common()) if fmt]
        shapes = known_shapes(formats_[:1])
        cascade = Cascade(formats_, shapes)
        cascade.feed(shapes.table.lines(block, self.lines))
        self.lines += cascade.account.total
        self._hear(cascade.levels)
        if metric := of_kinds(cascade.levels, METRICS):
            records = table(metric, self._time).frame
            if "time" in records and records["time"].notna().any():
                self._time = records["time"].dropna().to_numpy(dtype="datetime64[us]")[-1]
            yield records

    def begin_run(self, before: int) -> None:
        """Let go of what is not stated of a run that has begun; ``before``: the line of the last record before it.

        Where its own configuration states anything, what only that of an earlier run states is not known of it.
        """
        self._levels = _of_run(self._levels[0], before), _of_run(self._levels[1], before)
        self._tell()

    def _hear(self, levels: Sequence[FormatLines]) -> None:
        """Keep what scales a throughput; a second value of it tells that lines contradict each other, a third nothing.

        ``Facts`` hears all lines of a log at once, so they are told anew.
        """
        happened = (event for event in events(of_kinds(levels, ("event",))) if event.event in BANNERS)
        self.happened = [*self.happened, *happened][-MOST_EVENTS:]
        for known, level in zip(self._levels, levels, strict=True):
            firsts = {(fact.name, fact.value): fact for fact in line_facts(level.facts)}
            for said in statements(level.facts):
                if said.name in COUNTS:
                    last = self.lines if said.lines is None else int(said.lines[-1])
                    _keep(known.setdefault(said.name, {}), firsts[said.name, said.value], last)
        if any(level.facts for level in levels):
            self._tell()

    def _tell(self) -> None:
        stated, arguments = map(_in_order, self._levels)
        run = run_file(self.path)
        given = [*self._given, *run_facts(run, self.path)]
        named, known = told_by_name(run, self.path), [self.format] if self.format else []
        self.facts = heard(given, stated, arguments, named, steps_of(known), configured(self.path))


# By name and value: the first line that states it, as a fact, and the last one.
_Told = dict[str, dict[Value, tuple[Fact, int]]]


def _keep(known: dict[Value, tuple[Fact, int]], fact: Fact, last: int) -> None:
    """Keep a value that lines state, and the two at most that were stated last."""
    known[fact.value] = known.get(fact.value, (fact, 0))[0], last
    if len(known) > 2:
        del known[min(known, key=lambda value: known[value][1])]


def _of_run(known: _Told, before: int) -> _Told:
    """What is known of a run: by lines after the last record before it, or else what all lines tell alike."""
    own = {name: {v: said for v, said in values.items() if said[1] > before} for name, values in known.items()}
    if any(own.values()):
        return own
    return {name: values for name, values in known.items() if len(values) == 1}


def _in_order(known: _Told) -> list[Fact]:
    """All facts, by the lines that state them first."""
    facts = (fact for values in known.values() for fact, _ in values.values())
    return sorted(facts, key=lambda fact: fact.source.values)


def _before_all_lines(known: _Told) -> _Told:
    """The same where another file of the log begins, whose lines are counted anew."""
    return {name: {value: (fact, 0) for value, (fact, _) in values.items()} for name, values in known.items()}

"""A look at a running job: what its growing log gave so far, in the words of `show`."""

from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from parsers.io.lazy import pd
from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.growing import GrowingLog
from parsers.scanning.tail import Change

from ..measuring.number import printed
from ..measuring.protocol import NoMeasurement, Protocol
from ..measuring.statistic import reduce
from ..wording.words import whose
from .meter import Rate
from .progress import Point, Progress

UNKNOWN = "No metric line of a known format so far."

ANOTHER_RUN = "Run {run} begins at line {line}; earlier runs do not count."
ONE_RANK = (
    "{count} ranks print numbers: those shown are of the lowest rank, and the result at the end is of all of them."
)
NO_FILE = "The file does not exist yet; waiting for it."


class Snapshot:
    """A growing log and the progress of its job, by one protocol."""

    def __init__(self, path: Path, protocol: Protocol | None, given: tuple[Fact, ...], format_: str | None) -> None:
        """Begin before the first line; raises ParserError for a format that is not known or has a mistake."""
        self.log = GrowingLog(path, format=format_, facts=given)
        self.progress = Progress(protocol)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.log.__exit__(*error)

    def news(self) -> Iterator[Change | Iterator[Point]]:
        """What has come since the last call: what happened to the log, and the records that count.

        Raises ParserError when the log cannot be read.
        """
        for piece in self.log.news():
            if not isinstance(piece, Change):
                yield self._points(piece)
                continue
            if piece is Change.ROTATED:
                self.progress.recent.rotate()
            else:
                self.progress.restart()
            yield piece

    def _points(self, records: pd.DataFrame) -> Iterator[Point]:
        """The records that count; where they show that another run has begun, those before them that are of it, too."""
        before = self.progress.hear(records, self.log.happened)
        if before is None:
            return self.progress.add(records, self.log.fields, self.log.facts)
        self.log.begin_run(before)
        new = int(records["line"].iloc[0])
        points = self.progress.add(self.progress.recent.of_present_file, self.log.fields, self.log.facts)
        return (point for point in points if point.fields["line"] >= new)

    def rate(self) -> Rate:
        """How the numbers of the records become a throughput by what is known now; once a record counts."""
        return self.progress.rate(self.log.facts)

    def remarks(self) -> Iterator[Message]:
        """What a reader must know now, a sentence each."""
        if self.log.written is None:
            yield Message(NO_FILE)
        elif self.log.format is None:
            yield self.log.doubt or Message(UNKNOWN)
        elif self.progress.all.count:
            yield from self._of_run()
            yield from self.rate().warnings
        elif self.progress.reason:
            yield self.progress.reason

    def _of_run(self) -> Iterator[Message]:
        """Which of several runs is under way, and whose numbers are shown where ranks each print their own."""
        recent = self.progress.recent
        if recent.run > 1:
            yield Message(ANOTHER_RUN, run=recent.run, line=recent.first)
        ranks = recent.frame["rank"].nunique() if "rank" in recent.frame else 1
        if ranks > 1 and not self.progress.is_of_the_job:
            yield Message(ONE_RANK, count=ranks)

    def result(self) -> str:
        """The throughput as `show` gives it; once some records are forgotten that of the last ones."""
        if not self.progress.all.count:
            return f"no throughput: {' '.join(map(str, self.remarks())) or 'No metric line yet.'}"
        try:
            found = self.progress.measured(self.log.facts)
        except NoMeasurement as error:
            return f"no throughput: {error}"
        if found is None:
            words = self.progress.protocol.words()
            return f"{self._last()}; for the result of all records by {words}, run `tachograph show`"
        number = f"{printed(found.value, found.protocol)} {found.unit}{whose(found.scope)}"
        return f"{number}, from {found.records_used} records, by {found.protocol.words()}"

    def _last(self) -> str:
        numbers, statistic = self.progress.last, self.progress.protocol.statistic
        value = self._words(reduce(numbers, statistic))
        return f"{statistic} of the {len(numbers)} last records {value}, {self._range(numbers.min(), numbers.max())}"

    def all(self) -> str:
        """The mean of all records since the start, with their range; once a record counts."""
        found = self.progress.all
        return f"mean of all {found.count} records {self._words(found.mean)}, {self._range(found.low, found.high)}"

    def _words(self, number: float) -> str:
        return self.rate().words(number, self.progress.protocol)

    def _range(self, low: float, high: float) -> str:
        ends = sorted(map(self.rate().of, (float(low), float(high))))
        return " to ".join(printed(end, self.progress.protocol) for end in ends)


def place(fields: Mapping[Hashable, Any]) -> str:
    """Where in the run a record stands: its epoch and step, or its line where it prints neither."""
    counted = {name: fields.get(name) for name in ("epoch", "step")}
    told = [f"{name} {number:g}" for name, number in counted.items() if number is not None and np.isfinite(number)]
    return " ".join(told) or f"line {fields['line']}"

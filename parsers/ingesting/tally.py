"""The tally of an ingest: what became of all files, in words and as objects."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from ..io.message import counted
from ..origins.found_file import LeftOut
from .ingest import Copies, Event, Ingested

UNKNOWN = "unknown format"
MOST_NAMES = 10


class IngestTally:
    """Counts what became of files; with ``verbose`` it keeps the name of each that is left out."""

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose = verbose
        self._logs: list[Ingested] = []
        self._copies: list[Copies] = []
        self._unreadable: list[LeftOut] = []
        self._left_out: Counter[str] = Counter()
        self._names: dict[str, list[str]] = defaultdict(list)

    def add(self, event: Event) -> None:
        """Count one more."""
        if isinstance(event, Ingested):
            self._logs.append(event)
        elif isinstance(event, Copies):
            self._copies.append(event)
        elif event.is_unreadable:
            self._unreadable.append(event)
        else:
            self._left_out[event.reason] += 1
            if self._verbose or (not event.is_common and len(self._names[event.reason]) < MOST_NAMES):
                self._names[event.reason].append(event.name)

    @property
    def is_well(self) -> bool:
        """Whether there were logs, and nothing was unreadable."""
        return bool(self._logs) and not self._unreadable

    def sentences(self, into: Path) -> Iterator[str]:
        """A summary, one sentence a line."""
        new = Counter(log.format or UNKNOWN for log in self._logs if log.is_new)
        formats = ", ".join(f"{count} {name}" for name, count in sorted(new.items()))
        yield f"Added {counted(new.total(), 'log')} to {into}{': ' + formats if formats else ''}."
        if there := len(self._logs) - new.total():
            yield f"Already there: {counted(there, 'log')}."
        yield from (f"{log.label}/{log.repeat}: {remark}" for log in self._logs for remark in log.remarks)
        yield from (f"Identical logs: {', '.join(copies.labels)}." for copies in self._copies)
        for reason, count in self._left_out.most_common():
            yield f"Skipped {counted(count, 'file')}: {reason}{self._named(reason, count)}"
        if self._unreadable:
            yield f"{counted(len(self._unreadable), 'file')} could not be read."

    def objects(self) -> Iterator[str]:
        """A JSON object for each log, then for each unreadable file."""
        labels = {copies.sha256: copies.labels for copies in self._copies}
        for log in self._logs:
            found = {
                "found": log.found,
                "run": f"{log.label}/{log.repeat}",
                "status": "new" if log.is_new else "already there",
                "sha256": log.sha256,
                "format": log.format,
                "copies": [name for name in labels.get(log.content, ()) if name != log.label],
                "remarks": list(log.remarks),
            }
            yield json.dumps(found)
        for left in self._unreadable:
            found = {"found": left.name, "status": "unreadable", "reason": left.reason}
            yield json.dumps(found)

    def problems(self) -> Iterator[str]:
        """What was unreadable, one sentence each."""
        yield from (f"Error: {left.name}: {left.reason}" for left in self._unreadable)
        if not (self._logs or self._unreadable):
            yield "Error: No logs found."

    def _named(self, reason: str, count: int) -> str:
        """The names of files left out; those that are many, texts without metric lines, are named on demand only."""
        names = self._names[reason]
        if not names:
            return " List them with --verbose."
        more = f" and {count - len(names)} more; list all with --verbose" if count > len(names) else ""
        return f" {', '.join(names)}{more}."

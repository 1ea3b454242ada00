"""Shown readings: a log as `show` reads it: by known formats, or, where these read no speed in it, by a drafted one."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from parsers.general.drafting import draft, read_by_bar
from parsers.io.errors import FormatError
from parsers.io.message import Message, joined
from parsers.runs.facts import Fact
from parsers.runs.reading import Reading, survey

from ..measure.diagnostics import NoMeasurement
from ..measure.measure import measure
from ..measure.measurement import ContradictedError

WITHOUT_FORMAT = "the log was read without a format, by the names and units of its numbers"
BY_BAR = "the speeds were read from the progress bar, of which no format knows what it counts"
NOT_READ = (
    "no line matches a known format, and no throughput is known by its names and units: {reasons};"
    " see `tachograph format {log}`."
)


@dataclass(frozen=True)
class ShownReading:
    """What was read of a log; ``without``: how, where no known format reads its speed: then it proves less."""

    reading: Reading
    without: Message | None = None


def shown_reading(log: Path, facts: Iterable[Fact] = ()) -> ShownReading:
    """Read a log as `show` does; raises FormatError where nothing in it is known to be a speed, LogError."""
    facts = tuple(facts)
    found = survey(log, facts=facts)
    if found.format is None:
        return _drafted(found, facts)
    return ShownReading(found) if _has_speed(found) else _by_bar(found, facts)


def _drafted(found: Reading, facts: tuple[Fact, ...]) -> ShownReading:
    drafted = draft(found.path, facts)
    if drafted.is_found:
        return ShownReading(drafted.reading, Message(WITHOUT_FORMAT))
    reasons = joined("{first}; {second}", drafted.reasons)
    raise FormatError.at(found.path, NOT_READ, reasons=reasons, log=found.path)


def _has_speed(found: Reading) -> bool:
    if any(part.rank[0] for part in found.parts):
        return True
    try:
        measure(found)
    except NoMeasurement as error:
        return isinstance(error, ContradictedError)
    return True


def _by_bar(found: Reading, facts: tuple[Fact, ...]) -> ShownReading:
    known = [part.format for part in found.parts if part.format]
    bar = read_by_bar(found.path, known, facts)
    if bar is None or isinstance(bar, Message):
        return ShownReading(found)
    return ShownReading(bar.reading, Message(BY_BAR))

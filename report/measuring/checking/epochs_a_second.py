"""Epochs a second: the speed of a log that shows how long epochs took, but neither their steps nor their samples."""

from parsers.io.message import Message
from parsers.runs.format_records import FormatRecords

from ...measure.protocol import Protocol
from ..crosscheck import which
from ..estimate import Facts
from ..measurement import Measurement, NoMeasurement, measure

FEWEST_EPOCHS = 4  # that are counted by when they ended

ONLY_EPOCHS = "The speed is in epochs, as the log prints the time of an epoch, but neither its steps nor its samples."
ONLY_TIMED_EPOCHS = (
    "The speed is in epochs, as the log shows when each of them ended, but neither their steps nor their samples; the "
    "time between two is that of all that was done, also of an evaluation."
)

IN_EPOCHS = {"counts": "epochs", "significant": "4"}  # far below one, three decimals say little
EACH_TIMED = {"records": "epoch", "estimate": "duration"}
EACH_ENDED = {"records": "epoch", "estimate": "clock"}
ALL_TIMED = {"records": "summary", "estimate": "duration", "statistic": "last"}


def why_epochs(found: Measurement) -> list[Message]:
    """Why a speed is in epochs; that of a whole run says so itself."""
    if found.protocol.is_of_whole_run:
        return []
    return [Message(ONLY_EPOCHS if found.protocol.estimate == "duration" else ONLY_TIMED_EPOCHS)]


def epochs_a_second(part: FormatRecords, facts: Facts, run: int | None) -> Measurement:
    """Measure epochs a second by how long each took, or else by when each ended, or by how long all of them took.

    Raises ``NoMeasurement``.
    """
    keys, reasons = {**IN_EPOCHS, **which(part, run)}, list[NoMeasurement]()
    are_enough = part.table.are("epoch").sum() >= FEWEST_EPOCHS
    for way in (EACH_TIMED, EACH_ENDED, ALL_TIMED) if are_enough else (EACH_TIMED, ALL_TIMED):
        try:
            return measure(part.table, part.fields, facts, Protocol.of({**keys, **way}))
        except NoMeasurement as error:
            reasons.append(error)
    raise reasons[0]

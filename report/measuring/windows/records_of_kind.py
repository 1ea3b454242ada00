"""Records of a kind: those that a protocol reads, or which others there are."""

from parsers.grammar.format import METRICS
from parsers.io.message import Message, joined

from ..protocol import NoMeasurement, Protocol
from ..record_columns import Columns

NO_RECORDS = "The log has no {kind} records and no others."
OTHER_RECORDS = "The log has no {kind} records; it has {known}."
OF_A_KIND = "{count} {kind} records (records={kind})"


def records_of_kind(records: Columns, protocol: Protocol) -> Columns:
    """Return the records that a protocol reads, at least one; raises ``NoMeasurement`` that tells of the others."""
    chosen = records.of_kind(protocol.records)
    if not len(chosen):
        counts = {kind: len(records.of_kind(kind)) for kind in METRICS}
        most_first = sorted(filter(counts.get, METRICS), key=counts.__getitem__, reverse=True)
        if not most_first:
            raise NoMeasurement(NO_RECORDS, kind=protocol.records)
        known = (Message(OF_A_KIND, count=counts[kind], kind=kind) for kind in most_first)
        raise NoMeasurement(OTHER_RECORDS, kind=protocol.records, known=joined("{first}, {second}", known))
    return chosen

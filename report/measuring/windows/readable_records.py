"""Readable records: which of a log print what a protocol reads, of the run and the rank that it is read of."""

import numpy as np

from parsers.grammar.format import METRICS
from parsers.io.message import Message, joined

from ...measure.diagnostics import NoMeasurement
from ...measure.protocol import Protocol
from .. import estimate
from ..caveats import of_earlier_run
from ..record_columns import Columns, Records, columns
from ..window import Fields, last_run, one_rank, one_run
from .last_means import are_parts
from .record_use import Reasons, RecordUse

NO_RECORDS = "The log has no {kind} records and no others."
OTHER_RECORDS = "The log has no {kind} records; it has {known}."
OF_A_KIND = "{count} {kind} records (records={kind})"


def readable_records(records: Records, fields: Fields, protocol: Protocol) -> tuple[Columns, str, Reasons]:
    """Return all records of the kind, the column that is read, and whether each of them is of the run and readable."""
    chosen = _of_kind(records, protocol)
    mine = one_run(chosen, protocol.run, last_run(records))
    reasons = np.full(len(chosen), RecordUse.OTHER_RUN, dtype=np.int8)
    run = chosen.rows(mine)
    column = estimate.column(run, fields, protocol)
    reasons[mine] = _readable(run, column, fields, protocol)
    return chosen, column, reasons


def _readable(chosen: Columns, column: str, fields: Fields, protocol: Protocol) -> Reasons:
    """Return whether each record of a run prints the column, is of the lowest rank that does and of no earlier run."""
    reasons = np.full(len(chosen), RecordUse.NO_VALUE, dtype=np.int8)
    kind = protocol.records
    valued, field = estimate.valued(chosen, fields, kind, column), fields.get((kind, column))
    reasons[valued] = np.where(one_rank(chosen.rows(valued)), RecordUse.USED, RecordUse.OTHER_RANK)
    if field is not None:
        used = reasons == RecordUse.USED
        if (earlier := of_earlier_run(chosen.rows(used), column, field)).any():
            reasons[np.flatnonzero(used)[earlier]] = RecordUse.EARLIER_RUN
        if protocol.is_of_last_means and field.kind == "running_mean":
            left = np.flatnonzero(reasons == RecordUse.USED)
            reasons[left[are_parts(chosen.rows(left), fields, kind, field)]] = RecordUse.PART_OF_EPOCH
    return reasons


def _of_kind(records: Records, protocol: Protocol) -> Columns:
    records = columns(records)
    chosen = records.of_kind(protocol.records)
    if not len(chosen):
        counts = {kind: len(records.of_kind(kind)) for kind in METRICS}
        most_first = sorted(filter(counts.get, METRICS), key=counts.__getitem__, reverse=True)
        if not most_first:
            raise NoMeasurement(NO_RECORDS, kind=protocol.records)
        known = (Message(OF_A_KIND, count=counts[kind], kind=kind) for kind in most_first)
        raise NoMeasurement(OTHER_RECORDS, kind=protocol.records, known=joined("{first}, {second}", known))
    return chosen

"""The choice of a protocol for a log of which nobody said by which one to measure it."""

from collections.abc import Collection, Iterator

from parsers.format import METRICS
from parsers.part import Part

from .crosscheck import ESTIMATES
from .estimate import Facts
from .measurement import Measurement, NoMeasurement, measure
from .protocol import Protocol, ProtocolError


def chosen(part: Part, facts: Facts) -> Measurement:
    """Measure by the first protocol that the log allows: what it prints comes before what must be computed.

    Of either step records come first, then those of epochs, then the last summary. Raises ``NoMeasurement`` that says
    what is missing, if possible by the option that would give it.
    """
    reasons: list[NoMeasurement] = []
    present = [kind for kind in METRICS if part.table.are(kind).any()]
    for protocol in protocols(present or ["step"]):
        try:
            return measure(part.table, part.fields, facts, protocol)
        except NoMeasurement as error:
            reasons.append(error)
    if not len(part.table):
        raise reasons[0]
    why = next((reason for reason in reasons if "give --" in str(reason)), reasons[-1])
    raise NoMeasurement(f"The log prints no throughput, and none can be computed: {why}")


def protocols(present: Collection[str]) -> Iterator[Protocol]:
    """All protocols for records of these kinds (step, epoch, summary), in the order in which they are tried."""
    for estimate in ESTIMATES:
        for kind in (kind for kind in METRICS if kind in present):
            last = {"statistic": "last"} if kind == "summary" and estimate != "clock" else {}
            yield Protocol.of({"records": kind, "estimate": estimate, **last})


def estimated(part: Part, facts: Facts, stated: Protocol) -> Measurement:
    """Measure by a protocol that states no estimate: by the first one that the log allows, in the order of ``chosen``.

    Raises ``NoMeasurement`` that says what is missing, if possible by the option that would give it.
    """
    reasons: list[NoMeasurement] = []
    for estimate in ESTIMATES:
        try:
            return measure(part.table, part.fields, facts, stated.overridden(f"estimate={estimate}"))
        except NoMeasurement as error:
            reasons.append(error)
        except ProtocolError:
            continue  # a clock gives one value, of which there is no statistic
    raise next((reason for reason in reasons if "give --" in str(reason)), reasons[0])

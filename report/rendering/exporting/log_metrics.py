"""The metric of a log: its throughput, as `show` prints it."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from parsers.runs.facts import Value

from ...evidence.cell import Proof
from ...evidence.circumstances import circumstances
from ...evidence.log_summary import Summary
from ...measuring.measurement import Measurement
from ...measuring.number import printed
from ...measuring.quantity import THROUGHPUT
from ...pagefile.parts import Axis
from .metric import ExportedRun, Metric
from .run_time import begin_in_words

SUITE = "logs"
AXES: tuple[str, ...] = get_args(Axis)


def log_metric(log: Path, summary: Summary) -> Metric | None:
    """The throughput of a log; None where it gives none. ``log``: the path that it is called by."""
    found = summary.measurement
    if found is None:
        return None
    proof = Proof(str(log), summary.reading, found)
    facts = summary.reading.facts
    case = {name: facts[name].value for name in AXES if name in facts}
    digits = printed(found.value, summary.protocol)
    return Metric(
        suite=SUITE,
        name=str(log),
        series=_series(case, found, log),
        title=str(log),
        quantity=THROUGHPUT.name,
        digits=digits,
        value=found.value,
        unit=found.unit,
        scope=found.scope,
        direction=THROUGHPUT.direction,
        protocol=found.protocol.words(),
        case=case,
        circumstances={str(key): said for key, said in circumstances(proof).items()},
        runs=(ExportedRun(digits, found.value, begin_in_words(proof), proof.exhibits, proof.reading.path),),
        remarks=tuple(str(said) for said in summary.warnings),
    )


def _series(case: Mapping[str, Value], found: Measurement, log: Path) -> str:
    """What logs of one case share that are measured in one way; a log of an unknown model is alone in its own.

    How much of its start is skipped may differ: without a protocol of the user each log has as much as is warm-up.
    """
    own = () if "model" in case else (str(log),)
    rule = found.protocol
    way = (found.unit, found.scope, rule.records, str(rule.estimate), rule.statistic)
    return "/".join((*own, *(f"{name}={said}" for name, said in case.items()), *way))

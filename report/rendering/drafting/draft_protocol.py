"""The protocols of a draft: logs that are measured alike skip as many records, those of the longest warm-up."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parsers.io.message import Message
from parsers.series import FEW

from ...measure.protocol import Protocol
from .draft_case import DraftCase
from .measured_log import MeasuredLog

ESTIMATES: Mapping[str, str] = {
    "reported": "The logs print the throughput.",
    "step_time": "The logs do not print the throughput; it is computed from the time of a step.",
    "duration": "The logs do not print the throughput; it is computed from the duration of a record.",
    "clock": "The logs do not print the throughput; it is computed from the time between records.",
    "instant": "The logs print running means, which are converted to instantaneous values.",
    "steps": "The logs do not show how many samples a step has, so steps are counted.",
}
WARM_UP_OF = "{log} has the longest warm-up: {skip} of its {count} records."
NO_WARM_UP = "No log has a warm-up that is slower than the second half of its records."
OF_SEVERAL = "Of several runs the median is shown."


@dataclass(frozen=True)
class DraftProtocol:
    """The text of a protocol, and why it is so, a sentence each."""

    text: str
    reasons: tuple[Message, ...]


def protocols_of(cases: Sequence[DraftCase]) -> list[DraftProtocol]:
    """The protocol of each case."""
    alike: dict[str, list[DraftCase]] = {}
    for case in cases:
        alike.setdefault(case.logs[0].protocol.words(), []).append(case)
    found = {}
    for words, some in alike.items():
        skips = _longest(some)
        all_logs = [log for case in some for log in case.logs]
        has_left = all(log.records - skips.skips >= FEW for log in all_logs)
        for case in some:
            found[id(case)] = _protocol(words, skips if has_left else _longest([case]), case)
    return [found[id(case)] for case in cases]


def _longest(cases: Sequence[DraftCase]) -> MeasuredLog:
    """The log with the longest warm-up."""
    return max((log for case in cases for log in case.logs), key=lambda log: log.skips)


def _protocol(words: str, longest: MeasuredLog, case: DraftCase) -> DraftProtocol:
    skip = min(longest.skips, *(log.records - 1 for log in case.logs))
    keys = re.sub(r"\s+(?=\w+=)", ",", words) + (f",skip_records={skip}" if skip else "")
    protocol = Protocol.parse(keys)
    told = {"log": longest.path, "skip": skip, "count": longest.records}
    warm_up = [Message(WARM_UP_OF, **told)] if skip else []
    if not skip and protocol.records == "step" and protocol.take_first is None:
        warm_up = [Message(NO_WARM_UP)]
    reasons = (Message(ESTIMATES[protocol.estimate]), *warm_up, *([Message(OF_SEVERAL)] if len(case.logs) > 1 else []))
    return DraftProtocol(f"{keys},repeats={protocol.repeats}" if "repeats=" not in keys else keys, reasons)

"""Remarks: why a case has no number, and what else a reader of one must know, as diagnostics."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from parsers.io.errors import TachographError
from parsers.io.message import Message
from parsers.runs.reading import CutLog, DeniedFact
from parsers.unknown.answer import Ask
from parsers.unknown.training import Reason

from ..measure.diagnostics import SENTENCES, Diagnostic, Parameter


class Remark(StrEnum):
    """What is said of a number beside the diagnostics of its measurements.

    The first four are in the words of somebody else (``said``); ``TOLD`` is whatever no code asks for.
    """

    TOLD = "told"
    CUT_LOG = "cut_log"
    FACT_DENIED = "fact_denied"
    QUALITY_PASSED = "quality_passed"
    NOT_FOUND = "log_not_found"
    NOT_MEASURED = "not_measured"
    OTHER_UNIT = "other_unit_of_log"
    OF_ONE = "of_one_card_or_node"
    SCOPE_UNKNOWN = "scope_of_log_unknown"
    MISSING_PART = "missing_part"
    OTHER_CASE = "other_case"
    DIFFERS = "unlike_cases"


NO_LOG = "This is source code, a list of changes or a page of text, not a log."
_SENTENCES: Mapping[StrEnum, str] = {
    Remark.NOT_FOUND: "Log {pattern} not found in the log folder.",
    Remark.NOT_MEASURED: "Cannot compute a number from the log: {said}",
    Remark.OTHER_UNIT: "The page uses {unit}, but {log} gives {measured}.",
    Remark.OF_ONE: "{log} gives the throughput of one {part}, and their number is unknown.",
    Remark.SCOPE_UNKNOWN: (
        "Scope unknown: {log} does not show whether its throughput is per card, per node or of the whole job; "
        "state it in the grammar of its format."
    ),
    Remark.MISSING_PART: "An input of the ratio is missing.",
    Remark.OTHER_CASE: "Not computed: one log's configuration does not match its label.",
    Remark.DIFFERS: "Not comparable: {fact} {of} and {against}.",
    # Of a log that no format reads: why its numbers tell no speed by themselves.
    Ask.SPAN: "The log does not state what {name} measures.",
    Ask.TRAINING: "The log does not state which of its lines or progress bars are training.",
    Ask.CONFIRM: "Nothing in the log shows that {name} is the speed of training.",
    Reason.EVALUATION: "{name} is of evaluation, not of training.",
    Reason.PART: "{name} is the time of a part of a step.",
    Reason.CONSTANT: "{name} is the same on every line, which may not be measured.",
    Reason.NO_TRAINING: "Nothing on the lines of {name} shows that they are training, such as a loss or a step.",
    Reason.NO_NUMBER: "{name} is not a positive number.",
    Reason.NO_SUCH_TARGET: "No number in the log is called {name}.",
    Reason.VAGUE: "The name {name} does not say what it measures.",
    **dict.fromkeys((Reason.SOURCE_CODE, Reason.CHANGES, Reason.PAGE), NO_LOG),
}
SENTENCES.update(_SENTENCES)
# What keeps two numbers from being divided, which a note of their table says.
WITHHELD = (Remark.OTHER_CASE, Remark.DIFFERS)


class NoEvidenceError(TachographError):
    """There is no number for a case; its ``diagnostic`` is the reason."""

    def __init__(self, told: Diagnostic | Remark | Message | str, /, **values: Parameter) -> None:
        if isinstance(told, Remark):
            told = Diagnostic(told, values)
        elif not isinstance(told, Diagnostic):
            told = as_told(told if isinstance(told, Message) else Message(told, **values))
        self.diagnostic = told
        super().__init__(told.message)


def as_told(message: Message) -> Diagnostic:
    """What somebody else says in words; what only the reading of a log says keeps a code of its own."""
    if isinstance(message, CutLog):
        return Diagnostic(Remark.CUT_LOG, {"said": message})
    if isinstance(message, DeniedFact):
        told = {name: message.values[name] for name in ("fact", "value")}
        return Diagnostic(Remark.FACT_DENIED, {"said": message, **told})
    return Diagnostic(Remark.TOLD, {"said": message})

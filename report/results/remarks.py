"""Remarks: why a case has no number, and what else a reader of one must know, as diagnostics."""

from __future__ import annotations

from enum import StrEnum

from parsers.io.errors import TachographError
from parsers.io.message import Message
from parsers.runs.facts import DeniedFact
from parsers.runs.reading import CutLog

from ..measure.diagnostics import Diagnostic, Parameter


class Remark(StrEnum):
    """The codes beside those of measurements by which something is decided; the first three are in the words of others.

    What they and all other codes say is in ``report/words/en.po``.
    """

    TOLD = "told"
    CUT_LOG = "cut_log"
    FACT_DENIED = "fact_denied"
    LOSS_AGREES = "loss_agrees"
    CONVERGES = "converges"
    NOT_FOUND = "log_not_found"
    SCOPE_UNKNOWN = "scope_of_log_unknown"
    OTHER_UNIT = "other_unit_of_log"
    OF_ONE = "of_one_card_or_node"
    MISSING_PART = "missing_part"
    OTHER_CASE = "other_case"
    DIFFERS = "unlike_cases"


# What keeps two numbers from being divided, which a note of their table says.
WITHHELD = (Remark.OTHER_CASE, Remark.DIFFERS)


class NoEvidenceError(TachographError):
    """There is no number for a case; its ``diagnostic`` is the reason."""

    def __init__(self, told: Diagnostic | str, /, **values: Parameter) -> None:
        self.diagnostic = told if isinstance(told, Diagnostic) else Diagnostic(told, values)
        super().__init__(self.diagnostic.message)


def as_told(message: Message) -> Diagnostic:
    """What somebody else says in words; what only the reading of a log says keeps a code of its own."""
    if isinstance(message, CutLog):
        return Diagnostic(Remark.CUT_LOG, {"said": message})
    if isinstance(message, DeniedFact):
        told = {name: message.values[name] for name in ("fact", "value")}
        return Diagnostic(Remark.FACT_DENIED, {"said": message, **told})
    return Diagnostic(Remark.TOLD, {"said": message})

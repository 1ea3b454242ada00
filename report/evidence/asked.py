"""Asked: why the numbers of a log tell no speed by themselves, and the options with which they would."""

from __future__ import annotations

from dataclasses import dataclass

from parsers.grammar.field import Scope
from parsers.unknown.answer import Accepted, Answer, Ask, Nothing, Question
from parsers.unknown.training import Reason

from ..measure.diagnostics import SENTENCES, Diagnostic, say

SENTENCES.update(
    {
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
        Reason.SOURCE_CODE: "This is source code, not a log.",
        Reason.PAGE: "This is a page of text, not a log.",
        Reason.CHANGES: "This is a list of changes, not a log.",
    }
)
ASKED = (*Ask, *Reason)  # the codes of why there is no number, of a log that no format reads


@dataclass(frozen=True)
class Offer:
    """An option as it is typed, and the number that it gives, of a ``unit`` such as images/s and a ``scope``."""

    option: str
    value: float
    unit: str
    scope: Scope

    def as_json(self) -> dict[str, object]:
        """As ``show --json`` has it."""
        return {"option": self.option, "gives": {"value": self.value, "unit": self.unit, "scope": self.scope}}


def why_none(answer: Answer | None) -> Diagnostic | None:
    """Why the numbers of a log tell no speed by themselves; None where there is nothing to say of any."""
    if isinstance(answer, Question):
        return say(answer.ask, name=answer.candidates[0].column)
    if isinstance(answer, Nothing) and answer.reasons:
        name, reason = answer.reasons[0]
        return say(reason, name=name)
    return None


def candidates(answer: Answer | None) -> list[str]:
    """The options by which a person may say what a number of a log measures, the likeliest first."""
    if isinstance(answer, Question):
        return [speed.read for speed in answer.candidates]
    return [speed.read for speed in answer.refine] if isinstance(answer, Accepted) else []

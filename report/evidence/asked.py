"""Asked: why the numbers of a log tell no speed by themselves, and the options with which they would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from parsers.grammar.field import Scope
from parsers.unknown.answer import Accepted, Answer, Ask, Nothing, Question
from parsers.unknown.training import Reason

from ..measure.diagnostics import SENTENCES, Diagnostic, say


class Asked(StrEnum):
    """Why there is no number, of a log that no format reads."""

    SPAN = "span_unknown"
    TRAINING = "training_unknown"
    CONFIRM = "speed_unproven"
    EVALUATION = "of_evaluation"
    PART = "part_of_a_step"
    CONSTANT = "never_changes"
    DIGITS = "too_few_digits"
    NO_TRAINING = "no_training"
    NO_NUMBER = "no_numbers"
    NO_TARGET = "no_such_number"
    VAGUE = "vague_name"
    SOURCE_CODE = "source_code"
    PAGE = "page_of_text"
    CHANGES = "list_of_changes"


SENTENCES.update(
    {
        Asked.SPAN: "The log does not state what {column} measures.",
        Asked.TRAINING: "The log does not state which of its lines or progress bars are training.",
        Asked.CONFIRM: "Nothing in the log shows that {column} is the speed of training.",
        Asked.EVALUATION: "{column} is of evaluation, not of training.",
        Asked.PART: "{column} is the time of a part of a step.",
        Asked.CONSTANT: "{column} is the same on every line, which may not be measured.",
        Asked.DIGITS: "{column} has too few digits.",
        Asked.NO_TRAINING: "Nothing on the lines of {column} shows that they are training, such as a loss or a step.",
        Asked.NO_NUMBER: "{column} is not a positive number.",
        Asked.NO_TARGET: "No number in the log is called {column}.",
        Asked.VAGUE: "The name {column} does not say what it measures.",
        Asked.SOURCE_CODE: "This is source code, not a log.",
        Asked.PAGE: "This is a page of text, not a log.",
        Asked.CHANGES: "This is a list of changes, not a log.",
    }
)
QUESTIONS = {Ask.SPAN: Asked.SPAN, Ask.TRAINING: Asked.TRAINING, Ask.CONFIRM: Asked.CONFIRM}
REASONS: Mapping[Reason, Asked] = {
    Reason.EVALUATION: Asked.EVALUATION,
    Reason.PART: Asked.PART,
    Reason.CONSTANT: Asked.CONSTANT,
    Reason.DIGITS: Asked.DIGITS,
    Reason.NO_TRAINING: Asked.NO_TRAINING,
    Reason.NO_NUMBER: Asked.NO_NUMBER,
    Reason.NO_SUCH_TARGET: Asked.NO_TARGET,
    Reason.VAGUE: Asked.VAGUE,
    Reason.SOURCE_CODE: Asked.SOURCE_CODE,
    Reason.PAGE: Asked.PAGE,
    Reason.CHANGES: Asked.CHANGES,
}


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
        return say(QUESTIONS[answer.ask], column=answer.candidates[0].column)
    if isinstance(answer, Nothing) and answer.reasons:
        column, reason = answer.reasons[0]
        return say(REASONS[reason], column=column)
    return None


def candidates(answer: Answer | None) -> list[str]:
    """The options by which a person may say what a number of a log measures, the likeliest first."""
    if isinstance(answer, Question):
        return [speed.read for speed in answer.candidates]
    return [speed.read for speed in answer.refine] if isinstance(answer, Accepted) else []

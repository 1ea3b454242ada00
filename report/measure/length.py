"""Lengths: stretches of a log, counted in records or in steps."""

import re
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, PlainSerializer

from parsers.io.validation import Mistake

NO_LENGTH = 'expected a number of records such as 10, or of steps such as "100 steps".'
TAKES_NOTHING = "at least 1 record or step must be taken."


@dataclass(frozen=True)
class Length:
    """A stretch of a log, counted in records or in steps: a log printed every 10 steps has 10 times fewer records."""

    count: int
    of: Literal["records", "steps"] = "records"

    def __str__(self) -> str:
        """Return the shortest text that reads back as this length: ``10``, ``100steps``."""
        return f"{self.count}steps" if self.of == "steps" else str(self.count)


def _length(value: object) -> Length:
    if isinstance(value, Length):
        return value
    found = re.fullmatch(r"(\d+)\s*(records?|steps?)?", str(value).strip())
    if found is None:
        raise Mistake(NO_LENGTH)
    return Length(int(found[1]), "steps" if (found[2] or "").startswith("step") else "records")


def _at_least_one(length: Length) -> Length:
    if length.count < 1:
        raise Mistake(TAKES_NOTHING)
    return length


AnyLength = Annotated[Length, BeforeValidator(_length, json_schema_input_type=int | str), PlainSerializer(str)]
SomeLength = Annotated[AnyLength, AfterValidator(_at_least_one)]

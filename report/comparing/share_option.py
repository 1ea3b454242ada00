"""Options that are a share of something, such as the gate of a comparison."""

from typing import Any

import click

NO_SHARE = "expected a share of the time such as 3% or 0.03, above 0 and below 100%."


class ShareOption(click.ParamType[float]):
    """A share of the time: ``3%`` or ``0.03``; or of something else, as ``expected``, a sentence, says."""

    name = "share"

    def __init__(self, expected: str = NO_SHARE) -> None:
        self.expected = expected

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share as a fraction; fails where it is none, or not above 0 and below 1."""
        text = str(value).strip()
        try:
            found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            found = 0.0
        if not 0 < found < 1:
            self.fail(self.expected, param, ctx)
        return found

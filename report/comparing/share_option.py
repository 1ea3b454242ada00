"""Options that are a share of something, such as the gate of a comparison."""

from typing import Any

import click

NO_SHARE = "expected a share of the time such as 3% or 0.03, above 0 and below 100%."
NO_NAMED_SHARE = "expected a metric as the logs print it and a share of it, such as top1=0.5%, above 0 and below 100%."


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


class NamedShareOption(click.ParamType[tuple[str, float]]):
    """A name and a share: ``top1=0.5%``; the name may hold ``=``."""

    name = "named share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """The name, and the share as a fraction; fails where there is no name or no share."""
        name, _, share = str(value).rpartition("=")
        if not name.strip():
            self.fail(NO_NAMED_SHARE, param, ctx)
        return name.strip(), ShareOption(NO_NAMED_SHARE).convert(share, param, ctx)

"""Findings of an examination, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from parsers.io.printable import printable

Level = Literal["ok", "warning", "bad"]


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at: `said` is what was found, `advice` what to do about it where it is not good."""

    subject: str
    level: Level
    said: str
    advice: str | None = None


def shown(findings: Iterable[Diagnosis]) -> str:
    """Lay findings out for a terminal, a line each, the advice in a line below; ends with a newline unless empty."""
    listed = list(findings)
    width = max((len(finding.subject) for finding in listed), default=0)
    return "".join(_paragraph(finding, width) for finding in listed)


def _paragraph(finding: Diagnosis, width: int) -> str:
    head = f"{finding.level:7}  {printable(finding.subject):{width}}  "
    advice = f"{' ' * len(head)}{printable(finding.advice)}\n" if finding.advice else ""
    return f"{head}{printable(finding.said)}\n{advice}"

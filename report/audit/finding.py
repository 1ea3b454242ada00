"""Findings: what an audit says of one published number."""

from dataclasses import dataclass
from typing import Any, Literal

from .published import Published

Verdict = Literal[
    "exact",
    "near",
    "differs",
    "impossible",
    "stale",
    "mislabelled",
    "misfiled",
    "dead link",
    "no evidence",
]
# All of them, and what each says; those that leave nothing to mend come first.
VERDICTS: dict[Verdict, str] = {
    "exact": "the log, or the source that is quoted, gives the printed digits",
    "near": "the log gives the number within the tolerance that was stated",
    "differs": "the log gives another number",
    "impossible": "the number is outside the range of every value in its log",
    "stale": "another table of the site states another number for the same case",
    "mislabelled": "the number comes out, but a label contradicts the log",
    "misfiled": "the linked log is that of another case",
    "dead link": "the link to the log leads nowhere",
    "no evidence": "no log was found",
}
GOOD: tuple[Verdict, ...] = ("exact", "near")


@dataclass(frozen=True)
class Finding:
    """The verdict on one number, with the log, the protocol and the number that it gives, where there are any.

    ``computed`` has the digits that the published number has; ``ratio`` is published / computed, unrounded.
    ``accepted``: why somebody accepts it although it is no good.
    """

    number: Published
    verdict: Verdict
    reason: str
    log: str | None = None
    protocol: str | None = None
    computed: str | None = None
    ratio: float | None = None
    accepted: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether there is nothing to mend."""
        return self.verdict in GOOD or self.accepted is not None


def as_json(finding: Finding, page: str) -> dict[str, Any]:
    """A finding as one JSON object; ``table`` is the heading above its table."""
    number = finding.number
    return {
        "page": page,
        "line": number.line,
        "table": number.heading,
        "row": number.row,
        "column": number.column,
        "published": number.digits,
        "unit": number.unit,
        "case": dict(number.case),
        "log": finding.log,
        "protocol": finding.protocol,
        "computed": finding.computed,
        "ratio": finding.ratio,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "accepted": finding.accepted,
    }

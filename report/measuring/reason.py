"""Reasons: why a number is missing, or what a reader of it must know, in words that the catalogues translate."""

from collections.abc import Mapping
from dataclasses import dataclass, field

LEADS_OUT = "{log} is left out: {file} leads out of the folder of logs."
LEADS_OUT_HELP = "Such a link is not followed; --logs with the folder that it leads to reads what is there."


@dataclass(frozen=True)
class Reason:
    """Why a cell is empty, or a remark on it: a message that the catalogues translate, and its values."""

    message: str
    values: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The reason in English."""
        return self.message.format(**self.values)


class NoEvidenceError(Exception):
    """There is no number for a case; carries the reason."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(str(reason))

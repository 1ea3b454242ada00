"""Reasons: why a case has no number."""

from parsers.io.errors import MessageError

LEADS_OUT = "{log} is left out: {file} leads out of the folder of logs."
LEADS_OUT_HELP = "Such a link is not followed; --logs with the folder that it leads to reads what is there."


class NoEvidenceError(MessageError):
    """There is no number for a case; its message is the reason."""

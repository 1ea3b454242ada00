"""Reasons: why a case has no number."""

from parsers.io.errors import MessageError

LEADS_OUT = "{log} skipped: {file} points outside the log folder."
LEADS_OUT_HELP = "Such a link is not followed; --logs with the folder that it leads to reads what is there."


class NoEvidenceError(MessageError):
    """There is no number for a case; its message is the reason."""

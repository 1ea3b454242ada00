"""Reasons: why a case has no number."""

from parsers.io.errors import MessageError

LEADS_OUT = "{log} skipped: {file} points outside the log folder."
LEADS_OUT_HELP = "The link is not followed; to read these logs, pass the folder that it leads to with --logs."


class NoEvidenceError(MessageError):
    """There is no number for a case; its message is the reason."""

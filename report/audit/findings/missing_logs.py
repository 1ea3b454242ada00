"""Missing logs: what is said of a number that no log was found for, or one that nothing is known to be a speed in."""

from collections.abc import Sequence

from parsers.io.message import Message

from ..claim import Claim
from ..finding import Finding

DEAD = "The link {text} points to {address}, which does not exist, and no other log was found."
NO_LOG = (
    "{log} is not in a known log format, and no throughput in it is known by its name and unit; see `tachograph format"
    " {log}`."
)
NOT_FOUND = "No log of this case was found."
NOT_FOLLOWED = (
    "No log of this case was found. {link} leads out of the folder and was not followed; --logs FOLDER names another"
    " one."
)
SEVERAL_NOT_FOLLOWED = (
    "No log of this case was found. {link} and other links lead out of the folder and were not followed; --logs FOLDER"
    " names another one."
)
NO_LOG_FOUND = (NOT_FOUND, NOT_FOLLOWED, SEVERAL_NOT_FOLLOWED)


def without_log(claim: Claim, unfollowed: Sequence[str]) -> Finding:
    """The finding for a claim that no log was read for; ``unfollowed``: links among the logs that lead elsewhere."""
    if claim.match.dead:
        dead = claim.match.dead[0].link
        return Finding(claim.number, "dead link", Message(DEAD, text=repr(dead.text), address=dead.address))
    if linked := [backing for backing in claim.match.backings if backing.link or claim.stated]:
        path = linked[0].log.path
        return Finding(claim.number, "no evidence", Message(NO_LOG, log=path))
    if not unfollowed:
        return Finding(claim.number, "no evidence", Message(NOT_FOUND))
    key = NOT_FOLLOWED if len(unfollowed) == 1 else SEVERAL_NOT_FOLLOWED
    return Finding(claim.number, "no evidence", Message(key, link=unfollowed[0]))

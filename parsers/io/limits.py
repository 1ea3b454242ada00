"""Limits: how much a packed file, an archive or a download may become, so that none fills the disk or takes for ever.

They hold wherever something is read. An archive in an archive, and a packed file in a packed file, are not opened.
"""

import os

from .errors import MessageError
from .message import Message

MIB, GIB = 1 << 20, 1 << 30
LEAST = 64 * MIB
# Logs repeat themselves and pack well, to a hundredth at times; what is made to fill disks packs to a thousandth.
TIMES = 250
MOST_MEMBERS = 1 << 16
LARGEST_DOWNLOAD = 64 * GIB
VARIABLE = "TACHOGRAPH_UNPACKED_GIB"


UNPACKS_TO_MORE = "it unpacks to more than {size} MiB; set {variable}=1 to allow 1 GiB, or unpack it first"
LARGER_DOWNLOAD = "it is larger than {size} GiB; download it, then pass the file"
TOO_MANY_MEMBERS = "it has more than {count} members; unpack it, then pass the folder"
NO_NUMBER_OF_GIB = "${variable} is {said}; expected a number of GiB"


class TooLargeError(MessageError):
    """Something becomes more than it may; the message goes on from "cannot be read"."""


class Allowance:
    """So many bytes may still come; ``told`` is what is said when there are more."""

    def __init__(self, most: int, told: Message) -> None:
        self._left, self._told = most, told

    def take(self, size: int) -> None:
        """Use up some bytes; raises TooLargeError when they are more than is left."""
        self._left -= size
        if self._left < 0:
            raise TooLargeError(self._told)


def unpacking(packed: int) -> Allowance:
    """What so many packed bytes may unpack to: 250 times as many, or 64 MiB or what the user allows if that is more.

    Raises TooLargeError where $TACHOGRAPH_UNPACKED_GIB is not a number.
    """
    return _of_unpacked(max(LEAST, TIMES * packed, _allowed()))


def _of_unpacked(most: int) -> Allowance:
    return Allowance(most, Message(UNPACKS_TO_MORE, size=f"{most / MIB:,.0f}", variable=VARIABLE))


def downloading() -> Allowance:
    """What a file may have that comes over a network."""
    return Allowance(LARGEST_DOWNLOAD, Message(LARGER_DOWNLOAD, size=LARGEST_DOWNLOAD // GIB))


def check_members(count: int) -> None:
    """Raise TooLargeError where an archive has more members than any of logs has."""
    if count > MOST_MEMBERS:
        raise TooLargeError(TOO_MANY_MEMBERS, count=f"{MOST_MEMBERS:,}")


def _allowed() -> int:
    said = os.environ.get(VARIABLE, "0")
    try:
        return int(float(said) * GIB)
    except (ValueError, OverflowError) as error:
        raise TooLargeError(NO_NUMBER_OF_GIB, variable=VARIABLE, said=repr(said)) from error

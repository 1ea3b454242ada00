"""Limits: how much a packed file, an archive or a download may become, so that none fills the disk or takes for ever.

They hold wherever something is read. An archive in an archive, and a packed file in a packed file, are not opened.
"""

import os

MIB, GIB = 1 << 20, 1 << 30
LEAST = 64 * MIB
# Logs repeat themselves and pack well, to a hundredth at times; what is made to fill disks packs to a thousandth.
TIMES = 250
MOST_MEMBERS = 1 << 16
LARGEST_DOWNLOAD = 64 * GIB
VARIABLE = "TACHOGRAPH_UNPACKED_GIB"


class TooLargeError(Exception):
    """Something becomes more than it may; the message goes on from "cannot be read"."""


class Allowance:
    """So many bytes may still come; ``told`` is what is said when there are more."""

    def __init__(self, most: int, told: str) -> None:
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
    most = max(LEAST, TIMES * packed, _allowed())
    said = f"it unpacks to more than {most / MIB:,.0f} MiB; set {VARIABLE}=1 to allow 1 GiB, or unpack it first"
    return Allowance(most, said)


def downloading() -> Allowance:
    """What a file may have that comes over a network."""
    return Allowance(
        LARGEST_DOWNLOAD, f"it is larger than {LARGEST_DOWNLOAD // GIB} GiB; download it, then pass the file"
    )


def check_members(count: int) -> None:
    """Raise TooLargeError where an archive has more members than any of logs has."""
    if count > MOST_MEMBERS:
        raise TooLargeError(f"it has more than {MOST_MEMBERS:,} members; unpack it, then pass the folder")


def _allowed() -> int:
    said = os.environ.get(VARIABLE, "0")
    try:
        return int(float(said) * GIB)
    except (ValueError, OverflowError) as error:
        raise TooLargeError(f"${VARIABLE} is {said!r}; expected a number of GiB") from error

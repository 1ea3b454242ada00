"""Allowances: how much a packed file or a download may become, so that none fills the disk."""

from .candidate import NotTakenError

GIB = 1 << 30
LEAST = 1 * GIB
# Logs repeat themselves and pack well, to a hundredth at times; what is made to fill disks packs to a thousandth.
TIMES = 250
LARGEST_DOWNLOAD = 64 * GIB


class Allowance:
    """So many bytes may still come."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most

    def take(self, size: int) -> None:
        """Use up some bytes; raises NotTakenError when they are more than is left."""
        self._left -= size
        if self._left < 0:
            raise NotTakenError(f"becomes more than {self._most / GIB:g} GiB; that is too much.", is_unreadable=True)


def unpacking(packed: int) -> Allowance:
    """What a packed file of so many bytes may unpack to: 250 times its size, or 1 GiB where that is more."""
    return Allowance(max(LEAST, TIMES * packed))

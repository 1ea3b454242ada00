"""The use of records: which a protocol uses, and why not the others."""

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Reasons = NDArray[np.int8]


class RecordUse:
    """Why a record is used or left out; arrays of reasons are int8.

    Left out before the window: a record of another run, without the value that is read, or of another rank. By the
    window: skipped, dropped at the end, beyond what ``take_first`` takes, before what ``take_last`` takes. After it:
    cut by ``trim``, not the last one (``statistic = last``), between the two that ``estimate = clock`` reads; of
    another rank, and part of the sum over ranks; of an earlier run, whose mean a file that polls a program repeats; the
    running mean of a part of an epoch, where its last one counts.
    """

    USED = 0
    NO_VALUE = 1
    OTHER_RANK = 2
    SKIP_RECORDS = 3
    SKIP_STEPS = 4
    DROP_LAST = 5
    BEYOND = 6
    BEFORE = 7
    TRIM = 8
    NOT_LAST = 9
    BETWEEN = 10
    OTHER_RUN = 11
    SUMMED = 12
    EARLIER_RUN = 13
    PART_OF_EPOCH = 14


# The reasons as words of tables and messages, ``skip_records``, in their order.
REASON_KEYS = tuple(name.lower() for name in vars(RecordUse) if name.isupper())


# Why a record is not among those that a protocol chooses from.
UNREADABLE = (
    RecordUse.OTHER_RUN,
    RecordUse.NO_VALUE,
    RecordUse.OTHER_RANK,
    RecordUse.SUMMED,
    RecordUse.EARLIER_RUN,
    RecordUse.PART_OF_EPOCH,
)
ARE_READABLE: Mask = ~np.isin(np.arange(len(REASON_KEYS)), UNREADABLE)


def are_readable(reasons: Reasons) -> Mask:
    """Return which records have the value that is read, and are of the run and the rank that is (bool)."""
    return ARE_READABLE[reasons]

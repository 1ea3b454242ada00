"""A box: what a stranger's grammar makes this program compile and match is done in a child process with limits.

A terminal of a grammar is a regular expression as its author wrote it, and one with nested repeats takes longer than
anybody waits. The child is a fork, so it has all that was read already, and it hands its result back; it has no network
where the system lets it give that up.
"""

import ctypes
import math
import os
import pickle
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from .errors import TachographError

Result = TypeVar("Result")

MEMORY = 2 << 30  # bytes beyond what this process has
# Of <linux/sched.h>: a network of its own, in which there is none yet; and users of its own, which only root can do
# without. Root itself would lose its rights over the files of others by that.
_NEW_NETWORK, _NEW_USERS = 0x40000000, 0x10000000
_GRACE = 5  # seconds from the end of the time until the system ends the child itself
_inside = False


class OutOfTimeError(BaseException):
    """The time of a box is over, wherever it is in its work; ``text``: the line that it was matching, if any."""

    text: bytes = b""


class LimitError(Exception):
    """A box reached a limit: ``seconds`` of CPU time, or its memory where that is 0; ``text``: as of OutOfTimeError."""

    def __init__(self, seconds: int, text: bytes = b"") -> None:
        super().__init__(seconds, text)
        self.seconds, self.text = seconds, text


def boxed(do: Callable[[], Result], seconds: float, memory: int = MEMORY) -> Result:
    """What a function gives, which a child process does in so much CPU time, and so many bytes more than this one has.

    Raises what the function raises, and LimitError. What is in a box already is in no other.
    """
    if _inside:
        return do()
    limit = math.ceil(seconds)
    receiver, sender = os.pipe()
    child = os.fork()
    if not child:
        os.close(receiver)
        _work(do, sender, limit, memory)
    os.close(sender)
    status = 0
    try:
        with os.fdopen(receiver, "rb") as stream, suppress(EOFError, pickle.UnpicklingError):
            result, error = pickle.load(stream)  # noqa: S301 - by a fork of this process
            if error is not None:
                raise error
            return result  # type: ignore[no-any-return]
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)  # it has handed over all it will; here too when somebody interrupts
        _, status = os.waitpid(child, 0)
    raise LimitError(limit if os.WTERMSIG(status) == signal.SIGXCPU else 0)


def _work(do: Callable[[], Any], sender: int, seconds: int, memory: int) -> NoReturn:
    """Do the work in the child, and hand over what came of it: a result, or an error."""
    global _inside  # noqa: PLW0603 - a process is in a box or not
    _inside = True
    status = 1
    outcome: tuple[Any, BaseException | None]
    try:
        _limit(seconds, memory)
        with suppress(OSError, AttributeError):  # not every system and container allows it, or has such a library of C
            ctypes.CDLL(None).unshare(_NEW_NETWORK if os.getuid() == 0 else _NEW_NETWORK | _NEW_USERS)
        try:
            outcome = do(), None
        except OutOfTimeError as over:
            outcome = None, LimitError(seconds, over.text)
        except MemoryError:
            outcome = None, LimitError(0)
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
            outcome = None, _portable(error)
        with os.fdopen(sender, "wb") as stream:
            pickle.dump(outcome, stream)
        status = 0
    finally:
        os._exit(status)


def _limit(seconds: int, memory: int) -> None:
    def stop(*_: object) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + _GRACE, seconds + _GRACE))
        raise OutOfTimeError

    signal.signal(signal.SIGXCPU, stop)  # an expression looks for signals while it is matched
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + _GRACE))
    with suppress(OSError):  # no /proc: the time is limited all the same
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        used = pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _portable(error: BaseException) -> BaseException:
    """An error as another process has it: one of ours that holds what cannot go there with its message alone."""
    with suppress(Exception):  # a class of somebody else's, as those of Lark, raises what it likes
        pickle.loads(pickle.dumps(error))  # noqa: S301 - it was made here
        return error
    return type(error)(error.message) if isinstance(error, TachographError) else RuntimeError(repr(error))

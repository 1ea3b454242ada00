"""The pool: work on many logs at once, on all cores."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

WORTH_A_POOL = 8  # logs; to start other processes takes about as long as to read so many
# So many bytes of logs are handed to another process at once: a large log makes no other wait for it.
AT_ONCE = 1 << 20
MOST_AT_ONCE = 16
KILLED = "A worker process was killed, probably because the system ran out of memory."


@contextmanager
def on_all_cores(
    do: Callable[[Task], Result], tasks: Sequence[Task], *, largest: int = AT_ONCE
) -> Iterator[Iterator[Result]]:
    """Let a function of a module be done for each task, and give the results in their order.

    Where tasks are many, other processes begin at once with all of them, and stop with the context; a few are done here
    as their results are taken. To take a result raises what the function raised, and ChildProcessError when a process
    was killed. ``largest``: how many bytes the largest log has; small ones are handed over some at a time.
    """
    if len(tasks) < WORTH_A_POOL:
        yield map(do, tasks)
        return
    together = max(1, min(MOST_AT_ONCE, AT_ONCE // max(1, largest)))
    # Forked, so that what is imported is there at once. A fork of a process that drew charts cannot draw, but need not.
    pool = ProcessPoolExecutor()
    try:
        yield pool.map(do, tasks, chunksize=together)
    except BrokenProcessPool as error:
        raise ChildProcessError(KILLED) from error
    finally:
        pool.shutdown(cancel_futures=True)

"""The pool: work on many logs at once, on all cores."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

WORTH_A_POOL = 8  # logs; to start other processes takes about as long as to read so many
# So many bytes of logs are handed to another process at once: a large log makes no other wait for it.
AT_ONCE = 1 << 20
MOST_AT_ONCE = 16


def on_all_cores(do: Callable[[Task], Result], tasks: Sequence[Task], *, largest: int = AT_ONCE) -> Iterator[Result]:
    """What a function of a module makes of each task, in their order; in other processes where there are enough.

    They are begun at once, whenever the results are taken, which raises what the function raises. ``largest``: how many
    bytes the largest log has; small ones are handed over some at a time.
    """
    if len(tasks) < WORTH_A_POOL:
        return map(do, tasks)
    together = max(1, min(MOST_AT_ONCE, AT_ONCE // max(1, largest)))
    pool = ProcessPoolExecutor()
    results = pool.map(do, tasks, chunksize=together)
    pool.shutdown(wait=False)  # once all of them are done
    return results

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

    ``largest``: how many bytes the largest log has; small ones are handed over some at a time. Raises what the function
    raises.
    """
    together = max(1, min(MOST_AT_ONCE, AT_ONCE // max(1, largest)))
    if len(tasks) < WORTH_A_POOL:
        yield from map(do, tasks)
        return
    with ProcessPoolExecutor() as pool:
        yield from pool.map(do, tasks, chunksize=together)

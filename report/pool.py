"""The pool: work on many logs at once, on all cores."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

WORTH_A_POOL = 8  # logs; to start other processes takes about as long as to read so many


def on_all_cores(do: Callable[[Task], Result], tasks: Sequence[Task], *, together: int = 1) -> Iterator[Result]:
    """What a function of a module makes of each task, in their order; in other processes where there are enough.

    ``together``: so many tasks are handed over at a time, which small ones are worth. Raises what the function raises.
    """
    if len(tasks) < WORTH_A_POOL:
        yield from map(do, tasks)
        return
    with ProcessPoolExecutor() as pool:
        yield from pool.map(do, tasks, chunksize=together)

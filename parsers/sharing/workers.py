"""Workers: the processes that share the work on many logs, on the cores of this machine or on those of a cluster.

They are given a function and tasks by every room that reads many logs, and know nothing of logs themselves. Whoever
does the work, its results are the same and in the order of the tasks, and are taken as they come: as many wait as keep
all workers busy, however many tasks there are.
"""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from itertools import chain, islice
from multiprocessing.connection import wait
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from ..io.cache import keep_for
from ..io.errors import ParserError, extra

Task = TypeVar("Task")
Result = TypeVar("Result")

# To hand a task over costs as much as to read a small log, so several go together; that of a large log goes alone.
MOST_TASKS = 16
MOST_BYTES = 1 << 20
# At most so many batches of tasks are submitted ahead of the results that have been taken.
AHEAD = 128
PATIENCE = 10  # seconds until a scheduler has answered

BOTH = "Give --jobs or --scheduler, not both: a scheduler has workers of its own."
KILLED = "A worker process was killed, probably because the system ran out of memory."
NO_SCHEDULER = "{address}: no scheduler responds; expected tcp://host:port."
LOST = "{address}: the scheduler lost the work; run the same command again to continue."
NO_FOLDER = "The workers of {scheduler} cannot open {folder}; logs must be on a disk that all machines share."
OTHER_VERSION = "The workers of {scheduler} have Tachograph {there}, and this machine has {here}; install one version."


class WorkersError(ParserError):
    """There are no workers, they are gone, or it is not clear which are meant."""


@dataclass(frozen=True)
class Workers:
    """Who does the work: ``jobs`` processes, one for each core by default, or the workers of a Dask ``scheduler``.

    Raises WorkersError where both are given.
    """

    jobs: int | None = None
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.jobs and self.scheduler:
            raise WorkersError(BOTH)

    @contextmanager
    def each(
        self, do: Callable[[Task], Result], tasks: Iterable[Task], size: Callable[[Task], int]
    ) -> Iterator[Iterator[Result]]:
        """Let a function of a module be done for each task, and give the results in the order of the tasks.

        ``size``: the bytes of the log that a task is about. Tasks that one process would be handed at once are done
        here as their results are taken, and so are all where there is a single process. Others begin at once where they
        are a sequence, else as they are found; they stop with the context. To take a result raises what the function
        raised. Raises WorkersError where a process is killed, where the scheduler does not respond, and where its
        workers cannot do what is done here; ExtraError where the extra for it is not installed.
        """
        some = _together(tasks, size)
        if self.scheduler is None:
            first = list(islice(some, 2))
            some = chain(first, some)
            if len(first) < 2 or self.processes == 1:
                yield map(do, chain.from_iterable(some))
                return
        begun = AHEAD if isinstance(tasks, Sequence) else 0
        with self._executor() as (executor, work, ahead):
            futures: Iterator[Future[list[Result]]] = (executor.submit(work, do, batch) for batch in some)
            waiting = deque(islice(futures, begun))
            yield _in_order(waiting, futures, ahead)

    @property
    def processes(self) -> int:
        """How many processes there are to be on this machine."""
        return self.jobs or (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)

    @contextmanager
    def _executor(self) -> Iterator[tuple[Executor, Callable[..., list[Result]], int]]:
        """What does work, the function by which it does some, and how often it is given some in advance."""
        if self.scheduler is not None:
            caller = (self.scheduler, _version(), uuid4().hex, str(Path.cwd()), _variables())
            with _cluster(self.scheduler) as (executor, threads):
                yield executor, partial(work_for, caller), max(AHEAD, 2 * threads)
            return
        # Forked, so that what is imported is there at once. A fork of a process that drew charts cannot draw, but need
        # not.
        pool = ProcessPoolExecutor(self.processes, initializer=_end_with_parent)
        try:
            yield pool, _work, AHEAD
        except BrokenExecutor as error:
            raise WorkersError(KILLED) from error
        finally:
            pool.shutdown(cancel_futures=True)


ALL_CORES = Workers()
ALONE = Workers(jobs=1)


def _together(tasks: Iterable[Task], size: Callable[[Task], int]) -> Iterator[list[Task]]:
    """The tasks, some at a time."""
    some, held = list[Task](), 0
    for task in tasks:
        some.append(task)
        held += size(task)
        if len(some) >= MOST_TASKS or held >= MOST_BYTES:
            yield some
            some, held = [], 0
    if some:
        yield some


def _in_order(
    waiting: deque[Future[list[Result]]], futures: Iterator[Future[list[Result]]], ahead: int
) -> Iterator[Result]:
    for future in futures:
        waiting.append(future)
        while len(waiting) > ahead or (waiting and waiting[0].done()):
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def _work(do: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    return [do(task) for task in tasks]


def _end_with_parent() -> None:
    """End this process when its parent has died; a pool whose owner was killed would wait for work for ever."""

    def outlive(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    if parent := multiprocessing.parent_process():
        threading.Thread(target=outlive, args=(parent.sentinel,), daemon=True).start()


# ---- a cluster


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The executor of a cluster, and how many threads work in it."""
    with extra("dask", "--scheduler needs"):
        from distributed import Client, KilledWorker  # noqa: PLC0415 - it comes with the extra
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise WorkersError(NO_SCHEDULER, address=address) from error
    try:
        with client, client.get_executor(pure=False) as executor:  # type: ignore[no-untyped-call]
            try:
                yield executor, sum(client.nthreads().values())  # type: ignore[no-untyped-call]
            finally:
                executor.shutdown(wait=False)
    except (KilledWorker, CancelledError) as error:
        raise WorkersError(LOST, address=address) from error


def _variables() -> dict[str, str]:
    """The variables that what is read and printed depends on."""
    own = {"NO_COLOR", "TERM"}
    return {name: said for name, said in os.environ.items() if name.startswith("TACHOGRAPH_") or name in own}


@cache
def _version() -> str:
    return version("tachograph")


# A call of a command: its scheduler, the version that makes it, its name, its folder and its variables.
Caller = tuple[str, str, str, str, dict[str, str]]
# Where a process has many threads, one works at a time: the folder and the variables are those of the whole process.
_ONE_AT_A_TIME = threading.Lock()


def work_for(caller: Caller, do: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    """Do some tasks as the caller would: in its folder, with its variables, and with files as they are by now.

    Raises WorkersError where this process cannot, and what the function raises.
    """
    scheduler, here, call, folder, variables = caller
    if (there := _version()) != here:
        raise WorkersError(OTHER_VERSION, scheduler=scheduler, there=there, here=here)
    with _ONE_AT_A_TIME:
        keep_for(call)
        own = _variables()
        try:
            with chdir(folder):
                _set(variables)
                return _work(do, tasks)
        except FileNotFoundError as error:
            if error.filename != folder:
                raise
            raise WorkersError(NO_FOLDER, scheduler=scheduler, folder=folder) from error
        finally:
            _set(own)


def _set(variables: dict[str, str]) -> None:
    for name in _variables():
        del os.environ[name]
    os.environ.update(variables)

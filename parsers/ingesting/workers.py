"""Workers: the processes that share the work, on the cores of this machine or on those of a cluster."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any

from ..io.errors import ParserError
from ..io.extras import extra

_PATIENCE = 10  # seconds until a scheduler has answered


class WorkersError(ParserError):
    """There are no workers."""


@contextmanager
def workers(jobs: int | None, scheduler: str | None) -> Iterator[Executor]:
    """An executor: so many processes, one for each core by default, or the workers of a Dask scheduler.

    A single job is done by this process. What waits when an error comes is not done. Raises WorkersError where the
    scheduler does not answer, and ExtraError where the extra for it is not installed.
    """
    with _cluster(scheduler) if scheduler else _executor(jobs) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _executor(jobs: int | None) -> Executor:
    return Here() if jobs == 1 else ProcessPoolExecutor(jobs, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End this process when its parent has died; a pool whose owner was killed would wait for work for ever."""
    if parent := multiprocessing.parent_process():
        threading.Thread(target=_outlive, args=(parent.sentinel,), daemon=True).start()


def _outlive(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    with extra("dask", "--scheduler needs"):
        from distributed import Client  # noqa: PLC0415 - it comes with the extra
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise WorkersError(f"{address}: no scheduler responds; expected tcp://host:port.") from error
    with client, client.get_executor(pure=False) as executor:  # type: ignore[no-untyped-call]
        yield executor


class Here(Executor):
    """Does all work at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """The finished future of a call."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - whoever asks for the result gets it
            future.set_exception(error)
        return future

"""Far work: what a process of another machine does for a caller, just as the caller would do it."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from ..io.errors import ParserError
from ..io.kept import keep_for

Task = TypeVar("Task")
Result = TypeVar("Result")

NO_FOLDER = "The workers of {scheduler} cannot open {folder}; logs must be on a disk that all machines share."
OTHER_VERSION = "The workers of {scheduler} have Tachograph {there}, and this machine has {here}; install one version."

# Where a process has many threads, one works at a time: the folder and the variables are those of the whole process.
_ONE_AT_A_TIME = threading.Lock()


class FarWorkError(ParserError):
    """A process cannot do what its caller would: the message says what differs."""


@dataclass(frozen=True)
class Caller:
    """A call of a command: its scheduler, and all that its results depend on beside its arguments and files."""

    scheduler: str
    folder: str
    variables: dict[str, str]
    version: str
    call: str = field(default_factory=lambda: uuid4().hex)

    @classmethod
    def here(cls, scheduler: str) -> "Caller":
        """This process."""
        return cls(scheduler, str(Path.cwd()), _variables(), _version())


def work_for(caller: Caller, do: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
    """Do some tasks as the caller would: in its folder, with its variables, and with files as they are by now.

    Raises FarWorkError where this process cannot, and what the function raises.
    """
    if (there := _version()) != caller.version:
        raise FarWorkError(OTHER_VERSION, scheduler=caller.scheduler, there=there, here=caller.version)
    with _ONE_AT_A_TIME, _at(caller):
        return [do(task) for task in tasks]


@contextmanager
def _at(caller: Caller) -> Iterator[None]:
    keep_for(caller.call)
    folder, variables = Path.cwd(), _variables()
    try:
        os.chdir(caller.folder)
    except OSError as error:
        raise FarWorkError(NO_FOLDER, scheduler=caller.scheduler, folder=caller.folder) from error
    try:
        _set(caller.variables)
        yield
    finally:
        _set(variables)
        os.chdir(folder)


def _variables() -> dict[str, str]:
    """The variables that what is read and printed depends on."""
    own = {"NO_COLOR", "TERM"}
    return {name: said for name, said in os.environ.items() if name.startswith("TACHOGRAPH_") or name in own}


def _set(variables: dict[str, str]) -> None:
    for name in _variables():
        del os.environ[name]
    os.environ.update(variables)


@cache
def _version() -> str:
    return version("tachograph")

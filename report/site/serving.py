"""Serving: a site on this machine for whoever writes pages, built anew when something changes."""

import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import active_children
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from parsers.io.errors import ParserError, reason_of, told
from parsers.io.extras import extra

from .build import Build
from .server import Server

# Milliseconds.
QUIET = 500
CANNOT_LISTEN = "Cannot listen on port {port} of {host}: {reason}; --port 0 selects a free one."
# Ctrl-C, whoever ends a process, and a terminal that is closed.
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Say = Callable[[str], None]


def serve(build: Build, host: str, port: int, say: Say) -> None:
    """Build a site in a temporary folder and serve it until Ctrl-C; with ``build.reloads`` anew after every change.

    Raises ParserError when the port cannot be had, before anything is built, as ``publish_site`` does for the first
    build, and KeyboardInterrupt when any signal ends it; the folder is gone then. A later build that fails is told, and
    the site before it stays.
    """
    # A change during the first build is not missed.
    changes = _changes(build) if build.reloads else None
    with _ended_by_signals(), TemporaryDirectory(prefix="tachograph-") as folder:
        first = Path(folder) / "1"
        with _listening(host, port, first) as server:  # before the site is built, which takes long
            say(build.write(first))
            with _running(server):
                say(f"Serving {server.address}; stop with Ctrl-C.")
                if changes is None:
                    Event().wait()
                else:
                    _follow(changes, build, server, say)


def _listening(host: str, port: int, folder: Path) -> Server:
    try:
        return Server(host, port, folder)
    except OSError as error:
        raise ParserError(CANNOT_LISTEN, port=port, host=host, reason=reason_of(error)) from error


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let the first signal that ends a process raise KeyboardInterrupt, and none disturb what is tidied up then."""
    # Whoever started it may want it to go on without a terminal.
    before = {number: now for number in ENDS if (now := signal.getsignal(number)) is not signal.SIG_IGN}

    def end(*_: object) -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        for child in active_children():
            child.terminate()
        raise KeyboardInterrupt

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _running(server: Server) -> Iterator[None]:
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


def _changes(build: Build) -> Iterator[object]:
    """What changes from now on, as sets that are empty when nothing did for a while."""
    with extra("watch", "--watch needs"):
        from watchfiles import watch  # noqa: PLC0415 - it comes with the extra
    found = watch(*build.watched(), watch_filter=build.concerns, yield_on_timeout=True, rust_timeout=QUIET)
    next(found)
    return found


def _follow(changes: Iterator[object], build: Build, server: Server, say: Say) -> None:
    """Build the site anew after every change, each time in a folder of its own."""
    for number, _ in enumerate(filter(None, changes), 2):
        folder = server.folder.with_name(str(number))
        try:
            say(build.write(folder))
        except (ParserError, ValueError, OSError) as error:
            say(f"{told(error)} The site is unchanged.")
        else:
            before, server.folder = server.folder, folder
            shutil.rmtree(before, ignore_errors=True)

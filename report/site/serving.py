"""Serving: a site on this machine for whoever writes pages, built anew when something changes."""

import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

from watchfiles import watch

from .build import Build

# Milliseconds.
QUIET = 500
Say = Callable[[str], None]


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Handler(SimpleHTTPRequestHandler):
    server: "Server"

    def __init__(self, request: Any, client: Any, server: "Server") -> None:
        super().__init__(request, client, server, directory=str(server.folder))

    def do_GET(self) -> None:
        # A page from elsewhere may have a name that leads to this machine, and would read the logs under it.
        if self.server.is_local and not is_loopback(_host(self.headers.get("Host", ""))):
            self.send_error(HTTPStatus.FORBIDDEN)
        else:
            super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing of a request: the terminal is for what was built."""


def _host(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


class Server(ThreadingHTTPServer):
    """Serves the files of ``folder``, which may become another one at any time."""

    daemon_threads = True

    def __init__(self, host: str, port: int, folder: Path) -> None:
        self.folder, self.is_local = folder, is_loopback(host)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(build: Build, host: str, port: int, say: Say) -> None:
    """Build a site in a temporary folder and serve it until Ctrl-C; with ``build.reloads`` anew after every change.

    Raises as ``publish_site`` does for the first build, and OSError when the port cannot be had. A later build that
    fails is told, and the site before it stays.
    """
    # A change during the first build is not missed.
    changes = _changes(build) if build.reloads else None
    with TemporaryDirectory(prefix="tachograph-") as folder:
        first = Path(folder) / "1"
        say(build.write(first))
        with Server(host, port, first) as server, _running(server):
            say(f"Serving {server.address}; Ctrl-C ends it.")
            if changes is None:
                Event().wait()
            else:
                _follow(changes, build, server, say)


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
    found = watch(*build.watched(), watch_filter=build.concerns, yield_on_timeout=True, rust_timeout=QUIET)
    next(found)
    return found


def _follow(changes: Iterator[object], build: Build, server: Server, say: Say) -> None:
    """Build the site anew after every change, each time in a folder of its own."""
    for number, _ in enumerate(filter(None, changes), 2):
        folder = server.folder.with_name(str(number))
        try:
            say(build.write(folder))
        except (ValueError, OSError) as error:
            say(f"{error} The site stays as it was.")
        else:
            before, server.folder = server.folder, folder
            shutil.rmtree(before, ignore_errors=True)

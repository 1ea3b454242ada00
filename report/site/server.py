"""The server: the files of a site for browsers on this machine, and nothing for the pages of other sites in them."""

import re
import socket
import sys
from contextlib import suppress
from email.message import Message
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import IO, Any

from .host_names import is_own, own_names

_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
NOT_THIS_MACHINE = "The site is only served to this machine; use 127.0.0.1 or localhost."
NOT_ITS_NAME = "The site is not served under this name; use the name or address of the machine that serves it."
FOREIGN = "Cross-site request blocked; other sites may only link to this page."


def refusal(headers: Message, own: frozenset[str]) -> str:
    """Why a request with these headers is not answered, in a sentence; empty where it is.

    ``own``: what the server may be called, as ``own_names`` gives it. A request that names no site is not from a
    page of one, but from a program on this machine, or from an address that somebody typed.
    """
    # A page from elsewhere may have a name that leads to this machine.
    if not is_own(_name(_said(headers, "Host")), own):
        return NOT_ITS_NAME if own else NOT_THIS_MACHINE
    return FOREIGN if _is_foreign(headers) else ""


def _is_foreign(headers: Message) -> bool:
    origin, host = _said(headers, "Origin"), _said(headers, "Host")
    if origin and origin not in (f"http://{host}", f"https://{host}"):
        return True
    return _said(headers, "Sec-Fetch-Site") not in ("", "none", "same-origin") and not _is_followed_link(headers)


def _is_followed_link(headers: Message) -> bool:
    """Whether a window of its own opens: the site that links to it sees nothing of what it shows."""
    return (_said(headers, "Sec-Fetch-Mode"), _said(headers, "Sec-Fetch-Dest")) == ("navigate", "document")


def _said(headers: Message, name: str) -> str:
    """What a header says, in small letters; one that stands there twice says nothing that is known."""
    return ", ".join(headers.get_all(name, [])).lower()


def _name(host: str) -> str:
    """The name in a Host header, which is that and a port and nothing else; empty where it is not."""
    found = _HOST.fullmatch(host)
    return found[1].strip("[]") if found else ""


# Of a page and of any other answer. A browser that does not say who asks keeps other sites out by these.
HEADERS = {
    "Cache-Control": "no-store",
    # Pieces of evidence are scripts, which any page could load otherwise.
    "Cross-Origin-Resource-Policy": "same-origin",
    # The window that a link of another site opens has no tie to it.
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # As pages state it, and for what states none; charts set styles by themselves. No frame of another site holds one.
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}
PATIENCE = 30.0  # seconds
MOST = 100  # connections; a browser has a few, and a process may have about a thousand files open


class _Handler(SimpleHTTPRequestHandler):
    server: "Server"
    server_version, sys_version = "Tachograph", ""
    default_request_version = "HTTP/1.0"  # an answer to 0.9 would have no headers

    def __init__(self, request: Any, client: Any, server: "Server") -> None:
        super().__init__(request, client, server, directory=str(server.folder))

    def setup(self) -> None:
        """Begin with a connection, which does not wait for ever."""
        super().setup()
        self.connection.settimeout(self.server.patience)

    def parse_request(self) -> bool:
        """Read what is asked for; whoever may not ask gets no further, by any method."""
        if not super().parse_request():
            return False
        if len(self.requestline.split()) == 2:  # HTTP 0.9
            self.send_error(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
        elif reason := refusal(self.headers, self.server.names):
            self.send_error(HTTPStatus.FORBIDDEN, explain=reason)
        else:
            return True
        return False

    def send_head(self) -> Any:
        """Open what is asked for; a name that no file can have, such as one with a NUL, is not found."""
        try:
            return super().send_head()
        except ValueError:
            self.send_error(HTTPStatus.NOT_FOUND)
            return None

    def list_directory(self, _: Any) -> IO[bytes] | None:  # type: ignore[override]
        """Show no list of files: the site has an index, and works elsewhere without a server."""
        self.send_error(HTTPStatus.NOT_FOUND)
        return None

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with an error; nothing of what was asked is said again."""
        super().send_error(code, HTTPStatus(code).phrase if message else None, explain)

    def end_headers(self) -> None:
        """End the headers of any answer with those that keep other sites out."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing of a request: the terminal is for what was built."""


class Server(ThreadingHTTPServer):
    """Serves the files of ``folder``, which may become another one at any time.

    A connection on which nothing is sent for ``patience`` seconds ends. Of too many the oldest ends: those who only
    hold connections keep nobody out.
    """

    daemon_threads = True
    request_queue_size = MOST

    def __init__(self, host: str, port: int, folder: Path, patience: float = PATIENCE) -> None:
        self.folder, self.names, self.patience = folder, own_names(host), patience
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._open: dict[Any, None] = {}
        self._lock = Lock()
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer on a new connection, and end the oldest one where there are too many."""
        with self._lock:
            self._open[request] = None
            oldest = next(iter(self._open)) if len(self._open) > MOST else None
            self._open.pop(oldest, None)
        if oldest:
            with suppress(OSError):  # it has just ended
                oldest.shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """End a connection that was answered."""
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away amid an answer."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

"""The server: the files of a site for browsers on this machine, and nothing for the pages of other sites in them."""

import re
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import IO, Any, Self

from parsers.io.errors import ParserError, extra, reason_of, told

from ..pagefile.page_file import PageError, find, is_text, names, quotes_of
from ..views.publish import LOGS
from .build import publish_site

NOT_ITS_NAME = "The site is not served under this name; use localhost, or the address of the machine that serves it."
CANNOT_LISTEN = "Cannot listen on port {port} of {host}: {reason}; --port 0 selects a free one."
NO_PAGE_BUILT = "No page was built. {said}"
_HOST = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
# Of a page and of any other answer: a browser gives nothing of it to the page of another site.
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    # The window that a link of another site opens has no tie to it.
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    # As pages state it, and for what states none. No frame of another site holds one.
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
}
PATIENCE = 30.0  # seconds until a connection ends on which nothing comes
QUIET = 500  # ms without a change until a site is built anew
# Whoever ends a process, and a terminal that is closed; Ctrl-C is one of Python's own.
ENDS = (signal.SIGTERM, signal.SIGHUP)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Handler(SimpleHTTPRequestHandler):
    server: "Server"
    server_version, sys_version = "Tachograph", ""
    default_request_version = "HTTP/1.0"  # an answer to 0.9 would have no headers

    def __init__(self, request: Any, client: Any, server: "Server") -> None:
        self.timeout = server.patience  # type: ignore[misc]
        super().__init__(request, client, server, directory=str(server.folder))

    def parse_request(self) -> bool:
        """Read what is asked for, of this server alone: a page from elsewhere may lead a name of its own here."""
        if not super().parse_request():
            return False
        found = _HOST.fullmatch(", ".join(self.headers.get_all("Host", [])).lower())
        if found is None or not self.server.is_called(found[1].strip("[]")):
            self.send_error(HTTPStatus.FORBIDDEN, explain=NOT_ITS_NAME)
            return False
        return True

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
    """Serves the files of ``folder`` in a thread while it is entered.

    A connection on which nothing is sent for ``patience`` seconds ends.
    """

    request_queue_size = 100

    def __init__(self, host: str, port: int, folder: Path, patience: float = PATIENCE) -> None:
        self.folder, self.patience = folder, patience
        # A server that other machines reach has the names of this one as well.
        own = () if is_loopback(host) else (host, name := socket.gethostname(), f"{name}.local", socket.getfqdn())
        self._names = {"localhost", *map(str.lower, own)}
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def is_called(self, name: str) -> bool:
        """Whether a name, in small letters, is one of this machine; an address is, for no other site can have it."""
        try:
            return not ip_address(name).is_unspecified
        except ValueError:
            return name in self._names

    def __enter__(self) -> Self:
        """Answer from now on."""
        Thread(target=self.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Answer no more."""
        self.shutdown()
        self.server_close()

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away amid an answer."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def serve(
    pages: Sequence[str], logs: Path | None, host: str, port: int, say: Callable[[str], None], *, watch: bool
) -> None:
    """Build a site in a temporary folder and serve it until Ctrl-C; with ``watch`` anew after every change.

    Raises ParserError when the port cannot be had, before anything is built, as ``publish_site`` does for the first
    build, and KeyboardInterrupt when any signal ends it; the folder is gone then. A later build that fails is told, and
    the site before it stays.
    """
    # A change during the first build is not missed.
    changes = _changes(pages, logs) if watch else None
    with _ended_by_signals(), TemporaryDirectory(prefix="tachograph-") as folder:
        try:
            server = Server(host, port, Path(folder))
        except OSError as error:
            raise ParserError(CANNOT_LISTEN, port=port, host=host, reason=reason_of(error)) from error
        with server:
            say(_built(pages, logs, server.folder, reloads=watch))
            say(f"Serving {server.address}; stop with Ctrl-C.")
            if changes is None:
                Event().wait()
            for _ in filter(None, changes or ()):
                try:
                    say(_built(pages, logs, server.folder, reloads=True))
                except (ParserError, ValueError, OSError) as error:
                    say(f"{told(error)} The site is unchanged.")


def _built(pages: Sequence[str], logs: Path | None, out: Path, *, reloads: bool) -> str:
    published = list(publish_site(pages, logs, [], out, reloads=reloads))
    names = [page.name for page in published if page.files]
    if not names:
        raise PageError(NO_PAGE_BUILT, said=" ".join(str(page.done()) for page in published))
    return f"Built {', '.join(names)}."


def _changes(pages: Sequence[str], logs: Path | None) -> Iterator[object]:
    """What changes from now on, as sets that are empty when nothing did for a while.

    Folders are watched, because an editor may put a new file in a page's place.
    """
    with extra("watch", "--watch needs"):
        from watchfiles import watch  # noqa: PLC0415 - it comes with the extra
    files = {page.resolve() for page in map(find, pages or names())}
    all_logs, folders = (logs or LOGS).resolve(), {page.parent for page in files}

    def concerns(_: object, path: str) -> bool:
        changed = Path(path).resolve()
        is_prose = is_text(changed.name) and changed.parent.parent in folders
        return is_prose or changed in (*files, *map(quotes_of, files)) or changed.is_relative_to(all_logs)

    watched = [*folders, *([all_logs] if all_logs.is_dir() else [])]
    found = watch(*watched, watch_filter=concerns, yield_on_timeout=True, rust_timeout=QUIET)
    next(found)
    return found


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let any signal that ends a process raise KeyboardInterrupt, and none disturb what is tidied up then."""
    # Whoever started it may want it to go on without a terminal.
    before = {number: now for number in ENDS if (now := signal.getsignal(number)) is not signal.SIG_IGN}

    def end(*_: object) -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""A small site behind the server of `tachograph serve`, and what a socket hears from it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path

from report.site.server import Server

PRIVATE = "loss 0.25 of a run that nobody else may see"
SCRIPT = "/assets/site.js"
PATIENCE = 20


def write_site(folder: Path) -> Path:
    """Write a page, a picture, a raw log and a script that tells a number; returns their folder."""
    (folder / "logs").mkdir()
    (folder / "assets").mkdir()
    (folder / "index.html").write_text(f"<!doctype html><title>Site</title><p>{PRIVATE}</p>", encoding="utf-8")
    (folder / "logs/train,log.txt").write_text(PRIVATE, encoding="utf-8")
    (folder / SCRIPT[1:]).write_text(f'globalThis.receive("{PRIVATE}");', encoding="utf-8")
    picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    (folder / "picture.svg").write_text(picture, encoding="utf-8")
    return folder


@contextmanager
def served(folder: Path, host: str = "127.0.0.1", patience: float = PATIENCE) -> Iterator[int]:
    """Serve a folder as the command does; gives the port."""
    with Server(host, 0, folder, patience) as server:
        yield server.server_address[1]


def asked(port: int, method: str, path: str, **headers: str) -> tuple[int, HTTPMessage, str]:
    """Status, headers and body of an answer; an underscore in the name of a header stands for a hyphen."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read().decode("utf-8", "replace")
    connection.close()
    return found


def heard(port: int, sent: bytes) -> bytes:
    """All that comes back for some bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))

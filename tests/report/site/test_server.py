"""The server of `tachograph serve`: whom it answers, what its answers carry, and what it outlives."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from report.site.server import HEADERS
from tests.report.site.served_site import PATIENCE, PRIVATE, SCRIPT, asked, heard, served, write_site

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "UNHEARD-OF")
FOREIGN = (
    {"Host": "elsewhere.example"},
    {"Host": "127.0.0.1.elsewhere.example"},
    {"Host": ""},
    {"Host": "elsewhere.example@127.0.0.1"},
    {"Host": "127.0.0.1/elsewhere"},
    {"Host": "localhost#.elsewhere.example"},
    {"Host": "localhost?elsewhere.example"},
    {"Host": "127.0.0.1:80:80"},
    {"Host": "[::1"},
)
ODD_PATHS = (
    "/%00",
    "/logs/%00train,log.txt",
    "/index.html%00.js",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/../../etc/passwd",
    "//etc/passwd",
    "/..%5c..%5cetc%5cpasswd",
    "/\\..\\etc\\passwd",
    "/%c0%ae%c0%ae/etc/passwd",
    "/%ff%fe",
    "/%ed%a0%80",
    "/logs/%ed%a0%80/..",
    "/" + "a" * 5000,
    "/" + "a/" * 5000,
    "/%",
    "/index.html/",
    "/logs/",
    "/assets",
    "http://elsewhere.example/index.html",
    "*",
    "/\x7f",
)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with served(write_site(tmp_path_factory.mktemp("served"))) as found:
        yield found


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: elsewhere.example\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET /index.html\r\n\r\n",
    ],
    ids=["two hosts", "no host", "no headers"],
)
def test_a_request_without_one_host_is_not_answered(port: int, sent: bytes) -> None:
    assert PRIVATE.encode() not in heard(port, sent)


@pytest.mark.parametrize("method", METHODS)
def test_no_other_site_is_answered_by_any_method(port: int, method: str) -> None:
    answers = [(headers, asked(port, method, SCRIPT, **headers)) for headers in FOREIGN]
    assert [headers for headers, (status, _, body) in answers if status != 403 or PRIVATE in body] == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_a_browser_on_this_machine_is_answered_by_any_name_of_it(port: int, host: str) -> None:
    status, _, body = asked(port, "GET", SCRIPT, Host=f"{host}:{port}")
    assert (status, PRIVATE in body) == (200, True)


@pytest.mark.parametrize(
    "line", [b"GET / HTTP/x", b"GET / NONSENSE", b"\x9b31m / HTTP/1.1", b"A B C D", b"GET", b"G /"]
)
def test_an_answer_to_no_request_has_headers_and_says_nothing_of_it_again(port: int, line: bytes) -> None:
    answer = heard(port, line + b"\r\nHost: localhost\r\n\r\n")
    assert answer.startswith((b"HTTP/1.0 400 ", b"HTTP/1.0 501 ", b"HTTP/1.0 505 "))
    assert all(f"{name}: {value}".encode() in answer for name, value in HEADERS.items())
    assert (b"NONSENSE" in answer, b"\x9b" in answer, b"A B C D" in answer) == (False, False, False)


@pytest.fixture(scope="module")
def open_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with served(write_site(tmp_path_factory.mktemp("open")), host="0.0.0.0") as found:  # noqa: S104 - names are checked
        yield found


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1.elsewhere.example", "", "0.0.0.0"])  # noqa: S104
def test_a_server_for_other_machines_is_asked_by_no_name_of_another_one(open_port: int, host: str) -> None:
    status, _, body = asked(open_port, "GET", SCRIPT, Host=f"{host}:{open_port}")
    assert (status, PRIVATE in body) == (403, False)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", socket.gethostname(), socket.gethostname().upper()])
def test_a_server_for_other_machines_is_asked_by_any_name_of_its_own(open_port: int, host: str) -> None:
    assert asked(open_port, "GET", SCRIPT, Host=f"{host}:{open_port}")[0] == 200


def test_a_server_for_other_machines_is_asked_by_any_address_of_its_own(open_port: int) -> None:
    found = [address.address for card in psutil.net_if_addrs().values() for address in card]
    own = [address for address in found if ":" not in address]
    assert {asked(open_port, "GET", SCRIPT, Host=f"{address}:{open_port}")[0] for address in own} == {200}


def test_an_address_of_this_machine_alone_is_not_asked_by_the_name_of_the_machine(port: int) -> None:
    assert asked(port, "GET", SCRIPT, Host=f"{socket.gethostname()}.example:{port}")[0] == 403


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", SCRIPT, {}, 200),
        ("HEAD", SCRIPT, {}, 200),
        ("GET", "/assets", {}, 301),
        ("GET", "/nothing", {}, 404),
        ("GET", SCRIPT, {"Host": "elsewhere.example"}, 403),
        ("POST", "/", {}, 501),
    ],
)
def test_every_answer_keeps_other_sites_out(
    port: int, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    found, said, _ = asked(port, method, path, **headers)
    assert (found, {name: said[name] for name in HEADERS}) == (status, HEADERS)


@pytest.mark.parametrize("path", ODD_PATHS)
def test_an_odd_path_leads_to_nothing_and_raises_nothing(
    port: int, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    sent = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    status = int(heard(port, sent).split()[1])
    assert (status in (301, 400, 404), capfd.readouterr().err) == (True, "")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /" + b"a" * (1 << 17) + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * (1 << 17) + b"\r\n\r\n", b"431"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: 1\r\n" * 200 + b"\r\n", b"431"),
        (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", b"505"),
        (b"GET / HTTP/x\r\nHost: localhost\r\n\r\n", b"400"),
        (b"\0\xff \0 \xff\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"400"),
    ],
)
def test_what_is_no_request_is_reported_as_such(
    port: int, sent: bytes, status: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(sent)
        answer = connection.recv(1 << 12)
    assert (status in answer, capfd.readouterr().err) == (True, "")


def test_a_connection_on_which_nothing_comes_ends(tmp_path: Path) -> None:
    with served(write_site(tmp_path), patience=0.2) as port:
        assert heard(port, b"GET / HT") == b""


def test_idle_connections_keep_nobody_out(tmp_path: Path) -> None:
    with served(write_site(tmp_path)) as port:
        idle = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(200)]
        assert [asked(port, "GET", "/")[0] for _ in range(3)] == [200] * 3
        for connection in idle:
            connection.close()


def test_a_browser_that_goes_away_amid_an_answer_is_no_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with served(write_site(tmp_path)) as port:
        (tmp_path / "logs/large.log").write_bytes(os.urandom(8 << 20))
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # it is reset
            connection.sendall(b"GET /logs/large.log HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.recv(1 << 10)
        assert asked(port, "GET", "/")[0] == 200
    assert capfd.readouterr().err == ""

"""Sources of all kinds: checkouts tell their commit, URLs are fetched, and none of it leaves a secret behind."""

import functools
import socket
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec
import pytest

from parsers.io.git import public, public_repository
from tests.commandline import git
from tests.parsers.run_folders import everything, logs, make_run, member, put_clock, run_file, runs, tar, unreadable
from tests.parsers.toy_logs import step, write

pytest.importorskip("aiohttp", reason="the extra `remote` is not installed")


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "in/logs"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "v100").mkdir(parents=True)
    write(folder / "v100", step(1), name="a.log")
    git(folder, "init", "--quiet")
    git(folder, "remote", "add", "origin", "https://me:secret@example.org/lab/perf.git")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "logs")
    return folder


def test_a_log_of_any_part_of_a_checkout_says_repository_and_commit(checkout: Path, into: Path) -> None:
    logs(into, checkout)
    before, source = list(everything(into)), run_file(into)["source"]
    said = ("https://example.org/lab/perf", git(checkout, "rev-parse", "HEAD"), "v100/a.log", False)
    assert tuple(source[key] for key in ("repository", "commit", "path", "changed")) == said
    logs(into, checkout / "v100", checkout / "v100/a.log")
    assert (list(everything(into)), runs(into)) == (before, ["perf__v100__a/1/train.log"])


def test_a_log_that_differs_from_the_commit_says_so_and_one_that_git_does_not_know_claims_none(
    checkout: Path, into: Path
) -> None:
    write(checkout / "v100", step(2), name="a.log")
    logs(into, checkout)
    assert run_file(into)["source"]["changed"] is True
    logs(into.with_name("new"), write(checkout, step(3), name="new.log"))
    assert run_file(into.with_name("new"))["source"].keys() == {"path", "sha256", "bytes"}


def test_looking_at_a_checkout_starts_no_program_of_its_configuration(checkout: Path, into: Path) -> None:
    git(checkout, "config", "core.fsmonitor", f"touch {checkout}/ran")
    (checkout / ".gitattributes").write_text("*.log filter=bad diff=bad\n")
    git(checkout, "config", "filter.bad.clean", f"touch {checkout}/ran; cat")
    logs(into, checkout)
    assert not (checkout / "ran").exists()


@pytest.mark.parametrize(
    ("url", "told"),
    {
        "https://me:secret@example.org/a/b.git": "https://example.org/a/b",
        "git@example.org:a/b.git": "ssh://example.org/a/b",
        "https://me:sec/ret@example.org/a": None,
        "/home/me/b": None,
        "file:///home/me/b": None,
    }.items(),
)
def test_the_url_of_a_repository_and_a_text_with_urls_hold_no_secret(url: str, told: str | None) -> None:
    assert public_repository(url) == told
    said = "404, url='https://me:secret@example.org/a.log?signature=secret#secret' and more"
    assert public(said) == "404, url='https://example.org/a.log' and more"


class Quiet(SimpleHTTPRequestHandler):
    """A web server that prints nothing."""

    def log_message(self, *_: object) -> None:
        pass

    def send_head(self) -> Any:
        """Below /moved and /elsewhere there are redirects, to this host and by another name of it."""
        _, first, rest = self.path.split("/", 2) if self.path.count("/") > 1 else ("", "", "")
        if first not in ("moved", "elsewhere"):
            return super().send_head()
        host = "" if first == "moved" else f"http://localhost:{self.server.server_port}"  # type: ignore[attr-defined]
        self.send_response(302)
        self.send_header("Location", f"{host}/{rest}")
        self.end_headers()
        return None


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """The URL of a folder with logs."""
    folder = tmp_path / "web"
    (folder / "v100").mkdir(parents=True)
    write(folder / "v100", step(1), name="a.log")
    put_clock(make_run(folder / "net/2", step(2), recipe="toy"), "1,1.0")
    (folder / "lab.tar.gz").write_bytes(tar(member("a.log", step(3))))
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("asked", "url", "path", "run"),
    [
        ("v100/a.log?signature=secret", "v100/a.log", "v100/a.log", "v100__a/1"),
        ("net/", None, "net/2/train.log", "net/2"),
        ("lab.tar.gz", "lab.tar.gz", "a.log", "lab__a/1"),
        ("moved/v100/a.log", "v100/a.log", "v100/a.log", "v100__a/1"),
    ],
)
def test_logs_folders_and_archives_of_the_web_are_fetched(
    web: str, into: Path, asked: str, url: str | None, path: str, run: str
) -> None:
    logs(into, f"{web}/{asked}")
    source = run_file(into).get("ingested") or run_file(into)["source"]
    assert url is None or source["url"] == f"{web}/{url}"
    assert (source["path"], runs(into)) == (path, [f"{run}/train.log"])
    assert (into / "net/2/clock.csv").is_file() == (asked == "net/")  # a run folder stays whole


def test_a_redirect_to_another_host_is_not_followed(web: str, into: Path) -> None:
    (reason,) = unreadable(into, f"{web}/elsewhere/v100/a.log")
    assert reason == "cannot be read: it redirects to another host, localhost; pass that URL if you trust it."


def test_a_host_of_this_network_that_the_user_names_is_asked(
    web: str, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, port, *how, **said: ask("127.0.0.1", port, *how, **said))
    assert len(logs(into, f"http://logs.example.org:{web.rpartition(':')[2]}/v100/a.log")) == 1


def test_what_the_web_has_not_is_unreadable_and_holds_no_secret(web: str, into: Path) -> None:
    (reason,) = unreadable(into, f"{web}/none.log?signature=secret")
    assert reason.startswith("cannot be read: ")
    assert "secret" not in reason


def test_other_file_systems_of_fsspec_are_read(into: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/bucket/v100/a.log", step(1))
    memory.pipe("/bucket/.hidden/b.log", step(1))
    logs(into, "memory://bucket", "memory://bucket/v100/a.log")
    assert runs(into) == ["bucket__v100__a/1/train.log", "v100__a/1/train.log"]
    memory.rm("/bucket", recursive=True)

"""`tachograph serve`: to this machine only, and anew after a change."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import pytest

from tests.commandline import PROJECT, run

pytestmark = pytest.mark.slow

GOLDEN = PROJECT / "tests/report/golden"
PATIENCE = 60


def page_in(folder: Path) -> Path:
    """A page of one's own beside its logs."""
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    return Path(shutil.copy(GOLDEN / "toy.toml", folder / "my.toml"))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return page_in(tmp_path)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_in(tmp_path_factory.mktemp("watched"))


@pytest.fixture(scope="module")
def served(watched: Path) -> "Iterator[Served]":
    """That page served and watched; it ends by Ctrl-C without a traceback."""
    found = Served(watched, "--watch")
    assert found.address.port
    yield found
    assert "Traceback" not in found.end()


def temporary(page: Path) -> Path:
    """The folder of temporary folders."""
    folder = page.parent / "temporary"
    folder.mkdir(exist_ok=True)
    return folder


def is_begun(page: Path) -> bool:
    """Whether the first site is being made."""
    return any(temporary(page).glob("tachograph-*/.*"))


class Served:
    """The command as users run it, on any free port."""

    def __init__(self, page: Path, *options: str) -> None:
        # A signal that the tests were started to ignore, as under nohup, would be ignored here.
        heeded = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)"
        program = f"{heeded}; import tachograph; tachograph.main()"
        arguments = ["serve", str(page), "--logs", str(page.parent / "logs"), "--port", "0", *options]
        self._process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            cwd=page.parent,
            env={**os.environ, "PYTHONPATH": str(PROJECT), "TMPDIR": str(temporary(page))},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @cached_property
    def address(self) -> SplitResult:
        """Where it is served, as soon as it is."""
        found = re.search(r"http://\S+/", self.line_with("Serving"))
        assert found
        return urlsplit(found[0])

    def line_with(self, words: str) -> str:
        assert self._process.stdout
        return next(line for line in self._process.stdout if words in line)

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        connection = HTTPConnection(str(self.address.hostname), self.address.port or 80, timeout=PATIENCE)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def end(self, by: signal.Signals = signal.SIGINT) -> str:
        """What it said since, when it and all processes that it started have ended."""
        self._process.send_signal(by)
        return self._process.communicate(timeout=PATIENCE)[0]


def until(is_so: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.2)
    return False


def test_a_changed_page_is_built_anew(served: Served, watched: Path) -> None:
    build = int(served.get("/build.txt")[1])
    watched.write_text(watched.read_text(encoding="utf-8").replace("By cards", "By cards, anew"), encoding="utf-8")
    assert until(lambda: "By cards, anew" in served.get("/my.en.html")[1])
    assert int(served.get("/build.txt")[1]) > build >= 1


def test_a_served_page_asks_whether_it_was_built_anew(served: Served) -> None:
    assert "assets/reload.js" in served.get("/my.zh.html")[1]


def test_a_page_with_a_mistake_leaves_the_site_as_it_was(served: Served, watched: Path) -> None:
    text = watched.read_text(encoding="utf-8")
    watched.write_text("titel = 'wrong'\n", encoding="utf-8")
    assert "titel is not a valid key" in served.line_with("The site is unchanged.")
    assert served.get("/my.en.html")[0] == 200
    watched.write_text(text, encoding="utf-8")


WATCHED = ("--watch",)
ENDS = [((), signal.SIGTERM), (WATCHED, signal.SIGINT), (WATCHED, signal.SIGTERM), (WATCHED, signal.SIGHUP)]


@pytest.mark.parametrize(("options", "by"), ENDS, ids=str)
def test_a_signal_that_ends_it_leaves_no_folder(page: Path, by: signal.Signals, options: tuple[str, ...]) -> None:
    served = Served(page, *options)
    assert served.get("/index.html")[0] == 200
    assert (served.end(by).strip(), list(temporary(page).iterdir())) == ("", [])


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_amid_the_first_build_leaves_no_folder(page: Path, by: signal.Signals) -> None:
    served = Served(page)
    assert until(lambda: is_begun(page))
    assert ("Traceback" in served.end(by), list(temporary(page).iterdir())) == (False, [])


def test_a_page_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    done = run("serve", "no-such-page", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)

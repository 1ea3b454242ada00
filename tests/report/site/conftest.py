"""Sites that the tests read: one of the toy pages and the demonstration, and one of hostile names and lines."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from report.publish import Published
from report.site.site import publish_site
from tests.commandline import PROJECT
from tests.report.site.browser import CHROMIUM, Reader, chromium
from tests.report.site.hostile import write_hostile

GOLDEN = PROJECT / "tests/report/golden"


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of the golden pages and of the demonstration, in one folder."""
    folder = tmp_path_factory.mktemp("site") / "logs"
    shutil.copytree(GOLDEN / "logs", folder)
    shutil.copytree(PROJECT / "logs/cpu-demo", folder / "cpu-demo")
    return folder


@pytest.fixture(scope="session")
def published(logs: Path) -> list[Published]:
    """The site of three pages, in all languages."""
    pages = [str(GOLDEN / "toy.toml"), str(GOLDEN / "toy_gpu.toml"), "cpu-demo"]
    return list(publish_site(pages, logs, [], logs.parent / "out"))


@pytest.fixture(scope="session")
def site(published: list[Published]) -> Path:
    """The folder of that site."""
    return published[0].files[0].parent


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site of hostile names and lines."""
    folder = tmp_path_factory.mktemp("hostile")
    list(publish_site([str(write_hostile(folder))], folder / "logs", [], folder / "out"))
    return folder / "out"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser | None]:
    """One browser for all tests; None where there is none, and the tests that need it are skipped."""
    if CHROMIUM is None:
        yield None
        return
    with chromium() as found:
        yield found


@pytest.fixture
def reader(browser: Browser, site: Path) -> Iterator[Reader]:
    """A reader of the site; afterwards nothing must have been complained about."""
    found = Reader(browser, site)
    yield found
    assert found.complaints == []


@pytest.fixture
def hostile_reader(browser: Browser, hostile_site: Path) -> Iterator[Reader]:
    """A reader of the hostile site; afterwards nothing must have been complained about."""
    found = Reader(browser, hostile_site)
    yield found
    assert found.complaints == []

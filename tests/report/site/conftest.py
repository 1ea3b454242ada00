"""Sites that the tests read: of the toy pages, the demonstration and a page of two frameworks, and of hostile names."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from report.views.publish import PublishedPage
from report.views.site import publish_site
from tests.commandline import PROJECT
from tests.report.site.browser import CHROMIUM, Reader, chromium
from tests.report.site.made_pages import write, write_hostile

GOLDEN = PROJECT / "tests/report/golden"


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The golden pages, the demonstration and a page of two frameworks; their logs are in a folder beside the last."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    shutil.copytree(PROJECT / "logs/cpu-demo", folder / "logs/cpu-demo")
    return [str(GOLDEN / "toy.toml"), str(GOLDEN / "toy_gpu.toml"), "cpu-demo", str(write(folder))]


@pytest.fixture(scope="session")
def logs(pages: list[str]) -> Path:
    """The folder of all logs."""
    return Path(pages[-1]).parent / "logs"


@pytest.fixture(scope="session")
def published(pages: list[str], logs: Path) -> list[PublishedPage]:
    """The site of these pages, in all languages."""
    return publish_site(pages, logs, [], logs.parent / "out")


@pytest.fixture(scope="session")
def site(published: list[PublishedPage]) -> Path:
    """The folder of that site."""
    return published[0].files[0].parent


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site of hostile names and lines."""
    folder = tmp_path_factory.mktemp("hostile")
    publish_site([str(write_hostile(folder))], folder / "logs", [], folder / "out")
    return folder / "out"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser | None]:
    """One browser for all tests; None where there is none, and the tests that need it are skipped."""
    if CHROMIUM is None:
        yield None
        return
    with chromium() as found:
        yield found


@pytest.fixture(autouse=True)
def windows_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close the windows that a test opened; Chromium keeps processes at work for each."""
    browser: Browser | None = request.getfixturevalue("browser") if "browser" in request.fixturenames else None
    before = browser.contexts if browser else []
    yield
    for window in (window for window in (browser.contexts if browser else []) if window not in before):
        window.close()


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

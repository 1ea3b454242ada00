"""Sites that the tests read: of the toy pages and the demonstration, of quoted figures, and of hostile names."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from report.site.build import publish_site
from report.views.publish import PublishedPage
from tests.commandline import PROJECT
from tests.report import quoted_page
from tests.report.site.browser import CHROMIUM, Reader, chromium
from tests.report.site.hostile import write_hostile

GOLDEN = PROJECT / "tests/report/golden"
# Records of a log that is in several pieces, and is shown a few hundred lines at a time.
LONG = 700


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of the golden pages and of the demonstration, in one folder."""
    folder = tmp_path_factory.mktemp("site") / "logs"
    shutil.copytree(GOLDEN / "logs", folder)
    shutil.copytree(PROJECT / "logs/cpu-demo", folder / "cpu-demo")
    return folder


@pytest.fixture(scope="session")
def published(logs: Path) -> list[PublishedPage]:
    """The site of three pages, in all languages."""
    pages = [str(GOLDEN / "toy.toml"), str(GOLDEN / "toy_gpu.toml"), "cpu-demo"]
    return list(publish_site(pages, logs, [], logs.parent / "out"))


@pytest.fixture(scope="session")
def site(published: list[PublishedPage]) -> Path:
    """The folder of that site."""
    return published[0].files[0].parent


@pytest.fixture(scope="session")
def quoted_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site of a page of quoted figures, one of whose numbers is measured from a long log."""
    folder = tmp_path_factory.mktemp("quoted")
    page = quoted_page.make(folder)
    quoted_page.put_run(folder, "a1", 120.0, records=LONG)
    list(publish_site([str(page)], folder / "logs", [], folder / "out"))
    return folder / "out"


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
def quoted_reader(browser: Browser, quoted_site: Path) -> Iterator[Reader]:
    """A reader of the site of quoted figures; afterwards nothing must have been complained about."""
    found = Reader(browser, quoted_site)
    yield found
    assert found.complaints == []


@pytest.fixture
def hostile_reader(browser: Browser, hostile_site: Path) -> Iterator[Reader]:
    """A reader of the hostile site; afterwards nothing must have been complained about."""
    found = Reader(browser, hostile_site)
    yield found
    assert found.complaints == []

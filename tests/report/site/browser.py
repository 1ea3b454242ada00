"""A real browser that reads a site from its files, and fails on whatever it complains about or asks for elsewhere."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

CHROMIUM = shutil.which("chromium")
ABSENT = "Debian's chromium is not installed; .ci/run installs it."
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason=ABSENT)


class Reader:
    """Opens pages of a site, each in a browser window of its own; ``complaints`` must stay empty.

    ``address``: where the site is served; without it its files are opened.
    """

    def __init__(self, browser: Browser, folder: Path, address: str | None = None) -> None:
        self._browser, self.folder = browser, folder
        self._address = address or folder.as_uri()
        self.complaints: list[str] = []

    def open(self, name: str, **how: Any) -> Page:
        """Open a file of the site, such as ``index.html`` or ``toy.en.html#e1``; ``how``: options of the window."""
        page = self._browser.new_context(**how).new_page()
        page.route("**/*", self._refuse_elsewhere)
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(f"{self._address}/{name}")
        return page

    def _refuse_elsewhere(self, route: Route) -> None:
        if route.request.url.startswith((f"{self._address}/", "data:")):
            route.continue_()
        else:
            self.complaints.append(f"asks for {route.request.url}")
            route.abort()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's chromium without a screen."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()

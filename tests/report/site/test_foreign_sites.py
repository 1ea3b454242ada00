"""A website in a real browser reads nothing of the site that `tachograph serve` shows in the same browser."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as Window

from tests.report.site.browser import Reader, needs_chromium
from tests.report.site.served_site import PRIVATE, SCRIPT, served, write_site

pytestmark = [needs_chromium, pytest.mark.slow]

# What each way of looking into another site comes to; "kept out" is what all of them must come to.
WAYS = {
    "script": """(site) => new Promise((resolve) => {
        globalThis.receive = resolve;
        const script = document.createElement("script");
        script.onerror = () => resolve("kept out");
        script.src = `${site}SCRIPT`;
        document.head.append(script);
    })""",
    "module": """(site) => import(`${site}SCRIPT`).then(() => "read", () => "kept out")""",
    "fetch": """(site) => fetch(`${site}/logs/train,log.txt`).then((found) => found.text(), () => "kept out")""",
    "fetch without a look": """(site) => fetch(`${site}/logs/train,log.txt`, { mode: "no-cors" })
        .then((found) => found.type, () => "kept out")""",
    "picture": """(site) => new Promise((resolve) => {
        const picture = new Image();
        picture.onload = () => resolve(`${picture.width} wide`);
        picture.onerror = () => resolve("kept out");
        picture.src = `${site}/picture.svg`;
    })""",
}
# A frame shows that it is kept out by the error page in it, which the test can read.
FRAME = """(site) => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.onload = resolve;
    frame.src = `${site}/index.html`;
    document.body.append(frame);
})"""
# 127.0.0.1 is another site than localhost; by another port it is the same site, and another origin.
NEIGHBOURS = ("localhost", "127.0.0.1")


class _Open(SimpleHTTPRequestHandler):
    """A server as Python has it, which keeps nobody out."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def unguarded(folder: Path) -> Iterator[int]:
    """Serve a folder to everybody; gives the port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Open, directory=str(folder))) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """The site as the command serves it."""
    with served(folder) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a website that wants to read that site."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "index.html").write_text("<!doctype html><title>Elsewhere</title><a>link</a>", encoding="utf-8")
    with unguarded(folder) as port:
        yield port


@pytest.fixture
def visit(browser: Browser, elsewhere: int) -> Iterator[Callable[[str], Window]]:
    """Open that website by a name of its host."""
    context = browser.new_context()

    def opened(host: str) -> Window:
        window = context.new_page()
        window.goto(f"http://{host}:{elsewhere}/")
        return window

    yield opened
    context.close()


@pytest.mark.parametrize("host", NEIGHBOURS)
@pytest.mark.parametrize("way", WAYS)
def test_another_site_is_kept_out(visit: Callable[[str], Window], address: str, host: str, way: str) -> None:
    assert visit(host).evaluate(WAYS[way].replace("SCRIPT", SCRIPT), address) == "kept out"


@pytest.mark.parametrize("way", ["script", "fetch without a look", "picture"])
def test_the_same_ways_lead_into_a_server_that_keeps_nobody_out(
    visit: Callable[[str], Window], folder: Path, way: str
) -> None:
    with unguarded(folder) as port:
        found = visit("localhost").evaluate(WAYS[way].replace("SCRIPT", SCRIPT), f"http://127.0.0.1:{port}")
    assert found in (PRIVATE, "opaque", "9 wide")


@pytest.mark.parametrize("host", NEIGHBOURS)
def test_no_frame_of_another_site_holds_a_page(visit: Callable[[str], Window], address: str, host: str) -> None:
    window = visit(host)
    window.evaluate(FRAME, address)
    assert PRIVATE not in window.frames[1].content()


@pytest.mark.parametrize("host", NEIGHBOURS)
def test_a_link_of_another_site_opens_a_page_that_has_no_tie_to_it(
    visit: Callable[[str], Window], address: str, host: str
) -> None:
    window = visit(host)
    with window.context.expect_page() as opened:
        window.evaluate("(site) => { window.other = window.open(`${site}/index.html`); }", address)
    opened.value.get_by_text(PRIVATE).wait_for()
    assert opened.value.evaluate("window.opener") is None
    assert window.evaluate("window.other.closed") is True


def test_a_served_page_opens_its_evidence_and_has_nothing_to_complain_about(browser: Browser, site: Path) -> None:
    with served(site) as port:
        reader = Reader(browser, site, f"http://localhost:{port}")
        page = reader.open("toy.en.html")
        page.locator("table.r a.n").first.click()
        page.locator("dialog[open]").wait_for()
    assert reader.complaints == []

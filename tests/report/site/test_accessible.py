"""Pages that everyone can read: no finding of axe-core that counts, on no screen and on paper anything cut off."""

import shutil
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize

from report.pagefile.page_file import names
from report.views.publish import PublishedPage
from report.views.site import publish_site
from tests.parsers.corpus_logs import ROOT
from tests.report.page_checks import OF_OTHERS, PERF
from tests.report.site.browser import Reader, needs_chromium

pytestmark = [needs_chromium, pytest.mark.slow]

WIDE: ViewportSize = {"width": 1400, "height": 900}
NARROW: ViewportSize = {"width": 390, "height": 844}
PAPER: ViewportSize = {"width": 688, "height": 1000}
# Without asking for the style sheet again, which a file may not.
OPTIONS = {"preload": False, "resultTypes": ["violations"]}
COUNTS = ("moderate", "serious", "critical")

# Links and controls outside of sentences and tables that are lower than a finger needs, by WCAG 2.2.
LOW = """[...document.querySelectorAll(".bar :is(a, button), .contents a, summary, dialog button, main button, input")]
  .filter((part) => part.checkVisibility() && part.getBoundingClientRect().height < 24).map((part) => part.outerHTML)"""
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def all_pages(tmp_path_factory: pytest.TempPathFactory) -> list[PublishedPage]:
    """The site of the pages of this project, in all languages; without the corpus those of others are left out."""
    logs = tmp_path_factory.mktemp("accessible") / "logs"
    shutil.copytree(ROOT / "logs", logs)
    if PERF.is_dir():
        shutil.copytree(PERF, logs, dirs_exist_ok=True)
    pages = [name for name in names() if PERF.is_dir() or name not in OF_OTHERS]
    return publish_site(pages, logs, [], logs.parent / "out")


@pytest.fixture
def every_page(browser: Browser, all_pages: list[PublishedPage]) -> Iterator[Page]:
    """A window for all pages of the site; afterwards nothing must have been complained about."""
    reader = Reader(browser, all_pages[0].files[0].parent)
    yield reader.open("index.html")
    assert reader.complaints == []


@pytest.fixture(scope="module")
def addresses(all_pages: list[PublishedPage]) -> list[str]:
    return sorted(path.absolute().as_uri() for path in all_pages[0].files[0].parent.glob("*.html"))


def findings(page: Page) -> list[str]:
    """What axe-core finds that counts, with the first place of each."""
    violations = Axe().run(page, options=OPTIONS).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in violations if one["impact"] in COUNTS]


def test_pages_have_no_finding_and_no_screen_nor_paper_is_too_narrow_for_them(
    every_page: Page, addresses: list[str]
) -> None:
    for address in addresses:
        every_page.goto(address)
        for size, is_dark in ((WIDE, False), (WIDE, True), (NARROW, False)):
            every_page.set_viewport_size(size)
            every_page.emulate_media(color_scheme="dark" if is_dark else "light")
            assert findings(every_page) == [], address
        assert every_page.evaluate(WIDTH) <= NARROW["width"], address
        assert every_page.evaluate(LOW) == [], address
        every_page.set_viewport_size(PAPER)
        every_page.emulate_media(media="print")
        assert every_page.evaluate(WIDTH) <= PAPER["width"], address
        every_page.emulate_media(media="screen")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_evidence_of_a_number_has_no_finding_either(size: ViewportSize, scheme: str, reader: Reader) -> None:
    for name in ("cpu-demo.en.html#resnet50/1/paddleclas", "frameworks.zh.html#ratio/32/a-vs-b"):
        page = reader.open(name, viewport=size, color_scheme=scheme)
        page.locator("dialog[open]").wait_for()
        assert findings(page) == []
        assert page.evaluate(WIDTH) <= size["width"]
        assert page.evaluate(LOW) == []

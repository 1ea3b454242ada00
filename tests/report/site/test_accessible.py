"""Pages that everyone can read: no finding of axe-core that counts, few stops of the keys, nothing squeezed."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize

from report.pagefile.page_file import names
from report.site.build import publish_site
from report.views.publish import PublishedPage
from tests.parsers.corpus_logs import ROOT
from tests.report.published_pages import OF_OTHERS, PERF
from tests.report.site.browser import Reader, needs_chromium

pytestmark = [needs_chromium, pytest.mark.slow]

WIDE: ViewportSize = {"width": 1400, "height": 900}
NARROW: ViewportSize = {"width": 390, "height": 844}
# Without asking for the style sheet again, which a file may not.
OPTIONS = {"preload": False, "resultTypes": ["violations"]}
COUNTS = ("serious", "critical")
MOST_STOPS, FIRST_RESULT, HIGHEST = 150, 1000, 25_000

DARK = 'matchMedia("(prefers-color-scheme: dark)").matches'
STOPS = """[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
  .filter((element) => element.tabIndex >= 0 && element.checkVisibility()).length"""
NARROWEST = """Math.min(...[...document.querySelectorAll("main :is(p:not(.unseen), li, td, th)")]
  .filter((element) => element.checkVisibility())
  .filter((element) => element.innerText.split("\\n").some((line) => line.trim().length > 12))
  .map((element) => element.clientWidth))"""
CUT = """[...document.querySelectorAll(".scroll:has(table.results, table.cases)")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.querySelector("caption").textContent)"""
CUT_LINES = """[...document.querySelectorAll(".drawn li:not(.heading)")]
  .filter((line) => line.scrollWidth > line.clientWidth).map((line) => line.textContent)"""
# Bars of several panels are compared by their length.
UNEQUAL = """[...document.querySelectorAll("figure.chart")].filter((chart) => {
  const widths = [...chart.querySelectorAll(".drawn > svg")].map((drawn) => drawn.getBoundingClientRect().width);
  return Math.max(...widths) - Math.min(...widths) > 1; }).map((chart) => chart.id)"""
NOT_SCROLLING = """[...document.querySelectorAll("[tabindex='0']")]
  .filter((box) => box.scrollWidth <= box.clientWidth).map((box) => box.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[PublishedPage]:
    """The site of the pages of this project, in all languages; without the corpus those of others are left out."""
    logs = tmp_path_factory.mktemp("accessible") / "logs"
    shutil.copytree(ROOT / "logs", logs)
    if PERF.is_dir():
        shutil.copytree(PERF, logs, dirs_exist_ok=True)
    pages = [name for name in names() if PERF.is_dir() or name not in OF_OTHERS]
    return list(publish_site(pages, logs, [], logs.parent / "out"))


@pytest.fixture(scope="module")
def files(pages: list[PublishedPage]) -> list[str]:
    """The names of all pages of the site."""
    return sorted(path.name for path in pages[0].files[0].parent.glob("*.html"))


@pytest.fixture
def every_reader(browser: Browser, pages: list[PublishedPage]) -> Iterator[Reader]:
    found = Reader(browser, pages[0].files[0].parent)
    yield found
    assert found.complaints == []


def findings(page: Page) -> list[str]:
    """What axe-core finds that counts, with the first place of each."""
    violations = Axe().run(page, options=OPTIONS).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in violations if one["impact"] in COUNTS]


@contextmanager
def opened(reader: Reader, name: str, size: ViewportSize) -> Iterator[Page]:
    """A page in a window that is closed behind it: Chromium goes on working for each that is open."""
    page = reader.open(name, viewport=size)
    yield page
    page.context.close()


def test_a_wide_screen_has_pages_for_eyes_and_keys_that_begin_with_numbers(
    every_reader: Reader, files: list[str], pages: list[PublishedPage]
) -> None:
    of_results = {path.name for page in pages for path in page.files}
    for name in files:
        with opened(every_reader, name, WIDE) as page:
            if name in of_results:
                box = page.locator("main a.number").first.bounding_box()
                assert box is not None, name
                assert box["y"] < FIRST_RESULT, name
            assert findings(page) == [], name
            page.emulate_media(color_scheme="dark")
            assert page.evaluate(DARK), name
            assert findings(page) == [], name
            assert page.evaluate(STOPS) < MOST_STOPS, name
            assert page.evaluate(NOT_SCROLLING) == [], name
            assert_charts_are_whole(page, name)


def test_a_narrow_screen_has_all_of_a_page_in_columns_that_can_be_read(every_reader: Reader, files: list[str]) -> None:
    for name in files:
        with opened(every_reader, name, NARROW) as page:
            assert findings(page) == [], name
            assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], name
            assert page.evaluate(NARROWEST) >= 50, name
            assert page.evaluate(CUT) == [], name
            assert page.evaluate("document.documentElement.scrollHeight") < HIGHEST, name
            assert_charts_are_whole(page, name)


def assert_charts_are_whole(page: Page, name: str) -> None:
    """Charts name their lines in full, and draw their panels in one width."""
    assert page.evaluate(CUT_LINES) == [], name
    assert page.evaluate(UNEQUAL) == [], name


def test_the_evidence_of_a_number_has_no_serious_finding_either(every_reader: Reader) -> None:
    page = every_reader.open("cpu-demo.en.html#e1", viewport=WIDE)
    page.locator("dialog[open] table.lines mark").first.wait_for()
    assert findings(page) == []

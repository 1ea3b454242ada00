"""Charts in a real browser: drawn in both languages, without moving what is already there."""

import pytest

from tests.report.site.browser import Reader, needs_chromium

pytest.importorskip("report.charts")
pytestmark = [needs_chromium, pytest.mark.slow]

# What moved while the page came up, as browsers score it.
SHIFTS = """new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().map((entry) => entry.value)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve([]), 500);
})"""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_chart_stands_under_its_table(language: str, reader: Reader) -> None:
    page = reader.open(f"toy.{language}.html")
    drawing = page.locator("main figure.chart").first
    assert drawing.locator(".drawn svg").first.is_visible()
    assert drawing.locator("figcaption strong").text_content()


def test_a_bar_opens_the_evidence_of_its_number(reader: Reader) -> None:
    page = reader.open("toy.en.html")
    bar = page.locator("figure.chart a.number").first
    number = str(bar.locator("text").text_content()).split()[0]
    bar.locator("text").click()
    page.locator("dialog[open]").wait_for()
    assert str(page.locator("#evidence-number").text_content()).startswith(f"{number} ")


@pytest.mark.parametrize("name", ["toy.en.html", "cpu-demo.zh.html", "index.html"])
def test_nothing_moves_while_a_page_comes_up(name: str, reader: Reader) -> None:
    assert sum(reader.open(name).evaluate(SHIFTS)) < 0.01

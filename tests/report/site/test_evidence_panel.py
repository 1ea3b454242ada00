"""The panel of a number in a real browser: what it was computed from, where it was quoted from, all of a long log."""

import pytest
from playwright.sync_api import Page, expect

from tests.report.site.browser import Reader, needs_chromium
from tests.report.site.conftest import LONG

pytestmark = [needs_chromium, pytest.mark.slow]

every_language = pytest.mark.parametrize("language", ["en", "zh"])


def shows(page: Page, number: str) -> None:
    """Hold the number whose evidence is open, and that a reader is at its begin."""
    expect(page.locator("#evidence-number")).to_have_text(number)
    expect(page.locator("#evidence-number")).to_be_focused()


@every_language
def test_a_computed_number_names_both_numbers_that_it_was_computed_from(language: str, quoted_reader: Reader) -> None:
    page = quoted_reader.open(f"page.{language}.html#e4")
    shows(page, "66.7%‡")
    parts = page.locator("dialog [data-parts] li")
    expect(parts).to_have_text(["640.00‡ images/s Scores · 8 · A", "120.0 images/s Scores · 1 · A"])
    parts.locator("a").last.click()
    shows(page, "120.0 images/s")
    expect(page.locator("dialog table.lines mark").first).to_be_visible()


def test_the_keys_lead_from_a_computed_number_to_the_evidence_of_another_and_back(quoted_reader: Reader) -> None:
    page = quoted_reader.open("page.en.html")
    page.locator("table.results a.number", has_text="66.7").focus()
    page.keyboard.press("Enter")
    shows(page, "66.7%‡")
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    shows(page, "640.00‡ images/s")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#t/8/a-scaling-efficiency"


@every_language
def test_a_quoted_figure_opens_where_it_was_published(language: str, quoted_reader: Reader) -> None:
    page = quoted_reader.open(f"page.{language}.html")
    page.locator("table.results a.number", has_text="80").first.click()
    shows(page, "80‡ images/s")
    source = page.locator("dialog [data-part=source]")
    expect(source.locator("a")).to_have_text("A paper (2031-05)")
    expect(source.locator("a")).to_have_attribute("href", "https://example.org/paper")
    expect(source.locator("[data-slot=note]")).to_have_text("Nobody knows how it was made.")


def test_a_long_log_is_shown_to_its_end_by_pressing_show_more(quoted_reader: Reader) -> None:
    page = quoted_reader.open("page.en.html#e1")
    numbers, more = page.locator("dialog tbody th"), page.get_by_role("button", name="Show more lines")
    for shown in (200, 400, 600):
        expect(numbers).to_have_count(shown)
        more.click()
    expect(more).to_be_hidden()
    assert [int(number) for number in numbers.all_text_contents()] == list(range(1, LONG + 2))
    assert page.locator("dialog tr.used mark").count() == LONG

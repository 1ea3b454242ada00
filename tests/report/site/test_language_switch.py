"""The other language of a page in a real browser: at the same spot, on the same number, with the same panel."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.report.site.browser import Reader, needs_chromium

pytestmark = [needs_chromium, pytest.mark.slow]

NARROW = {"width": 390, "height": 844}


def top(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box
    return box["y"]


def open_number(page: Page, number: str) -> None:
    page.locator("table.results a.number", has_text=number).first.click()
    page.locator("dialog[open] table.lines mark").first.wait_for()


@pytest.mark.parametrize("anchor", ["steps", "table-deeplabv3p", "logs"])
def test_the_other_language_is_at_the_same_spot(anchor: str, reader: Reader) -> None:
    page = reader.open(f"cpu-demo.en.html#{anchor}")
    before = top(page, f"#{anchor}")
    page.locator(".bar .languages a[lang=zh]").click()
    page.wait_for_url("**/cpu-demo.zh.html*")
    assert page.locator("html").get_attribute("lang") == "zh"
    page.wait_for_load_state()
    assert abs(top(page, f"#{anchor}") - before) <= 60


def test_the_other_language_is_on_the_number_whose_panel_was_closed(reader: Reader) -> None:
    page = reader.open("cpu-demo.en.html", viewport=NARROW)
    open_number(page, "")
    page.keyboard.press("Escape")
    slug = page.evaluate("location.hash.slice(1)")
    page.locator(f"td[id='{slug}']").evaluate("cell => scrollBy(0, cell.getBoundingClientRect().top - 200)")
    before = top(page, f"td[id='{slug}']")
    page.locator(".bar .languages a[lang=zh]").click()
    page.wait_for_url(f"**/cpu-demo.zh.html#{slug}")
    assert abs(top(page, f"td[id='{slug}']") - before) <= 2
    expect(page.locator("dialog")).to_be_hidden()


def test_an_open_panel_is_open_in_the_other_language(reader: Reader) -> None:
    page = reader.open("cpu-demo.en.html")
    open_number(page, "")
    shown = page.locator("#evidence-number").text_content()
    page.locator("dialog .languages a[lang=zh]").click()
    page.wait_for_url(re.compile("cpu-demo[.]zh[.]html#"))
    page.locator("dialog[open] table.lines mark").first.wait_for()
    assert page.locator("#evidence-number").text_content() == shown

"""Reading a site as people do, in a real browser: the evidence of a number, the other language, and the search."""

import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect

from tests.report.site.browser import Reader, needs_chromium
from tests.report.site.made_pages import SPEEDS

pytestmark = [needs_chromium, pytest.mark.slow]

FIRST, SECOND, LAST = "main/fp32-1/a", "main/fp32-1/b", "ratio/32/a-vs-b"
GROUND = "getComputedStyle(document.body).backgroundColor"


def opened(page: Page) -> str:
    """The address of the number whose evidence is open."""
    dialog = page.locator("dialog[open]")
    expect(dialog).to_be_visible()
    return str(dialog.get_attribute("id"))


def is_closed(page: Page) -> bool:
    expect(page.locator("dialog:visible")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"^[^#]*#?$"))  # that a dialog has closed is told its page later
    return bool(page.evaluate("location.hash") == "")


@pytest.mark.parametrize("way", ["click", "Enter", "address"])
def test_a_number_opens_its_evidence_and_escape_leads_back_to_it(way: str, reader: Reader) -> None:
    page = reader.open("frameworks.en.html" + (f"#{FIRST}" if way == "address" else ""))
    number = page.locator(f"table.r a[href='#{FIRST}']")
    if way == "click":
        number.click()
    elif way == "Enter":
        number.press("Enter")
    assert (opened(page), unquote(page.evaluate("location.hash"))) == (FIRST, f"#{FIRST}")
    heading = page.locator("dialog[open] .big")
    assert heading.inner_text().startswith("393.561")
    if way != "address":
        expect(heading).to_be_focused()
    page.keyboard.press("Escape")
    assert is_closed(page)
    assert page.evaluate("document.activeElement.getAttribute('href')") == f"#{FIRST}"


def test_the_arrow_keys_lead_from_number_to_number_and_no_further(reader: Reader) -> None:
    page = reader.open(f"frameworks.en.html#{FIRST}")
    seen = []
    for key in ("ArrowLeft", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
        page.wait_for_timeout(50)
        seen.append(opened(page))
    assert seen == [FIRST, SECOND, FIRST]
    page.goto(f"{page.url.partition('#')[0]}#{LAST}")
    page.keyboard.press("ArrowRight")
    assert opened(page) == LAST


def test_a_computed_number_leads_to_both_numbers_that_it_was_computed_from(reader: Reader) -> None:
    page = reader.open(f"frameworks.en.html#{LAST}")
    parts = page.locator("dialog[open] li a.n")
    assert [part.get_attribute("href") for part in parts.all()] == ["#main/amp-32/a", "#main/amp-32/b"]
    parts.last.click()
    assert opened(page) == "main/amp-32/b"
    source = page.locator("dialog[open] a[rel=noreferrer]")
    assert source.get_attribute("href") == "https://example.org/paper?a=1&b=2"


def test_every_line_shown_has_its_number_and_its_value_in_the_raw_log_that_is_downloaded(reader: Reader) -> None:
    page = reader.open("cpu-demo.en.html#resnet50/1/paddleclas")
    raw = (
        reader.folder / unquote(str(page.locator("dialog[open] a[download]").first.get_attribute("href")))
    ).read_text(encoding="utf-8")
    lines = raw.splitlines()
    rows = page.locator("dialog[open] table").first.locator("tbody tr:has(td.l)").all()
    shown = [[cell.inner_text() for cell in row.locator("td").all()] for row in rows]
    assert len(shown) > 1
    for number, value, text in shown:
        line = lines[int(number) - 1]
        assert line.startswith(text.removesuffix(" …"))
        assert float(value) in [float(found) for found in re.findall(r"[0-9]+[.][0-9]+", line)]


@pytest.mark.parametrize("within", ["header", "dialog[open]"])
def test_the_other_language_is_at_the_same_number(within: str, reader: Reader) -> None:
    page = reader.open(f"frameworks.en.html#{SECOND}")
    link = page.locator(f"{within} a[hreflang=zh]")
    # The header lies under an open dialog for a mouse, not for what works a page by itself.
    link.dispatch_event("click")
    page.wait_for_url(re.compile("frameworks[.]zh[.]html#"))
    assert (opened(page), page.locator("html").get_attribute("lang")) == (SECOND, "zh")


def test_without_a_script_a_number_shows_its_evidence_and_controls_are_not_there(reader: Reader) -> None:
    page = reader.open("frameworks.en.html", java_script_enabled=False)
    page.locator(f"table.r a[href='#{FIRST}']").click()
    expect(page.locator(f"dialog[id='{FIRST}']")).to_be_visible()
    assert page.locator(".control:visible").count() == 0


def rows(page: Page) -> list[str]:
    """The rows that the index shows: their heads, after those of their groups."""
    return [head.split("\n")[0] for head in page.locator("tbody th:visible").all_inner_texts()]


def search(page: Page, words: str) -> list[str]:
    page.locator("#finder").fill(words)
    return rows(page)


def test_the_index_finds_numbers_labels_and_frameworks_under_the_heads_of_their_groups(reader: Reader) -> None:
    page = reader.open("index.html")
    whole = rows(page)
    for number in ("10984.436", "10,984.436"):
        assert search(page, number) == ["fp32", "32"]
    assert search(page, "frameworks AMP gpu=8") == ["amp", "8"]
    assert search(page, "pytorch frameworks precision=amp") == ["amp", "1", "32"]
    # One card is not all counts that begin with a one.
    assert search(page, "frameworks gpu=1") == ["fp32", "1", "amp", "1"]
    assert search(page, "ngc pytorch") == ["fp32", "1", "8", "amp", "1", "32"]
    assert search(page, "no such thing") == []
    assert page.locator("#found").inner_text()
    assert search(page, "") == whole
    assert "\n".join(["fp32", "1", "8", "32", "amp", "1", "8", "32"]) in "\n".join(whole)


def test_a_number_that_was_found_opens_its_evidence(reader: Reader) -> None:
    page = reader.open("index.html")
    search(page, str(SPEEDS["a32-fp32"]))
    page.locator("tbody a.n:visible").first.click()
    assert opened(page) == "main/fp32-32/a"


def test_the_theme_is_that_of_the_system_and_paper_is_always_light(reader: Reader) -> None:
    grounds = [reader.open("frameworks.en.html", color_scheme=scheme) for scheme in ("light", "dark")]
    assert len({page.evaluate(GROUND) for page in grounds}) == 2
    grounds[1].emulate_media(media="print")
    assert grounds[1].evaluate(GROUND) == "rgb(255, 255, 255)"


def test_a_printed_page_holds_its_tables_and_no_controls(reader: Reader) -> None:
    page = reader.open("frameworks.en.html")
    page.emulate_media(media="print")
    assert page.locator("table.r").first.is_visible()
    assert page.locator("header:visible, dialog:visible, button:visible, nav:visible").count() == 0

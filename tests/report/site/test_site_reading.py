"""Reading a site as people do, in a real browser: a language, an order, a filter, and the proof of a number."""

import re
from statistics import fmean, median
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect

from tests.report.site.browser import Reader, needs_chromium

pytestmark = [needs_chromium, pytest.mark.slow]


def texts(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_text_contents()]


def test_a_table_sorts_up_then_down_then_as_it_was(reader: Reader) -> None:
    page = reader.open("cpu-demo.en.html")
    table = page.locator("table.results").first
    head, cells = table.locator("thead button").nth(1), table.locator("tbody td:nth-child(2)")
    seen = []
    for _ in range(3):
        head.click()
        order = table.locator("thead th").nth(1).get_attribute("aria-sort")
        seen.append((order, [text.split()[0].rstrip("†") for text in cells.all_text_contents()]))
    numbers = seen[2][1]
    assert [order for order, _ in seen] == ["ascending", "descending", "none"]
    assert seen[0][1] == sorted(numbers, key=float)
    assert seen[1][1] == sorted(numbers, key=float, reverse=True)


def test_what_is_missing_stays_last_in_any_order(reader: Reader) -> None:
    table = reader.open("toy.en.html").locator("table.results").first
    for _ in range(2):
        table.locator("thead button").nth(1).click()
        assert table.locator("tbody tr").last.locator("td").first.text_content() == "-"


def test_a_filter_leaves_only_what_was_chosen(reader: Reader) -> None:
    page = reader.open("index.html")
    page.locator("select[name=device]").select_option("CPU")
    shown = page.locator(".group:visible")
    assert {group.get_attribute("data-device") for group in shown.all()} == {"CPU"}
    page.locator("button[type=reset]").click()
    expect(page.locator(".group[hidden]")).to_have_count(0)


def test_what_is_chosen_is_in_the_address_and_stays_in_the_other_language(reader: Reader) -> None:
    page = reader.open("index.html")
    page.locator("select[name=device]").select_option("CPU")
    page.locator("input[type=search]").fill("paddleseg")
    page.locator(".bar .languages a[lang=zh]").click()
    page.wait_for_url("**/index-zh.html?words=paddleseg&device=CPU")
    assert page.locator("select[name=device]").input_value() == "CPU"
    expect(page.locator(".group:visible tbody tr:visible")).to_have_count(1)


def test_the_results_stand_in_the_index_without_a_script_newest_first(reader: Reader) -> None:
    page = reader.open("index.html", java_script_enabled=False)
    assert page.locator(".group tbody tr:visible a").count() >= 4
    newest = [
        max(texts_of)
        for texts_of in (group.locator("td:last-child").all_text_contents() for group in page.locator(".group").all())
    ]
    assert newest == sorted(newest, reverse=True)


@pytest.mark.parametrize("word", ["scaling-efficiency", "77.6"])
def test_a_search_finds_any_number_by_what_it_is_or_by_its_digits(word: str, reader: Reader) -> None:
    page = reader.open("index.html")
    page.locator("input[type=search]").fill(word)
    assert "77.6" in texts(page, "#found tbody td:nth-child(3)")


def test_a_number_that_was_found_opens_its_evidence(reader: Reader) -> None:
    page = reader.open("index.html")
    page.locator("input[type=search]").fill("paddleseg")
    number = page.locator("#found tbody a").first
    printed = number.text_content()
    number.click()
    page.locator("dialog[open]").wait_for()
    assert page.locator("#evidence-number").text_content() == f"{printed} samples/s"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_lines_shown_add_up_to_the_number(language: str, reader: Reader) -> None:
    page = reader.open(f"cpu-demo.{language}.html#e1")
    page.locator("dialog[open] table.lines mark").first.wait_for()
    runs = []
    for file in page.locator("dialog .file").all():
        file.locator("tr.around").last.wait_for()
        lines = file.locator("tr.used mark").all_text_contents()
        runs.append(fmean(float(found[1]) for line in lines if (found := re.search(r"ips: ([\d.]+)", line))))
    printed = str(page.locator("#evidence-number").text_content()).removesuffix(" samples/s")
    assert (len(runs), f"{median(runs):.3f}") == (3, printed)


def test_every_line_has_its_number_in_the_raw_log(reader: Reader) -> None:
    page = reader.open("cpu-demo.en.html#e1")
    page.locator("dialog[open] table.lines mark").first.wait_for()
    file = page.locator("dialog .file").first
    address = unquote(str(file.locator("a[download]").get_attribute("href")))
    raw = (reader.folder / address).read_text(encoding="utf-8")
    lines = raw.splitlines()
    rows = file.locator("tbody tr:not(.gap)").all()
    shown = {int(str(row.locator("th").text_content())): row.locator("td").last.text_content() for row in rows}
    assert shown == {number: lines[number - 1] for number in shown}


def test_a_number_opens_and_closes_by_the_keys(reader: Reader) -> None:
    page = reader.open("cpu-demo.en.html")
    page.locator("table.results a.number").first.focus()
    page.keyboard.press("Enter")
    page.locator("dialog[open]").wait_for()
    assert page.evaluate("document.activeElement.id") == "evidence-number"
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#resnet50/1/paddleclas"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_that_of_the_system_until_it_is_chosen(scheme: str, reader: Reader) -> None:
    page = reader.open("cpu-demo.en.html", color_scheme=scheme)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    before = page.evaluate(ground)
    page.locator("#theme").click()
    chosen = page.evaluate(ground)
    page.goto(page.url.replace("cpu-demo.en", "index"))
    assert (before != chosen, page.evaluate(ground)) == (True, chosen)


def test_a_printed_page_holds_the_tables_and_no_controls(reader: Reader) -> None:
    page = reader.open("cpu-demo.en.html")
    page.emulate_media(media="print")
    assert page.locator("table.results").first.is_visible()
    assert not page.locator("header.bar").is_visible()


def test_what_is_closed_on_a_screen_is_printed(quoted_reader: Reader) -> None:
    page = quoted_reader.open("page.evidence.en.html")
    closed = page.locator("details:not([open]) table").first
    expect(closed).to_be_hidden()
    page.emulate_media(media="print")
    expect(closed).to_be_visible()

"""Hostile names, lines and reports are shown as text, and are nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from report.results.model import ReportError, parsed
from report.views.html import texts
from tests.report.site import parsed_page
from tests.report.site.browser import Reader, needs_chromium
from tests.report.site.made_pages import SCRIPT, TICKS, WORD

FOREIGN = "main script, main img, main b:has(*), main u, dialog script, dialog img, [onerror]"
TITLE = "Hostile </script> <img src=x onerror=alert(1)> | `page`"
ATTACKS = (
    "<script>document.title='taken'</script><img src=x onerror=alert(1)>",
    "\"'><img src=x onerror=alert(1)><a style='color:red' href='javascript:alert(1)'>",
    "[x](javascript:alert(1)) ![x](https://elsewhere.example/x.png) <https://elsewhere.example> {x.__class__} %s",
    "javascript:alert(1)",
    "../../../etc/passwd",
)


@pytest.fixture
def evidence(hostile_reader: Reader) -> Page:
    page = hostile_reader.open("hostile.en.html")
    page.locator("table.r a.n").first.click()
    page.locator("dialog[open]").wait_for()
    return page


@needs_chromium
@pytest.mark.slow
def test_a_hostile_page_and_its_log_are_text_and_keep_the_width(evidence: Page) -> None:
    assert evidence.title() == TITLE
    assert evidence.locator(FOREIGN).count() == 0
    assert r"`| \u202egpj.shtml" in evidence.locator("dialog[open]").inner_text()
    assert "\u202e" not in str(evidence.locator("html").text_content())
    assert evidence.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert evidence.locator("dialog[open]").evaluate("panel => panel.scrollWidth <= panel.clientWidth")


@needs_chromium
@pytest.mark.slow
@pytest.mark.parametrize("name", ["index.html", "index-zh.html", "hostile.zh.html"])
def test_a_page_of_hostile_names_has_nothing_to_complain_about(name: str, hostile_reader: Reader) -> None:
    page = hostile_reader.open(name)
    assert page.locator(FOREIGN).count() == 0
    assert TITLE in str(page.locator("main").text_content())


@needs_chromium
@pytest.mark.slow
def test_the_copy_of_a_hostile_log_is_text(evidence: Page, hostile_site: Path) -> None:
    address = str(evidence.locator("dialog[open] a[download]").get_attribute("href"))
    evidence.goto(f"{hostile_site.as_uri()}/{address}")
    shown = str(evidence.locator("body").text_content())
    assert (SCRIPT in shown, WORD in shown, TICKS in shown) == (True, True, True)
    assert evidence.locator("script, img").count() == 0
    assert evidence.title() == ""


def leaves(told: Any, key: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Each text in a report: by what keys it is reached, lists apart, what holds it, and where in that."""
    for at, value in told.items() if isinstance(told, dict) else enumerate(told):
        path = (*key, at) if isinstance(told, dict) else key
        if isinstance(value, str):
            yield path, told, at
        elif isinstance(value, dict | list):
            yield from leaves(value, path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(2))
def test_whatever_a_report_says_its_pages_run_nothing_and_load_nothing(first: int, site: Path) -> None:
    told = json.loads((site / "data/frameworks.report.json").read_text(encoding="utf-8"))
    each = {path: (holder, at) for path, holder, at in leaves(told)}
    refused = []
    for number, (path, (holder, at)) in enumerate(each.items(), first):
        before, holder[at] = holder[at], ATTACKS[number % len(ATTACKS)]
        try:
            report = parsed(json.dumps(told), Path("x.report.json"))
            page, _ = texts([report], ["en"]).values()
            parsed_page.assert_inert(parsed_page.parsed(page))
        except ReportError as error:
            refused.append(path)
            assert str(error).count("\n") == 0
        holder[at] = before
    assert 0 < len(refused) < len(each)

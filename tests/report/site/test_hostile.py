"""Hostile names and lines are shown as text, and are nothing else."""

import pytest
from playwright.sync_api import Page

from tests.report.site.browser import Reader, needs_chromium
from tests.report.site.hostile import SCRIPT, TICKS, WORD

pytestmark = [needs_chromium, pytest.mark.slow]

FOREIGN = "main script, main img, main b, main i, main u, dialog script, dialog img, [onerror]"


@pytest.fixture
def evidence(hostile_reader: Reader) -> Page:
    page = hostile_reader.open("hostile.en.html#e1")
    page.locator("dialog[open] table.lines mark").first.wait_for()
    return page


def shown(page: Page) -> list[str]:
    return [str(text) for text in page.locator("dialog table.lines tr:not(.gap) td:last-child").all_text_contents()]


def test_markup_in_a_log_is_text(evidence: Page) -> None:
    assert SCRIPT in shown(evidence)
    assert TICKS in shown(evidence)


def test_a_long_word_is_whole_and_keeps_the_width(evidence: Page) -> None:
    assert WORD in shown(evidence)
    assert evidence.locator("dialog .panel").evaluate("panel => panel.scrollWidth - panel.clientWidth") <= 0


def test_nothing_hostile_became_an_element(evidence: Page) -> None:
    assert evidence.locator(FOREIGN).count() == 0
    assert evidence.title() == "Hostile </script> <img src=x onerror=alert(1)> | `page`"


@pytest.mark.parametrize("name", ["index.html", "index-zh.html", "hostile.zh.html"])
def test_a_page_of_hostile_names_has_nothing_to_complain_about(name: str, hostile_reader: Reader) -> None:
    page = hostile_reader.open(name)
    assert page.locator(FOREIGN).count() == 0
    assert "Hostile </script>" in str(page.locator("main").text_content())


def test_a_hostile_name_of_a_log_leads_to_its_raw_text(evidence: Page) -> None:
    evidence.locator("dialog a[download]").first.click()
    evidence.wait_for_url("**/logs/hostile/**")
    assert SCRIPT in str(evidence.locator("body").text_content())
    assert evidence.locator("script, img").count() == 0


def test_a_name_that_turns_text_around_reads_in_its_true_order(evidence: Page) -> None:
    assert r"`| \u202egpj.shtml" in str(evidence.locator("dialog [data-slot=name]").text_content())
    assert "\u202e" not in str(evidence.locator("html").text_content())

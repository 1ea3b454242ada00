"""How pages look in a real browser: what stands beside what, what a finger hits, and what is left on paper."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator

from report.site.build import publish_site
from tests.report.quoted_page import put_run
from tests.report.site.browser import Reader, needs_chromium
from tests.report.site.grouped_page import PAGE

pytestmark = [needs_chromium, pytest.mark.slow]

WIDE, NARROW, PAPER = {"width": 1400, "height": 900}, {"width": 390, "height": 844}, {"width": 688, "height": 1000}

# Links and controls outside of sentences and tables that are lower than a finger needs, by WCAG 2.2.
LOW = """[...document.querySelectorAll(".bar :is(a, button), .contents a, summary, select, main button, input")]
  .filter((part) => part.checkVisibility() && part.getBoundingClientRect().height < 24).map((part) => part.outerHTML)"""
OVER = """[...document.querySelectorAll(".cases :is(th, td)")]
  .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)"""


def corner(part: Locator) -> tuple[float, float]:
    """Where the upper left corner of a part of a page stands."""
    box = part.bounding_box()
    assert box is not None
    return box["x"], box["y"]


@pytest.mark.parametrize("media", ["screen", "print"])
def test_results_of_one_framework_stand_side_by_side_where_there_is_room(
    media: Literal["screen", "print"], reader: Reader
) -> None:
    page = reader.open("index.html", viewport=WIDE if media == "screen" else PAPER)
    page.emulate_media(media=media)
    groups = page.locator(".group:not(:has(thead th:nth-child(6)))")
    (left, top), (right, other_top) = corner(groups.nth(0)), corner(groups.nth(1))
    assert left < right
    assert top == other_top


def test_the_axes_of_a_case_in_the_index_lie_over_nothing(browser: Browser, tmp_path: Path) -> None:
    put_run(tmp_path, "a1-flash", 400.0, cards=8)
    put_run(tmp_path, "a2-eager", 100.0, cards=8)
    (tmp_path / "page.toml").write_text(PAGE, encoding="utf-8")
    list(publish_site([str(tmp_path / "page.toml")], tmp_path / "logs", ["en"], tmp_path / "out"))
    page = Reader(browser, tmp_path / "out").open("index.html", viewport=WIDE)
    assert "attention flash" in page.locator(".cases tbody").inner_text()
    assert page.evaluate(OVER) == []


@pytest.mark.parametrize("name", ["index.html", "toy.en.html", "toy.evidence.en.html"])
def test_a_finger_hits_what_a_page_is_worked_with(name: str, reader: Reader) -> None:
    page = reader.open(name, viewport=NARROW, has_touch=True, is_mobile=True)
    assert page.evaluate(LOW) == []

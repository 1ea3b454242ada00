"""Results in the index: each case has a line of its own, told apart by whatever axis its page states."""

import re
from pathlib import Path

import pytest

from report.site.build import publish_site
from tests.report.quoted_page import put_run
from tests.report.site.grouped_page import PAGE


@pytest.fixture
def index(tmp_path: Path) -> str:
    """The index over a page of four runs on eight cards."""
    for run, speed in {"a1-flash": 400.0, "a2-flash": 300.0, "a1-eager": 200.0, "a2-eager": 100.0}.items():
        put_run(tmp_path, run, speed, cards=8)
    (tmp_path / "page.toml").write_text(PAGE, encoding="utf-8")
    list(publish_site([str(tmp_path / "page.toml")], tmp_path / "logs", [], tmp_path / "out"))
    return (tmp_path / "out/index.html").read_text(encoding="utf-8")


def test_cases_that_differ_in_any_axis_have_a_line_each(index: str) -> None:
    assert sorted(re.findall(r'class="value"[^>]*>([0-9.]+)<', index)) == ["100.0", "200.0", "300.0", "400.0"]


def test_a_line_names_the_axes_that_differ_and_no_others(index: str) -> None:
    assert re.findall(r'<th scope="row">([^<]*)</th>', index) == [
        *("8 · TP1 · attention flash", "8 · TP1 · attention eager"),
        *("8 · TP2 · attention flash", "8 · TP2 · attention eager"),
    ]

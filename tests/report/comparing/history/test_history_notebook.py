"""Histories from Python: `tachograph.history`, as programs and notebooks call it."""

from datetime import UTC, timedelta, timezone
from pathlib import Path

import html5lib
import pytest

import tachograph
from tests.report.comparing.history.made_history import FIRST, make_suite

TIMES = [100.0, 100.2, 99.9, 110.0, 110.2, 109.9]


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index.parquet"


def test_it_finds_what_the_command_finds(tmp_path: Path, index: Path) -> None:
    found = tachograph.history(make_suite(tmp_path / "nightly", TIMES), index=index)
    (case,) = found.cases
    (step,) = case.series[0].steps
    assert (found.status, case.state, step.at) == (1, "slower", 3)
    assert step.change == pytest.approx(0.1, abs=0.005)


def test_a_notebook_shows_its_tables_with_links_to_the_logs(tmp_path: Path, index: Path) -> None:
    suite = make_suite(tmp_path / "nightly", TIMES, case="<b>GPT-2")
    page = html5lib.parseFragment(tachograph.history(suite, index=index)._repr_html_(), namespaceHTMLElements=False)
    assert [heading.text for heading in page.iter("h3")] == ["<b>GPT-2: slower"]
    assert any("nightly" in str(link.get("href")) for link in page.iter("a"))


def test_a_time_with_a_zone_leaves_earlier_runs_out(tmp_path: Path, index: Path) -> None:
    suite, fourth = make_suite(tmp_path / "nightly", TIMES), FIRST + timedelta(days=4)
    zone = timezone(timedelta(hours=8))
    for since in (fourth, fourth.astimezone(zone), fourth.astimezone(UTC).replace(tzinfo=None)):
        (case,) = tachograph.history(suite, since=since, index=index).cases
        assert len(case.series[0].runs) == 3

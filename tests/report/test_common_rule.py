"""The numbers of a row by the rule, where the protocols of its page favour one of them, and how they are shown."""

from pathlib import Path

import pytest

from report.results.model import Common
from tests.report.compared_page import STEADY, edit, make, put, rendered, unlike


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page file beside two logs that are alike."""
    return make(tmp_path)


def common(folder: Path) -> list[Common]:
    """The numbers of the only row by the rule."""
    (only,) = unlike(folder)
    return list(only.common.values())


def test_by_the_rule_neither_a_slow_start_nor_a_stalled_end_counts(folder: Path) -> None:
    put(folder, "b1", (4.0, 40.0, *STEADY, 40.0))
    a, b = common(folder)
    assert [a.value, b.value] == pytest.approx([401.0, 401.0], abs=0.01)
    assert b.own_ratio == pytest.approx(0.91, abs=0.01)
    assert b.ratio == pytest.approx(1.0, abs=1e-9)


def test_repeats_are_put_together_by_their_median_whatever_the_page_states(folder: Path) -> None:
    edit(folder, 'protocol = "plain"', 'protocol = "estimate=reported,repeats=mean"')
    put(folder, "b1", (*STEADY, 40.0))
    text = (folder / "logs/b1/train.log").read_text(encoding="utf-8")
    (folder / "logs/b1/more.log").write_text(text.replace("ips : 40", "ips : 60"), encoding="utf-8")
    assert common(folder)[1].value == pytest.approx((401.0 + 601.0) / 2, abs=0.01)
    assert "| 500.998 |" in rendered(folder, "en")
